"""Small files that unfold to more than memory should hold are refused, before they do."""

import gzip
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

from neraca.datasets.document_files import read_document_file
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError
from neraca.scores.trec import trec

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
SHEET = "xl/worksheets/sheet1.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook(path: Path, parts: dict[str, bytes]) -> Path:
    """Write a workbook, and put these parts in place of its own."""
    plain = path.with_suffix(".plain.xlsx")
    import openpyxl

    book = openpyxl.Workbook()
    book.active.append(["question"])
    book.save(plain)
    with zipfile.ZipFile(plain) as old, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, parts.get(name) or old.read(name))
    return path


def sheet(rows: bytes) -> bytes:
    return f'<worksheet xmlns="{MAIN}"><sheetData>'.encode() + rows + b"</sheetData></worksheet>"


@pytest.mark.parametrize("ending, pack", [(".gz", gzip.compress), (".zst", zstd.compress)])
@pytest.mark.parametrize("name", ["q.csv", "q.jsonl", "q.json"])
def test_a_packed_table_that_unfolds_without_end(tmp_path, ending, pack, name):
    path = tmp_path / f"{name}{ending}"
    path.write_bytes(pack(b" " * (70 << 20)))
    with pytest.raises(InputError, match=r"unfolds to over 64 MiB, more than 200 times its size; if you trust it, unp"):
        read_table(path)


def test_a_packed_run_that_unfolds_without_end(tmp_path):
    path = tmp_path / "a.run.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 d1 1 1 t\n" * (5 << 20)))
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    with pytest.raises(InputError, match=r"a.run.gz: unfolds to over 64 MiB"):
        trec(tmp_path / "qrels", path, "RR")


def test_a_workbook_that_unfolds_without_end(tmp_path):
    text = b'<row r="1"><c r="A1" t="inlineStr"><is><t>' + b"a" * (70 << 20) + b"</t></is></c></row>"
    path = workbook(tmp_path / "q.xlsx", {SHEET: sheet(text)})
    with pytest.raises(InputError, match=r"q.xlsx: unfolds to over 70 MiB, more than 200 .* save it as .csv in a"):
        read_dataset(path)


def test_a_workbook_of_few_bytes_and_many_cells(tmp_path):
    head = b"".join(b'<c t="n"><v>%d</v></c>' % number for number in range(16_384))
    rows = b"".join(b'<row r="%d"><c r="XFD%d"><v>1</v></c></row>' % (row, row) for row in range(2, 1_900))
    path = workbook(tmp_path / "q.xlsx", {SHEET: sheet(b'<row r="1">' + head + b"</row>" + rows)})
    assert path.stat().st_size < 200_000
    with pytest.raises(InputError, match=r"q.xlsx row 18\d\d: over 30,000,000 cells, but a workbook is held whole"):
        read_dataset(path)


def test_entities_that_multiply(tmp_path):
    entities = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(9))
    cell = b'<row r="1"><c r="A1" t="inlineStr"><is><t>&l9;</t></is></c></row>'
    path = workbook(
        tmp_path / "q.xlsx", {SHEET: f'<!DOCTYPE worksheet [<!ENTITY l0 "lol">{entities}]>'.encode() + sheet(cell)}
    )
    with pytest.raises(InputError, match=r"q.xlsx: not a readable XLSX file"):
        read_dataset(path)


def test_a_text_of_a_parquet_file_that_is_repeated_without_end(tmp_path):
    path = tmp_path / "q.parquet"
    text = pl.Series(["x" * 1_000_000], dtype=pl.Categorical)
    pl.DataFrame({"question": text.gather([0] * 1_200)}).write_parquet(path)
    assert path.stat().st_size < 100_000
    with pytest.raises(InputError, match=r"q.parquet: unfolds to over 1,0\d\d MiB, more than 200 times its size"):
        for _ in read_dataset(path):
            pass


def test_what_a_deeply_nested_page_loses_is_said(tmp_path):
    path = tmp_path / "page.html"
    levels = 1_000
    path.write_text(f"<p>start</p>{'<div>' * levels}inside{'</div>' * levels}<p>end</p>", encoding="utf-8")
    page = read_document_file(path)
    assert (page.sections[0].text, page.lost) == ("start\ninside\nend", "")
    levels = 10_000
    path.write_text(f"<p>start</p>\n{'<div>' * levels}inside{'</div>' * levels}", encoding="utf-8")
    page = read_document_file(path)
    assert page.sections[0].text == "start"
    assert page.lost == "all from line 2 on, where elements are nested too deeply"


def test_a_packed_page_is_unpacked(tmp_path):
    path = tmp_path / "page.html.gz"
    path.write_bytes(gzip.compress(b"<p>words</p>"))
    assert read_document_file(path).sections[0].text == "words"
