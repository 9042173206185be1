"""The decisions of a gate in sentences: all rules together, each rule with its reason, and how it was tested."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from neraca.comparisons.gate_decision import FAIL, INCOMPLETE, PASS, UNDECIDED, Decision, Gate
from neraca.number_format import about, localised, number, percent, percent_level, signed
from neraca.reports.blocks.corrected import of_rule
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.sentences.interval_words import of_intervals
from neraca.reports.sentences.parts import p_is
from neraca.reports.sentences.unit import noun, nouns, too_few
from neraca.reports.translation import reason, say
from neraca.scores.unit import few
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE
from neraca.stats.tests.one_sided import NEEDS_NO_SPREAD
from neraca.stats.tests.paired import name_of_test

#: Means that differ by no more than this are equal.
_SAME = 1e-9


def headline(gate: Gate, strict: bool = False) -> str:
    """Say in a sentence what all rules decide together."""
    runs, n = runs_of(gate), len(gate.decisions)
    rules = count(n, "rule")
    if gate.outcome == PASS:
        if n == 1:
            return say("{runs}: the gate passes; {n} of {rules} holds.", runs=runs, n=n, rules=rules)
        return say("{runs}: the gate passes; {n} of {rules} hold.", runs=runs, n=n, rules=rules)
    if gate.outcome == FAIL:
        broken = [decision for decision in gate.decisions if decision.outcome == FAIL]
        facts = {"runs": runs, "n": len(broken), "rules": rules, "are": "is" if len(broken) == 1 else "are"}
        if any(decision.rule.observed for decision in broken):
            return say("{runs}: the gate fails; {n} of {rules} {are} broken.", **facts)
        return say("{runs}: the gate fails; {n} of {rules} {are} shown to be broken.", **facts)
    if gate.outcome == INCOMPLETE:
        return say("{runs}: the gate cannot decide; {reason}.", runs=runs, reason=incomplete(gate))
    undecided = sum(decision.outcome == UNDECIDED for decision in gate.decisions)
    facts = {"runs": runs, "n": undecided, "rules": rules}
    if strict:
        return say(
            "{runs}: the gate is undecided; too little is known for {n} of {rules}, and what is undecided does not "
            "pass (strict).",
            **facts,
        )
    return say(
        "{runs}: the gate is undecided; too little is known for {n} of {rules}, and none is shown to be broken.",
        **facts,
    )


def runs_of(gate: Gate) -> str:
    """Name the run, and its baseline if there is one."""
    if not gate.baseline:
        return line(gate.run)
    return say("{run} against {baseline}", run=line(gate.run), baseline=line(gate.baseline))


def incomplete(gate: Gate) -> str:
    """Say why a gate cannot decide: answers are missing, or nothing is scored."""
    if gate.lacking:
        missing = [
            say("{run} has no answer to {questions}", run=line(run), questions=count(n, "question"))
            for run, n in gate.lacking.items()
        ]
        return say("{missing} (ask them again)", missing=listed(missing))
    undefined = sum(decision.outcome == INCOMPLETE for decision in gate.decisions)
    return say("nothing can be said of {n} of {rules}", n=undefined, rules=count(len(gate.decisions), "rule"))


def rule_sentences(gate: Gate) -> list[str]:
    """Say why each rule was decided as it was."""
    return [f"{line(str(d.rule))}: {say(d.outcome)}. {why(gate, d)}" for d in gate.decisions]


def why(gate: Gate, decision: Decision) -> str:
    """Say in plain words why a rule was decided as it was."""
    corrected = of_rule(decision.correction) if decision.correction else ""
    again = decision.with_empties
    if again is None:
        return f"{_why(gate, decision)}{corrected}{_left_out(gate, decision)}"
    in_both = replace(decision, outcome=decision.outcome_in_both)
    alone = f"{_why(gate, in_both)}{corrected}{_left_out(gate, decision)}"
    with_empties = _with_empties(gate, decision, again)
    if decision.outcome == decision.outcome_in_both:
        return f"{alone} {with_empties}"
    return say("{with_empties} Without them: {alone}", with_empties=with_empties, alone=alone)


def _with_empties(gate: Gate, d: Decision, again: Decision) -> str:
    """Describe the decision if a right empty answer of one run and junk of the other both count."""
    questions = count(d.settled, "question")
    if d.rule.metric.empty == "skip":
        happened = say("On {questions} one run returned nothing and the other is scored.", questions=questions)
    else:
        happened = say(
            "On {questions} one run rightly returned nothing and the other returned junk.", questions=questions
        )
    counted = say(
        "With {metric}, which counts them ({value} for {run} and {of_baseline} for {baseline}): {outcome}.",
        metric=line(str(again.rule.metric)),
        value=number(again.value),
        run=line(gate.run),
        of_baseline=number(again.baseline),
        baseline=line(gate.baseline),
        outcome=say(again.outcome),
    )
    return f"{happened} {counted} {_why(gate, again)}"


def _why(gate: Gate, d: Decision) -> str:
    alpha, metric, baseline = 1 - gate.level, line(str(d.rule.metric)), line(gate.baseline)
    value = say("{metric} of {run}", metric=metric, run=line(gate.run))
    if not d.n:
        if d.rule.relative:
            return say("Nothing can be said of {value}: no question is scored in both runs.", value=value)
        return say("Nothing can be said of {value}: no question is scored.", value=value)
    if d.outcome == INCOMPLETE:
        questions = count(d.n, "scored question")
        return say(
            "Nothing can be said: {metric} is not defined over the {questions}.", metric=metric, questions=questions
        )
    if d.rule.observed:
        return _observed(gate, d, value)
    holds, broken = _side(gate, d, d.rule.sign), _side(gate, d, -d.rule.sign)
    if d.outcome == FAIL:
        return say("{value} is shown to be {side} ({p}).", value=value, side=broken, p=p_is(d.p_fail, gate.level))
    facts = {"value": value, "side": holds, "p": p_is(d.p, gate.level)}
    if d.outcome == PASS and d.p <= alpha:
        return say("{value} is shown to be {side} ({p}).", **facts)
    if d.same and not d.lost and (d.outcome == PASS or not d.rule.allows(0.0)):
        return _same(gate, d, alpha)
    if d.p <= alpha:
        if d.rule.relative:
            shown = say("Over the questions scored in both, {value} is shown to be {side} ({p})", **facts)
        else:
            shown = say("Over the questions scored, {value} is shown to be {side} ({p})", **facts)
        worst = say("but no longer if those that are scored in {baseline} alone count as the worst.", baseline=baseline)
        return f"{shown}, {worst}"
    return say(
        "It cannot be told whether {value} is {side}: {reason}.", value=value, side=holds, reason=_undecided(gate, d)
    )


def _observed(gate: Gate, d: Decision, value: str) -> str:
    """Say on which side of the bound the number is, and that it says nothing about other questions."""
    baseline = line(gate.baseline)
    if d.rule.relative:
        seen = say(
            "{value} differs from that of {baseline} by {difference} on these questions",
            value=value,
            baseline=baseline,
            difference=signed(d.difference),
        )
    else:
        seen = say("{value} is {number} on these questions", value=value, number=number(d.value))
    if d.outcome == UNDECIDED:
        return say(
            "{seen}, but the questions that are scored in {baseline} alone can turn this. No test is made.",
            seen=seen,
            baseline=baseline,
        )
    bound = _exact(d.rule.bound)
    if d.outcome == PASS:
        return say(
            "{seen}, within the bound of {bound}; observed, without a test: it may be chance.", seen=seen, bound=bound
        )
    return say(
        "{seen}, beyond the bound of {bound}; observed, without a test: it may be chance.", seen=seen, bound=bound
    )


def _side(gate: Gate, d: Decision, sign: int) -> str:
    """Say that the value is more (sign 1) or less (-1) than the bound."""
    bound, size = d.rule.bound, _exact(abs(d.rule.bound))
    if not d.rule.relative or bound == 0:
        what = say("that of {run}", run=line(gate.baseline)) if d.rule.relative else _exact(bound)
        return say("above {what}", what=what) if sign > 0 else say("below {what}", what=what)
    facts = {"size": size, "run": line(gate.baseline)}
    if bound > 0:
        if sign > 0:
            return say("more than {size} above that of {run}", **facts)
        return say("no more than {size} above that of {run}", **facts)
    if sign > 0:
        return say("no more than {size} below that of {run}", **facts)
    return say("more than {size} below that of {run}", **facts)


def _exact(bound: float) -> str:
    """Write a bound with all its digits, because it is no estimate."""
    return localised(f"{bound:.15g}".replace("-", "−"))


def _same(gate: Gate, d: Decision, alpha: float) -> str:
    """Say that no question differs, and how little that shows of the questions that were not asked."""
    groups, units = (d.n, say("questions")) if d.sessions == d.n else (d.sessions, nouns(gate.unit))
    same = (
        say("Equal on all {questions}", questions=count(d.n, "question"))
        if d.n > 1
        else say("Equal on the one question")
    )
    if not d.rule.allows(0.0):
        return say("{same}, and the rule demands a difference.", same=same)
    if d.copy:
        return say(
            "{same}: what was scored is the same in both runs, so that no question can tell them apart.", same=same
        )
    share = 1 - alpha ** (1 / groups)
    facts = {"same": same, "units": units, "level": percent_level(1 - alpha)}
    if share < 0.995:
        most = localised(f"{100 * share:.2g} %")
        return say("{same}; that up to {most} of other {units} differ is not ruled out ({level}).", most=most, **facts)
    return say("{same}; that nearly all other {units} differ is not ruled out ({level}).", **facts)


def _undecided(gate: Gate, d: Decision) -> str:
    level, questions = gate.level, count(d.n, "question")
    if d.correction and d.correction.why:
        return say("people's labels do not correct what the judge says")
    if math.isnan(d.p) and d.n < FEWEST_IN_RANGE:
        return say(
            "it rests on {questions}, and a rule is tested on at least {least} (write observed after it to decide by "
            "the number alone)",
            questions=questions,
            least=FEWEST_IN_RANGE,
        )
    if math.isnan(d.p) and few(d.sessions, d.n):
        return say(
            "{too_few} (--unit question takes each question as one observation)",
            too_few=too_few(gate.unit, d.sessions, d.n),
        )
    if math.isnan(d.p) or math.isnan(d.p_fail):
        equal = (
            say("all {n:,} differences are equal", n=d.n)
            if d.rule.relative
            else say("all {n:,} values are equal", n=d.n)
        )
        return say(
            "{equal}, and {test} takes chance from how they differ; --test {other} can decide",
            equal=equal,
            test=name_of_test(d.test),
            other=NEEDS_NO_SPREAD,
        )
    if abs(d.lead) <= 1e-12:
        return say("what was seen is exactly at the bound ({p})", p=p_is(d.p, level))
    if d.lead > 0:
        unsure = say("what was seen speaks for it, but may be chance ({p})", p=p_is(d.p, level))
    else:
        unsure = say("what was seen speaks against it, but may be chance ({p})", p=p_is(d.p_fail, level))
    if d.needed is None:
        return unsure
    facts = {"unsure": unsure, "needed": about(d.needed), "n": d.n}
    if d.lead > 0:
        return say(
            "{unsure}; to decide takes about {needed} questions instead of {n:,} (if they go as these did, the rule "
            "then passes 4 times of 5)",
            **facts,
        )
    return say(
        "{unsure}; to decide takes about {needed} questions instead of {n:,} (if they go as these did, the rule then "
        "fails 4 times of 5)",
        **facts,
    )


def _left_out(gate: Gate, d: Decision) -> str:
    """Say which questions do not count, and why."""
    if not d.unscored:
        return ""
    cause = say(" (mostly: {reason})", reason=line(reason(d.why_unscored))) if d.why_unscored else ""
    lost = ""
    if d.lost:
        are = "is" if d.lost == 1 else "are"
        lost = say("; {n:,} of them {are} scored in {run}", n=d.lost, are=are, run=line(gate.baseline))
    facts = {"questions": count(d.unscored, "question"), "cause": cause, "lost": lost}
    if d.rule.relative:
        left_out = say("Left out: {questions} not scored in both{cause}{lost}.", **facts)
    else:
        left_out = say("Left out: {questions} not scored{cause}{lost}.", **facts)
    return "".join(f" {sentence}" for sentence in (left_out, _alone(gate, d)) if sentence)


def _alone(gate: Gate, d: Decision) -> str:
    """Say the value of each run over its own questions, if it is another one than over those scored in both."""
    sides = [(gate.run, d.value, d.value_alone), (gate.baseline, d.baseline, d.baseline_alone)]
    differ = [(run, alone) for run, value, alone in sides if abs(value - alone) > _SAME]
    if not differ:
        return ""
    values = [say("{value} for {run}", value=number(alone), run=line(run)) for run, alone in differ]
    metric = line(str(d.rule.metric))
    return say("Over all questions scored in one run, {metric} is {values}.", metric=metric, values=listed(values))


def method(gate: Gate) -> str:
    """Say in a paragraph how it was tested."""
    return " ".join(filter(None, _method(gate)))


def _method(gate: Gate) -> Iterator[str]:
    rules = [each for d in gate.decisions for each in (d, d.with_empties) if each is not None]
    tested = [decision for decision in rules if not (decision.rule.observed or decision.by_equality)]
    observed = sum(decision.rule.observed for decision in gate.decisions)
    equal = sum(decision.by_equality for decision in gate.decisions)
    if tested:
        yield say(
            "One-sided tests at {level}, by {unit}: {tests}. p is of the rule and of its opposite, each at its own "
            "level: no rule shields another.",
            level=percent_level(round(1 - gate.level, 10)),
            unit=noun(gate.unit),
            tests=listed(sorted({decision.test for decision in tested})),
        )
    rules_tested = sum(any(each in tested for each in (d, d.with_empties)) for d in gate.decisions)
    if rules_tested > 1:
        yield say(
            "If all {n} rules are only just kept, independent ones fail falsely {share} of the time.",
            n=rules_tested,
            share=percent(1 - gate.level**rules_tested),
        )
    if equal:
        yield say("No question differs, so that no test is made: {rules}.", rules=count(equal, "rule"))
    if observed:
        yield say("Decided by the number observed, without a test: {rules}.", rules=count(observed, "rule"))
    yield of_intervals((str(d.rule.metric), d.interval_method) for d in rules)
