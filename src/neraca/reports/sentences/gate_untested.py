"""Say what a gate did not test, rule by rule, and what to do about it."""

from __future__ import annotations

import math
from collections.abc import Iterator

from neraca.comparisons.gate_decision import Decision, Gate
from neraca.counts_and_lists import count
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.reasons import reason
from neraca.reports.sentences.unscored_remedy import unscored_remedy
from neraca.scores.unit import few
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE
from neraca.stats.tests.one_sided import NEEDS_NO_SPREAD
from neraca.translation import say


def untested(gate: Gate) -> list[str]:
    """Return a sentence with its remedy for missing answers, each rule without a test, and questions left out."""
    return [*_missing_answers(gate), *(sentence for d in gate.decisions for sentence in _of_rule(d))]


def _missing_answers(gate: Gate) -> Iterator[str]:
    for run, n in gate.lacking.items():
        yield say(
            "{run} has no answer to {questions}. Ask them again: neraca ask with the same --out and --retry-failed.",
            run=line(run),
            questions=count(n, "question"),
        )


def _of_rule(d: Decision) -> Iterator[str]:
    rule = line(str(d.rule))
    if not d.n or math.isnan(d.lead):
        yield say("{rule} was not tested: {reason}", rule=rule, reason=_without_value(d))
    elif math.isnan(d.p):
        yield say("{rule} was not tested: {reason}", rule=rule, reason=_without_p(d))
    if d.n and d.unscored:
        cause = say(" (mostly: {reason})", reason=line(reason(d.why_unscored))) if d.why_unscored else ""
        yield say(
            "{rule} leaves out {questions}{cause}. {remedy}",
            rule=rule,
            questions=count(d.unscored, "question"),
            cause=cause,
            remedy=unscored_remedy(d.rule.metric, d.why_unscored),
        )


def _without_value(d: Decision) -> str:
    """Say why there is no value to test, and the remedy."""
    if d.n:
        return say(
            "its metric is not defined over the {questions}. Choose another metric, or ask questions on which it is "
            "defined.",
            questions=count(d.n, "scored question"),
        )
    cause = say(" (mostly: {reason})", reason=line(reason(d.why_unscored))) if d.why_unscored else ""
    remedy = unscored_remedy(d.rule.metric, d.why_unscored)
    return say("no question is scored{cause}. {remedy}", cause=cause, remedy=remedy)


def _without_p(d: Decision) -> str:
    """Say why there is a value and no test, and the remedy."""
    if d.rule.observed:
        return say("the number alone decides. To test it, leave out the word observed.")
    if d.by_equality:
        return say("no question differs between the runs. Questions on which they differ would test it.")
    if d.correction is not None and d.correction.why:
        return say("people's labels do not correct the judge. Label more answers (neraca agree RUN --plan).")
    if d.n < FEWEST_IN_RANGE:
        return say(
            "it rests on {questions}. Ask at least {least}, or write observed after the rule.",
            questions=count(d.n, "question"),
            least=FEWEST_IN_RANGE,
        )
    if few(d.sessions, d.n):
        return say(
            "all {questions} are of {sessions}. Ask in more sessions, or take each question as one observation "
            "(--unit question).",
            questions=count(d.n, "question"),
            sessions=count(d.sessions, "session"),
        )
    return say(
        "it takes chance from how questions differ, and they do not. Ask more questions, or choose --test {other}.",
        other=NEEDS_NO_SPREAD,
    )
