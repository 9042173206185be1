"""Checks of answers in the columns of a table: the metric, the column of reasons, and the same numbers at any scale."""

import json

import pytest

from neraca.datasets.table_reader import read_table
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.scores.score_parquet import score_parquet
from neraca.scores.sources.text_table import TextTable

ROWS = """question,must_contain,must_not_contain,response,status
cancel?,48 hours,72,Up to 48 hours before.,complete
pets?,small|dogs,,Small dogs.,complete
pool?,,,Yes.,complete
lift?,,no,,timeout
bar?,yes,,yes,suspect
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "rows.csv").write_text(ROWS)
    return tmp_path / "rows.csv"


def test_a_table_with_checks_and_without_references_is_scored_by_its_checks(file, tmp_path):
    scores = TextTable(path=file, out=tmp_path / "out.csv").score()
    assert list(map(str, scores.scored)) == ["Expectations"]
    (row,) = scores.overall()
    assert (row.value, row.n, row.unscored) == (pytest.approx(1 / 3), 3, 2)
    assert [cells["failed_checks"] for cells in read_table(tmp_path / "out.csv").rows] == [
        "",
        'must_contain: "small" is not there (but with other capitals; icontains takes it)',
        "",
        "must_not_contain: there is no answer (timeout)",
        "",
    ]


def test_blocks_and_units_of_a_large_table_have_the_same_value(file, tmp_path):
    expected = TextTable(path=file).score().mean("Expectations")
    assert TextTable(path=file, block_rows=1).score().mean("Expectations") == expected
    (row,) = score_parquet(file, "Expectations", tmp_path / "out").overall()
    assert (row.value, row.n, row.unscored) == (expected, 3, 2)


def test_checks_are_beside_the_metrics_of_references_and_outside_their_average(tmp_path):
    (tmp_path / "rows.csv").write_text("answer,response,must_contain\nfour,four,four\nfour,4,four\n")
    scores = TextTable(path=tmp_path / "rows.csv", metrics="TokenRecall ExactMatch").score()
    assert list(map(str, scores.scored)) == [
        *("TokenRecall", "ExactMatch", "Expectations"),
        "Average(TokenRecall,ExactMatch)",
    ]


def test_a_table_that_has_the_column_of_reasons_already_is_not_checked_again(tmp_path):
    (tmp_path / "rows.csv").write_text("answer,response,must_contain,Expectations,failed_checks\nfour,four,four,1,\n")
    table = TextTable(path=tmp_path / "rows.csv", metrics="TokenRecall", out=tmp_path / "out.csv", average=False)
    assert list(map(str, table.score().scored)) == ["TokenRecall"]


def test_each_system_has_its_column_of_reasons(tmp_path):
    (tmp_path / "rows.csv").write_text("must_contain,old,new\nfour,five,four\n")
    table = TextTable(path=tmp_path / "rows.csv", responses=["old", "new"], out=tmp_path / "out.csv")
    assert [score.value for score in table.score().overall()] == [0, 1]
    (row,) = read_table(tmp_path / "out.csv").rows
    assert (row["old failed_checks"], row["new failed_checks"]) == ('must_contain: "four" is not there', "")


def test_a_bad_cell_of_a_table_is_named_and_nothing_is_written(file, tmp_path):
    file.write_text(ROWS.replace("must_not_contain", "regex").replace(",72,", ",(,"))
    with pytest.raises(InputError, match=r"rows\.csv line 2, column 'regex': .*unclosed group"):
        TextTable(path=file, out=tmp_path / "out.csv").score()
    assert not (tmp_path / "out.csv").exists()


def test_one_dirty_row_of_a_large_table_costs_that_row_alone(file, tmp_path):
    file.write_text(ROWS.replace("must_not_contain", "regex").replace(",72,", ",(,"))
    (row,) = score_parquet(file, "Expectations", tmp_path / "out").overall()
    assert (row.value, row.n, row.unscored) == (0, 2, 3)


def test_a_metric_of_your_own_sees_the_other_columns(file, tmp_path):
    (tmp_path / "own.py").write_text(
        "from neraca import metric\n\n\n@metric('TestAsked')\ndef asked(item, answer):\n"
        "    return float(item.extra['must_contain'] in answer.text)\n"
    )
    from neraca.registry import load_file

    load_file(tmp_path / "own.py")
    assert TextTable(path=file, metrics="TestAsked").score().mean("TestAsked") == 3 / 4  # an empty text is in any
    assert Metric.of("TestAsked").needs == ("items", "counted_answers")


def test_the_metric_without_its_columns_says_what_to_add(tmp_path):
    (tmp_path / "rows.csv").write_text("answer,response\na,b\n")
    with pytest.raises(SpecError, match="such as must_contain"):
        TextTable(path=tmp_path / "rows.csv", metrics="Expectations").score()


def test_scores_of_a_run_by_question_say_what_failed(tmp_path, monkeypatch, cli):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "q.csv").write_text("id,query,must_contain\n1,a,x\n2,b,y\n")
    (tmp_path / "a.csv").write_text("id,response\n1,x\n2,z\n")
    cli(*["ask", "q.csv", "--target", "replay:a.csv", "--out", "run"])
    assert "failed_checks" in cli(*["score", "run", "-q"]).out
    out = cli(*["score", "run", "-q", "--json"]).out
    rows = [json.loads(line) for line in out.splitlines()]
    assert [(row["item"], row["value"], row["why"]) for row in rows] == [
        ("1", 1.0, ""),
        ("2", 0.0, 'must_contain: "y" is not there'),
    ]
