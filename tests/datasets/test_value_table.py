"""A table with a row for each query and a column of numbers for each system."""

import numpy as np
import pytest

from neraca.datasets.value_table import read_value_table
from neraca.errors import InputError


@pytest.fixture
def table(tmp_path):
    def write(text, name="values.csv"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_what_each_column_is(table):
    found = read_value_table(table("Query,bm25,kind,Session,dense\nq1,0.5,a,s1,1\nq2,,b,,2\nq3,1e-3,a, s1 ,-3\n"))
    assert found.ids == ["q1", "q2", "q3"]
    assert list(found.systems) == ["bm25", "dense"]
    np.testing.assert_equal(found.systems["bm25"], [0.5, np.nan, 0.001])
    np.testing.assert_equal(found.systems["dense"], [1, 2, -3])
    assert found.tags == {"kind": ["a", "b", "a"]}
    assert found.sessions == ["s1", "", "s1"]
    assert found.no_numbers == {}


def test_columns_may_be_chosen(table):
    found = read_value_table(table("a,b,c\n1,2,3\n4,5,6\n"), ["c", "a"])
    assert list(found.systems) == ["c", "a"]
    assert found.tags == {"b": ["2", "5"]}
    assert found.ids == ["1", "2"]
    assert found.sessions is None


def test_numbers_of_ids_are_no_system(table):
    assert list(read_value_table(table("qid,a\n10,1\n11,2\n")).systems) == ["a"]
    assert list(read_value_table(table("Unnamed: 0,a\n0,1\n1,2\n")).systems) == ["a"]


def test_a_cell_that_is_no_number_is_counted(table):
    found = read_value_table(table("id,a\nq1,1\nq2,n/a\nq3,2\nq4,inf\nq5, \nq6,3\n"))
    np.testing.assert_equal(found.systems["a"], [1, np.nan, 2, np.nan, np.nan, 3])
    assert found.no_numbers == {"a": (2, '"n/a" (line 3)', False)}


def test_decimal_commas(table):
    found = read_value_table(table("q;a;b\n1;1,5;10\n2;-0,25;\n3;2;0,125\n4;;7,5\n"))
    np.testing.assert_equal(found.systems["a"], [1.5, -0.25, 2, np.nan])
    np.testing.assert_equal(found.systems["b"], [10, np.nan, 0.125, 7.5])
    assert found.ids == ["1", "2", "3", "4"]
    with pytest.raises(InputError, match="no column holds numbers"):  # thousands, or thousandths
        read_value_table(table("q;a\n1;1,500\n2;2,250\n"))


def test_other_formats_are_read_alike(table):
    found = read_value_table(table('{"id": "q1", "a": 1, "b": null}\n{"id": "q2", "a": 2.5, "b": 3}\n', "v.jsonl"))
    np.testing.assert_equal(found.systems["b"], [np.nan, 3])


@pytest.mark.parametrize(
    ("text", "systems", "told"),
    [
        ("id,a\nq1,x\n", [], "line 1: no column holds numbers (found: id, a)"),
        ("id,a\nq1,1\n", ["b"], 'line 1: no column "b" (found: id, a)'),
        ("id,a\nq1,1\nq1,2\n", [], "line 3, column 'id': 'q1' is also the id of line 2"),
        ("id,a\n,1\n", [], "line 2, column 'id': the id is empty"),
        ("id,a\n", ["a"], "there is no row below the names of the columns"),
    ],
)
def test_tables_that_are_none(table, text, systems, told):
    with pytest.raises(InputError) as error:
        read_value_table(table(text), systems)
    assert told in str(error.value)
    assert "values.csv" in str(error.value)
