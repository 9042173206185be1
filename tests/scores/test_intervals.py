"""How the intervals of scores are made is chosen, and told with each score."""

import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_run

from neraca.comparisons.compare import compare
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.scores.estimate import Place, estimate
from neraca.scores.score import score
from neraca.stats.intervals.bootstrap_interval import bootstrap_interval
from neraca.stats.intervals.effect import effect_interval

METHODS = ("t", "bca", "percentile")


@pytest.fixture
def run(tmp_path):
    """Eighteen questions of six sessions, with skewed reciprocal ranks, all with a success."""
    rng = np.random.default_rng(1)
    items = [make_item(f"q{n}", relevant={"a": 1}, session=f"s{n % 6}") for n in range(18)]
    hits = ["x " * int(places) + "a" for places in rng.integers(0, 9, 18)]
    return make_run(tmp_path / "r", items, [make_answer(h, f"q{n}") for n, h in enumerate(hits)])


def test_intervals_are_those_of_stats_over_whole_sessions(run):
    for method in ("bca", "percentile"):
        scores = score([run], "RR", intervals=method)
        (found,) = scores.overall()
        (of_run,) = scores.runs
        expected = bootstrap_interval(of_run.rows("RR"), clusters=of_run.clusters, method=method)
        assert (found.low, found.high, found.method) == (expected.low, expected.high, method)
        assert scores.overall() == [found]
    (t,) = score([run], "RR").overall()
    assert (t.method, t.value) == ("t", found.value)
    assert (t.low, t.high) != (found.low, found.high)


@pytest.mark.parametrize("method", METHODS)
def test_shares_keep_wilsons_interval(run, method):
    (found,) = score([run], "Success", intervals=method).overall()
    assert found.method == "wilson"
    assert found.low < found.value == found.high == 1


@pytest.mark.parametrize("method", METHODS)
def test_where_there_is_no_interval_there_is_none_by_any_method(method):
    for rows in (np.full((4, 2), np.nan), np.array([[0.3, 1.0]]), np.tile([0.3, 1.0], (5, 1))):
        found = estimate(Place("r"), Metric.of("RR"), rows, intervals=method)
        assert found.method == "none"
        assert math.isnan(found.low)


@pytest.mark.parametrize("name", ["CorpusBLEU", "CorpusChrF"])
def test_totals_of_counts_are_resampled_as_counts(tmp_path, name):
    rng = np.random.default_rng(2)
    words = ["the", "cat", "sat", "on", "a", "mat", "and", "ate", "big", "fish", "today"]
    texts = [" ".join(rng.choice(words, 9)) for _ in range(30)]
    items = [make_item(f"q{n}", references=(text,)) for n, text in enumerate(texts)]
    said = [" ".join([*text.split()[: int(rng.integers(3, 9))], "dog"]) for text in texts]
    made = make_run(tmp_path / "r", items, [make_answer(item=f"q{n}", text=text) for n, text in enumerate(said)])
    (found,) = score([made], name, intervals="bca").overall()
    (t,) = score([made], name).overall()
    assert found.method == "bca"
    assert found.low < found.value < found.high
    assert (found.low, found.high) == pytest.approx((t.low, t.high), abs=0.3 * (t.high - t.low))


def test_bounds_stay_within_the_metrics_range_and_groups_have_theirs(tmp_path):
    items = [make_item(f"q{n}", relevant={"a": 1}, tags={"kind": "ab"[n % 2]}) for n in range(8)]
    run = make_run(tmp_path / "r", items, [make_answer("a" if n else "x a", f"q{n}") for n in range(8)])
    found = score([run], "RR", intervals="bca").by_group("kind")
    assert [(row.group, row.method) for row in found] == [("kind=a", "bca"), ("kind=b", "wilson")]
    assert all(0 <= row.low <= row.high <= 1 for row in found)


def test_an_unknown_interval_is_refused_before_anything_is_scored(run):
    with pytest.raises(SpecError, match="no interval is called 'bootstrap'; known: t, bca, percentile"):
        score([run], "RR", intervals="bootstrap")


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_an_effect_is_of_the_level_and_of_whole_sessions(run, tmp_path, level):
    other = make_run(tmp_path / "other", run.items, [make_answer("x x a", f"q{n}") for n in range(18)])
    scores = score([run, other], "RR", level=level)
    (found,) = compare(scores)
    a, b = (each.values("RR") for each in scores.runs)
    expected = effect_interval(a - b, scores.runs[0].clusters, level)
    assert (found.effect_low, found.effect_high) == pytest.approx(expected)
    assert (found.effect_low > 0 or found.effect_high < 0) == (found.p < 1 - level)
    assert expected != pytest.approx(effect_interval(a - b, None, level), abs=1e-3)
