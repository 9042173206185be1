"""Describe a plan of power in plain words: how many questions, and how often chance would mislead."""

from __future__ import annotations

import math

from neraca.comparisons.power_curve import OwnData, Power
from neraca.counts_and_lists import count
from neraca.number_format import DASH, integer, number, percent, percent_level
from neraca.reports.formats.visible_text import line
from neraca.translation import say

#: If simulated false alarms exceed the level by more than this factor, a sentence says so.
TOO_OFTEN = 1.5
#: If the simulated power is this far below that of the formula, a sentence says so.
TOO_SELDOM = 0.05


def often(share: float) -> str:
    """Write a chance as a person would say it.

    >>> often(0.05), often(0.8), often(0.31), often(0.95), often(0.997)
    ('1 time of 20', '8 times of 10', '3 times of 10', '19 times of 20', '299 times of 300')
    >>> often(0.00001)
    'less than 1 time of 1,000'
    """
    rare = min(share, 1 - share)
    if rare < 0.001:
        return say("less than 1 time of 1,000") if share < 0.5 else say("more than 999 times of 1,000")
    denominator = 10 if rare >= 0.1 else round(1 / rare, 0 if rare > 0.01 else -2)
    numerator = round(share * 10) if rare >= 0.1 else 1 if share < 0.5 else denominator - 1
    return say("{times} of {n:,}", times=count(int(numerator), "time"), n=int(denominator))


def warning(plan: Power) -> str:
    """Return a warning about the plan, or ""."""
    if plan.assumed != "observed":
        return ""
    return say(
        "Warning: this plans with the observed difference as if it were the true one. For the questions at hand such a "
        "power adds nothing to the p-value of the comparison, of which it is another form (Hoenig and Heisey, 2001); "
        "and a difference observed in few questions is often too large or too small. Look at the smallest difference "
        "that is found, and plan for the one that would matter (--difference 0.05)."
    )


def title(plan: Power) -> str:
    """Return the title of the table."""
    level = say("two-sided test at {level}", level=percent_level(plan.alpha))
    if math.isnan(plan.difference):
        return level
    return say(
        "chance to find a true difference of {amount}; {test}", amount=_amount(plan, plan.difference), test=level
    )


def table(plan: Power) -> tuple[list[str], list[list[str]]]:
    """Return the curve as names of columns and rows of text."""
    formula = say("McNemar's formula" if plan.test == "mcnemar" else "formula")
    columns = [say("questions"), *([formula] if plan.assumed else [])]
    if resampled := plan.data is not None and bool(plan.assumed) and not math.isnan(plan.data.false_alarms):
        columns.append(say("your data resampled"))
    columns.append(say("smallest difference found {often}", often=often(plan.target)))
    rows = []
    for point in plan.curve:
        chances = [percent(point.power)] if plan.assumed else []
        chances += [percent(point.simulated)] if resampled else []
        marks = [word for word, n in ((say("yours"), plan.n), (say("needed"), plan.needed)) if n == point.n]
        marked = f" ({', '.join(marks)})" if marks else ""
        rows.append([f"{integer(point.n)}{marked}", *chances, _size(point.detectable)])
    return columns, rows


def sentences(plan: Power) -> list[str]:
    """Say what the plan shows, and what it does not show."""
    observed = _observed(plan, plan.data) if plan.data else []
    needed = _needed(plan) if plan.assumed in ("given", "observed") else []
    resampled = _resampled(plan, plan.data) if plan.data else []
    return [*observed, *_assumption(plan), *needed, *_with_n(plan), *resampled]


def _amount(plan: Power, difference: float) -> str:
    """Write a difference as a size, in standard deviations if none was given."""
    size = _size(difference)
    return say("{size} standard deviations", size=size) if plan.sd == 1 and not plan.data else size


def _size(difference: float) -> str:
    """Write a difference without its sign and with enough digits to be more than 0."""
    size = abs(difference)
    if math.isnan(size):
        return DASH
    return number(size, 3 if size >= 0.01 else min(9, 1 - math.floor(math.log10(size))))


def _observed(plan: Power, data: OwnData) -> list[str]:
    pair = f"{line(data.metric)}, {line(data.a)} − {line(data.b)}: " if data.metric else ""
    observation = say(
        "{pair}over {questions} a mean difference of {mean}; the differences spread with a standard deviation of {sd}, "
        "and {ties:,} of them are 0.",
        pair=pair,
        questions=count(data.n, "question"),
        mean=number(data.difference),
        sd=number(plan.sd),
        ties=data.ties,
    )
    if data.sessions == data.n:
        return [observation]
    return [
        observation,
        say(
            "Questions of one session hang together: these, in {sessions}, tell as much as {n} independent ones. The "
            "plan keeps sessions of that length.",
            sessions=count(data.sessions, "session"),
            n=integer(data.effective),
        ),
    ]


def _assumption(plan: Power) -> list[str]:
    if plan.assumed == "observed":
        return [warning(plan)]
    if plan.assumed == "detectable":
        return [
            say(
                "No difference that would matter was given (--difference 0.05): the plan is for the smallest one that "
                "{questions} find {often}, {amount}.",
                questions=_n(plan),
                often=often(plan.target),
                amount=_amount(plan, plan.difference),
            )
        ]
    if plan.data and not plan.assumed:
        return [
            say(
                "No difference that would matter was given (--difference 0.05), and the two disagree on too few of "
                "{questions} for any to be found.",
                questions=_n(plan),
            )
        ]
    return []


def _n(plan: Power) -> str:
    return count(plan.n or 0, "question")


def _needed(plan: Power) -> list[str]:
    without_size = plan.test == "mcnemar" or plan.sd == 1
    size = "" if without_size else say(" (effect size {size})", size=number(abs(plan.effect), 2))
    goal = say(
        "To find a true difference of {amount}{size} {often}",
        amount=_amount(plan, plan.difference),
        size=size,
        often=often(plan.target),
    )
    if plan.needed is None:
        return [say("{goal}, more than ten million questions are needed.", goal=goal)]
    needed = say("about {n}", n=integer(plan.needed)) if plan.data else integer(plan.needed)
    return [say("{goal}, {n} questions are needed.", goal=goal, n=needed)]


def _with_n(plan: Power) -> list[str]:
    """Describe both kinds of error for the chosen number of questions."""
    false_alarm = say(
        "A difference that is not there would be called real {often}, however many questions (a false alarm, type I "
        "error: alpha, {level}).",
        often=often(plan.alpha),
        level=percent_level(plan.alpha),
    )
    if plan.n is None:
        missed = say("It would still be missed {often} (type II error).", often=often(1 - plan.target))
        return [missed, false_alarm] if plan.needed else [false_alarm]
    sentences = []
    if plan.assumed:
        sentences.append(
            say(
                "With {questions}, a true difference of {amount} would be found {often} ({share}), and missed {missed} "
                "(type II error).",
                questions=_n(plan),
                amount=_amount(plan, plan.difference),
                often=often(plan.reached),
                share=percent(plan.reached),
                missed=often(1 - plan.reached),
            )
        )
    if not math.isnan(plan.detectable) and plan.assumed != "detectable":
        sentences.append(
            say(
                "The smallest true difference that {questions} find {often} is {amount}.",
                questions=_n(plan),
                often=often(plan.target),
                amount=_amount(plan, plan.detectable),
            )
        )
    return [*sentences, false_alarm]


def _resampled(plan: Power, data: OwnData) -> list[str]:
    if math.isnan(data.false_alarms):
        return [say("Fewer than five sessions or questions cannot stand for others: they were not drawn again.")]
    sentences = [
        say(
            "Drawn again from your own differences ({tests} for each number of questions, seed {seed}), a difference "
            "that is not there is called real {often} ({share}) with {questions}.",
            tests=count(data.simulations, "simulated t-test"),
            seed=str(data.seed),
            often=often(data.false_alarms),
            share=percent(data.false_alarms),
            questions=_n(plan),
        )
    ]
    if data.false_alarms > TOO_OFTEN * plan.alpha:
        sentences.append(
            say(
                "That is more often than promised: there are too few questions or sessions, or they are too uneven, "
                "for the t-test to keep its level."
            )
        )
    weak_points = [p for p in plan.curve if p.n in (plan.n, plan.needed) and p.simulated < p.power - TOO_SELDOM]
    return sentences + [
        say(
            "With {questions} it finds the difference {often} ({share}), less often than by the formula: trust your "
            "data, and plan with more questions.",
            questions=count(p.n, "question"),
            often=often(p.simulated),
            share=percent(p.simulated),
        )
        for p in weak_points
    ]
