"""Batches of rows: what they hold, and what can be made of them."""

import math
from datetime import date
from pathlib import Path

import polars as pl
import pytest

from neraca.datasets.row_batch import RowBatch, TableFile, split_rows, take_batches

ROWS = [{"a": 1, "b": "x"}, {"a": None}, {"a": 2.5, "b": "z"}]
LIST = RowBatch(("a", "b"), ROWS, Path("q.csv"), "line", (2, 4, 5), 1)
FRAME = RowBatch(("day", "n"), pl.DataFrame({"day": [date(2024, 3, 1), None], "n": [math.nan, 1.0]}), numbers=(1, 2))


def test_rows_and_columns_of_lists():
    assert (len(LIST), LIST.rows, LIST.column("b")) == (3, ROWS, ["x", None, "z"])
    assert (LIST.place(1), LIST.header) == ("line 4", "q.csv line 1")
    assert LIST.kinds() == {"a": {"int", "float"}, "b": {"other"}}


def test_rows_and_columns_of_frames_are_plain():
    assert FRAME.rows == [{"day": "2024-03-01", "n": None}, {"day": None, "n": 1.0}]
    assert (FRAME.column("day"), FRAME.column("n")) == (["2024-03-01", None], [None, 1.0])
    assert FRAME.kinds() == {}, "its columns have types"


@pytest.mark.parametrize("batch", [LIST, FRAME])
def test_new_columns_stand_last(batch):
    scored = batch.with_columns({"s": [0.5] * len(batch)}).with_columns({"t": ["w"] * len(batch)})
    assert scored.columns == (*batch.columns, "s", "t")
    assert scored.rows == [{**row, "s": 0.5, "t": "w"} for row in batch.rows]
    assert scored.column("s") == [0.5] * len(batch)
    assert scored.kinds() == {**batch.kinds(), "s": {"float"}, "t": {"other"}}
    assert "s" not in batch.rows[0]


def test_new_columns_are_as_long_as_the_batch():
    with pytest.raises(ValueError, match="shorter"):
        _ = LIST.with_columns({"s": [1.0]}).rows


@pytest.mark.parametrize("batch", [LIST, FRAME])
def test_some_rows_in_another_order(batch):
    scored = batch.with_columns({"s": list(range(len(batch)))})
    chosen = scored.select([1, 0, 1])
    assert chosen.rows == [scored.rows[1], scored.rows[0], scored.rows[1]]
    assert (list(chosen.numbers), chosen.column("s")) == ([batch.numbers[n] for n in (1, 0, 1)], [1, 0, 1])


def test_batches_of_records():
    """Two rows each, or ten characters."""
    file = TableFile(Path("q.csv"), None, None, None, rows=2, characters=10)
    records = [(number, {"a": "x" * length}) for number, length in enumerate((1, 1, 10, 3, 4), start=2)]
    taken = [(list(numbers), len(rows)) for numbers, rows in take_batches(iter(records), file)]
    assert taken == [([2, 3], 2), ([4], 1), ([5, 6], 2)]
    assert [len(rows) for _, rows in take_batches(iter([]), file)] == [0]


def test_batches_of_rows_that_are_there():
    file = TableFile(Path("q.xlsx"), None, None, None, rows=2, characters=10)
    batches = list(split_rows(file, ("a", "b"), (3, 4, 9), ROWS, head=2))
    assert [(batch.rows, list(batch.numbers)) for batch in batches] == [(ROWS[:2], [3, 4]), (ROWS[2:], [9])]
    assert [(batch.share, batch.header) for batch in batches] == [(2 / 3, "q.xlsx row 2"), (1, "q.xlsx row 2")]
    assert [len(batch) for batch in split_rows(file, ("a",), (), [])] == [0]
