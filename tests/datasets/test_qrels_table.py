"""Judgments in tables that raters filled in."""

import pytest

from neraca.datasets.beir_qrels import read_qrels
from neraca.datasets.table_writer import write_table
from neraca.errors import InputError

ROWS = [
    {"query_id": "01", "document_id": "a", "grade": "2"},
    {"query_id": "01", "document_id": "b", "grade": ""},
    {"query_id": "2", "document_id": "a", "grade": "0"},
]


@pytest.mark.parametrize("name", ["judged.csv", "judged.xlsx", "judged.jsonl", "judged.json", "judged.parquet"])
def test_rows_without_a_grade_are_not_judged(tmp_path, name):
    write_table(tmp_path / name, ROWS)
    assert read_qrels(tmp_path / name).grades == {"01": {"a": 2.0}, "2": {"a": 0.0}}


def test_other_names_and_semicolons(tmp_path):
    file = tmp_path / "judged.csv"
    file.write_text("\ufeffqid;docno;note;rel\n1;a;;1\n", encoding="utf-8")
    assert read_qrels(file).grades == {"1": {"a": 1.0}}


def test_lines_of_trec_stay_lines_of_trec_whatever_the_name(tmp_path):
    file = tmp_path / "qrels.csv"
    file.write_text("1 0 a 1\n")
    assert read_qrels(file).grades == {"1": {"a": 1}}


@pytest.mark.parametrize(
    "text, message",
    [
        ("query_id,grade\n1,1\n", "no column 'document' \\(found: query_id, grade\\)"),
        ("query_id,document_id,grade\n1,a,1\n1,b,good\n", 'line 3: the grade "good" is not a number'),
        ("query_id,document_id,grade\n1,a,1\n1,a,0\n", "line 3: query '1' has the document 'a' already"),
        ("query_id,document_id,grade\n1,,1\n", "line 2: the document is empty"),
        ("query_id,document_id,grade\n1,a,\n", "there is no judgment in it"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, message):
    (tmp_path / "judged.csv").write_text(text)
    with pytest.raises(InputError, match=message):
        read_qrels(tmp_path / "judged.csv")
