"""The record of two runs in one metric, and its flat row for machines."""

import dataclasses
import math

import pytest

from neraca.comparisons.difference import BayesianComparison, Difference, Equivalence, in_order, indistinct, row

NAN = math.nan


def difference(a="x", b="y", better="", **fields):
    known = {"metric": "AP", "difference": 0.1, "low": 0.0, "high": 0.2, "p": 0.5, "p_adjusted": 0.6, "effect": 0.1}
    known |= {"wins": 1, "ties": 0, "losses": 2, "n": 3, "sessions": 3, "needed": None}
    known |= {"test": "t", "correction": "holm"}
    return Difference(**known | {"a": a, "b": b, "better": better} | fields)


def equivalence(shown="", **fields):
    known = {"margin": 0.05, "p_a_not_worse": 0.01, "p_b_not_worse": 0.02, "p_equivalent": 0.3, "low": -0.1}
    known |= {"high": 0.2, "test": "shares", "correction": "none", "needed": 99}
    return Equivalence(**known | {"shown": shown} | fields)


def test_fields_are_given_by_name():
    for record in (Difference, Equivalence, BayesianComparison):
        assert all(field.kw_only for field in dataclasses.fields(record))


def test_what_was_not_tested_can_be_asked_for():
    assert difference().tested
    assert not difference(p=NAN, p_adjusted=NAN).tested
    assert equivalence().tested
    assert not equivalence(p_equivalent=NAN).tested


@pytest.mark.parametrize(
    "fields, why",
    [
        ({"n": 0, "sessions": 0, "difference": NAN}, "nothing shared"),
        ({"difference": NAN}, "undefined"),
        ({"n": 1, "sessions": 1}, "one question"),
        ({"sessions": 1}, "few observations"),
        ({}, "no spread"),
    ],
)
def test_why_there_was_no_test_is_one_of_few_words_for_machines_too(fields, why):
    found = difference(p=NAN, p_adjusted=NAN, **fields)
    assert found.untested == row(found)["untested"] == why
    assert difference(**fields).untested == row(difference(**fields))["untested"] == ""


def test_runs_that_are_identical_are_not_those_that_only_balance():
    assert difference(difference=0.0, low=0.0, high=0.0, wins=0, ties=3, losses=0).identical
    assert not difference(difference=0.0, low=0.0, high=0.0, wins=1, losses=1).identical
    assert not difference(difference=0.0, low=-0.1, high=0.1, wins=0, losses=0).identical
    assert not difference(difference=NAN, low=NAN, high=NAN, wins=0, losses=0, n=0).identical


@pytest.mark.parametrize(
    "shown, equivalent, not_worse, p",
    [
        ("", False, "", 0.3),
        ("equivalent", True, "", 0.3),
        ("a not worse", False, "x", 0.01),
        ("b not worse", False, "y", 0.02),
    ],
)
def test_what_is_shown_names_the_run(shown, equivalent, not_worse, p):
    known = difference(equivalence=equivalence(shown))
    assert (known.equivalent, known.not_worse, known.equivalence.p_shown) == (equivalent, not_worse, p)
    assert (difference().equivalent, difference().not_worse) == (False, "")


def test_the_other_run():
    assert (difference().other("x"), difference().other("y")) == ("y", "x")


#: What machines that read `--json` and `--format csv` rely on, in this order.
OF_DIFFERENCE = "metric a b difference low high p p_adjusted effect wins ties losses n test correction better needed"
OF_MARGIN = "margin p_a_not_worse p_b_not_worse p_equivalent shown margin_low margin_high margin_test margin_correction"
OF_BAYES = "chance_a chance_equivalent chance_b sessions untested why_no_interval statistic df"
OF_RUNS = "judged_a tied_a worst_a best_a judged_b tied_b worst_b best_b margin_why_no_interval interval_method"
COLUMNS = f"{OF_DIFFERENCE} effect_low effect_high {OF_MARGIN} needed_equivalent {OF_BAYES} {OF_RUNS}"


def test_a_row_has_the_same_columns_with_and_without_a_margin():
    bayes = BayesianComparison(chance_a=0.2, chance_equivalent=0.7, chance_b=0.1)
    full = row(difference(equivalence=equivalence("b not worse"), bayes=bayes, effect_low=-1.0, effect_high=1.0))
    assert " ".join(full) == COLUMNS
    values = list(full.values())
    assert values[:17] == ["AP", "x", "y", 0.1, 0.0, 0.2, 0.5, 0.6, 0.1, 1, 0, 2, 3, "t", "holm", "", None]
    assert values[17:28] == [-1.0, 1.0, 0.05, 0.01, 0.02, 0.3, "b not worse", -0.1, 0.2, "shares", "none"]
    assert values[28:34] == [99, 0.2, 0.7, 0.1, 3, ""]
    bare = row(difference())
    assert " ".join(bare) == COLUMNS
    assert list(bare.values())[19:-15] == [None, None, None, None, "", None, None, "", "", None, None, None, None]


def test_columns_of_the_margin_are_read_by_their_earlier_names():
    read = row(difference(equivalence=equivalence("b not worse")))
    assert (read["claim_low"], read["claim_high"], read["claim_test"]) == (-0.1, 0.2, "shares")
    assert "claim_low" not in read
    for column in ("claim_nothing", "nothing"):
        with pytest.raises(KeyError, match="nothing"):
            read[column]


def test_groups_that_are_not_told_apart():
    found = [difference("a", "b", "a"), difference("a", "c", "a"), difference("b", "c")]
    assert indistinct(found, "AP") == (("a",), ("b", "c"))
    # not scored, and not all compared with each other
    assert indistinct(found, "RR") == indistinct(found[:2], "AP") == ()
    # of a pair that could not be tested nothing is known
    assert indistinct([*found[:2], difference("b", "c", p=NAN, p_adjusted=NAN)], "AP") == ()


def test_in_order_keeps_a_baseline_second():
    pairs = [difference("x", "base"), difference("y", "base")]
    assert [(d.a, d.b) for d in in_order(pairs, ["y", "base", "x"])] == [("y", "base"), ("x", "base")]
    assert [(d.a, d.b) for d in in_order(pairs[:1], ["base", "x"])] == [("base", "x")]
