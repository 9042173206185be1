"""Parquet and Arrow files as tables."""

import math
from datetime import date, datetime
from decimal import Decimal

import polars as pl
import pytest

from neraca.datasets.table_reader import TableReader, read_table
from neraca.datasets.table_writer import table_writer, write_table


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


def test_nan_is_none(tmp_path):
    pl.DataFrame({"a": [1.0, math.nan, None], "b": [[math.nan], None, [1.0]]}).write_parquet(tmp_path / "t.parquet")
    assert [row["a"] for row in read_table(tmp_path / "t.parquet").rows] == [1.0, None, None]
    assert [row["b"] for row in read_table(tmp_path / "t.parquet").rows] == [[None], None, [1.0]]


def test_nan_of_a_file_is_nothing(tmp_path):
    pl.DataFrame({"a": [1.5, math.nan]}).write_parquet(tmp_path / "in.parquet")
    (block,) = TableReader(tmp_path / "in.parquet")
    assert block.column("a") == [1.5, None]


def test_a_frames_columns_keep_their_types(tmp_path):
    frame = pl.DataFrame(
        {
            "day": [date(2024, 1, n) for n in range(1, 8)],
            "n": pl.Series([1, None, 3, 4, 5, 6, 7], dtype=pl.Int16),
            "list": [["a"], [], None, ["b", "c"], [], [], []],
            "kind": pl.Series(list("xyxyxyx"), dtype=pl.Categorical),
            "nested": [{"p": n, "q": None} for n in range(7)],
        }
    )
    frame.write_parquet(tmp_path / "in.parquet")
    blocks = TableReader(tmp_path / "in.parquet", rows=3)
    with table_writer(tmp_path / "out.parquet", blocks, {"score": {"float"}, "why": {"other"}}) as writer:
        for block in blocks:
            scores = [None if n % 2 else 0.1 * n for n in block.numbers]
            writer.write(block.with_columns({"score": scores, "why": [None if n else "odd" for n in scores]}))
    found = pl.read_parquet(tmp_path / "out.parquet")
    assert found.select(frame.columns).equals(frame)
    assert found.select(frame.columns).schema == frame.schema
    assert found.schema["score"] == pl.Float64
    assert found.schema["why"] == pl.String
