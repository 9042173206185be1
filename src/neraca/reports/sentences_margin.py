"""Sentences on a margin: equivalent, not worse, or neither shown."""

from __future__ import annotations

import math
from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.reports.number_format import DASH, about, number, p_value, percent, percent_level, span
from neraca.reports.sentences_parts import Facts, base, correction_words, other, p_is

#: How the test of a claim is named where it is not the one of the difference.
_BY = {"t": " by t-tests", "shares": " by tests of shares"}
#: On so many questions at least two runs should differ before a test of means can see how much they vary.
VARIED = 10


def amount(margin: float) -> str:
    """A margin with all the digits that it was given.

    >>> amount(0.02), amount(0.0005), amount(1)
    ('0.020', '0.0005', '1.000')
    """
    text = number(margin)
    return text if float(text.replace(",", "")) == margin else f"{margin:g}"


def within(d: Difference) -> str:
    """Within which margin."""
    return f"within ±{amount(d.margin)}"


def claim_p(facts: Facts, d: Difference, p: float) -> str:
    """The p of a claim, with its correction and its test where that is not the one of the difference."""
    corrected = "" if d.claim_correction in ("none", "") else f" after {correction_words(d.claim_correction)}"
    tests = "" if base(d.claim_test) == base(d.test) else _BY.get(base(d.claim_test), "")
    return f"{p_is(p, facts.level)}{tests}{corrected}"


def equivalence(facts: Facts, d: Difference) -> str:
    """`TOST p = 0.003; 90 % interval of the difference -0.011 to 0.008`; the interval is that of the lead."""
    low, high = (d.claim_low, d.claim_high) if d.difference > 0 else (-d.claim_high, -d.claim_low)
    bounds = span(low, high) if low < high else ""
    level = percent_level(2 * facts.level - 1)
    told = f"; {level} interval of the difference {bounds}" if bounds else ""
    return f"TOST {claim_p(facts, d, d.p_equivalent)}{told}"


def equivalent(facts: Facts, d: Difference) -> str:
    """That the two are equivalent."""
    return f"{d.a} and {d.b} are equivalent in {facts.metric} {within(d)} ({equivalence(facts, d)})."


def not_worse(facts: Facts, d: Difference) -> str:
    """Which run is not worse by the margin, without a full stop."""
    p = d.p_a_not_worse if d.not_worse == d.a else d.p_b_not_worse
    than = f"{d.not_worse} is not worse than {other(d, d.not_worse)} in {facts.metric}"
    return f"{than} by {amount(d.margin)} or more (one-sided {claim_p(facts, d, p)})"


def below_headline(facts: Facts, d: Difference) -> tuple[str, ...]:
    """What the margin adds where the headline says something else; nothing without a margin."""
    if math.isnan(d.margin) or not d.n:
        return ()
    if d.equivalent:
        small = "The difference is smaller than the margin: " if d.better else ""
        return (f"{small}{equivalent(facts, d)}", *doubt([d]))
    shown = (f"{not_worse(facts, d)}.",) if d.not_worse and d.not_worse != d.better else ()
    return (*shown, *(doubt([d]) if shown else ()), unshown(facts, d))


def unshown(facts: Facts, d: Difference) -> str:
    """That equivalence is not shown, or cannot be."""
    if math.isnan(d.p_equivalent):
        return f"Whether {d.a} and {d.b} are equivalent {within(d)} cannot be tested."
    return f"{d.a} and {d.b} are not shown to be equivalent {within(d)} ({equivalence(facts, d)})."


def doubt(differences: Sequence[Difference]) -> tuple[str, ...]:
    """A warning where a claim rests on so few questions that differ that a t-test cannot see how they vary."""
    means = [d for d in differences if d.shown and base(d.claim_test) != "shares"]
    if not any(0 < d.wins + d.losses < VARIED for d in means):
        return ()
    return (
        f"Fewer than {VARIED} questions differ: from so few a test of means is surer of what is equivalent or not "
        "worse than it should be.",
    )


def needed_equivalent(d: Difference) -> tuple[str, ...]:
    """How many questions it would take to show equivalence."""
    if d.needed_equivalent is None or d.needed_equivalent <= d.n or d.equivalent:
        return ()
    tests = "" if base(d.test) == "t" else " by t-tests"
    many = f"About {about(d.needed_equivalent)} questions would be needed to show{tests} that they are equivalent"
    return (f"{many} {within(d)} (4 times out of 5, if there is no difference at all).",)


def drawn(chance: float) -> str:
    """A chance that was found by drawing, so that none of the draws is not never.

    >>> drawn(0.125), drawn(0.0), drawn(1.0)
    ('12 %', '< 1 %', '> 99 %')
    """
    return percent(min(max(chance, 1e-6), 1 - 1e-6))


def chances(d: Difference) -> tuple[str, ...]:
    """What a posterior says, where it was asked."""
    if math.isnan(d.chance_equivalent):
        return ()
    return (
        f"Bayesian signed-rank test: the chance that questions mostly favour {d.a} by more than {amount(d.margin)} is "
        f"{drawn(d.chance_a)}, that they mostly differ by no more than that {drawn(d.chance_equivalent)}, and that "
        f"they mostly favour {d.b} by more {drawn(d.chance_b)}.",
    )


def cell(d: Difference, alpha: float) -> str:
    """What is shown within the margin, for a table; a dash without one."""
    if math.isnan(d.margin):
        return DASH
    if math.isnan(d.p_equivalent):
        return "no test"
    p = {d.a: d.p_a_not_worse, d.b: d.p_b_not_worse}.get(d.not_worse, d.p_equivalent)
    shown = f"{d.not_worse} not worse" if d.not_worse else d.shown or "not shown"
    return f"{shown} (±{amount(d.margin)}, p {p_value(p, alpha)})"
