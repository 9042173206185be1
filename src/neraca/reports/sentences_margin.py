"""Sentences on what is shown within a margin: equivalent, not worse, or neither."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference, Equivalence
from neraca.reports.number_format import DASH, about, number, p_value, percent, percent_level, span
from neraca.reports.sentences_parts import Facts, correction_words, p_is
from neraca.stats.one_sided import SHARES
from neraca.stats.paired import name_of_test

#: Names of the one-sided tests where the difference is tested otherwise.
_BY = {"t": " by t-tests", SHARES: " by tests of shares"}
#: On so many questions at least two runs should differ before a test of means can see how much they vary.
VARIED = 10


def amount(margin: float) -> str:
    """A margin with all the digits that it was given.

    >>> amount(0.02), amount(0.0005), amount(1)
    ('0.020', '0.0005', '1.000')
    """
    text = number(margin)
    return text if float(text.replace(",", "")) == margin else f"{margin:g}"


def within(e: Equivalence) -> str:
    """Within which margin."""
    return f"within ±{amount(e.margin)}"


def one_sided(facts: Facts, d: Difference, e: Equivalence, p: float) -> str:
    """A one-sided p with its correction, and its test where the difference is tested otherwise."""
    corrected = "" if e.correction == "none" else f" after {correction_words(e.correction)}"
    test = name_of_test(e.test)
    by = "" if test == name_of_test(d.test) else _BY.get(test, "")
    return f"{p_is(p, facts.level)}{by}{corrected}"


def tost(facts: Facts, d: Difference, e: Equivalence) -> str:
    """`TOST p = 0.003; 90 % interval of the difference -0.011 to 0.008`; the interval is that of the lead."""
    low, high = (e.low, e.high) if d.difference > 0 else (-e.high, -e.low)
    level = percent_level(2 * facts.level - 1)
    interval = f"; {level} interval of the difference {span(low, high)}" if low < high else ""
    return f"TOST {one_sided(facts, d, e, e.p_equivalent)}{interval}"


def shown_equivalent(differences: Sequence[Difference]) -> list[tuple[Difference, Equivalence]]:
    """The differences that are shown to be smaller than the margin."""
    return [(d, e) for d in differences if (e := d.equivalence) and e.shown == "equivalent"]


def equivalent(facts: Facts, d: Difference, e: Equivalence) -> str:
    """That the two are equivalent."""
    return f"{d.a} and {d.b} are equivalent in {facts.metric} {within(e)} ({tost(facts, d, e)})."


def not_worse(facts: Facts, d: Difference, e: Equivalence) -> str:
    """Which run is not worse by the margin, without a full stop."""
    than = f"{d.not_worse} is not worse than {d.other(d.not_worse)} in {facts.metric}"
    return f"{than} by {amount(e.margin)} or more (one-sided {one_sided(facts, d, e, e.p_shown)})"


def below_headline(facts: Facts, d: Difference) -> tuple[str, ...]:
    """What the margin adds where the headline says something else; nothing without a margin."""
    e = d.equivalence
    if e is None or not d.n:
        return ()
    if d.equivalent:
        small = "The difference is smaller than the margin: " if d.better else ""
        return (f"{small}{equivalent(facts, d, e)}", *doubt([d]))
    if d.not_worse and d.not_worse != d.better:
        return (f"{not_worse(facts, d, e)}.", *doubt([d]), unshown(facts, d, e))
    return (unshown(facts, d, e),)


def unshown(facts: Facts, d: Difference, e: Equivalence) -> str:
    """That equivalence is not shown, or cannot be."""
    if not e.tested:
        return f"Whether {d.a} and {d.b} are equivalent {within(e)} cannot be tested."
    return f"{d.a} and {d.b} are not shown to be equivalent {within(e)} ({tost(facts, d, e)})."


def doubt(differences: Sequence[Difference]) -> tuple[str, ...]:
    """A warning where so few questions differ that the t-test behind what is shown cannot see how they vary."""
    by_means = [d for d in differences if (e := d.equivalence) and e.shown and e.test != SHARES]
    if not any(0 < d.wins + d.losses < VARIED for d in by_means):
        return ()
    return (
        f"Fewer than {VARIED} questions differ: from so few a test of means is surer of what is equivalent or not "
        "worse than it should be.",
    )


def needed_equivalent(d: Difference) -> tuple[str, ...]:
    """How many questions it would take to show equivalence."""
    e = d.equivalence
    if e is None or e.needed is None or e.needed <= d.n or d.equivalent:
        return ()
    tests = "" if name_of_test(d.test) == "t" else " by t-tests"
    many = f"About {about(e.needed)} questions would be needed to show{tests} that they are equivalent"
    return (f"{many} {within(e)} (4 times out of 5, if there is no difference at all).",)


def drawn(chance: float) -> str:
    """A chance found by random draws: none of the draws does not mean never.

    >>> drawn(0.125), drawn(0.0), drawn(1.0)
    ('12 %', '< 1 %', '> 99 %')
    """
    return percent(min(max(chance, 1e-6), 1 - 1e-6))


def chances(d: Difference) -> tuple[str, ...]:
    """What a posterior says, where it was asked."""
    e, bayes = d.equivalence, d.bayes
    if e is None or bayes is None:
        return ()
    return (
        f"Bayesian signed-rank test: the chance that questions mostly favour {d.a} by more than {amount(e.margin)} is "
        f"{drawn(bayes.chance_a)}, that they mostly differ by no more than that {drawn(bayes.chance_equivalent)}, and "
        f"that they mostly favour {d.b} by more {drawn(bayes.chance_b)}.",
    )


def cell(d: Difference, alpha: float) -> str:
    """What is shown within the margin, for a table; a dash without one."""
    e = d.equivalence
    if e is None:
        return DASH
    if not e.tested:
        return "no test"
    shown = f"{d.not_worse} not worse" if d.not_worse else e.shown or "not shown"
    return f"{shown} (±{amount(e.margin)}, p {p_value(e.p_shown, alpha)})"
