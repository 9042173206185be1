import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.stats.intervals.interval import interval, pseudo_values


def column(name, *cases):
    """The metric's column for responses with their references."""
    return score_metric(
        Metric.of(name),
        make_scorable(
            [
                (make_item(str(row), references=tuple(references)), make_answer(item=str(row), text=response))
                for row, (response, *references) in enumerate(cases)
            ]
        ),
    )


CASES = ("a b c", "a b d"), ("x", "x y"), ("a a", "a b", "c a a a")


def test_counts_of_each_answer():
    """Matches of one and two words, runs of one and two, words of response and of the nearest reference."""
    assert column("CorpusBLEU(order=2)", *CASES).rows.tolist() == [
        [2, 1, 3, 2, 3, 3],
        [1, 0, 1, 0, 1, 2],
        [2, 1, 2, 1, 2, 2],
    ]


def test_the_total_is_of_summed_counts():
    """5 of 6 words, 2 of 3 pairs; 6 words against 7."""
    found = column("CorpusBLEU(order=2)", *CASES)
    assert found.metric.total(found.rows.sum(axis=0)) == pytest.approx(math.exp(1 - 7 / 6) * math.sqrt(5 / 6 * 2 / 3))


def test_the_value_of_one_answer_is_that_of_its_own_counts():
    found = column("CorpusBLEU(order=2)", *CASES)
    assert found.metric.total(found.rows) == pytest.approx([math.sqrt(2 / 3 * 1 / 2), 0, 1])
    found = column("CorpusBLEU(order=2,effective=true)", *CASES)
    assert found.metric.total(found.rows)[1] == pytest.approx(math.exp(-1))  # one of one word, of two


def test_nltk_counts_at_least_one_run_of_each_order():
    found = column("CorpusBLEU(order=2,smoothing=method1,tokens=nltk)", *CASES)
    assert found.rows[1].tolist() == [1, 0, 1, 1, 1, 2]
    assert found.metric.total(found.rows)[1] == pytest.approx(math.exp(-1) * math.sqrt(0.1))


def test_the_interval_is_the_jackknife_of_the_total():
    found = column("CorpusBLEU(order=2)", *CASES)
    total, rows = found.metric.total, found.rows
    whole = float(total(rows.sum(axis=0)))
    without = [float(total(rows[[1, 2]].sum(axis=0))), float(total(rows[[0, 2]].sum(axis=0)))]
    without.append(float(total(rows[[0, 1]].sum(axis=0))))
    assert pseudo_values(rows, total) == pytest.approx([3 * whole - 2 * each for each in without])
    estimate = interval(rows, total)
    assert estimate.value == pytest.approx(whole)
    assert estimate.low < whole < estimate.high
    assert estimate.method == "t"


def test_shares_of_trials_leave_no_match_behind_when_they_are_taken_away():
    total = Metric.of("CorpusBLEU(order=2)").total
    rest = np.array([[2.0, 0, 3, 2, 3, 3]])
    left = rest + (0.1 + 0.2 - 0.3)
    assert left[0, 1] != 0
    assert total(left) == pytest.approx(total(rest))


def test_answers_without_a_reference_are_not_counted():
    found = column("CorpusBLEU(order=1,tokens=word)", ("a", "a"), ("a", " "), ("a", "..."), ("", "a b"))
    assert np.isnan(found.rows).any(axis=1).tolist() == [False, True, True, False]
    assert found.rows[3].tolist() == [0, 0, 0, 2]
    assert found.why[1] == "the item has no reference"
    assert "no reference has a word" in found.why[2]
    assert column("CorpusBLEU").rows.shape == (0, 10)


@pytest.mark.parametrize("smoothing", ["method5", "method6", "method7"])
def test_smoothing_that_needs_the_words_of_one_answer_is_refused(smoothing):
    with pytest.raises(SpecError, match="method0 to method4"):
        column(f"CorpusBLEU(smoothing={smoothing})", *CASES)


def test_one_pair():
    assert Metric.of("CorpusBLEU(order=2)").pair("a b d", "a b c") == pytest.approx(math.sqrt(2 / 3 * 1 / 2))
