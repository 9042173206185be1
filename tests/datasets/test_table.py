import math
import subprocess
import sys
from datetime import date, datetime
from decimal import Decimal

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from neraca.datasets.table import WRITABLE, read_table, write_table
from neraca.errors import InputError

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
    assert table.source == path
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


# -- JSON


def test_json_lines_places_and_missing_keys(file):
    table = read_table(file("q.jsonl", '\n{"a": 1}\n\n{"b": [1, {"c": null}]}'))
    assert table.columns == ("a", "b")
    assert table.rows == [{"a": 1}, {"b": [1, {"c": None}]}]
    assert [table.place(0), table.place(1)] == ["line 2", "line 4"]
    assert table.header == str(table.source)


def test_json_lines_that_cannot_be(file, refused):
    refused(file("q.jsonl", '{"a":1}\n{"a":\n'), "q.jsonl line 2: not a JSON object")
    refused(file("q.jsonl", '{"a":1}\n[1]\n'), "q.jsonl line 2: must be a JSON object, found [1]")
    refused(file("q.jsonl", "[" * 100_000), "q.jsonl line 1: not a JSON object")
    refused(file("q.jsonl", "\n"), "the file is empty")


def test_nan_is_none(file, tmp_path, refused):
    assert read_table(file("q.jsonl", '{"a": NaN, "b": "NaN"}\n')).rows == [{"a": None, "b": "NaN"}]
    assert read_table(file("q.json", '[{"a": [NaN]}]')).rows == [{"a": [None]}]
    refused(file("q.json", '[{"a": NaN, "b": Infinity}]'), "not valid JSON")
    refused(file("q.json", '[{"a": NaN'), "not valid JSON")
    refused(file("q.jsonl", '{"a": NaN'), "line 1: not a JSON object")
    pl.DataFrame({"a": [1.0, math.nan, None], "b": [[math.nan], None, [1.0]]}).write_parquet(tmp_path / "t.parquet")
    assert [row["a"] for row in read_table(tmp_path / "t.parquet").rows] == [1.0, None, None]
    assert [row["b"] for row in read_table(tmp_path / "t.parquet").rows] == [[None], None, [1.0]]


def test_json_with_the_list_inside(file):
    assert read_table(file("q.json", '{"version": 1, "data": [{"a": 1}], "tags": ["x"]}')).rows == [{"a": 1}]
    table = read_table(file("q.json", '[{"a": 1}, {"b": 2}]'))
    assert table.columns == ("a", "b")
    assert table.place(1) == "row 2"


def test_json_that_cannot_be(file, refused):
    refused(
        file("q.json", '{"a": [{"x": 1}], "b": [{"x": 1}]}'), 'have one such list inside ({"data": [...]}); found a, b'
    )
    refused(file("q.json", '{"a": 1}'), "found a")
    refused(file("q.json", "{}"), "found nothing")
    refused(file("q.json", "3"), "must be a list of objects, found 3")
    refused(file("q.json", '[{"a": 1}, "x"]'), 'q.json row 2: must be an object, found "x"')
    refused(file("q.json", '[{"a": 1},\n\n {"a" 1}]'), "q.json line 3: not valid JSON")
    refused(file("q.json", '{"a": 1}\n{"a": 2}\n'), "line 2 (one object a line? then its name must end in .jsonl)")
    refused(file("q.json", ""), "not valid JSON")
    refused(file("q.json", b'[{"a": "\xe9"}]'), "byte 9 (0xe9) is not UTF-8")


# -- Parquet and Arrow


def test_frames_of_other_programs(tmp_path):
    frame = pl.DataFrame(
        {
            "when": [datetime(2024, 3, 1, 8), None],
            "day": [date(2024, 3, 1), None],
            "price": [Decimal("2.50"), None],
            "blob": [b"a", None],
            "kind": pl.Series(["x", None], dtype=pl.Categorical),
            "nested": [{"a": [1, 2], "b": None}, {"a": None, "b": "z"}],
        }
    )
    frame.write_parquet(tmp_path / "f.parquet")
    frame.write_ipc(tmp_path / "f.feather")
    frame.write_ipc(tmp_path / "f.arrow")
    frame.write_ipc_stream(tmp_path / "stream.arrow")  # as Hugging Face keeps data sets
    for name in ("f.parquet", "f.feather", "f.arrow", "stream.arrow"):
        table = read_table(tmp_path / name)
        assert table.rows[0] == {
            "when": "2024-03-01T08:00:00",
            "day": "2024-03-01",
            "price": 2.5,
            "blob": "YQ==",
            "kind": "x",
            "nested": {"a": [1, 2], "b": None},
        }
        assert table.rows[1]["price"] is None
        assert table.place(1) == "row 2"


def test_names_of_frames_and_json_are_kept_as_they_are(tmp_path):
    rows = [{" a ": "1", "": "2"}]
    for suffix in (".parquet", ".jsonl", ".json"):
        write_table(tmp_path / f"t{suffix}", rows)
        table = read_table(tmp_path / f"t{suffix}")
        assert table.columns == (" a ", "")
        assert table.rows == rows


def test_a_folder_or_name_that_looks_like_a_pattern(tmp_path):
    path = tmp_path / "lang=id" / "q[1]*.parquet"
    write_table(path, [{"a": "1"}])
    assert read_table(path).rows == [{"a": "1"}]


@pytest.mark.parametrize("name", ["q.parquet", "q.arrow", "q.feather"])
@pytest.mark.parametrize("content", [b"", b"no such thing", b"PAR1xxxxPAR1", b"ARROW1xxxxxxxx"])
def test_frames_that_cannot_be(file, name, content, refused):
    refused(file(name, content), f"not a readable {name[1:]} file")


# -- files and options


def test_files_that_are_not_there_or_not_read(tmp_path, file, refused):
    refused(tmp_path / "none.csv", "no such file; check the name and the folder")
    refused(tmp_path, "is a folder; name a file in it")
    refused(file("q.ods", b""), ".ods is not read; use one of .csv .tsv")
    refused(file("q", b""), "a name without ending is not read")
    refused(file("q.csv.gz", b""), "is compressed; unpack it first")


def test_an_error_of_the_system(tmp_path, refused):
    path = tmp_path / "q.csv"
    path.symlink_to("/proc/self/mem")  # opens, and then fails to be read, even for root
    refused(path, "cannot be read: Input/output error")


def test_options_that_do_not_apply(file, tmp_path, refused, sheet):
    refused(file("q.csv", "a\n1\n"), "have sheets; leave --sheet out", sheet="x")
    refused(file("q.jsonl", "{}"), "have a delimiter; leave --delimiter out", delimiter=",")
    refused(sheet(tmp_path / "q.xlsx", ["a"]), ".xlsx knows its own encoding", encoding="utf-8")


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


def test_polars_and_openpyxl_are_imported_when_used():
    code = "import sys, neraca.datasets.dataset; print({'polars', 'openpyxl', 'numpy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
