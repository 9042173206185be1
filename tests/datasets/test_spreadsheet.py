import zipfile
from datetime import date, datetime

import openpyxl
import pytest

from neraca.datasets.table_reader import read_table
from neraca.datasets.table_writer import write_table
from neraca.errors import InputError


def test_xlsx_values_are_plain(tmp_path, sheet):
    cells = [3.0, 2.5, True, date(2024, 3, 1), datetime(2024, 3, 1, 8, 30), "007", None, "x"]
    table = read_table(sheet(tmp_path / "q.XLSX", list("abcdefgh"), cells))
    (row,) = table.rows
    assert list(row.values()) == [3, 2.5, True, "2024-03-01", "2024-03-01T08:30:00", "007", None, "x"]
    assert [type(value) for value in row.values()][:3] == [int, float, bool]


def test_xlsx_places_empty_rows_and_columns(tmp_path, sheet):
    path = sheet(
        tmp_path / "q.xlsx", [], ["a", "b", None], ["1", None, None], [], [None, "2"], [None, ""], [None, None]
    )
    book = openpyxl.load_workbook(path)
    book.active["Z60"].font = openpyxl.styles.Font(bold=True)  # a formatted cell that holds nothing
    book.active.merge_cells("A3:B3")
    book.save(path)
    table = read_table(path)
    assert table.rows == [{"a": "1", "b": None}, {"a": None, "b": "2"}]
    assert [table.place(0), table.place(1)] == ["row 3", "row 5"]
    assert table.header.endswith("q.xlsx row 2")


def test_xlsx_that_misstates_its_size(tmp_path, sheet):
    right = sheet(tmp_path / "r.xlsx", ["a", "b"], ["1", "2"])
    with zipfile.ZipFile(right) as old, zipfile.ZipFile(tmp_path / "w.xlsx", "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b'<dimension ref="A1:B2"', b'<dimension ref="A1:A1"'))
    assert right.read_bytes() != (tmp_path / "w.xlsx").read_bytes()
    assert read_table(tmp_path / "w.xlsx").rows == [{"a": "1", "b": "2"}]


def test_xlsx_sheets(tmp_path, refused, sheet):
    path = sheet(tmp_path / "q.xlsx", ["a"], ["1"], title="Erste")
    book = openpyxl.load_workbook(path)
    book.create_sheet("Zweite").append(["b"])
    book["Zweite"].append(["2"])
    book.active = 1
    book.save(path)
    assert read_table(path).rows == [{"a": "1"}]
    assert read_table(path, sheet="Zweite").rows == [{"b": "2"}]
    refused(path, "no sheet 'Dritte'; choose one with --sheet: Erste, Zweite", sheet="Dritte")


def test_xlsx_that_cannot_be(tmp_path, file, refused, sheet):
    refused(sheet(tmp_path / "e.xlsx"), "the sheet is empty; its first row must name the columns")
    refused(sheet(tmp_path / "g.xlsx", ["a", None, "b"]), "row 1: column 2 has no name")
    refused(sheet(tmp_path / "d.xlsx", ["a", "a"]), "two columns are called 'a'")
    refused(sheet(tmp_path / "w.xlsx", ["a"], ["1", "2"]), "w.xlsx row 2: a value in column 2, but the header (row 1)")
    refused(file("n.xlsx", b"no archive"), "not a readable XLSX file (BadZipFile")
    refused(file("n.xls", b""), "the old .xls format is not read; save it as .xlsx or as CSV UTF-8")
    whole = sheet(tmp_path / "h.xlsx", ["a"], ["1"] * 1).read_bytes()
    refused(file("h.xlsx", whole[: len(whole) // 2]), "not a readable XLSX file")


def test_xlsx_with_charts_alone(tmp_path, refused):
    book = openpyxl.Workbook()
    book.create_chartsheet("Bild").add_chart(openpyxl.chart.BarChart())
    book.remove(book["Sheet"])
    book.save(tmp_path / "c.xlsx")
    refused(tmp_path / "c.xlsx", "has no sheet with cells")


def test_xlsx_formulas_that_were_computed_and_text_that_looks_like_one(tmp_path):
    write_table(tmp_path / "t.xlsx", [{"=A1": "=1+1", "b": "+49", "c": "@x", "d": 10**16}])
    page = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [cell.data_type for cell in page[1]] == ["s"] * 4 or [cell.data_type for cell in page[1]] == [
        "inlineStr"
    ] * 4
    assert all(cell.data_type in ("s", "inlineStr") for cell in page[2])
    assert [cell.value for cell in page[2]] == ["=1+1", "+49", "@x", "10000000000000000"]
    assert page["A2"].quotePrefix


def test_xlsx_holds_no_more_than_excel(tmp_path):
    with pytest.raises(InputError, match=r"row 2, column a: 32,768 characters, but a cell holds 32,767; write .csv"):
        write_table(tmp_path / "t.xlsx", [{"a": "1"}, {"a": "x" * 32_768}])
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(InputError, match="a sheet holds 1,048,575"):
        write_table(tmp_path / "t.xlsx", [{"a": "1"}] * 1_048_576)
