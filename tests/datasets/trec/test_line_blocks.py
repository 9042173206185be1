"""TREC's text files: every form that is read, and what is told of the others."""

import gzip
import os
import random

import pytest

from neraca.datasets.trec import qrels
from neraca.datasets.trec.line_blocks import QRELS, LineBlock, line_blocks
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.run_file import read_run_file
from neraca.errors import InputError

JUDGED = Qrels.of_mapping({"q1": {"d1": 1, "d2": 0}, "q2": {"é": 2, "d1": 0}, "q3": {"d1": 1}})
RUN_OF_TWO = "q1 Q0 d2 1 1.5 x\nq1 Q0 d1 2 0.5 x\nq2 Q0 é 1 -1 x\n"
FOUND = [0, 0, 1], [1, 2, 1], [1, 0, 2], [2, 1, 0]
SIX = "a line has 6 fields (query, Q0, document, rank, score, tag)"
SIZES = (1, 7, 64, 1 << 19)


@pytest.fixture
def file(tmp_path):
    def make(content):
        path = tmp_path / "the.run"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def judged_columns(file):
    """Owner, rank, place and returned, which are the same for blocks of every size."""

    def check(content):
        path = file(content)
        each = [read_run_file(path, JUDGED, block_size=size) for size in SIZES]
        columns = [tuple(column.tolist() for column in (one.owner, one.rank, one.place, one.returned)) for one in each]
        assert all(one == columns[0] for one in columns)
        return columns[0]

    return check


@pytest.fixture
def error_of(file):
    """The error about a run, which is the same for blocks of every size; without the folder."""

    def check(content):
        messages = set()
        path = file(content)
        for size in SIZES:
            with pytest.raises(InputError) as error:
                read_run_file(path, JUDGED, block_size=size)
            messages.add(str(error.value).replace(f"{path.parent}{os.sep}", ""))
        [message] = messages
        return message

    return check


# forms


@pytest.mark.parametrize(
    "content",
    [
        RUN_OF_TWO,
        RUN_OF_TWO.rstrip("\n"),
        RUN_OF_TWO + "\n\n",
        RUN_OF_TWO.replace(" ", "\t"),
        RUN_OF_TWO.replace(" ", "  "),
        RUN_OF_TWO.replace(" ", " \t \x0b\x0c\r"),
        RUN_OF_TWO.replace(" d", "\0\x1f\x1cd").replace(" é", "\x01\x1eé"),
        RUN_OF_TWO.replace("q", " q"),
        RUN_OF_TWO.replace("q1", "\t q1"),
        RUN_OF_TWO.replace("\n", " \t\n"),
        RUN_OF_TWO.replace("\n", "\r\n"),
        RUN_OF_TWO.replace("\n", "\r\n").rstrip("\n"),
        RUN_OF_TWO.replace("\n", "\r\n").rstrip("\r\n"),
        RUN_OF_TWO.replace("\n", "\r\n", 1),
        RUN_OF_TWO.replace("\n", "\n\n"),
        RUN_OF_TWO.replace("\n", "\n \t\n"),
        "\n\r\n" + RUN_OF_TWO,
        "# a comment\n" + RUN_OF_TWO,
        "# as many fields as others\n" + RUN_OF_TWO + "#q1 Q0 d1 1 5 x\n",
        RUN_OF_TWO.replace("\n", "\n#\n"),
        RUN_OF_TWO.replace("\n", "\n  # é\n"),
        "#\n" * 100 + RUN_OF_TWO + "\n" * 100,
        "\ufeff" + RUN_OF_TWO,
        "\ufeff# a comment\r\n" + RUN_OF_TWO.replace("\n", "\r\n"),
        RUN_OF_TWO.replace("x", "#é\u3000"),
        RUN_OF_TWO.replace("1.5", "15e-1").replace("0.5", "+.5"),
        RUN_OF_TWO.replace("1.5", "inf").replace("0.5", "-Infinity"),
    ],
)
def test_forms(judged_columns, content):
    assert judged_columns(content) == FOUND
    assert judged_columns(gzip.compress(content.encode(), mtime=0)) == FOUND


@pytest.mark.parametrize("byte", (*range(10), *range(11, 33)))
def test_every_control_character_is_a_gap(judged_columns, error_of, byte):
    content = "q1 Q0 d2 1 1.5 x\nq1 Q0 d1 2 0.5 x\nq2 Q0 d1 1 -1 x\n"
    for text in (content, content.replace("\n", " \n"), content.replace("q1", " q1")):
        assert judged_columns(text.replace(" ", chr(byte))) == ([0, 0, 1], [1, 2, 1], [1, 0, 3], [2, 1, 0])
    assert error_of(content.replace("d1", f"d{chr(byte)}1", 1)).startswith(
        f"the.run line 2: {SIX}; found 7 in 'q1 Q0 d"
    )


def test_one_line(judged_columns):
    for content in ("q1 Q0 d2 1 1.5 x", "q1 Q0 d2 1 1.5 x\n", "\ufeffq1\tQ0\td2\t1\t1.5\tx"):
        assert judged_columns(content) == ([0], [1], [1], [1, 0, 0])


def test_a_line_longer_than_a_block(judged_columns):
    assert judged_columns(RUN_OF_TWO.replace("x", "long" * 100)) == FOUND


def test_gzip_in_several_parts(judged_columns):
    """As appended files are."""
    parts = RUN_OF_TWO.encode().splitlines(keepends=True)
    assert judged_columns(b"".join(map(gzip.compress, parts))) == FOUND


def test_spaces_of_other_alphabets_belong_to_the_field(judged_columns):
    """Also at the ends of a line, where Python's strip takes them."""
    content = "\xa0q1 Q0 d1 1 1 \u3000\nq1 Q0 d1 1 1 \x85\nq1\u2003 Q0 d1 1 1 x\n"
    assert judged_columns(content) == ([0], [1], [0], [1, 0, 0])
    assert judged_columns(content.replace(" ", "  ")) == ([0], [1], [0], [1, 0, 0])


# errors


@pytest.mark.parametrize("before", ("", "# a comment\n\n", "\ufeff", "q2 Q0 a 1 1 x\r\n\r\n", "q2 Q0 a 1 1 x\n#\n\n"))
@pytest.mark.parametrize(
    "line, message",
    [
        ("q1 Q0 d1 1 1.5", f"{SIX}; found 5 in 'q1 Q0 d1 1 1.5'"),
        ("q1 Q0 d1 1 1.5 x y", f"{SIX}; found 7 in 'q1 Q0 d1 1 1.5 x y'"),
        ("q1,Q0,d1,1,1.5,x", f"{SIX}; found 1 in 'q1,Q0,d1,1,1.5,x'"),
        ("q1 Q0 d1 1 1,5 x", "the score '1,5' is not a number"),
        ("q1 Q0 d1 1 é x", "the score 'é' is not a number"),
        ("q1 Q0 d1 1 - x", "the score '-' is not a number"),
        ("q1 Q0 d1 1 0x10 x", "the score '0x10' is not a number"),
        ("q1 Q0 d1 1 nan x", "the score 'nan' is not a number"),
        ("q1 Q0 d1 1 -NaN x", "the score '-NaN' is not a number"),
        ("q1 Q0 d1 1 1_000 x", "the score '1_000' is not a number"),
        ("q1 Q0 d1 1 1_0.5 x", "the score '1_0.5' is not a number"),
        (f"q1 Q0 d1 1 {'z' * 500} x", f"the score '{'z' * 80}' is not a number"),
    ],
)
def test_a_bad_line_is_told_with_its_number(error_of, before, line, message):
    number = before.count("\n") + 2
    content = f"{before}q1 Q0 é 1 7.5 x\n{line}\nq1 Q0 d2 3 0.5 x\nq3 Q0 d1 1 2 x\n"
    assert error_of(content) == f"the.run line {number}: {message}"
    assert error_of(content.replace(" ", "  ").replace("\n", "\r\n")).startswith(f"the.run line {number}: ")
    assert error_of(gzip.compress(content.encode(), mtime=0)) == f"the.run line {number}: {message}"


def test_a_field_that_is_missing_does_not_come_from_the_next_line(error_of):
    content = "q1 Q0 d1 1 1.5\nq1 Q0 d2 1 1.5 x y\n"
    assert error_of(content) == f"the.run line 1: {SIX}; found 5 in 'q1 Q0 d1 1 1.5'"


def test_infinite_scores_do_not_hide_a_bad_one(error_of):
    content = "q1 Q0 d1 1 inf x\nq1 Q0 d2 2 -inf x\nq1 Q0 d3 3 {} x\n"
    assert error_of(content.format("nan")) == "the.run line 3: the score 'nan' is not a number"
    assert error_of(content.format("1_0")) == "the.run line 3: the score '1_0' is not a number"


@pytest.mark.parametrize("between", (0, 1, 50))
@pytest.mark.parametrize("query", ("q1", "q7"))
def test_a_document_that_stands_twice(error_of, query, between):
    """In neighbouring lines, or with others of its query between; of a judged query and of another."""
    others = "".join(f"{query} Q0 x{number} 1 {number} x\n" for number in range(between))
    before = "q4 Q0 d1 1 1 x\nq2 Q0 d1 1 1 x\nq5 Q0 d1 1 1 x\n# four\n"
    content = f"{before}{query} Q0 d2 1 1.5 x\n{others}{query} Q0 d2 1 0.5 y\nq3 Q0 d1 1 1 x\n"
    message = f"the.run line {6 + between}: query '{query}' has the document 'd2' already in line 5"
    assert error_of(content) == message
    assert error_of("\ufeff" + content.replace("\n", "\r\n")) == message


@pytest.mark.parametrize("between", (1, 50))
@pytest.mark.parametrize("query", ("q1", "q7"))
def test_a_document_that_stands_twice_in_a_scattered_query(error_of, query, between):
    others = "".join(f"y{number} Q0 é 1 {number} x\n" for number in range(between))
    lines = f"{query} Q0 é 1 1.5 x\n{others}{query} Q0 a 1 2 x\n{others.replace('é', 'b')}{query} Q0 é 1 0.5 x\n"
    content = f"{lines}z Q0 a 1 1 x\nq2 Q0 a 1 1 x\n"
    message = f"the.run line {3 + 2 * between}: query '{query}' has the document 'é' already in line 1"
    assert error_of(content) == message
    assert error_of(content.replace(" ", "\t ")) == message


def test_the_first_of_several_duplicates_is_told(error_of):
    """The one whose second line comes first."""
    assert error_of("q1 0 a 1 1 x\nq2 0 b 1 1 x\nq2 0 b 1 1 x\nq1 0 a 1 1 x\n").startswith("the.run line 3: query 'q2'")
    assert error_of("q1 0 a 1 1 x\nq1 0 b 1 1 x\nq1 0 b 1 1 x\nq1 0 a 1 1 x\n").startswith("the.run line 3: query 'q1'")


@pytest.mark.parametrize("row", range(3))
@pytest.mark.parametrize("field", (0, 2, 5))
def test_what_is_not_utf8(error_of, row, field):
    """In a query, a document or a tag."""
    lines = [b"# one", *(b"q%d Q0 d1 1 1 x" % number for number in range(3))]
    fields = lines[row + 1].split(b" ")
    fields[field] = "Köln".encode("latin-1")
    lines[row + 1] = b" ".join(fields)
    byte = {0: 2, 2: 8, 5: 15}[field]  # q0 Q0 d1 1 1 x, with ö as the second letter of the field
    message = f"the.run line {row + 2}: byte {byte} (0xf6) is not UTF-8; save the file as UTF-8"
    assert error_of(b"\n".join(lines)) == message
    assert error_of(b"\r\n".join(lines) + b"\r\n") == message


def test_utf16(file, error_of):
    """Some editors call it Unicode; its byte order mark names it, and a file that only begins so is refused."""
    assert file(RUN_OF_TWO.encode("utf-16")).stat().st_size > len(RUN_OF_TWO)
    blocks = line_blocks(file(RUN_OF_TWO.encode("utf-16")))
    assert b"".join(block.data for block in blocks).decode() == RUN_OF_TWO
    cut = error_of(RUN_OF_TWO.encode("utf-16") + b"a")
    assert cut == "the.run: cannot be read as utf-16: truncated data; save the file as UTF-8"
    assert error_of("q1 Q0 d1 1 1 x\n".encode("utf-16-le")).startswith("the.run line 1: a line has 6 fields")


@pytest.mark.parametrize("content", (b"", b"\xef\xbb\xbf", gzip.compress(b"", mtime=0)))
def test_empty_files(file, content):
    for read in (Qrels.read, lambda path: read_run_file(path, JUDGED)):
        with pytest.raises(InputError, match=r"the\.run: the file is empty$"):
            read(file(content))


@pytest.mark.parametrize("content", ("\n", "# nothing\n#\n\n", "#", "\ufeff \r\n", "#" * 1000 + "\n"))
def test_files_with_comments_only(error_of, content):
    assert error_of(content) == "the.run: there is no document in it"


def test_what_is_no_file(tmp_path):
    for name, words in (
        ("", "this is a folder, not a file"),
        ("x", "no such file"),
        (os.devnull, "this is a pipe or a"),
    ):
        path = tmp_path / name  # the last one stands for itself
        for read in (lambda path: list(line_blocks(path)), Qrels.read, lambda path: read_run_file(path, JUDGED)):
            with pytest.raises(InputError) as error:
                read(path)
            assert str(error.value).startswith(f"{path}: {words}")


def damaged(how):
    """So much, and so irregular, that a damage in the middle is behind the first block."""
    chance = random.Random(1)
    lines = (f"q1 Q0 d{chance.getrandbits(64)} 1 {chance.random()} x\n" for _ in range(20_000))
    whole = gzip.compress("".join(lines).encode(), 1, mtime=0)
    half = len(whole) // 2
    return {
        "cut in the middle": whole[:half],
        "cut at the end": whole[:-6],
        "wrong checksum": whole[:-8] + bytes(byte ^ 0xFF for byte in whole[-8:-4]) + whole[-4:],
        "nothing but a mark": whole[:2],
        "text behind it": whole + b"no gzip",
        "wrong in the middle": whole[:half] + bytes(byte ^ 0xFF for byte in whole[half : half + 8]) + whole[half + 8 :],
    }[how]


@pytest.mark.parametrize(
    "how", ("cut in the middle", "cut at the end", "wrong checksum", "nothing but a mark", "text behind it")
)
def test_damaged_gzip(file, error_of, how):
    assert error_of(damaged(how)).startswith("the.run: the gzip file is damaged: ")


def test_gzip_that_is_wrong_in_the_middle(file):
    """Who reads block by block may see a strange line before the end tells that the whole is damaged."""
    with pytest.raises(InputError, match=r"the\.run( line \d+)?: "):
        read_run_file(file(damaged("wrong in the middle")), JUDGED)


# parts


def test_blocks_are_whole_lines_with_their_numbers(file):
    path = file("\ufeffa\nbb\r\n\nccc\ndddddddddd\ne")
    for size in range(4, 40):
        number, text = 1, b""
        for block in line_blocks(path, size):
            assert (block.path, block.first) == (path, number)
            assert block.data.endswith(b"\n")
            text += block.data
            number += block.data.count(b"\n")
        assert text == b"a\nbb\n\nccc\ndddddddddd\ne\n"
    assert [block.first for block in line_blocks(path, 39)] == [1, 6]


def test_a_tidy_block_knows_its_lines(file):
    block = LineBlock(file(""), b"# one\na  0 b\t1\n\n c 0 d 2 \n", first=11)
    tidy, columns = block.columns(QRELS)
    assert tidy.data == b"a 0 b 1\nc 0 d 2\n"
    assert [tidy.line(0), tidy.line(1)] == [12, 14]
    assert columns == [["a", "c"], ["0", "0"], ["b", "d"], ["1", "2"]]
    assert LineBlock(block.path, b"a 0 b 1\n", first=5).columns(QRELS)[0].line(0) == 5


def test_numbers_of_a_block(file):
    block = LineBlock(file(""), b"", first=7)
    assert block.read(int, ["1", "-2", "+3"], "grade") == [1, -2, 3]
    assert block.read(float, ["inf", "-inf"], "score") == [float("inf"), float("-inf")]
    assert block.read(int, ["9" * 308, "9" * 308], "grade") == [int("9" * 308)] * 2  # their sum is too large
    for kind, field, problem in (
        (int, "1.0", "line 8: the grade '1.0' is not a whole number"),
        (int, "1_0", "line 8: the grade '1_0' is not a whole number"),
        (int, "inf", "line 8: the grade 'inf' is not a whole number"),
        (int, "1" * 400, f"line 8: the grade '{'1' * 80}' is not a whole number"),
        (float, "nan", "line 8: the grade 'nan' is not a number"),
    ):
        with pytest.raises(InputError) as error:
            block.read(kind, ["2", field, "x"], "grade")
        assert str(error.value) == f"{block.path} {problem}"


def test_a_duplicate_that_is_gone_again(file):
    with pytest.raises(InputError, match="the file changed while it was read"):
        qrels._fail_on_duplicate(file("q1 0 d1 1\n"))
