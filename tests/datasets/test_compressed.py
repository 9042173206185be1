"""Files that are packed with gzip or Zstandard: read as if they were not, and said where they are damaged."""

import gzip
import sys

import pytest
from backports import zstd

import neraca
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.table_reader import TableReader, read_table
from neraca.errors import InputError, MissingExtra

PACK = {".gz": gzip.compress, ".zst": zstd.compress}
TABLES = {
    "a.csv": 'question,reference\n"¿Cuántos, dormitorios?",tres\nprecio,ten\n',
    "a.tsv": "question\treference\n¿Cuántos, dormitorios?\ttres\nprecio\tten\n",
    "a.jsonl": '{"question":"¿Cuántos, dormitorios?","reference":"tres"}\n{"question":"precio","reference":"ten"}\n',
    "a.json": '[{"question":"¿Cuántos, dormitorios?","reference":"tres"},{"question":"precio","reference":"ten"}]',
}


@pytest.mark.parametrize("ending", PACK)
@pytest.mark.parametrize(("name", "text"), TABLES.items())
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_packed_table_is_the_table(tmp_path, ending, name, text, encoding):
    (tmp_path / name).write_text(text, encoding=encoding)
    packed = tmp_path / f"{name}{ending}"
    packed.write_bytes(PACK[ending]((tmp_path / name).read_bytes()))
    plain, unpacked = read_table(tmp_path / name), read_table(packed)
    assert (unpacked.columns, unpacked.rows, unpacked.numbers) == (plain.columns, plain.rows, plain.numbers)
    assert [item.query for item in read_dataset(packed)] == ["¿Cuántos, dormitorios?", "precio"]


@pytest.mark.parametrize("ending", PACK)
def test_parts_that_were_packed_one_by_one_are_one_file(tmp_path, ending):
    parts = [b"question,reference\n", b"one,two\n", b"three,four\n"]
    (tmp_path / f"a.csv{ending}").write_bytes(b"".join(map(PACK[ending], parts)))
    assert [row["question"] for row in read_table(tmp_path / f"a.csv{ending}").rows] == ["one", "three"]


@pytest.mark.parametrize("ending", PACK)
def test_progress_goes_to_the_end_of_a_packed_file(tmp_path, ending):
    lines = ["question,reference\n", *(f"{n * 7919 % 100_003},{n}\n" for n in range(100_000))]
    path = tmp_path / f"a.csv{ending}"
    path.write_bytes(PACK[ending]("".join(lines).encode()))
    shares = [batch.share for batch in TableReader(path)]
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.7
    assert shares[-1] == 1


@pytest.mark.parametrize(("ending", "kind"), [(".gz", "gzip"), (".zst", "Zstandard")])
@pytest.mark.parametrize("name", TABLES)
def test_a_file_that_breaks_off_is_damaged(tmp_path, ending, kind, name):
    data = PACK[ending]((TABLES[name] * 50).encode())
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=f"the {kind} file is damaged"):
        read_table(path)


def test_a_byte_that_does_not_fit_is_named_with_its_line(tmp_path):
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress("question\none\ncafé\n".encode("cp1252")))
    with pytest.raises(InputError, match=r"a\.csv\.gz line 3: byte 4 \(0xe9\) is not UTF-8"):
        read_table(path)
    assert read_table(path, encoding="cp1252").rows[1]["question"] == "café"


def test_trec_files_may_be_packed(tmp_path):
    (tmp_path / "qrels.zst").write_bytes(zstd.compress(b"q1 0 d1 1\nq1 0 d2 0\n"))
    (tmp_path / "run.zst").write_bytes(zstd.compress(b"q1 Q0 d2 1 9 t\nq1 Q0 d1 2 8 t\n"))
    assert neraca.trec(tmp_path / "qrels.zst", tmp_path / "run.zst", "RR").mean("RR") == 0.5


def test_what_is_packed_in_itself_or_by_others_is_said(tmp_path):
    for name, words in (("a.parquet.gz", "is not read while it is packed"), ("a.csv.zip", "is compressed; unpack it")):
        (tmp_path / name).write_bytes(gzip.compress(b"x"))
        with pytest.raises(InputError, match=words):
            read_table(tmp_path / name)


def test_without_the_extra_it_is_named(tmp_path, monkeypatch):
    (tmp_path / "a.csv.zst").write_bytes(zstd.compress(b"question\none\n"))
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(MissingExtra, match=r"pip install 'neraca\[zst\]'"):
        read_table(tmp_path / "a.csv.zst")
