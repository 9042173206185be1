"""BEIR's judgments."""

import gzip
import subprocess
import sys

import pytest

from neraca.datasets.beir_qrels import is_beir, read_beir_qrels, read_qrels
from neraca.errors import InputError

QUERIES = '{"_id": "q1", "text": "What cures a cold?"}\n'
TEST = "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td 2\t0\nq2\td1\t1\n"
DEV = "query-id\tcorpus-id\tscore\nq3\td9\t1\n"


@pytest.fixture
def folder(tmp_path):
    """A BEIR folder with judgments for testing and for development."""
    made = tmp_path / "tiny"
    (made / "qrels").mkdir(parents=True)
    (made / "queries.jsonl").write_text(QUERIES)
    (made / "qrels/test.tsv").write_text(TEST)
    (made / "qrels/dev.tsv").write_text(DEV)
    return made


def refused(function, *words, **options):
    with pytest.raises(InputError) as told:
        function(**options)
    for part in words:
        assert part in str(told.value)
    assert "\n" not in str(told.value)


def grades(file, text):
    (file.parent / "x.tsv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_beir_qrels(file.parent / "x.tsv").grades


def test_judgments_of_a_folder_and_of_a_file(folder):
    assert read_beir_qrels(folder).grades == {"q1": {"d1": 2, "d 2": 0}, "q2": {"d1": 1}}
    assert read_beir_qrels(folder, "dev").grades == {"q3": {"d9": 1}}
    found = read_beir_qrels(folder / "qrels/dev.tsv")
    assert (found.grades, found.source) == ({"q3": {"d9": 1}}, str(folder / "qrels/dev.tsv"))


@pytest.mark.parametrize(
    "text, expected",
    [
        (TEST.replace("\n", "\r\n"), {"q1": {"d1": 2, "d 2": 0}, "q2": {"d1": 1}}),
        (b"\xef\xbb\xbf" + DEV.encode(), {"q3": {"d9": 1}}),
        (gzip.compress(DEV.encode(), mtime=0), {"q3": {"d9": 1}}),
        (DEV.rstrip("\n"), {"q3": {"d9": 1}}),
        (DEV + "\n \n", {"q3": {"d9": 1}}),
        (DEV + "q1\td1\t1\nq3\td2\t-1\n", {"q3": {"d9": 1, "d2": -1}, "q1": {"d1": 1}}),
        ('"query-id"\t"corpus-id"\t"score"\n"1"\t"d ""x"""\t1\n', {"1": {'d "x"': 1}}),
        ('Query_ID\tcorpus_id\tscore\n#1\t5" disk\t1\n1\t"\t1\n', {"#1": {'5" disk': 1}, "1": {'"': 1}}),
    ],
)
def test_what_files_look_like(folder, text, expected):
    assert grades(folder, text) == expected


@pytest.mark.parametrize(
    "text, words",
    [
        ("", "x.tsv: the file is empty"),
        ("query-id\tcorpus-id\tscore\n", "x.tsv: there is no judgment in it"),
        ("q1\td1\t1\n", "x.tsv line 1: BEIR's judgments begin with the line query-id, corpus-id, score"),
        ("q1 0 d1 1\n", "separated by tabs; found 'q1 0 d1 1'"),
        (
            DEV + "q1\td1\n",
            "line 3: a line must have 3 fields (query-id, corpus-id, score), separated by tabs",
        ),
        (DEV + "q1\td1\t1\t2\n", "found 4 in 'q1\\td1\\t1\\t2'"),
        (DEV + '"q1\td1\t1\nq2\td1"\n', "line 4: a line must have 3 fields"),
        (
            DEV + "q1\t\t1\n",
            "corpus-id, score), separated by tabs; an id is empty",
        ),
        (DEV + "\n\nq1\td1\tNaN\n", "line 5: the score 'NaN' is not a whole number"),
        (DEV + "q1\td1\t1.0\n", "the score '1.0' is not a whole number"),
        (DEV + "q1\td1\t1_0\n", "the score '1_0' is not a whole number"),
        (DEV + "q1\td1\t\n", "the score '' is not a whole number"),
        (DEV + "q1\td1\t1\nq3\td9\t1\n", "line 4: query 'q3' has the document 'd9' already in line 2"),
        (DEV + "q3\td2\t1\nq3\td2\t1\n", "line 4: query 'q3' has the document 'd2' already in line 3"),
        (DEV.encode() + b"\xff\td1\t1\n", "line 3: byte 1 (0xff) is not UTF-8"),
        (gzip.compress(DEV.encode(), mtime=0)[:-9], "the gzip file is damaged"),
    ],
)
def test_errors_name_the_line(folder, text, words):
    refused(lambda: grades(folder, text), words)


def test_lines_are_counted_over_all_blocks(folder):
    """Blocks are of a quarter of a megabyte; a line of this file is of 15 bytes or so."""
    many = "query-id\tcorpus-id\tscore\n" + "".join(f"q{n % 7}\tdoc{n}\t{n % 3}\n" for n in range(100_000))
    found = grades(folder, many)
    assert [len(docs) for docs in found.values()] == [14286] * 5 + [14285] * 2
    assert found["q3"]["doc99998"] == 99998 % 3 if 99998 % 7 == 3 else found[f"q{99998 % 7}"]["doc99998"] == 2
    refused(lambda: grades(folder, many + "q6\tdoc6\t0\n"), "line 100002: query 'q6' has the document 'doc6'", "line 8")


def test_another_split_is_named(folder):
    words = f"tiny: no qrels/train.tsv; the splits there are dev, test; give the file of one as the qrels ({folder}/"
    refused(read_beir_qrels, words, path=folder, split="train")
    (folder / "qrels/test.tsv").unlink()
    (folder / "qrels/._test.tsv").write_text("left by another system")
    refused(read_beir_qrels, "no qrels/test.tsv; the splits there are dev; give", "tiny/qrels/dev.tsv)", path=folder)
    (folder / "qrels/dev.tsv").unlink()
    refused(read_beir_qrels, "no qrels/test.tsv; a BEIR folder has its judgments in qrels/", path=folder)


def test_what_is_of_beir_is_told_by_little(folder, tmp_path):
    assert is_beir(folder)
    assert is_beir(folder / "qrels/test.tsv")
    assert not is_beir(folder / "qrels")
    assert not is_beir(folder / "queries.jsonl")
    assert not is_beir(tmp_path / "nowhere")
    assert not is_beir(tmp_path)
    for name, content in (("a", b""), ("b", b"q1 0 d1 1\n"), ("c", b"\xff\xfe"), ("d", b"\x1f\x8bdamaged")):
        (tmp_path / name).write_bytes(content)
        assert not is_beir(tmp_path / name)
    no_such_block = b"\xff" * 20  # deflate has no block of this kind
    (tmp_path / "e").write_bytes(gzip.compress(b"", mtime=0)[:10] + no_such_block)
    assert not is_beir(tmp_path / "e")
    (tmp_path / "f").write_bytes(b"\xef\xbb\xbf" + DEV.encode())
    assert is_beir(tmp_path / "f")
    (folder / "queries.jsonl").unlink()
    assert is_beir(folder)


def test_judgments_of_either_kind(folder, tmp_path):
    (tmp_path / "trec.txt").write_text("q1 0 d1 2\n")
    assert read_qrels(tmp_path / "trec.txt").grades == {"q1": {"d1": 2}}
    assert read_qrels(folder).grades == read_beir_qrels(folder).grades
    refused(read_qrels, "this is a folder", path=tmp_path)
    refused(read_qrels, "no such file", path=tmp_path / "nowhere")


def test_judgments_alone_load_no_heavy_package():
    code = "import sys, neraca.datasets.beir_qrels; print(*{'numpy', 'polars', 'msgspec'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
