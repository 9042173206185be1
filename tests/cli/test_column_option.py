"""`--column` given several times: several references, or an error where one column alone can be meant."""

from __future__ import annotations

import pytest

from neraca.cli import options
from neraca.datasets.read_dataset import read_dataset
from neraca.errors import InputError, SpecError


def test_two_columns_of_references_are_two_references(tmp_path):
    table = tmp_path / "q.csv"
    table.write_text("query,a,b\nhow far?,4 km,2.5 miles\nhow many?,,three\nwhich?,,\n", encoding="utf-8")
    dataset = read_dataset(table, columns=options.columns(["references=a", "references=b"]))
    assert [item.references for item in dataset] == [("4 km", "2.5 miles"), ("three",), ()]
    assert [dict(item.extra) for item in dataset] == [{}, {}, {}]
    with pytest.raises(InputError, match="query is one column, not 'a' and 'b'"):
        read_dataset(table, columns=options.columns(["query=a", "query=b"]))


def test_the_same_column_twice_is_one():
    assert options.columns(["references=a", "references=a", "session="]) == {"references": "a", "session": ""}


def test_one_name_with_two_values_is_an_error():
    assert options.pairs(["a=1", "a=1"], "--set") == {"a": "1"}
    with pytest.raises(SpecError, match="--set a= is given twice, as '1' and '2'; give one"):
        options.pairs(["a=1", "a=2"], "--set")
