import json
import math

import polars as pl
import pytest

from neraca.datasets.read_dataset import read_dataset
from neraca.datasets.table_writer import write_table
from neraca.errors import InputError


def refused(path, *words, **options):
    with pytest.raises(InputError) as told:
        read_dataset(path, **options)
    for part in words:
        assert part in str(told.value)
    return str(told.value)


def test_a_duplicate_id_names_both_lines(csv):
    refused(csv('id,query\nx,"a\nb"\ny,b\nx,c\n'), "questions.csv line 5, column id: 'x' is also the id of line 2")


def test_ids_that_become_equal_text_are_duplicates(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"id": 3, "query": "a"}\n{"id": "3", "query": "b"}\n')
    refused(tmp_path / "q.jsonl", "q.jsonl line 2, column id: '3' is also the id of line 1")


@pytest.mark.parametrize(
    "text,words",
    [
        ("query,id\n,1\n", "questions.csv line 2, column query: the question is empty; write one, or delete the row"),
        ("query,id\nq,\n", "line 2, column id: the id is empty; give every question one, or delete the column"),
        ("query,constraints\nq,{a}\n", "line 2, column constraints: not valid JSON"),
        (
            'query,constraints\nq,"{""price"": {""min"": ""1M""}}"\n',
            'constraint price: min must be a number, found "1M"',
        ),
        ("query,relevant\nq,{x\n", "line 2, column relevant: not valid JSON"),
        ('query,relevant\nq,"{""d"": ""high""}"\n', 'column relevant: the grade of d must be a number, found "high"'),
        ("query,expected_results\nq,yes\n", 'column expected_results: must be "results", "none" or empty, found "yes"'),
        ("query,expected_calls\nq,3\n", "column expected_calls: must be a list of objects"),
        ("query,tags\nq,{x\n", "column tags: not valid JSON"),
        ("query,extra\nq,{x\n", "column extra: not valid JSON"),
        ("query,id\n", "questions.csv line 1: no questions; write at least one row"),
        ("", "the file is empty"),
    ],
)
def test_errors_say_where_what_and_the_remedy(csv, text, words):
    path = csv(text)
    assert str(path) in refused(path, words)


@pytest.mark.parametrize(
    "row,words",
    [
        ({"query": ["a"]}, 'row 1, column query: must be text, found ["a"]'),
        ({"query": "q", "session": [{"role": "user"}]}, "row 1, column session: must be text"),
        ({"query": "q", "tags": {"a": [1]}}, "row 1, column tags: must be text"),
        ({"query": "q", "tag:a": [1]}, "row 1, column tag:a: must be text"),
        ({"id": "x"}, "no column for the question"),
    ],
)
def test_errors_of_json(tmp_path, row, words):
    (tmp_path / "q.json").write_text(json.dumps([row]))
    refused(tmp_path / "q.json", words)


def test_a_grade_that_is_no_number_in_a_sheet(tmp_path):
    pl.DataFrame({"query": ["q"], "relevant": [{"d": math.inf}]}).write_parquet(tmp_path / "q.parquet")
    refused(tmp_path / "q.parquet", 'row 1, column relevant: the grade of d must be a number, found "inf"')


def test_five_errors_are_told_and_the_others_counted(csv):
    path = csv("query,expects\n" + "".join(f",{n}\n" for n in range(4)))
    lines = refused(path).splitlines()
    assert len(lines) == 6
    assert [line.split("questions.csv ")[1].split(":")[0] for line in lines[:5]] == [
        "line 2, column query",
        "line 2, column expects",
        "line 3, column query",
        "line 3, column expects",
        "line 4, column query",
    ]
    assert lines[5] == "and 3 more errors"
    assert len(refused(csv("query,a\n,1\n,2\n")).splitlines()) == 2


def test_options_reach_the_table(tmp_path):
    (tmp_path / "q.csv").write_bytes("query|a\ncafé|1\n".encode("cp1252"))
    assert read_dataset(tmp_path / "q.csv", encoding="cp1252", delimiter="|").items[0].query == "café"
    write_table(tmp_path / "q.xlsx", [{"query": "x"}])
    refused(tmp_path / "q.xlsx", "no sheet 'b'", sheet="b")
