import csv
import threading

import pytest

from neraca.datasets import csv_files as delimited
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError


def test_the_line_is_where_the_record_starts(file):
    table = read_table(file("q.csv", '\nquery,a\n\n"one\ntwo\nthree",1\n  \nfour,2\n,\n"five\r\n",3'))
    assert table.rows == [
        {"query": "one\ntwo\nthree", "a": "1"},
        {"query": "four", "a": "2"},
        {"query": "five\r\n", "a": "3"},
    ]
    assert [table.place(i) for i in range(3)] == ["line 4", "line 8", "line 10"]
    assert table.header.endswith("q.csv line 2")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end(file, end):
    table = read_table(file("q.csv", end.join(["a,b", "1,2", "", "3,4"])))
    assert table.rows == [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]
    assert table.place(1) == "line 4"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
@pytest.mark.parametrize("name", ["q.csv", "q.tsv", "q.txt", "q.jsonl", "q.json"])
def test_byte_order_marks_say_the_encoding(file, encoding, name):
    text = {"q.csv": "a,b\nشقة,😀\n", "q.jsonl": '{"a":"شقة","b":"😀"}\n', "q.json": '[{"a":"شقة","b":"😀"}]'}
    assert read_table(file(name, text.get(name, "a\tb\nشقة\t😀\n").encode(encoding))).rows == [{"a": "شقة", "b": "😀"}]


@pytest.mark.parametrize("order", ["le", "be"])
def test_utf16_of_either_order_with_a_mark(file, order):
    mark = b"\xff\xfe" if order == "le" else b"\xfe\xff"
    assert read_table(file("q.csv", mark + "a\né\n".encode(f"utf-16-{order}"))).rows == [{"a": "é"}]


@pytest.mark.parametrize("name,text", [("q.csv", "a\né\n"), ("q.jsonl", '{"a":"é"}\n'), ("q.json", '[{"a":"é"}]')])
def test_an_encoding_can_be_given(file, name, text, refused):
    path = file(name, text.encode("cp1252"))
    assert read_table(path, encoding="cp1252").rows == [{"a": "é"}]
    refused(path, "no text encoding is called 'utf-99'", encoding="utf-99")
    refused(path, "no text encoding is called 'hex'", encoding="hex")
    refused(path, "is not UTF-8; save the file as UTF-8")


def test_a_byte_that_cannot_be_read_is_told_with_its_place(file, refused):
    refused(file("q.csv", b"query,a\nok,1\ncaf\xe9,2\n"), "q.csv line 3: byte 4 (0xe9) is not UTF-8")
    refused(file("l.csv", b"query,a\n" + b"x,1\n" * 50_000 + b"\xff,2\n"), "l.csv line 50002: byte 1 (0xff)")
    refused(file("q.csv", b"a\nb\x81\n"), "line 2: byte 2 (0x81) is not cp1252", encoding="cp1252")
    refused(file("q.csv", "a\nb\n".encode("utf-16")[:-1]), "cannot be read as utf-16")
    refused(file("q.jsonl", b'{"a":1}\n{"a":"\xe9"}\n'), "q.jsonl line 2: byte 7 (0xe9) is not UTF-8")


def test_explicit_utf8_passes_over_the_mark(file):
    assert read_table(file("q.csv", b'\xef\xbb\xbf"a,b",c\n1,2\n'), encoding="UTF-8").columns == ("a,b", "c")
    assert read_table(file("q.jsonl", b'\xef\xbb\xbf{"a":1}\n'), encoding="utf8").rows == [{"a": 1}]


@pytest.mark.parametrize(
    "text,columns",
    [
        ("a,b\n1,2\n", ("a", "b")),
        ("a;b\n1,5;2,5\n", ("a", "b")),
        ("a\tb\nx, y; z\t2\n", ("a", "b")),
        ("id;question, or prompt;answer\n1;a;b\n2;c;d\n", ("id", "question, or prompt", "answer")),
        ('"a;b",c\n1,2\n', ("a;b", "c")),
        ("question\nWhere, when; and\thow?\n", ("question",)),
        ("question\n", ("question",)),
        ('a;b\n"x\n,,,\n,,,";2\n', ("a", "b")),
    ],
)
def test_the_delimiter_is_found(file, text, columns):
    assert read_table(file("q.csv", text)).columns == columns
    assert read_table(file("q.txt", text)).columns == columns


def test_the_delimiter_is_found_in_the_first_lines_of_a_large_file(file):
    assert read_table(file("q.csv", "a;b\n" + "x, y;z\n" * 20_000)).rows[-1] == {"a": "x, y", "b": "z"}


def test_a_record_cut_at_the_end_of_the_sample_does_not_count():
    assert delimited.sniff("a;b,c\nx;y,z\nx;y", whole=False) == ","
    assert delimited.sniff("a;b,c\nx;y,z\nx;y", whole=True) == ";"


def test_a_sample_that_csv_cannot_take_is_left_to_the_reader():
    assert delimited.sniff("a,b\n" + "x" * (csv.field_size_limit() + 1)) == "\ufdd0"


def test_a_delimiter_can_be_given(file, refused):
    path = file("q.csv", "a|b,c\n1|2\n")
    assert read_table(path, delimiter="|").rows == [{"a": "1", "b,c": "2"}]
    assert read_table(file("t.csv", "a,b\tc\n1\t2\n"), delimiter="\\t").columns == ("a,b", "c")
    assert read_table(file("t.csv", "a,b\tc\n1\t2\n"), delimiter="tab").columns == ("a,b", "c")
    assert read_table(file("t.tsv", "a,b\n1,2\n")).columns == ("a,b",)
    assert read_table(file("t.tsv", "a,b\n1,2\n"), delimiter=",").columns == ("a", "b")
    for wrong in ("", "||", '"', "\n"):
        refused(path, "a delimiter is one character", delimiter=wrong)


def test_ragged_rows(file, refused):
    refused(
        file("q.csv", 'a,b\n1,2\n"x\ny",2,3\n'), "q.csv line 3: 3 cells where the header has 2; the delimiter is ','"
    )
    refused(file("q.csv", "a,b\n1,2\n3\n"), "q.csv line 3: 1 cells where the header has 2")
    refused(file("q.tsv", "a\tb\n1\n"), "the delimiter is 'tab'")


def test_empty_cells_and_names_at_the_end_are_cut(file):
    assert read_table(file("q.csv", "a,b,,\n1,2,,\n3,4\n5,6,,,,\n,,,\n")).rows == [
        {"a": "1", "b": "2"},
        {"a": "3", "b": "4"},
        {"a": "5", "b": "6"},
    ]


def test_headers_that_cannot_be(file, refused):
    refused(file("q.csv", "a,,b\n1,2,3\n"), "q.csv line 1: column 2 has no name")
    refused(file("q.csv", "\na, a\n1,2\n"), "q.csv line 2: two columns are called 'a'")


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xef\xbb\xbf", b",,\n"])
def test_an_empty_file(file, content, refused):
    refused(file("q.csv", content), "the file is empty; its first line must name the columns")


def test_nul_and_quotes(file, refused):
    refused(file("q.csv", b"a,b\n1,2\n3,\0\n"), "q.csv line 3: a NUL character")
    refused(file("q.csv", "a,b\n1,2\n".encode("utf-16-le")), "line 1: a NUL character; the file is damaged")
    refused(file("q.csv", 'a,b\n1,2\n"x,2\n3,4\n'), 'q.csv line 3: the quote " that opens here is never closed')
    refused(file("q.csv", 'a,b\n1,2\n"x"y,2\n'), 'q.csv line 3: text follows a closing quote "')


def test_a_long_cell_is_read_and_the_limit_of_csv_put_back(file, refused):
    before = csv.field_size_limit()
    path = file("q.csv", f"a,b\n{'x' * 1_000_000},2\n")
    assert len(read_table(path).rows[0]["a"]) == 1_000_000
    refused(file("r.csv", "a,b\n1\n"), "1 cells")
    assert csv.field_size_limit() == before


def test_a_cell_that_is_too_long(file, refused):
    refused(file("q.csv", f"a,b\n1,2\n{'x' * (64 * 2**20 + 1)},2\n"), "q.csv line 3: a cell is longer than")


def test_long_cells_in_several_threads(file):
    paths = [file(f"{i}.csv", f"a,b\n{'x' * 200_000},2\n" * 5) for i in range(8)]
    before, failed = csv.field_size_limit(), []

    def read(path):
        try:
            read_table(path)
        except Exception as error:  # noqa: BLE001 - what a thread raises is lost otherwise
            failed.append(error)

    threads = [threading.Thread(target=read, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed
    assert csv.field_size_limit() == before


def test_leading_zeros_stay(file):
    assert read_table(file("q.csv", "id,n\n007,1.0\n")).rows == [{"id": "007", "n": "1.0"}]


@pytest.mark.parametrize(
    ("text", "encoding", "advised"),
    [
        ("السعر مرتفع في هذا الحي", "cp1256", ["cp1256"]),
        ("¿Cuál es el número de baños? Ñandú ÁRBOL", "cp1252", ["cp1252"]),
        ("Цена высокая в этом районе", "cp1251", ["cp1251"]),
        ("Harga rumah di Jakarta – “murah”", "cp1252", ["cp1252"]),
    ],
)
def test_the_advice_on_an_encoding_names_the_one_in_which_words_have_one_script(file, text, encoding, advised):
    path = file("q.csv", f"id,query\n1,{text}\n".encode(encoding))
    with pytest.raises(InputError) as refusal:
        _ = read_table(path).rows
    assert refusal.value.remedies["encoding"].removeprefix("pass --encoding ").split(",")[0].split(" or ") == advised
    assert read_table(path, encoding=advised[0]).rows == [{"id": "1", "query": text}]
