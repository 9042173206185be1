"""Tables with one column for each constraint."""

from __future__ import annotations

from pathlib import Path

import pytest

from neraca.datasets.constraint_columns import recognise_constraint
from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.write_dataset import write_dataset
from neraca.errors import InputError
from neraca.records import Constraint

TABLE = """Pertanyaan,Harapan,Lokasi,Harga Maksimum,Kamar Minimum,Catatan
rumah di johor,ada,Medan Johor,500.000.000,3,a
rumah murah,tidak ada,,Rp 90000000,-,b
"""


def read(folder: Path, text: str, **columns: str) -> Dataset:
    file = folder / "soal.csv"
    file.write_text(text, encoding="utf-8")
    return read_dataset(file, columns={role.replace("__", "."): name for role, name in columns.items()})


@pytest.mark.parametrize(
    "heading,constraint",
    [
        ("Harga Maksimum", "price max"),
        ("Max Price", "price max"),
        ("precio_máximo", "price max"),
        ("Prix minimum", "price min"),
        ("Preço até", None),
        ("السعر الأقصى", "price max"),
        ("Habitaciones mínimas", "bedrooms min"),
        ("Kamar Tidur", "bedrooms equals"),
        ("Ubicación", "location equals"),
        ("maximum", None),
        ("tokens max", None),
    ],
)
def test_headings_of_constraints(heading: str, constraint: str | None) -> None:
    column = recognise_constraint(heading)
    assert (column and column.text) == constraint


def test_columns_are_read_as_constraints_and_stay_extras(tmp_path: Path) -> None:
    first, second = read(tmp_path, TABLE)
    assert {name: (c.equals, c.max, c.min) for name, c in first.constraints.items()} == {
        "location": ("Medan Johor", None, None),
        "price": (None, 500_000_000, None),
        "bedrooms": (None, None, 3),
    }
    assert {"price", "harga"} <= set(first.constraints["price"].fields)
    assert (first.expects, second.expects) == ("results", "none")
    assert {name: c.max for name, c in second.constraints.items()} == {"price": 90_000_000}
    assert first.extra["Harga Maksimum"] == "500.000.000"  # a target's template may use it


def test_what_was_read_is_said_and_what_was_not(tmp_path: Path) -> None:
    unused, read_as = read(tmp_path, TABLE).column_notes
    assert unused == "columns not used: Catatan"
    assert read_as.startswith(
        "read as constraints: location equals, price max, bedrooms min (columns Lokasi, Harga Maksimum, Kamar Minimum);"
    )
    assert '--column "constraint:location.equals=Lokasi"' in read_as


def test_a_plain_attribute_alone_is_not_taken_for_a_constraint(tmp_path: Path) -> None:
    dataset = read(tmp_path, "question,location\na,b\n")
    assert dataset.items[0].constraints == {}
    assert dataset.column_notes == [
        "columns not used: location",
        "location is not read as a constraint, because no other column is one; if it is one: "
        '--column "constraint:location.equals=location"',
    ]


def test_a_column_of_json_constraints_is_the_only_source(tmp_path: Path) -> None:
    dataset = read(tmp_path, 'question,constraints,price max\na,"{""price"": {""min"": 1}}",9\n')
    assert dataset.items[0].constraints == {"price": Constraint(min=1)}
    assert dataset.unused == ("price max",)


def test_a_mapping_changes_adds_and_leaves_out(tmp_path: Path) -> None:
    mapping = {"constraint:district__contains_any": "Lokasi", "constraint:price": "", "constraint:note": "Catatan"}
    first, _ = read(tmp_path, TABLE, **mapping)
    assert first.constraints["district"] == Constraint(contains_any=["Medan Johor"])
    assert first.constraints["note"] == Constraint(equals="a")
    assert "price" not in first.constraints
    assert first.constraints["bedrooms"].min == 3


def test_two_bounds_of_one_attribute_are_one_constraint(tmp_path: Path) -> None:
    (item,) = read(tmp_path, "pregunta,precio mínimo,precio máximo,marca\na,1,9,x;y\n")
    assert (item.constraints["price"].min, item.constraints["price"].max) == (1, 9)
    assert item.constraints["brand"].equals == ["x", "y"]
    with pytest.raises(InputError, match=r"min \(9\) is greater than max \(1\)"):
        read(tmp_path, "pregunta,precio mínimo,precio máximo\na,9,1\n")


@pytest.mark.parametrize(
    "cell,problem",
    [
        ("500.000", 'line 2, column price max: "500.000" may be 500000 or a number with a decimal mark'),
        ("500 juta", 'line 2, column price max: must be one number such as 500000000, or empty; found "500 juta"'),
    ],
)
def test_a_number_that_cannot_be_read_for_certain_is_an_error(tmp_path: Path, cell: str, problem: str) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, f"question,price max\na,{cell}\n")
    assert problem in str(error.value)


@pytest.mark.parametrize("role", ["constraint:", "constraint:.max"])
def test_a_mapping_must_name_an_attribute_and_a_column(tmp_path: Path, role: str) -> None:
    with pytest.raises(InputError, match="name the attribute, as constraint:price"):
        read(tmp_path, "question,a\nb,c\n", **{role: "a"})
    with pytest.raises(InputError, match='no column "x"'):
        read(tmp_path, "question,a\nb,c\n", **{"constraint:price": "x"})


def test_a_written_data_set_is_read_back_with_the_same_constraints(tmp_path: Path) -> None:
    dataset = read(tmp_path, TABLE)
    write_dataset(tmp_path / "again.csv", dataset)
    again = read_dataset(tmp_path / "again.csv")
    assert [item.constraints for item in again] == [item.constraints for item in dataset]


@pytest.mark.parametrize(
    "word,expected",
    [
        ("hay", "results"),
        ("No hay", "none"),
        ("nada", "none"),
        ("Tidak Ada", "none"),
        ("aucun", "none"),
        ("há", "results"),
        ("لا يوجد", "none"),
        ("يوجد", "results"),
    ],
)
def test_what_is_expected_in_the_words_of_users(tmp_path: Path, word: str, expected: str) -> None:
    assert read(tmp_path, f"question,expects\na,{word}\n").items[0].expects == expected
