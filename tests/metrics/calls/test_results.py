"""GoalReached, SQLEquivalent, RowMatch and ColumnMatch: what verdicts become."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.records import Verdict

PARTS = ("matched", "returned", "expected")


def verdict_on_answer(value, aspect="goal", by="llm:m", item="1", **fields):
    return Verdict(item=item, about="answer", aspect=aspect, value=value, by=by, **fields)


def score(name, verdicts, status="complete", by=""):
    part = make_scorable([(make_item("1"), make_answer(status=status))], verdicts, by=by)
    column = score_metric(Metric.of(name), part)
    return float(Metric.of(name).total(column.rows[0])), column.why[0]


def table(*counts, what="rows", by="rules:sql"):
    return [verdict_on_answer(value, f"{what}_{part}", by) for part, value in zip(PARTS, counts, strict=True)]


@pytest.mark.parametrize("aspect, name", [("goal", "GoalReached"), ("sql_equivalent", "SQLEquivalent")])
def test_the_verdict_is_the_value(aspect, name):
    assert score(name, [verdict_on_answer(1, aspect)]) == (1, "")
    assert score(name, [verdict_on_answer(0, aspect)]) == (0, "")
    assert score(name, [verdict_on_answer(1, aspect), verdict_on_answer(0, aspect, "human:Ana")]) == (0, "")
    value, why = score(name, [verdict_on_answer(None, aspect, why="no reply")])
    assert np.isnan(value)
    assert why == "no reply"
    value, why = score(name, [])
    assert np.isnan(value)
    assert aspect in why
    value, why = score(name, [verdict_on_answer(1, aspect)], status="suspect")
    assert np.isnan(value)
    assert why == "suspect: the answer may not be whole"


def test_who_failed_reached_no_goal_unless_somebody_says_so():
    assert score("GoalReached", [], status="timeout") == (0, "")
    assert score("GoalReached", [verdict_on_answer(1, by="human:Ana")], status="timeout") == (1, "")


def test_who_failed_and_was_not_compared_has_no_result():
    assert np.isnan(score("SQLEquivalent", [], status="timeout")[0])
    assert score("SQLEquivalent", [verdict_on_answer(0, "sql_equivalent", "rules:sql")], status="timeout") == (0, "")


def test_results_come_before_what_a_model_thinks_of_the_queries():
    verdicts = [verdict_on_answer(0, "sql_equivalent", "rules:sql"), verdict_on_answer(1, "sql_equivalent", "llm:m")]
    assert score("SQLEquivalent", verdicts) == score("SQLEquivalent", verdicts[::-1]) == (0, "")
    assert score("SQLEquivalent(by=llm:m)", verdicts) == (1, "")
    assert score("SQLEquivalent", verdicts, by="rules") == (0, "")


@pytest.mark.parametrize(
    "counts, f, p, r",
    [
        ((2, 3, 4), 4 / 7, 2 / 3, 2 / 4),
        ((4, 4, 4), 1, 1, 1),
        ((0, 3, 4), 0, 0, 0),
        ((0, 0, 4), 0, np.nan, 0),  # nothing was returned
        ((0, 3, 0), 0, 0, np.nan),  # nothing is expected
        ((0, 0, 0), np.nan, np.nan, np.nan),
    ],
)
@pytest.mark.parametrize("name, what", [("RowMatch", "rows"), ("ColumnMatch", "columns")])
def test_by_hand(name, what, counts, f, p, r):
    verdicts = table(*counts, what=what)
    names = (name, f"{name}(stat=p)", f"{name}(stat=r)")
    found = [score(each, verdicts) for each in names]
    assert [value for value, _ in found] == pytest.approx([f, p, r], nan_ok=True)
    for value, why in found:
        assert bool(why) == np.isnan(value)
        assert not why or f"no {what[:-1]} was returned, or none is expected" in why


def test_counts_that_are_missing_are_told():
    value, why = score("RowMatch", [*table(None, None, None), verdict_on_answer(1, "columns_matched")])
    assert np.isnan(value)
    assert "rows_matched" in why
    undecided = [verdict_on_answer(None, f"rows_{part}", "rules:sql", why="no such table") for part in PARTS]
    assert score("RowMatch", undecided)[1] == "no such table"


def test_stat_is_checked():
    with pytest.raises(SpecError, match="stat is f, p or r, not 'x'"):
        score("RowMatch(stat=x)", table(1, 1, 1))


def test_over_questions_it_is_the_mean():
    pairs = [(make_item(str(n)), make_answer(item=str(n))) for n in range(2)]
    verdicts = [
        verdict_on_answer(value, f"rows_{part}", "rules:sql", item=str(n))
        for n, counts in enumerate([(1, 1, 1), (0, 100, 100)])
        for part, value in zip(PARTS, counts, strict=True)
    ]
    metric = Metric.of("RowMatch")
    part = make_scorable(pairs, verdicts)
    assert metric.total(score_metric(metric, part).rows.sum(axis=0)) == 0.5
