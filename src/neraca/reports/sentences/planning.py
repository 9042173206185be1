"""Describe a plan of power in plain words: how many questions, and how often chance would mislead."""

from __future__ import annotations

import math

from neraca.comparisons.power_curve import OwnData, Power
from neraca.number_format import DASH, about, integer, number, percent, percent_level
from neraca.reports.counts_and_lists import count
from neraca.reports.formats.visible_text import line

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
        return "less than 1 time of 1,000" if share < 0.5 else "more than 999 times of 1,000"
    denominator = 10 if rare >= 0.1 else round(1 / rare, 0 if rare > 0.01 else -2)
    numerator = round(share * 10) if rare >= 0.1 else 1 if share < 0.5 else denominator - 1
    return f"{count(int(numerator), 'time')} of {integer(int(denominator))}"


def warning(plan: Power) -> str:
    """Return a warning about the plan, or ""."""
    if plan.assumed != "observed":
        return ""
    return (
        "Warning: this plans with the observed difference as if it were the true one. For the questions at hand such a "
        "power adds nothing to the p-value of the comparison, of which it is another form (Hoenig and Heisey, 2001); "
        "and a difference observed in few questions is often too large or too small. Look at the smallest difference "
        "that is found, and plan for the one that would matter (--difference 0.05)."
    )


def title(plan: Power) -> str:
    """Return the title of the table."""
    level = f"two-sided test at {percent_level(plan.alpha)}"
    if math.isnan(plan.difference):
        return level
    return f"chance to find a true difference of {_amount(plan, plan.difference)}; {level}"


def table(plan: Power) -> tuple[list[str], list[list[str]]]:
    """Return the curve as names of columns and rows of text."""
    formula = "McNemar's formula" if plan.test == "mcnemar" else "formula"
    columns = ["questions", *([formula] if plan.assumed else [])]
    if resampled := plan.data is not None and bool(plan.assumed) and not math.isnan(plan.data.false_alarms):
        columns.append("your data resampled")
    columns.append(f"smallest difference found {often(plan.target)}")
    rows = []
    for point in plan.curve:
        chances = [percent(point.power)] if plan.assumed else []
        chances += [percent(point.simulated)] if resampled else []
        marks = [word for word, n in (("yours", plan.n), ("needed", plan.needed)) if n == point.n]
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
    return f"{_size(difference)} standard deviations" if plan.sd == 1 and not plan.data else _size(difference)


def _size(difference: float) -> str:
    """Write a difference without its sign and with enough digits to be more than 0."""
    size = abs(difference)
    if math.isnan(size):
        return DASH
    return number(size, 3 if size >= 0.01 else min(9, 1 - math.floor(math.log10(size))))


def _observed(plan: Power, data: OwnData) -> list[str]:
    pair = f"{line(data.metric)}, {line(data.a)} − {line(data.b)}: " if data.metric else ""
    observation = (
        f"{pair}over {count(data.n, 'question')} a mean difference of {number(data.difference)}; the differences "
        f"spread with a standard deviation of {number(plan.sd)}, and {integer(data.ties)} of them are 0."
    )
    if data.sessions == data.n:
        return [observation]
    return [
        observation,
        f"Questions of one session hang together: these, in {count(data.sessions, 'session')}, tell as much as "
        f"{integer(data.effective)} independent ones. The plan keeps sessions of that length.",
    ]


def _assumption(plan: Power) -> list[str]:
    if plan.assumed == "observed":
        return [warning(plan)]
    if plan.assumed == "detectable":
        return [
            f"No difference that would matter was given (--difference 0.05): the plan is for the smallest one that "
            f"{_n(plan)} find {often(plan.target)}, {_amount(plan, plan.difference)}."
        ]
    if plan.data and not plan.assumed:
        return [
            "No difference that would matter was given (--difference 0.05), and the two disagree on too few of "
            f"{_n(plan)} for any to be found."
        ]
    return []


def _n(plan: Power) -> str:
    return count(plan.n or 0, "question")


def _needed(plan: Power) -> list[str]:
    size = "" if plan.test == "mcnemar" or plan.sd == 1 else f" (effect size {number(abs(plan.effect), 2)})"
    goal = f"To find a true difference of {_amount(plan, plan.difference)}{size} {often(plan.target)}"
    if plan.needed is None:
        return [f"{goal}, more than ten million questions are needed."]
    needed = f"about {about(plan.needed)}" if plan.data else integer(plan.needed)
    return [f"{goal}, {needed} questions are needed."]


def _with_n(plan: Power) -> list[str]:
    """Describe both kinds of error for the chosen number of questions."""
    false_alarm = (
        f"A difference that is not there would be called real {often(plan.alpha)}, however many questions "
        f"(a false alarm, type I error: alpha, {percent_level(plan.alpha)})."
    )
    if plan.n is None:
        missed = often(1 - plan.target)
        return [f"It would still be missed {missed} (type II error).", false_alarm] if plan.needed else [false_alarm]
    sentences = []
    if plan.assumed:
        chance = f"{often(plan.reached)} ({percent(plan.reached)})"
        sentences.append(
            f"With {_n(plan)}, a true difference of {_amount(plan, plan.difference)} would be found {chance}, and "
            f"missed {often(1 - plan.reached)} (type II error)."
        )
    if not math.isnan(plan.detectable) and plan.assumed != "detectable":
        smallest = f"{_n(plan)} find {often(plan.target)} is {_amount(plan, plan.detectable)}"
        sentences.append(f"The smallest true difference that {smallest}.")
    return [*sentences, false_alarm]


def _resampled(plan: Power, data: OwnData) -> list[str]:
    if math.isnan(data.false_alarms):
        return ["Fewer than five sessions or questions cannot stand for others: they were not drawn again."]
    simulation = f"({count(data.simulations, 'simulated t-test')} for each number of questions, seed {data.seed})"
    start = f"Drawn again from your own differences {simulation}, a difference that is not there is called real "
    sentences = [f"{start}{often(data.false_alarms)} ({percent(data.false_alarms)}) with {_n(plan)}."]
    if data.false_alarms > TOO_OFTEN * plan.alpha:
        sentences.append(
            "That is more often than promised: there are too few questions or sessions, or they are too uneven, "
            "for the t-test to keep its level."
        )
    weak_points = [p for p in plan.curve if p.n in (plan.n, plan.needed) and p.simulated < p.power - TOO_SELDOM]
    return sentences + [
        f"With {count(p.n, 'question')} it finds the difference {often(p.simulated)} ({percent(p.simulated)}), "
        f"less often than by the formula: trust your data, and plan with more questions."
        for p in weak_points
    ]
