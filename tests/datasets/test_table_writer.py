"""Tables written whole, and batch by batch."""

import math

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neraca.datasets.table_reader import TableReader, read_table
from neraca.datasets.table_writer import WRITABLE, table_writer, write_table
from neraca.errors import InputError

ROWS = [{"a": f"{n}", "b": text} for n, text in enumerate(["x", 'q"u,o;t', "two\nlines", "شقة 😀", " ", "=1", "é"])]
HARD = [
    {"a": "شقة في ميدان؟", "b": '😀 "quoted", and; more\ttab'},
    {"a": "two\nlines", "b": " space "},
    {"a": "=1+1", "b": "#N/A"},
    {"a": "007", "b": "1e5"},
    {"a": "carriage\r\nreturn\r", "b": "_x000D_ _x0041_"},
    {"a": "a\u2028b\x85c", "b": "\ufeffmark"},
    {"a": "[1, 2", "b": '{"x": 1}'},
    {"a": "'", "b": "-1"},
]


@pytest.mark.parametrize("suffix", WRITABLE)
def test_hard_text_comes_back_from_every_format(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    write_table(path, HARD)
    table = read_table(path)
    assert table.columns == ("a", "b")
    assert table.rows == HARD
    assert table.path == path
    assert len(table) == len(HARD)


CHARACTERS = st.characters(exclude_categories=["Cs"], exclude_characters="\0\ufdd0")
TEXT = st.text(CHARACTERS, min_size=1)
NAME = st.text(CHARACTERS, min_size=1).filter(lambda name: name == name.strip("﻿ \t\r\n"))
SCALAR = (
    st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
)
NESTED = st.recursive(SCALAR, lambda s: st.lists(s, max_size=3) | st.dictionaries(TEXT, s, max_size=3), max_leaves=5)
settings.register_profile(
    "tables", max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
tables = settings.get_profile("tables")


def rows_of(values, filled=False):
    rows = st.lists(NAME, min_size=1, max_size=4, unique=True).flatmap(
        lambda names: st.lists(st.fixed_dictionaries(dict.fromkeys(names, values)), min_size=1, max_size=5)
    )
    return (
        rows.filter(lambda rows: all(any(v not in (None, "") for v in row.values()) for row in rows))
        if filled
        else rows
    )


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
@tables
@given(rows=rows_of(st.text(CHARACTERS), filled=True))
def test_any_text_comes_back_from_delimited(tmp_path, suffix, rows):
    # A row of one cell of white space alone is a blank line.
    rows = [row for row in rows if len(row) > 1 or not all(value.isspace() for value in row.values())]
    write_table(tmp_path / f"t{suffix}", rows, list(rows[0]) if rows else ["a"])
    assert read_table(tmp_path / f"t{suffix}").rows == rows


@pytest.mark.parametrize("names", [["a;b"], ["a,b;c", "d\te"], ["a;b", "c;d"], ["a;b;c", "d"]])
def test_names_with_other_delimiters_do_not_mislead(tmp_path, names):
    rows = [dict.fromkeys(names, "x;y,z;\tw")] * 2
    write_table(tmp_path / "t.csv", rows)
    assert read_table(tmp_path / "t.csv").rows == rows


@tables
@given(rows=rows_of(SCALAR, filled=True))
def test_any_value_comes_back_from_xlsx(tmp_path, rows):
    write_table(tmp_path / "t.xlsx", rows)
    assert read_table(tmp_path / "t.xlsx").rows == rows


@pytest.mark.parametrize("suffix", [".json", ".jsonl", ".ndjson"])
@tables
@given(rows=rows_of(NESTED))
def test_anything_nested_comes_back_from_json(tmp_path, suffix, rows):
    write_table(tmp_path / f"t{suffix}", rows)
    assert read_table(tmp_path / f"t{suffix}").rows == rows


@tables
@given(
    rows=st.lists(
        st.fixed_dictionaries(
            {
                "t": st.none() | st.text(CHARACTERS),
                "i": st.none() | st.integers(-(2**63), 2**63 - 1),
                "f": st.none() | st.floats(allow_nan=False),
                "b": st.none() | st.booleans(),
                "l": st.none() | st.lists(st.text(CHARACTERS)),
                "n": st.none(),
            }
        ),
        min_size=1,
    )
)
def test_columns_of_one_type_come_back_from_parquet(tmp_path, rows):
    write_table(tmp_path / "t.parquet", rows)
    assert read_table(tmp_path / "t.parquet").rows == rows


def test_mixed_and_nested_columns_of_parquet_are_text(tmp_path):
    write_table(tmp_path / "t.parquet", [{"a": 1, "b": {"x": 1}, "c": 2**70}, {"a": "z", "b": [1], "c": None}])
    assert read_table(tmp_path / "t.parquet").rows == [
        {"a": "1", "b": '{"x":1}', "c": str(2**70)},
        {"a": "z", "b": "[1]", "c": None},
    ]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx"])
def test_nested_values_become_json_text(tmp_path, suffix):
    write_table(tmp_path / f"t{suffix}", [{"a": {"x": ["ü", None]}, "b": True, "c": None, "d": math.nan}])
    (row,) = read_table(tmp_path / f"t{suffix}").rows
    assert row["a"] == '{"x":["ü",null]}'
    assert row["b"] in ("true", True)
    assert not row["c"]
    assert not row.get("d")


@pytest.mark.parametrize("suffix", WRITABLE)
def test_columns_choose_and_order(tmp_path, suffix):
    write_table(tmp_path / f"t{suffix}", [{"a": "1", "b": "2", "c": "3"}], ["c", "a"])
    table = read_table(tmp_path / f"t{suffix}")
    assert table.columns == ("c", "a")
    assert table.rows == [{"c": "3", "a": "1"}]


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx", ".parquet", ".json"])
def test_no_rows_is_an_empty_table(tmp_path, suffix):
    write_table(tmp_path / f"t{suffix}", [], ["a", "b"])
    table = read_table(tmp_path / f"t{suffix}")
    assert table.rows == []
    assert table.columns == (() if suffix == ".json" else ("a", "b"))


def test_what_cannot_be_written(tmp_path):
    for name, words in (
        ("t.xls", ".xls is not written; use one of .csv .tsv"),
        ("t", "a name without ending is not written"),
    ):
        with pytest.raises(InputError, match=words):
            write_table(tmp_path / name, [])
    with pytest.raises(InputError, match=r"t.csv: a cell holds a NUL character.*write .jsonl or .parquet"):
        write_table(tmp_path / "t.csv", [{"a": "\0"}])
    with pytest.raises(InputError, match=r"t.csv: a value cannot be written"):
        write_table(tmp_path / "t.csv", [{"a": "\ud800"}])
    with pytest.raises(InputError, match=r"t.jsonl: a value cannot be written"):
        write_table(tmp_path / "t.jsonl", [{"a": object()}])
    assert list(tmp_path.iterdir()) == []


def test_a_failed_write_leaves_the_old_file(tmp_path):
    write_table(tmp_path / "t.csv", [{"a": "old"}])
    with pytest.raises(InputError):
        write_table(tmp_path / "t.csv", [{"a": "\0"}])
    assert read_table(tmp_path / "t.csv").rows == [{"a": "old"}]
    assert (tmp_path / "t.csv").read_bytes() == b"a\r\nold\r\n"


# batches with new columns


def scored(blocks):
    for block in blocks:
        numbers = [None if n % 2 else 0.1 * n for n in block.numbers]
        yield block.with_columns({"score": numbers, "why": [None if n else "odd" for n in numbers]})


KINDS = {"score": {"float"}, "why": {"other"}}


def write(source, out):
    blocks = TableReader(source, rows=3)
    with table_writer(out, blocks, KINDS) as writer:
        for block in scored(blocks):
            writer.write(block)


@pytest.mark.parametrize("to", WRITABLE)
@pytest.mark.parametrize("of", [".csv", ".jsonl", ".parquet", ".xlsx", ".json"])
def test_from_every_format_to_every_format(tmp_path, of, to):
    source, out = tmp_path / f"in{of}", tmp_path / f"out{to}"
    write_table(source, ROWS)
    write(source, out)
    table = read_table(out)
    assert table.columns == ("a", "b", "score", "why")
    kept = [{name: row.get(name) for name in ("a", "b")} for row in table.rows]
    assert kept == read_table(source).rows
    numbers = [number for block in TableReader(source) for number in block.numbers]
    for row, number in zip(table.rows, numbers, strict=True):
        expected = None if number % 2 else 0.1 * number
        assert (float(row["score"]) if row.get("score") not in (None, "") else None) == expected  # every digit
        assert (row.get("why") or "") == ("odd" if expected is None else "")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([source.name, out.name])


def test_a_type_is_that_of_the_whole_column(tmp_path):
    """Numbers at first, text at the end: the blocks alone would not fit together."""
    rows = [{"a": 1, "b": 1.5, "c": True} for _ in range(5)] + [{"a": "x", "b": None, "d": ["y"]}]
    write_table(tmp_path / "in.jsonl", rows)
    write(tmp_path / "in.jsonl", tmp_path / "out.parquet")
    write_table(tmp_path / "whole.parquet", rows)
    whole, found = pl.read_parquet(tmp_path / "whole.parquet"), pl.read_parquet(tmp_path / "out.parquet")
    assert found.drop("score", "why").equals(whole)


def test_names_that_look_like_patterns(tmp_path):
    folder = tmp_path / "day=1 [a]*"
    folder.mkdir()
    for to in (".csv", ".parquet"):
        write_table(folder / "x[1]*.parquet", ROWS)
        write(folder / "x[1]*.parquet", folder / f"out[2]*{to}")
        assert len(read_table(folder / f"out[2]*{to}")) == len(ROWS)
        assert read_table(folder / f"out[2]*{to}").columns == ("a", "b", "score", "why")


@pytest.mark.parametrize("stop", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("to", WRITABLE)
def test_after_an_error_all_is_as_it_was(tmp_path, to, stop):
    write_table(tmp_path / "in.csv", ROWS)
    out = tmp_path / f"out{to}"
    out.write_bytes(b"before")
    blocks = TableReader(tmp_path / "in.csv", rows=3)
    with pytest.raises(stop), table_writer(out, blocks, KINDS) as writer:  # noqa: PT012
        for block in scored(blocks):
            writer.write(block)
            raise stop
    assert out.read_bytes() == b"before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", out.name]


def test_what_cannot_be_written_is_found_before_the_work(tmp_path):
    write_table(tmp_path / "in.csv", ROWS)
    blocks = TableReader(tmp_path / "in.csv", rows=3)
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "same.csv").symlink_to(tmp_path / "in.csv")
    (tmp_path / "file").write_text("")
    for name, told in (
        ("in.csv", "is the table that is read"),
        ("same.csv", "is the table that is read"),
        ("out.doc", r"\.doc is not written"),
        ("folder.csv", "is a folder"),
    ):
        with pytest.raises(InputError, match=told), table_writer(tmp_path / name, blocks, KINDS):
            raise AssertionError("work began")
    with pytest.raises(OSError, match="file"), table_writer(tmp_path / "file" / "out.csv", blocks, KINDS):
        raise AssertionError("work began")


def test_a_value_that_a_format_cannot_carry(tmp_path):
    write_table(tmp_path / "in.jsonl", [{"a": "nul \0"}])
    with pytest.raises(InputError, match=r"out\.csv: a cell holds a NUL"):
        write(tmp_path / "in.jsonl", tmp_path / "out.csv")
    write_table(tmp_path / "in.jsonl", [{"a": "x" * 40_000}])
    with pytest.raises(InputError, match=r"out\.xlsx: row 1, column a: 40,000 characters"):
        write(tmp_path / "in.jsonl", tmp_path / "out.xlsx")
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]


def test_half_a_character_is_no_text(tmp_path):
    (tmp_path / "in.jsonl").write_text('{"a": "\\ud800", "b": NaN}')
    for to in (".csv", ".jsonl"):
        with pytest.raises(InputError, match=rf"out\{to}: a value cannot be written"):
            write(tmp_path / "in.jsonl", tmp_path / f"out{to}")


def test_without_new_columns_it_is_a_copy(tmp_path):
    write_table(tmp_path / "in.csv", ROWS)
    source = TableReader(tmp_path / "in.csv", rows=3)
    with table_writer(tmp_path / "out.jsonl", source) as writer:
        for block in source:
            writer.write(block)
    assert read_table(tmp_path / "out.jsonl").rows == ROWS
