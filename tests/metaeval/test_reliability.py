import json
import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_run
from scipy import stats as reference

import neraca
from neraca.comparisons.compare import compare
from neraca.errors import SpecError
from neraca.metaeval.correlate import correlate
from neraca.metaeval.reliability import reliability
from neraca.metrics.metric import METRICS, metric
from neraca.reports.sentences.reliability import missing
from neraca.scores.score import score
from neraca.scores.trec import trec
from neraca.stats.agreement.rank_correlation import rbo, tau_ap_b

NAN = math.nan
NAMES = "RelA RelB RelErrors"


@pytest.fixture(autouse=True, scope="module")
def own_metrics():
    """The first, second and third number of an answer; of the third less is better, the fourth is only counted."""

    def number(place):
        def read(response: str) -> float | None:
            words = response.split()
            return None if len(words) <= place or words[place] == "-" else float(words[place])

        return read

    ways = {"RelA": "higher", "RelB": "higher", "RelErrors": "lower", "RelCount": "neither"}
    for place, (name, better) in enumerate(ways.items()):
        metric(name, better=better, low=-100, high=100)(number(place))
    yield
    for name in ways:
        del METRICS._objects[name], METRICS._sources[name]


def scored(folder, names=NAMES, sessions=None, trials=1, **runs):
    """Runs as name → texts of answers; with several trials those of an item follow each other."""
    size = len(next(iter(runs.values()))) // trials
    items = [make_item(str(n), session=sessions[n] if sessions else None) for n in range(size)]
    made = [
        make_run(
            folder / name,
            items,
            [make_answer(item=str(n // trials), trial=n % trials, text=text) for n, text in enumerate(texts)],
            trials=trials,
        )
        for name, texts in runs.items()
    ]
    return score(made, names)


def numbers(seed, size=12, shift=0.0):
    """Three random numbers for each answer, the first two higher and the third lower where the shift is higher."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(size, 3)) + shift * np.array([1, 0.5, -1])
    return [" ".join(f"{value:.3f}" for value in row) + " 7" for row in values]


def test_pairs_are_told_apart_as_compare_tells_them_before_correction(tmp_path):
    scores = scored(tmp_path, sessions=[str(n // 2) for n in range(12)], a=numbers(1), b=numbers(2, shift=1.5), c=[
        "0.1 0.2 0.3 1" if n % 3 else "" for n in range(12)
    ])  # fmt: skip
    found, differences = reliability(scores), compare(scores, correction="none")
    for one in found.stability:
        mine = sorted(d.p for d in differences if d.metric == one.metric)
        assert one.discrimination.p == pytest.approx(mine)
        assert one.discrimination.told_apart == sum(p < 0.05 for p in mine)
        assert (one.n, one.discrimination.n, one.split.n, one.split.groups) == (8, 8, 8, 6)
    assert [one.metric for one in found.stability] == NAMES.split()


def test_values_are_those_over_the_questions_scored_in_all(tmp_path):
    scores = scored(tmp_path, "RelA", a=["1", "2", "3"], b=["5", "", "7"])
    (one,) = reliability(scores).stability
    assert one.values == {"a": 2, "b": 6}
    assert (one.split.swaps, one.split.best, one.n) == (0, 1, 2)


def test_less_is_better_in_errors(tmp_path):
    low, high = ["0 0 1 0"] * 4, ["1 1 9 0"] * 4
    mixed = ["2 2 5 0", "2 2 4 0", "2 2 5 0", "2 2 4 0"]
    found = reliability(scored(tmp_path, low=low, mixed=mixed, high=high))
    agreement = {(one.one, one.other): one for one in found.rankings}
    assert agreement["RelA", "RelB"].tau == 1
    # low is best by its errors, then mixed, then high; by RelA mixed, high, low: one pair of three agrees
    assert agreement["RelA", "RelErrors"].tau == pytest.approx(1 / 3 - 2 / 3)


def test_the_best_in_errors_is_the_lowest(tmp_path):
    # one run always has the fewest errors; of the others now this one, now that one has more
    runs = {"few": ["0 0 1"] * 6, "p": ["0 0 5", "0 0 7"] * 3, "q": ["0 0 7", "0 0 5"] * 3}
    (one,) = reliability(scored(tmp_path, "RelErrors", **runs)).stability
    assert one.split.best == 1
    assert one.split.swaps > 0.1
    assert one.split.tau_ap > one.split.tau  # the mistakes are at the bottom


def test_rankings_agree_as_the_coefficients_say(tmp_path):
    runs = {name: numbers(seed, shift=seed / 3) for seed, name in enumerate("abcde")}
    runs["f"] = runs["e"]  # a tie
    scores = scored(tmp_path, **runs)
    found = reliability(scores)
    means = {name: [np.mean(sheet.values(name)) for sheet in scores.runs] for name in NAMES.split()}
    means["RelErrors"] = [-value for value in means["RelErrors"]]
    assert len(found.rankings) == 3
    for one in found.rankings:
        x, y = means[one.one], means[one.other]
        assert one.tau == pytest.approx(reference.kendalltau(x, y).statistic)
        assert one.tau_ap == pytest.approx(tau_ap_b(x, y))
        orders = [sorted(set(values), reverse=True) for values in (x, y)]
        groups = [
            [frozenset(n for n in range(6) if values[n] == value) for value in order]
            for order, values in zip(orders, (x, y), strict=True)
        ]
        assert one.rbo == pytest.approx(rbo(*groups, 0.5).value)
        assert one.runs == 6


def test_metrics_that_give_all_runs_the_same_rank_none(tmp_path):
    texts = ["1 2 0 0", "2 2 0 0", "3 2 0 0"]
    found = reliability(scored(tmp_path, a=texts, b=texts[::-1], c=["5 2 0 0"] * 3))
    assert {(one.one, one.other): math.isnan(one.tau) for one in found.rankings}["RelA", "RelB"]
    by_name = {one.metric: one for one in found.stability}
    assert by_name["RelB"].split.swaps == 0.5
    assert (by_name["RelB"].discrimination.told_apart, by_name["RelB"].discrimination.p) == (0, (1, 1, 1))


def test_tukey_tests_all_pairs_at_once(tmp_path):
    scores = scored(tmp_path, a=numbers(1), b=numbers(2, shift=3), c=numbers(3, shift=3))
    found = reliability(scores, test="tukey", seed=5)
    values = np.column_stack([sheet.values("RelA") for sheet in scores.runs])
    means = values.mean(axis=0)
    one = found.stability[0].discrimination
    assert one.test == "tukey(samples=100000, seed=5)"
    assert (one.told_apart, one.pairs) == (2, 3)
    assert abs(means[1] - means[2]) < one.required < min(abs(means[0] - means[1]), abs(means[0] - means[2]))
    # close to Tukey's own distribution of the range, by which these are
    said = reference.tukey_hsd(*(values - values.mean(axis=1, keepdims=True)).T).pvalue[0, 1]
    assert min(one.p) < 0.001 > said


def test_trials_are_looked_at_in_every_metric_run_and_pair(tmp_path):
    hard = np.repeat(3 * np.random.default_rng(9).normal(size=8), 3)  # questions on which a is better or worse
    a = [f"{value + float(text.split()[0])} 0 0 7" for value, text in zip(hard, numbers(1, 24), strict=True)]
    scores = scored(tmp_path, "RelA RelCount", trials=3, a=a, b=numbers(2, 24))
    found = reliability(scores)
    assert [(one.metric, one.run) for one in found.repeats] == [
        ("RelA", "a"),
        ("RelA", "b"),
        ("RelCount", "a"),
        ("RelCount", "b"),
    ]
    assert [(one.metric, one.a, one.b) for one in found.differences] == [("RelA", "a", "b"), ("RelCount", "a", "b")]
    parts = found.differences[0].parts
    # the chance of both runs' trials adds up: 8 questions, 3 trials each
    added = sum(one.components.within / 3 / 8 for one in found.repeats[:2])
    assert parts.share == pytest.approx(min(1, added / parts.error**2))
    assert 0 < parts.share < 1
    assert "asked once" not in " ".join(missing(found))
    assert all(one.flips is None for one in found.repeats)
    assert all(one.flips.n == 8 for one in reliability(scores, at=0.0).repeats)


def test_what_is_missing_is_said(tmp_path):
    one = reliability(scored(tmp_path / "1", "RelA", a=["1", "2"]))
    assert (one.repeats, one.differences, one.stability, one.rankings, one.correlations) == ((), (), (), (), None)
    assert len(missing(one)) == 2
    assert "asked once" in missing(one)[0]
    assert "takes two" in missing(one)[1]
    two = reliability(scored(tmp_path / "2", f"{NAMES} RelCount", a=["1 2", "2 -"], b=["2 -", "3 4"]))
    told = " ".join(missing(two))
    assert "takes three" in told
    assert "RelCount is neither better with more nor with less" in told
    assert "RelB: no question is scored in all runs" in told
    assert [one.metric for one in two.stability] == ["RelA"]
    assert two.rankings == ()
    single = reliability(
        scored(tmp_path / "3", "RelA RelB", sessions=list("sst"), a=["1 2", "2 -", "3 -"], b=["2 1", "3 4", "1 4"])
    )
    assert [one.split for one in single.stability] == [None, None]
    assert "RelA: fewer than 6 sessions are scored in all runs, and cannot be split in halves." in missing(single)
    assert "RelB: a single question is scored in all runs, and cannot be split in halves." in missing(single)
    untested = (
        "pairs of runs that cannot be tested: 1 of 1 (a single question, too few sessions, or the same difference"
    )
    assert sum(untested in one for one in missing(single)) == 2
    constant = reliability(scored(tmp_path / "4", "RelA", a=["1", "2"], b=["2", "3"], c=["2", "5"]))
    assert f"RelA: {untested.replace('1 of 1', '1 of 3')} throughout)." in missing(constant)
    session = reliability(scored(tmp_path / "5", "RelA", sessions=list("sst"), trials=2, a=list("123574")))
    assert "a, RelA: a single question, or too few sessions, have no standard error." in missing(session)


def test_a_run_asked_once_beside_one_asked_often(tmp_path):
    items = [make_item(str(n)) for n in range(3)]
    often = [make_answer(item=str(n), trial=t, text=f"{n + t / 3} {'-' if t else 1}") for n in range(3) for t in (0, 1)]
    once = [make_answer(item=str(n), text=f"{n} 1") for n in range(3)]
    runs = [make_run(tmp_path / "often", items, often, trials=2), make_run(tmp_path / "once", items, once)]
    found = reliability(score(runs, "RelA RelB"))
    assert [(one.metric, one.run) for one in found.repeats] == [("RelA", "often")]
    assert found.differences == ()
    assert "once: each question was asked once" in missing(found)[0]
    assert missing(found)[1].startswith("often, RelB: no question has two scored answers")


def test_trec_runs_and_texts_hold_one_answer_to_each_question():
    qrels = {f"q{n}": {"d": 1} for n in range(6)}
    runs = {f"r{k}": {f"q{n}": {"d": 1.0 if n < k else 3.0, "e": 2.0} for n in range(6)} for k in range(3)}
    found = reliability(trec(qrels, runs, "RR P@1"))
    assert "one answer to each question" in missing(found)[0]
    assert found.stability[0].values == {"r0": 1, "r1": 5.5 / 6, "r2": 5 / 6}
    assert [(one.one, one.other, one.tau) for one in found.rankings] == [("RR", "P@1", 1)]
    texts = neraca.text(["a b c d"] * 3, {"x": ["a b c d", "a", "b"], "y": ["a b", "a b", "b"]}, "TokenRecall")
    assert [one.metric for one in reliability(texts).stability] == ["TokenRecall"]


def test_correlations_are_those_of_correlate(tmp_path):
    scores = scored(tmp_path, a=numbers(1), b=numbers(2))
    assert reliability(scores).correlations.clusters == correlate(scores).clusters
    assert (reliability(scores).correlations.matrix == correlate(scores).matrix).all()
    assert reliability(scores).rankings == ()  # of two runs


def test_rows_are_flat_and_fit_into_json(tmp_path):
    runs = {name: numbers(seed, 18) for seed, name in enumerate("abc")}
    rows = reliability(scored(tmp_path, f"{NAMES} RelCount", trials=3, **runs)).rows()
    kinds = [row["kind"] for row in rows]
    counted = {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)}
    assert counted == {"trials": 12, "difference": 12, "ranking": 3, "rankings": 3, "correlation": 6}
    assert not any(isinstance(value, dict | list | tuple | np.generic) for row in rows for value in row.values())
    json.dumps(rows)
    single = reliability(scored(tmp_path / "2", "RelA", sessions=list("sst"), a=list("123"), b=list("231"))).rows()
    assert [(row["kind"], row["splits"]) for row in single] == [("ranking", 0)]


def test_the_seed_and_the_number_of_splits(tmp_path):
    scores = scored(tmp_path, "RelA", a=numbers(1), b=numbers(2), c=numbers(3), d=numbers(4, shift=0.3))
    first, again, other = (reliability(scores, seed=seed, splits=50).stability[0].split for seed in (1, 1, 2))
    assert (first.splits, first.tau_ap) == (50, again.tau_ap)
    assert first.tau_ap != other.tau_ap


@pytest.mark.parametrize(
    "given, told",
    [
        ({"test": "z"}, "no test is called 'z'; known: t, "),
        ({"at": NAN}, "such as 0.5, not nan"),
        ({"splits": 0}, "such as 1000, not 0"),
        ({"seed": -1}, "from 0, not -1"),
        ({"test": "mcnemar"}, "RelA: the test mcnemar is for values that are 0 or 1; use t, wilcoxon or tukey"),
    ],
)
def test_what_cannot_be_asked(tmp_path, given, told):
    with pytest.raises(SpecError, match=told):
        reliability(scored(tmp_path, "RelA", a=["1", "2"], b=["2", "3.5"]), **given)


def test_the_face():
    assert neraca.reliability is reliability


def test_it_prints_as_tables(tmp_path):
    found = reliability(scored(tmp_path, "RelA", trials=2, a=["1", "2", "3", "5"], b=["2", "2", "3", "6"]))
    again, ranked = str(found).split("\n\n")
    assert [line.split()[:3] for line in again.splitlines() if "─" not in line] == [
        ["metric", "run", "n"],
        ["RelA", "a", "2"],
        ["RelA", "b", "2"],
    ]
    assert ranked.splitlines()[0].split() == ["metric", "n", "told", "apart", "swaps", "tau"]
    assert ranked.splitlines()[2].split()[:5] == ["RelA", "2", "0", "of", "1"]
    nothing = str(reliability(scored(tmp_path / "one", "RelA", a=["1", "2"]))).splitlines()
    assert nothing == ["metric  n  told apart  swaps  tau", "─────────────────────────────────"]
