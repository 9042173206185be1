"""The first screen: who won, by how much, whether to believe it, without a statistical term."""

import re

import pytest

from neraca.comparisons.compare import compare
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.report import report
from neraca.scores.score import score

HIGH, MIDDLE, LOW = [0.9, 0.8, 0.7, 0.9, 0.8], [0.6, 0.5, 0.45, 0.6, 0.5], [0.2, 0.3, 0.1, 0.2, 0.3]
MIXED = [0.9, 0.1, 0.7, 0.4, 0.8]


def decided(pair, **options):
    return report(*pair, **options).decision


def test_the_better_of_two(weighed):
    found = decided(weighed({"old": LOW, "new": HIGH}))
    assert found.sentence == "new is better than old: Given 0.820, 0.600 above old."
    assert (found.shown, found.unshown) == ("", "")


def test_a_winner_among_three_is_ahead_of_the_second(weighed):
    found = decided(weighed({"a": LOW, "b": HIGH, "c": MIDDLE}))
    assert found.sentence == "b is best: Given 0.820, 0.290 above c."
    assert found.shown == "b better than c and a; c better than a"
    assert found.unshown == ""


def test_where_lower_is_better_the_winner_is_below(weighed):
    found = decided(weighed({"slow": [9, 8, 7, 9, 8], "fast": [4, 5, 3, 2, 5]}, metric="Cost"))
    assert found.sentence == "fast is better than slow: Cost 3.800, 4.400 below slow (lower is better)."


def test_no_winner(weighed):
    assert (
        decided(weighed({"a": MIXED, "b": HIGH})).sentence
        == "No winner: b is ahead, Given 0.820, but that may be chance."
    )
    found = decided(weighed({"a": MIXED, "b": [0.5, 0.6, 0.5, 0.6, 0.5]}))
    assert found.sentence == "No winner: a is ahead, Given 0.580, but that may be chance."


def test_ahead_of_one_and_not_surely_of_another(weighed):
    found = decided(weighed({"a": LOW, "b": HIGH, "c": MIXED}))
    assert found.sentence == "b is ahead, Given 0.820: better than a, but not surely better than c."
    assert found.shown == "b better than a"
    assert found.unshown == "whether b is better than c; whether c is better than a"


def test_equal_values(weighed):
    assert decided(weighed({"a": LOW, "b": LOW})).sentence == (
        "No difference: a and b have the same Given on every question."
    )
    assert decided(weighed({"c": [1, 0, 1, 0], "d": [0, 1, 0, 1]})).sentence == (
        "No winner: c and d are level at Given 0.500."
    )


def test_as_good_as_each_other(weighed):
    scores, _ = weighed({"a": [0.5, 0.51, 0.5, 0.52, 0.5], "b": [0.5, 0.5, 0.51, 0.51, 0.5]})
    found = report(scores, compare(scores, margin=0.1)).decision
    assert found.sentence == "a and b are as good as each other in Given within ±0.100."


def test_against_a_baseline(weighed):
    scores, _ = weighed({"base": MIDDLE, "good": HIGH, "bad": LOW, "wild": MIXED})
    found = report(scores, compare(scores, against="base")).decision
    assert found.sentence == "In Given, good is better than base; bad is worse than base."
    assert "wild" in found.unshown


@pytest.mark.parametrize("values", [{"solo": HIGH}, {"a": [0.9], "b": [0.1]}, {"a": [None, None], "b": [1, 0]}])
def test_where_no_pair_was_tested_the_tests_own_sentence_stands(weighed, values):
    made = report(*weighed(values))
    assert made.decision.sentence == made.finding.headline


def test_no_statistical_term_on_the_first_screen(weighed):
    for values in ({"a": MIXED, "b": HIGH}, {"a": LOW, "b": HIGH, "c": MIXED}, {"a": LOW, "b": HIGH}):
        found = decided(weighed(values))
        words = " ".join((found.sentence, found.shown, found.unshown))
        assert not re.search(r"told apart|correction|p [=<]|interval|test|significan", words)


def test_a_lead_on_shared_questions_stands_beside_the_values_there(weighed):
    """a is 0.9, 0.8, 0.7, 0.9, 0.8 and 0.1: 0.82 on the first five, which b has too (0.38), and 0.7 on all six."""
    found = decided(weighed({"a": [*HIGH, 0.1], "b": [0.4, 0.5, 0.3, 0.2, 0.5, None]}))
    assert found.sentence == (
        "a is better than b: Given 0.700, 0.440 above b on the 5 questions scored in both (0.820 and 0.380)."
    )
    made = report(*weighed({"b": [0.4, 0.5, 0.3, 0.2, 0.5, None], "a": [*HIGH, 0.1]}))
    assert "On the 5 questions scored in both, the values are 0.820 for a and 0.380 for b." in made.finding.details
    three = report(*weighed({"a": [*HIGH, 0.1], "b": [0.4, 0.5, 0.3, 0.2, 0.5, None], "c": [*LOW, 0.0]}))
    assert "b (by 0.440: 0.820 and 0.380 on the 5 questions scored in both)" in three.finding.headline


def test_below_the_headline_stands_what_its_short_name_leaves_out(search_runs):
    """The headline says nDCG@10; the default of `empty` is another, under which the same runs have other values."""
    scores = score(search_runs(30, hits=3), "nDCG(empty=correct)@10 P@5")
    made = report(scores, compare(scores))
    assert re.search(r"nDCG@10 0\.\d{3}", made.decision.sentence)
    foot = (
        "nDCG@10 here is nDCG(empty=correct)@10, not the usual nDCG@10. If no hits are expected, an answer without "
        "hits counts 1, and one with hits 0."
    )
    assert made.decision.labels == foot
    lines = to_markdown(comparison_document(made)).splitlines()
    assert lines[lines.index(f"**{made.decision.sentence}**") + 2] == foot
    usual = score(search_runs(30, hits=3), "nDCG@10 P@5")
    assert report(usual, compare(usual)).decision.labels == ""
