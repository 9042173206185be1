"""Laws of decisions: another rule or metric never hides a loss, and a copy of a run equals the run."""

import numpy as np
import pytest
from builders import make_scores
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neraca
from neraca.metrics.metric import metric
from neraca.number_format import number

DRAWN = settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
NAMES = ("TestLawA", "TestLawB", "TestLawC")
for name in NAMES:
    metric(name)(lambda response: float(response) if response else None)


def draw_scores(seed, names=NAMES, n=40):
    """Two runs; the new one is worse in the first metric, and by chance in the others."""
    chance = np.random.default_rng(seed)
    old = {name: np.round(chance.uniform(0.3, 0.9, n), 3) for name in names}
    worse = chance.choice([0.02, 0.05, 0.1, 0.15])
    new = {name: np.clip(old[name] + chance.normal(-worse * (name == names[0]), 0.15, n), 0, 1) for name in names}
    return {"new": new, "old": old}


def only(columns, names):
    return make_scores({run: {name: of[name] for name in names} for run, of in columns.items()})


@DRAWN
@given(st.integers(0, 10**6))
def test_adding_a_rule_never_turns_a_failure_into_a_pass_or_into_undecided(seed):
    columns = draw_scores(seed)
    rules = [f"{name} >= -0.05" for name in NAMES]
    (alone,) = neraca.gate(only(columns, NAMES[:1]), rules=rules[:1]).decisions
    together = neraca.gate(only(columns, NAMES), rules=rules).decisions[0]
    assert alone.outcome == together.outcome


@DRAWN
@given(st.integers(0, 10**6))
def test_a_run_with_the_same_values_is_never_better_nor_worse(seed):
    columns = draw_scores(seed)["old"]
    scores = make_scores({"run": columns, "copy": columns})
    for test in ("t", "wilcoxon", "sign", "randomisation"):
        for difference in neraca.compare(scores, test=test, margin=0.05):
            assert (difference.identical, difference.difference, difference.better) == (True, 0, ""), test
            assert difference.p == 1, test


@DRAWN
@given(st.integers(6, 30), st.sampled_from([0.1, 0.25, 3.0]), st.sampled_from([1, -1]))
def test_a_constant_loss_is_seen_and_a_constant_gain_passes_where_signs_are_exchanged(n, size, sign):
    old = np.linspace(0.3, 0.9, n)
    scores = neraca.values({"new": list(old + sign * size), "old": list(old)})
    (decision,) = neraca.gate(scores, rules=["Value >= -0.05"], test="randomisation").decisions
    (difference,) = neraca.compare(scores, test="randomisation", margin=2 * size)
    assert decision.outcome == ("pass" if sign > 0 else "fail")
    assert difference.better == ("new" if sign > 0 else "old")
    assert difference.equivalent
    assert (decision.low, decision.high) == (pytest.approx(sign * size), pytest.approx(sign * size))
    if n <= 17:
        assert min(decision.p, decision.p_fail) == difference.equivalence.p_equivalent == 2.0**-n


@pytest.mark.parametrize("items", [1, 2])
def test_the_order_of_rows_and_of_systems_changes_no_value_that_is_drawn(items):
    """With sessions of one item, and of two."""
    n = 20 * items
    chance = np.random.default_rng(items)
    base = chance.integers(20, 60, (2, n)) / 100
    columns = {"a": base[0] + chance.integers(-30, 40, n) / 100, "b": base[0], "c": base[1]}
    sessions = np.array([f"s{place // items}" for place in range(n)])
    order = chance.permutation(n)
    for test in ("randomisation", "bootstrap", "tukey"):
        shown = []
        for names, rows in (("abc", slice(None)), ("abc", order), ("cba", order[::-1])):
            table = {name: columns[name][rows].tolist() for name in names}
            found = neraca.compare(neraca.values(table, sessions=sessions[rows].tolist()), test=test, margin=0.05)
            sides = {frozenset((d.a, d.b)): (d, 1 if d.a < d.b else -1) for d in found}
            shown.append(
                {
                    pair: (
                        round(d.p, 11),
                        round(sign * d.difference, 11),
                        d.better,
                        round(d.equivalence.p_equivalent, 11),
                    )
                    for pair, (d, sign) in sides.items()
                }
            )
        assert shown[0] == shown[1] == shown[2], test


@DRAWN
@given(st.integers(0, 10**6))
def test_the_order_of_rows_changes_no_digit_that_is_written(seed):
    chance = np.random.default_rng(seed)
    a, b = chance.integers(0, 1000, (2, 20)) / 1000
    b[0] += round(20 * 0.1155 - float(np.sum(b - a)), 3)  # the mean difference is a tie of the third decimal
    for _ in range(5):
        order = chance.permutation(20)
        scores = neraca.values({"new": a[order].tolist(), "old": b[order].tolist()})
        (decision,) = neraca.gate(scores, rules=["Value >= -0.05"]).decisions
        (difference,) = neraca.compare(scores)
        assert number(difference.difference) == number(decision.difference) == "−0.116"


@DRAWN
@given(st.integers(0, 10**6))
def test_a_metric_added_to_a_comparison_never_removes_a_loss_from_the_headline(seed):
    columns = draw_scores(seed)
    lost, first = NAMES[:2]
    columns["new"][first] = columns["old"][first] + 0.001  # the new run is ahead in the metric that decides
    (loss,) = neraca.compare(only(columns, NAMES[:1]))
    if not (loss.p < 0.05 and loss.difference < 0):
        return
    for names in ((first, lost), (first, lost, NAMES[2]), (first, NAMES[2], lost)):
        scores = only(columns, names)
        report = neraca.report(scores, neraca.compare(scores, primary=first), primary=first)
        assert lost in report.finding.headline, report.finding
