import gzip
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from neraca.datasets.compressed import opened, opened_with_share, suffix_of
from neraca.datasets.corpus import Corpus
from neraca.datasets.log_tables import log_tables
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.table_reader import TableReader, read_table
from neraca.errors import InputError
from neraca.scores.trec import trec

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
PACK = {".gz": lambda data: gzip.compress(data, mtime=0), ".zst": zstd.compress}
ROWS = [{"id": "007", "question": "Où ?"}, {"id": "8", "question": "two\nlines"}, {"id": "9", "question": "x"}]
CSV = 'id,question\n007,Où ?\n8,"two\nlines"\n9,x\n'
TABLES = {
    "q.csv": CSV.encode(),
    "q.tsv": CSV.replace(",", "\t").encode("utf-16"),
    "q.txt": b"\xef\xbb\xbf" + CSV.replace(",", ";").encode(),
    "q.jsonl": b'{"id":"007","question":"O\xc3\xb9 ?"}\n{"id":"8","question":"two\\nlines"}\n'
    b'{"id":"9","question":"x"}\n',
    "q.json": b'[{"id":"007","question":"O\xc3\xb9 ?"},{"id":"8","question":"two\\nlines"},{"id":"9","question":"x"}]',
}


@pytest.fixture(params=PACK)
def ending(request):
    return request.param


@pytest.mark.parametrize("name", TABLES)
def test_a_packed_table_is_read_as_the_table_in_it(tmp_path, name, ending):
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(PACK[ending](TABLES[name]))
    assert read_table(path).rows == ROWS
    assert [item.query for item in read_dataset(path)] == ["Où ?", "two\nlines", "x"]


def test_lines_are_those_of_the_text_and_shares_those_of_the_file(tmp_path, ending):
    rows = [f"{n},{n * n % 9973}" for n in range(200_000)]
    path = tmp_path / f"t.csv{ending}"
    path.write_bytes(PACK[ending](("a,b\n" + "\n".join(rows)).encode()))
    batches = list(TableReader(path))
    shares = [batch.share for batch in batches]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.5
    assert shares[-1] == 1
    assert batches[-1].numbers[-1] == 200_001
    assert sum(map(len, batches)) == 200_000


def test_members_follow_each_other(tmp_path, ending):
    path = tmp_path / f"q.csv{ending}"
    path.write_bytes(PACK[ending](b"id,question\n1,a") + PACK[ending](b"b\n2,c\n"))
    assert [row["question"] for row in read_table(path).rows] == ["ab", "c"]


def test_the_line_of_a_broken_byte(tmp_path, ending):
    path = tmp_path / f"q.csv{ending}"
    path.write_bytes(PACK[ending](b"id,question\n1,a\n2,caf\xe9\n"))
    with pytest.raises(InputError, match=r"line 3: byte 6 \(0xe9\) is not UTF-8; save the file as UTF-8"):
        read_table(path)


@pytest.mark.parametrize("name", ["q.csv", "q.jsonl", "q.json"])
def test_a_file_that_is_not_whole(tmp_path, ending, name):
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(PACK[ending](TABLES[name])[:-6])
    with pytest.raises(InputError, match=r"q\.\w+\.\w+: the (gzip|Zstandard) file is damaged: .*; copy or"):
        read_table(path)


@pytest.mark.parametrize("content", ["nothing", "packed nothing"])
def test_an_empty_file(tmp_path, ending, content):
    path = tmp_path / f"q.csv{ending}"
    path.write_bytes(PACK[ending](b"") if content == "packed nothing" else b"")
    with pytest.raises(InputError, match="the file is empty; its first line must name the columns"):
        read_table(path)


def test_the_content_counts_and_a_name_that_is_wrong_is_said(tmp_path, ending):
    hidden = tmp_path / "q.csv"
    hidden.write_bytes(PACK[ending](TABLES["q.csv"]))
    assert read_table(hidden).rows == ROWS
    other = tmp_path / f"q.csv{ending}"
    other.write_bytes(PACK[".gz" if ending == ".zst" else ".zst"](TABLES["q.csv"]))
    assert read_table(other).rows == ROWS
    other.write_bytes(TABLES["q.csv"])
    with pytest.raises(InputError, match=rf"the name ends in \{ending}, but this is not a .* file; correct the ending"):
        read_table(other)


@pytest.mark.parametrize(
    "name, message",
    [
        ("q.parquet", "q.parquet.gz: packed .parquet files are not read; unpack it first"),
        ("q.xlsx", "q.xlsx.gz: packed .xlsx files are not read; unpack it first"),
        ("q", "q.gz: the name does not say what is inside; name it as in table.csv.gz"),
    ],
)
def test_what_is_not_read_packed(tmp_path, name, message):
    path = tmp_path / f"{name}.gz"
    path.write_bytes(gzip.compress(b"x"))
    with pytest.raises(InputError) as caught:
        read_table(path)
    assert message in str(caught.value)


def test_logs_of_events(tmp_path, ending):
    fields = {"user": "user", "shop": "at.shop"}
    for name, text in {
        "e.csv": 'user,at\nu1,"{""shop"": ""a""}"\nu2,\n',
        "e.jsonl": '{"user":"u1","at":{"shop":"a"}}\n{"user":"u2"}\nno json\n',
    }.items():
        path = tmp_path / f"{name}{ending}"
        path.write_bytes(PACK[ending](text.encode()))
        [table] = log_tables(path)
        assert {"user", "at.shop"} <= set(table.columns)
        [block] = table.blocks(fields)
        assert block.frame["user"].to_list() == ["u1", "u2"]
        assert block.broken == (name == "e.jsonl")


def test_documents(tmp_path, ending):
    (tmp_path / f"a.txt{ending}").write_bytes(PACK[ending]("café".encode()))
    assert [one.text for one in Corpus(tmp_path)] == ["café"]
    beir = tmp_path / f"corpus.jsonl{ending}"
    beir.write_bytes(PACK[ending](b'{"_id":"d1","title":"T","text":"body"}\n'))
    assert list(Corpus(beir)) == list(Corpus(tmp_path)) == [("d1", "T", "body")]


def test_runs_and_qrels(tmp_path, ending):
    qrels, run = tmp_path / f"qrels{ending}", tmp_path / f"a.run{ending}"
    qrels.write_bytes(PACK[ending](b"q1 0 d1 1\nq1 0 d2 0\n"))
    run.write_bytes(PACK[ending](b"q1 Q0 d2 1 2 t\nq1 Q0 d1 2 1 t\n"))
    assert trec(qrels, run, "RR").mean("RR") == 0.5


def test_the_ending_looks_through_that_of_the_packing():
    assert suffix_of(Path("a.b.JSONL.ZST")) == ".jsonl"


def test_a_file_is_unpacked_as_it_is_read(tmp_path, ending):
    path = tmp_path / f"zeros.bin{ending}"
    path.write_bytes(PACK[ending](bytes(60_000_000)))
    with opened_with_share(path) as (file, share):
        assert len(file.read(10)) == 10
        assert 0 < share() <= 1
    with opened(path) as file:
        assert sum(map(len, iter(lambda: file.read(1 << 20), b""))) == 60_000_000


def test_without_the_package_the_extra_is_named(tmp_path):
    path = tmp_path / "q.csv.zst"
    path.write_bytes(zstd.compress(b"id,question\n1,a\n"))
    code = (
        "import sys\nsys.modules['backports.zstd'] = sys.modules['compression.zstd'] = None\n"
        "from neraca.datasets.table_reader import read_table\nread_table(sys.argv[1])"
    )
    ended = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False)
    assert "q.csv.zst: Zstandard files need one more package: pip install 'neraca[zst]'" in ended.stderr
