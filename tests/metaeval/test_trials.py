import math
from dataclasses import replace

import numpy as np
import pytest
from builders import make_answer, make_item, make_run

from neraca.metaeval.trials import by_trial, repeated_difference, repeats
from neraca.metrics.counts import Counts
from neraca.metrics.metric import METRICS, Metric, metric
from neraca.scores.score import score
from neraca.stats.intervals.interval import pseudo_values
from neraca.stats.intervals.trials import components, error_parts

NAN = math.nan


def shared(sums):
    """Hits over tries, of summed counts."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return sums[..., 0] / sums[..., 1]


@pytest.fixture(autouse=True, scope="module")
def own_metrics():
    """The number that an answer is; the same as an error; 0 or 1."""

    def number(response: str) -> float | None:
        return float(response) if response else None

    def right(response: str) -> float | None:
        return float(float(response) > 2) if response else None

    metric("TrialValue", low=0, high=10)(number)
    metric("TrialError", low=0, high=10, better="lower")(number)
    metric("TrialRight")(right)
    yield
    for name in ("TrialValue", "TrialError", "TrialRight"):
        del METRICS._objects[name], METRICS._sources[name]


def scored(folder, runs, sessions=None, names="TrialValue TrialError TrialRight"):
    """Runs as name → rows of trials; None: no answer yet, NaN: an answer without a value."""
    size, made = len(next(iter(runs.values()))), []
    items = [make_item(str(n), session=sessions[n] if sessions else None) for n in range(size)]
    for name, rows in runs.items():
        answers = [
            make_answer(item=str(n), trial=trial, text="" if math.isnan(value) else str(value))
            for n, row in enumerate(rows)
            for trial, value in enumerate(row)
            if value is not None
        ]
        made.append(make_run(folder / name, items, answers, trials=max(map(len, rows))))
    return score(made, names)


A = [[1, 3, 2], [5, 7, 6.5], [2, 2, 1]]
B = [[0, 1, 0], [4, 4, 6], [3, 3, 3]]


def test_values_stand_by_item_and_trial(tmp_path):
    (run,) = scored(tmp_path, {"a": [[1, NAN, 2], [None, 7, 6.5], [2, 2, None]]}).runs
    found = by_trial(Metric.of("TrialValue"), run)
    np.testing.assert_equal(found, [[1, NAN, 2], [NAN, 7, 6.5], [2, 2, NAN]])


def test_what_trials_show_of_a_run(tmp_path):
    run = scored(tmp_path, {"a": [*A, *B, [1, 2, 4]]}, ["s", "s", *"tuvwx"]).runs[0]
    found = repeats(Metric.of("TrialValue"), run)
    assert (found.metric, found.run, found.flips) == ("TrialValue", "a", None)
    assert found.components == components(np.array([*A, *B, [1, 2, 4]]))
    assert found.parts == error_parts(np.array([*A, *B, [1, 2, 4]]), clusters=np.array([0, 0, 1, 2, 3, 4, 5]))
    few = repeats(Metric.of("TrialValue"), scored(tmp_path / "few", {"a": A}, ["s", "s", "t"]).runs[0])
    assert math.isnan(few.parts.error)


def test_what_trials_show_of_a_difference(tmp_path):
    a, b = scored(tmp_path, {"a": A, "b": B}).runs
    found = repeated_difference(Metric.of("TrialValue"), a, b)
    assert (found.a, found.b, found.difference) == ("a", "b", pytest.approx(np.mean(A) - np.mean(B)))
    assert found.parts == error_parts(np.array(A), np.array(B))


def test_decisions_flip(tmp_path):
    run = scored(tmp_path, {"a": A}).runs[0]
    right = repeats(Metric.of("TrialRight"), run).flips
    assert (right.value, right.n) == (pytest.approx(2 / 3 / 3), 3)  # 0 1 0, 1 1 1, 0 0 0: two of three pairs once
    assert repeats(Metric.of("TrialValue"), run, at=2).flips.value == pytest.approx(4 / 3 / 3)  # 0 1 1, 1 1 1, 1 1 0
    assert repeats(Metric.of("TrialError"), run, at=2).flips.value == pytest.approx(2 / 3 / 3)  # 1 0 1, 0 0 0, 1 1 1
    missing = scored(tmp_path / "2", {"a": [[1, NAN, 3], [5, 5, None]]}).runs[0]
    assert repeats(Metric.of("TrialValue"), missing, at=2).flips.value == 0.5


def test_totals_that_are_no_means_are_seen_through_influences(tmp_path):

    def with_counts(run, rows):
        return replace(run, counts={"TrialShare": Counts(own, rows, {})})

    metric("TrialShare", total=shared)(lambda response: 0.0)  # its counts are put in by hand below
    try:
        run = scored(tmp_path, {"a": A}, names="TrialShare").runs[0]
        own = Metric.of("TrialShare")
    finally:
        del METRICS._objects["TrialShare"], METRICS._sources["TrialShare"]
    rows = np.array([[1, 2], [2, 2], [0, 1], [3, 4], [1, 4], [2, 4], [1, 1], [0, 1], [1, NAN]], dtype=float)
    found = by_trial(own, with_counts(run, rows))
    assert math.isnan(found[2, 2])
    # one trial of an item in the place of all of them: its influence, at the sums of the items' means
    means = np.array([[1, 5 / 3], [2, 4], [0.5, 1]])
    whole = means.sum(axis=0)
    assert found[0, 0] == pytest.approx(3 * shared(whole) - 2 * shared(whole - rows[0]))
    # where trials are the same, that is what each item says alone
    same = by_trial(own, with_counts(run, np.array([[1, 2], [3, 4], [1, 5]], dtype=float).repeat(3, axis=0)))
    assert same[:, 1] == pytest.approx(pseudo_values(np.array([[1.0, 2], [3, 4], [1, 5]]), shared))


def test_nothing_scored_twice_is_nothing_to_say(tmp_path):
    a, b = scored(tmp_path, {"a": [[1, NAN], [NAN, 2]], "b": [[1, 2], [3, 4]]}).runs
    assert repeats(Metric.of("TrialValue"), a) is None
    assert repeated_difference(Metric.of("TrialValue"), a, b) is None
    (none,) = scored(tmp_path / "2", {"a": [[NAN, NAN]]}).runs
    assert np.isnan(by_trial(Metric.of("TrialValue"), none)).all()
    assert repeats(Metric.of("TrialValue"), none) is None
