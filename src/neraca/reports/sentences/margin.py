"""Describe the results of a margin: runs are equivalent, not worse, or neither is shown."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference, Equivalence
from neraca.comparisons.equivalence import COPY
from neraca.number_format import DASH, exact, integer, number, p_equals, p_value, percent, percent_level, span
from neraca.reports.sentences.parts import Facts, correction_words
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE
from neraca.stats.tests.one_sided import NEEDS_NO_SPREAD, SHARES
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say

#: One-sided test → its name, written if the difference has another test.
_BY = {"t": " by t-tests", SHARES: " by tests of shares"}
#: On fewer differing questions a test of means cannot estimate the variance well.
VARIED = 10


def amount(margin: float) -> str:
    """Write a margin with all the digits that were given.

    >>> amount(0.02), amount(0.0005), amount(1)
    ('0.020', '0.0005', '1.000')
    """
    return number(margin) if abs(margin) < 10 and round(margin, 3) == margin else exact(margin)


def within(e: Equivalence) -> str:
    """Return the margin in words."""
    return say("within ±{margin}", margin=amount(e.margin))


def one_sided(facts: Facts, d: Difference, e: Equivalence, p: float) -> str:
    """Write a one-sided p with its correction, and its test if the difference has another one."""
    corrected = "" if e.correction == "none" else say(" after {correction}", correction=correction_words(e.correction))
    test = name_of_test(e.test)
    by = "" if test == name_of_test(d.test) else say(_BY.get(test, ""))
    return f"{p_equals(p, 1 - facts.level)}{by}{corrected}"


def tost(facts: Facts, d: Difference, e: Equivalence, bounds: bool = True) -> str:
    """Write the equivalence test, such as `TOST p = 0.003; 90 % interval of the difference -0.011 to 0.008`.

    The interval is that of the lead.  If what was scored is the same in both runs, there is no p.  Without `bounds` the
    interval is left out.
    """
    if e.test == COPY:
        return say("what was scored is the same in both")
    if not bounds:
        return say("TOST {p}", p=one_sided(facts, d, e, e.p_equivalent))
    low, high = (e.low, e.high) if d.difference > 0 else (-e.high, -e.low)
    level = percent_level(2 * facts.level - 1)
    interval = (
        say("; {level} interval of the difference {bounds}", level=level, bounds=span(low, high)) if low < high else ""
    )
    return say("TOST {p}{interval}", p=one_sided(facts, d, e, e.p_equivalent), interval=interval)


def shown_equivalent(differences: Sequence[Difference]) -> list[tuple[Difference, Equivalence]]:
    """Return the differences that are shown to be smaller than the margin."""
    return [(d, e) for d in differences if (e := d.equivalence) and e.shown == "equivalent"]


def equivalent(facts: Facts, d: Difference, e: Equivalence) -> str:
    """Say that the two runs are equivalent."""
    return say(
        "{a} and {b} are equivalent in {metric} {within} ({tost}).",
        a=d.a,
        b=d.b,
        metric=facts.metric,
        within=within(e),
        tost=tost(facts, d, e),
    )


def not_worse(facts: Facts, d: Difference, e: Equivalence) -> str:
    """Say which run is not worse by the margin, without a full stop."""
    than = say(
        "{not_worse} is not worse than {other} in {metric}",
        not_worse=d.not_worse,
        other=d.other(d.not_worse),
        metric=facts.metric,
    )
    return say(
        "{than} by {margin} or more (one-sided {p})",
        than=than,
        margin=amount(e.margin),
        p=one_sided(facts, d, e, e.p_shown),
    )


def below_headline(facts: Facts, d: Difference) -> tuple[str, ...]:
    """Return the result of the margin if the headline states another one; nothing without a margin."""
    e = d.equivalence
    if e is None or not d.n:
        return ()
    if d.equivalent:
        small = say("The difference is smaller than the margin: ") if d.better else ""
        return (f"{small}{equivalent(facts, d, e)}", *doubt([d]))
    if d.not_worse and d.not_worse != d.better:
        return (f"{not_worse(facts, d, e)}.", *doubt([d]), unshown(facts, d, e))
    return (unshown(facts, d, e),)


def unshown(facts: Facts, d: Difference, e: Equivalence) -> str:
    """Say that equivalence is not shown, or cannot be."""
    if not e.tested:
        untested = say("Whether {a} and {b} are equivalent {within} cannot be tested.", a=d.a, b=d.b, within=within(e))
        if d.sessions >= FEWEST_IN_RANGE:
            reason = say(
                "All differences are equal, and {test} takes chance from how they differ; the test {other} can be "
                "made.",
                test=name_of_test(e.test),
                other=NEEDS_NO_SPREAD,
            )
            return f"{untested} {reason}"
        if d.n >= FEWEST_IN_RANGE:
            return untested
        reason = say("That takes at least {least} questions, and there are {n}.", least=FEWEST_IN_RANGE, n=d.n)
        return f"{untested} {reason}"
    return say(
        "{a} and {b} are not shown to be equivalent {within} ({tost}).",
        a=d.a,
        b=d.b,
        within=within(e),
        tost=tost(facts, d, e),
    )


def doubt(differences: Sequence[Difference], several: bool = False) -> tuple[str, ...]:
    """Warn if too few questions differ for the t-test behind the result to estimate their variance.

    `several`: the differences are of several pairs.
    """
    by_means = [d for d in differences if (e := d.equivalence) and e.shown and e.test != SHARES]
    if not any(0 < d.wins + d.losses < VARIED for d in by_means):
        return ()
    of_one_pair = (
        "Fewer than {n} questions differ: from so few a test of means is surer of what is equivalent or not worse than "
        "it should be."
    )
    of_several_pairs = (
        "In some pairs fewer than {n} questions differ: from so few a test of means is surer of what is equivalent or "
        "not worse than it should be."
    )
    return (say(of_several_pairs if several else of_one_pair, n=VARIED),)


def needed_equivalent(d: Difference) -> tuple[str, ...]:
    """Say how many questions would show equivalence."""
    e = d.equivalence
    if e is None or e.needed is None or e.needed <= d.n or d.equivalent:
        return ()
    tests = "" if name_of_test(d.test) == "t" else say(" by t-tests")
    questions = say(
        "About {needed} questions would be needed to show{tests} that they are equivalent",
        needed=integer(e.needed),
        tests=tests,
    )
    return (
        say("{many} {within} (4 times out of 5, if there is no difference at all).", many=questions, within=within(e)),
    )


def chance_from_draws(chance: float) -> str:
    """Write a chance that was estimated from random draws; 0 draws do not mean never.

    >>> chance_from_draws(0.125), chance_from_draws(0.0), chance_from_draws(1.0)
    ('12 %', '< 1 %', '> 99 %')
    """
    return percent(min(max(chance, 1e-6), 1 - 1e-6))


def chances(d: Difference) -> tuple[str, ...]:
    """Return the chances of the posterior, if it was computed."""
    e, bayes = d.equivalence, d.bayes
    if e is None or bayes is None:
        return ()
    return (
        say(
            "Bayesian signed-rank test: the chance that questions mostly favour {a} by more than "
            "{margin} is {chance_a}, that they mostly differ by no more than that {chance_equivalent}, and that "
            "they mostly favour {b} by more {chance_b}.",
            a=d.a,
            margin=amount(e.margin),
            chance_a=chance_from_draws(bayes.chance_a),
            chance_equivalent=chance_from_draws(bayes.chance_equivalent),
            b=d.b,
            chance_b=chance_from_draws(bayes.chance_b),
        ),
    )


def cell(d: Difference, alpha: float) -> str:
    """Return the result of the margin for a table; a dash without one."""
    e = d.equivalence
    if e is None:
        return DASH
    if not e.tested:
        return say("no test")
    if e.test == COPY:
        return say("equivalent (±{margin}, the same answers)", margin=amount(e.margin))
    result = say("{not_worse} not worse", not_worse=d.not_worse) if d.not_worse else say(e.shown or "not shown")
    return f"{result} (±{amount(e.margin)}, p {p_value(e.p_shown, alpha)})"
