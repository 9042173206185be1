import json
import math

import numpy as np
import pytest
from builders import make_answer, make_item, make_run
from scipy.stats import ttest_1samp
from statsmodels.stats.power import TTestPower

import neraca
from neraca.comparisons.compare import compare
from neraca.comparisons.power import power
from neraca.comparisons.power_curve import Shares
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import metric
from neraca.scores.score import score


@metric("TestPlanned", low=0, high=10)
def planned(response: str) -> float | None:
    return float(response) if response else None


def scored(folder, a, b, sessions=()):
    items = [make_item(str(n), session=sessions[n] if len(sessions) else None) for n in range(len(a))]
    runs = [
        make_run(folder / name, items, [make_answer(item=str(n), text=str(v)) for n, v in enumerate(values)])
        for name, values in (("a", a), ("b", b))
    ]
    return score(runs, "TestPlanned")


# on paper


@pytest.mark.parametrize("effect, items", [(0.2, 199), (0.3, 90), (0.5, 34), (0.8, 15)])
def test_golden_values(effect, items):
    assert power(effect=effect).needed == power(2.0, difference=-2 * effect).needed == items
    assert neraca.power(effect=effect, n=items).reached >= 0.8 > power(effect=effect, n=items - 1).reached


@pytest.mark.parametrize("alpha, wanted", [(0.05, 0.8), (0.01, 0.9)])
def test_a_plan_is_that_of_statsmodels(alpha, wanted):
    found = power(0.2, difference=0.05, n=30, alpha=alpha, power=wanted)
    solve = TTestPower()
    assert found.needed == math.ceil(float(np.squeeze(solve.solve_power(0.25, alpha=alpha, power=wanted))))
    assert found.reached == pytest.approx(solve.power(0.25, 30, alpha))
    smallest = float(np.squeeze(solve.solve_power(nobs=30, alpha=alpha, power=wanted)))
    assert found.detectable == pytest.approx(0.2 * smallest, rel=1e-5)
    assert (found.effect, found.test, found.assumed, found.data) == (pytest.approx(0.25), "t", "given", None)
    for point in found.curve:
        assert point.power == pytest.approx(solve.power(0.25, point.n, alpha))
        assert math.isnan(point.simulated)


def test_the_curve_leads_past_the_questions_needed_and_holds_those_there_are():
    found = power(0.2, difference=0.05, n=37)
    numbers = [point.n for point in found.curve]
    assert numbers == sorted(set(numbers))
    assert {37, found.needed} <= set(numbers)
    assert numbers[0] <= found.needed / 5
    assert numbers[-1] > 1.3 * found.needed
    assert [p.power for p in found.curve] == sorted(p.power for p in found.curve)
    assert [p.detectable for p in found.curve] == sorted((p.detectable for p in found.curve), reverse=True)


def test_with_a_number_of_questions_alone_the_smallest_difference_is_told():
    found = power(0.2, n=30)
    assert (found.needed, found.assumed) == (None, "")
    assert math.isnan(found.difference)
    assert math.isnan(found.reached)
    assert found.detectable == pytest.approx(power(n=30).detectable * 0.2)
    assert power(0.2, difference=found.detectable, n=30).reached == pytest.approx(0.8)


def test_a_difference_that_nobody_can_find():
    found = power(1.0, difference=1e-5)
    assert (found.needed, found.curve) == (None, ())


@pytest.mark.parametrize(
    "given, told",
    [
        ({}, "say what to plan for"),
        ({"difference": 0.1}, "give their standard deviation"),
        ({"spread": 0.2}, "say what to plan for"),
        ({"spread": 0.2, "difference": 0.0}, "no number of questions finds a difference of 0"),
        ({"effect": 0.0}, "no number of questions finds a difference of 0"),
        ({"effect": math.nan}, "is a number such as 0.05, not nan"),
        ({"spread": 0.2, "difference": math.inf}, "is a number such as 0.05, not inf"),
        ({"spread": 0.0, "difference": 0.1}, "more than 0, not 0"),
        ({"spread": -1.0, "n": 5}, "more than 0, not -1"),
        ({"spread": math.nan, "n": 5}, "more than 0, not nan"),
        ({"spread": 0.2, "effect": 0.3}, "give it alone"),
        ({"difference": 0.2, "effect": 0.3}, "give it alone"),
        ({"spread": 0.2, "difference": "observed"}, "is a number, or of data 'observed'"),
        ({"effect": 0.3, "n": 1}, "n = 1: a single question shows no chance"),
        ({"effect": 0.3, "n": 10**8}, "at most 10,000,000"),
        ({"effect": 0.3, "alpha": 0.0}, "alpha is the share of false alarms"),
        ({"effect": 0.3, "alpha": math.nan}, "alpha is the share of false alarms"),
        ({"effect": 0.3, "power": 1.0}, "above alpha"),
        ({"effect": 0.3, "power": 0.05}, "above alpha"),
    ],
)
def test_what_makes_no_plan(given, told):
    with pytest.raises(SpecError, match=told):
        power(**given)


# from data


def test_own_data_by_hand():
    # mean .5, s^2 = (.25 * 3 + 2.25) / 3 = 1, so that d = .5: 34 questions
    found = power([1, 1, 1, -1.0, math.nan], difference="observed")
    assert (found.data.n, found.data.sessions, found.data.ties, found.data.effective) == (4, 4, 0, pytest.approx(4))
    assert (found.sd, found.effect, found.difference, found.assumed) == (1, 0.5, 0.5, "observed")
    graded = power([2, 2, 2, -2.0], difference=1)
    assert (graded.needed, graded.n, graded.test) == (34, 4, "t")
    assert graded.reached == pytest.approx(TTestPower().power(0.5, 4, 0.05))


@pytest.mark.parametrize("sessions", [(), ("s", "s", "t", "t", "u", "v", None, None)])
def test_the_questions_needed_are_those_that_compare_tells(tmp_path, sessions):
    scores = scored(tmp_path, [1.0, 2.5, 3, 4, 5.5, 2, 1, 3], [0.5, 2, 3, 4.5, 4, 1, 1, 2.5], sessions)
    found, (told,) = power(scores, difference="observed"), compare(scores)
    assert (found.difference, found.data.n, found.needed) == (told.difference, told.n, told.needed)
    assert found.sd * found.effect == pytest.approx(told.difference)
    assert (found.data.metric, found.data.a, found.data.b) == ("TestPlanned", "a", "b")


def test_questions_of_a_session_count_as_one_where_they_say_the_same(tmp_path):
    values = np.repeat([0.0, 1, 3, 4, 6, 7], 3)
    found = power(scored(tmp_path, values, np.full(18, 3.0), [str(n // 3) for n in range(18)]), difference=2, n=30)
    # the variance of a mean of 6 sessions beside that of 18 questions: (s^2 of 6 values / 6) / (s^2 of 18 / 18)
    worth = 6 * np.var(values, ddof=1) / np.var(values[::3], ddof=1)
    assert found.data.effective == pytest.approx(worth)
    assert (found.data.sessions, found.data.n) == (6, 18)
    spread = np.std(values[::3], ddof=1)
    assert found.reached == pytest.approx(TTestPower().power(2 / spread, 10, 0.05))
    assert found.needed == 3 * power(float(spread), difference=2).needed
    with pytest.raises(SpecError, match="fewer than two sessions"):
        power(scored(tmp_path / "2", values, values[::-1], [str(n // 3) for n in range(18)]), difference=2, n=4)


def test_without_a_difference_the_plan_is_for_the_smallest_that_is_found():
    d = np.random.default_rng(1).normal(-0.02, 0.3, 50)
    found = power(d)
    assert found.assumed == "detectable"
    assert found.difference == -found.detectable  # on the side on which the data are
    assert found.reached == pytest.approx(0.8)
    assert found.needed == 50
    assert power(d, n=200).detectable == pytest.approx(found.detectable / 2, rel=0.03)


def test_the_promised_power_is_reached_and_forgetting_the_sessions_is_noticed(tmp_path):
    """Sessions of three questions that hang together; 120 of them show the spread, new ones are then tested."""

    def drawn(rng, sessions):
        shared = np.repeat(rng.normal(scale=1.0, size=sessions), 3)
        return shared + rng.normal(scale=0.5, size=3 * sessions)

    rng = np.random.default_rng(7)
    pilot = drawn(rng, 120)
    pilot *= math.sqrt(1 + 0.25 / 3) / pilot.reshape(120, 3).mean(axis=1).std(ddof=1)  # as the means of sessions spread
    names = [str(n // 3) for n in range(360)]
    found = power(scored(tmp_path, 5 + pilot, np.full(360, 5.0), names), difference=0.5)
    blind = power(pilot, difference=0.5)

    def share(sessions):
        """Of tests of the means of sessions, which the clustered t-test is where all are as long."""
        means = 0.5 + drawn(rng, 2000 * sessions).reshape(2000, sessions, 3).mean(axis=2)
        return (ttest_1samp(means, 0, axis=1).pvalue < 0.05).mean()

    assert share(round(found.needed / 3)) == pytest.approx(0.8, abs=4 * math.sqrt(0.16 / 2000) + 0.01)
    assert share(round(blind.needed / 3)) < 0.5
    needed = next(point for point in found.curve if point.n == found.needed)
    assert needed.simulated == pytest.approx(0.8, abs=0.04)


def test_skew_is_honoured_where_the_formula_does_not_see_it():
    """One question in twenty is won by far: a mean of ten such has nothing of a normal distribution."""
    d = np.where(np.arange(200) % 20 == 0, 1.0, 0.0) + np.linspace(0, 0.01, 200)
    found = power(d, difference=0.06, n=10)
    rng = np.random.default_rng(2)
    centred = (d - d.mean()) * math.sqrt(200 / 199)
    for mean, told in ((0.0, found.data.false_alarms), (0.06, next(p for p in found.curve if p.n == 10).simulated)):
        again = mean + centred[rng.integers(0, 200, (10_000, 10))]
        assert told == pytest.approx((ttest_1samp(again, 0, axis=1).pvalue < 0.05).mean(), abs=0.03)
    assert found.data.false_alarms > 0.3  # what 5 % was promised for


def test_of_normal_differences_the_level_is_kept():
    found = power(np.random.default_rng(4).normal(size=300), difference=0.2)
    assert found.data.false_alarms == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 5000))


def test_shares_are_planned_by_mcnemars_formula(tmp_path):
    a, b = np.repeat([1, 1, 0, 0], [6, 3, 1, 10]), np.repeat([1, 0, 1, 0], [6, 3, 1, 10])
    found = power(scored(tmp_path, a, b), difference=0.1)
    # they disagree on 4 of 20: see test_mcnemar_by_hand
    assert (found.test, found.needed, found.data.ties) == ("mcnemar", 155, 16)
    assert found.data.difference == pytest.approx(0.1)
    for point in found.curve:
        if point.n >= 50:
            assert point.simulated == pytest.approx(point.power, abs=0.06)
    assert power([0, 0, 0, 0, 0, 0, 0, 0, 0, 1, -1]).assumed == ""  # two of eleven disagree: nothing can be found
    with pytest.raises(SpecError, match=r"a difference of 1\.5 cannot be; the most is 1"):
        power([0, 1, -1, 1.0], difference=1.5)


def test_a_share_cannot_differ_by_more_than_the_systems_disagree():
    shares = Shares(0.3, 0.05, 0.8)
    assert shares.chances(0.1) == pytest.approx([0.1, 0.7, 0.2])
    assert shares.chances(-0.9) == pytest.approx([0.9, 0.1, 0.0])
    one_way = np.repeat([1, 0], [3, 7])
    found, back = power(one_way, difference=0.9), power(one_way, difference=-0.9)
    assert [p.power for p in found.curve] == [p.power for p in back.curve]
    assert [p.simulated for p in found.curve] == pytest.approx([p.simulated for p in back.curve], abs=0.04)


def test_tiny_differences_are_no_shares():
    d = np.random.default_rng(3).normal(size=20)
    tiny, plain = power(1e-10 * d, difference=1e-11), power(d, difference=0.1)
    assert (tiny.test, tiny.needed) == ("t", plain.needed)
    assert tiny.data.false_alarms == plain.data.false_alarms


def test_shares_of_sessions_are_planned_as_means(tmp_path):
    a, b = np.repeat([1, 1, 0, 0], [6, 3, 2, 9]), np.repeat([1, 0, 1, 0], [6, 3, 2, 9])
    assert power(scored(tmp_path, a, b, [str(n // 2) for n in range(20)]), difference=0.1).test == "t"


def test_the_seed_makes_the_simulations():
    d = np.random.default_rng(5).normal(size=12)
    assert power(d) == power(d)
    assert power(d, seed=1).curve != power(d, seed=2).curve
    assert power(d, seed=9).data.seed == 9
    assert power(d).data.simulations == 5000


def test_large_data_are_simulated_less_often():
    found = power(np.repeat([0.0, 1, -1], [9998, 1, 1]))
    assert (found.data.sessions, found.data.simulations) == (10_000, 1000)


def test_rows_are_flat_and_fit_into_json(tmp_path):
    for found in (power(0.2, difference=0.05, n=30), power(scored(tmp_path, [1, 2, 3.5, 4, 5, 5], [1, 1, 2, 4, 2, 5]))):
        rows = found.rows()
        assert [row["n"] for row in rows] == [point.n for point in found.curve]
        assert not any(isinstance(value, dict | list | tuple) for row in rows for value in row.values())
        json.dumps(rows)
    assert {row["observed_n"] for row in rows} == {6}
    assert (rows[0]["metric"], rows[0]["a"], rows[0]["b"], rows[0]["seed"]) == ("TestPlanned", "a", "b", 0)
    assert rows[0]["observed_difference"] == pytest.approx(5.5 / 6)
    assert rows[0]["difference"] == found.difference


def test_trec_runs_and_texts():
    qrels = {f"q{n}": {"d": 1} for n in range(6)}
    old = {f"q{n}": {"d": 1.0 if n % 2 else 3.0, "e": 2.0} for n in range(6)}
    new = {f"q{n}": {"d": 1.0 if n == 1 else 3.0, "e": 2.0} for n in range(6)}
    found = power(neraca.trec(qrels, {"new": new, "old": old}, "RR"), difference=0.1)
    assert (found.data.a, found.data.b, found.data.n, found.data.ties) == ("new", "old", 6, 4)
    assert found.data.difference == pytest.approx(2 * 0.5 / 6)
    texts = neraca.text(
        ["e b c d"] * 3, {"x": ["e b c d", "e", "b"], "y": ["e b", "e b", "b"]}, "TokenRecall", language="en"
    )
    assert power(texts).data.difference == pytest.approx((0.5 - 0.25 + 0) / 3)


@pytest.mark.parametrize(
    "data, told",
    [
        ([], "0 question scored in both"),
        ([0.3], "1 question scored in both, and two are the least"),
        ([math.nan, 0.3], "1 question scored in both"),
        ([0.0, 0, 0], "the values are the same on all 3 questions"),
        ([0.1, 0.1, 0.1], "differs by the same 0.1"),
        ([0.1, math.inf], "one finite number for each question"),
        ([[0.1, 0.2]], "one finite number for each question"),
        (["a", "b"], "as numbers"),
    ],
)
def test_data_without_chance(data, told):
    with pytest.raises(InputError, match=told):
        power(data, difference=0.1)


def test_runs_without_chance(tmp_path):
    with pytest.raises(InputError, match="a and b, TestPlanned: the values are the same on all 3 questions; give the"):
        power(scored(tmp_path / "1", [1, 2, 3], [1, 2, 3]))
    with pytest.raises(InputError, match=r"make fewer than 6 observations.*--unit question"):
        power(scored(tmp_path / "2", [1, 2, 3], [2, 2, 2], ["s", "s", "t"]))
    with pytest.raises(InputError, match="every session differs by the same"):
        power(scored(tmp_path / "3", [1, 2] * 6, [2, 1] * 6, [str(n // 2) for n in range(12)]))


@pytest.mark.parametrize(
    "given, told",
    [
        ({"difference": "seen"}, "a number or 'observed', not 'seen'"),
        ({"difference": 0}, "difference of 0"),
        ({"difference": 11}, "a and b, TestPlanned: a difference of 11 cannot be; the most is 10"),
        ({"effect": 0.3}, "says it twice"),
        ({"n": 1}, "n = 1"),
    ],
)
def test_what_cannot_be_asked_of_data(tmp_path, given, told):
    with pytest.raises(SpecError, match=told):
        power(scored(tmp_path, [1, 2, 3, 5], [1, 3, 1, 2]), **given)


def test_what_cannot_be_asked_of_scores(tmp_path):
    scores = scored(tmp_path, [1, 2, 3], [2, 1, 3])
    with pytest.raises(InputError, match="the observed difference is 0"):
        power(scores, difference="observed")
    runs = [one.scorable.column("run") for one in scores.runs]
    with pytest.raises(InputError, match="two runs; there are 1"):
        power(score(runs[:1], "TestPlanned"))
    with pytest.raises(SpecError, match="one metric; name one of TestPlanned, "):
        power(score(runs, "TestPlanned ROUGE-L", language="en"))


def test_a_level_too_small_to_count_with_is_an_error_and_not_an_endless_search():
    with pytest.raises(SpecError, match="alpha = 1e-17: plan with at least 1e-09"):
        power(0.2, difference=0.1, n=5, alpha=1e-17)
    assert power(0.2, difference=0.1, n=2, alpha=1e-9).detectable > 1e6
