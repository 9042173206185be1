"""Explain the decisions of a gate: all rules together, each rule with its reason, and how it was tested."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

from neraca.comparisons.gate_decision import FAIL, INCOMPLETE, PASS, UNDECIDED, Decision, Gate
from neraca.counts_and_lists import count, listed
from neraca.number_format import about, localised, number, p_equals, percent, percent_level, signed
from neraca.reports.blocks.corrected import of_rule
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.interval_words import of_intervals
from neraca.reports.sentences.reasons import reason
from neraca.reports.sentences.unit import noun, nouns, too_few
from neraca.scores.unit import few
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE
from neraca.stats.tests.one_sided import NEEDS_NO_SPREAD
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say

#: The largest difference of two equal means.
_EQUAL = 1e-9


def headline(gate: Gate, strict: bool = False) -> str:
    """Say in one sentence what the rules decide together."""
    runs, n = runs_of(gate), len(gate.decisions)
    rules = count(n, "rule")
    if gate.outcome == PASS:
        if n == 1:
            return say("{runs}: the gate passes; {n} of {rules} holds.", runs=runs, n=n, rules=rules)
        return say("{runs}: the gate passes; {n} of {rules} hold.", runs=runs, n=n, rules=rules)
    if gate.outcome == FAIL:
        broken = [decision for decision in gate.decisions if decision.outcome == FAIL]
        values = {"runs": runs, "n": len(broken), "rules": rules, "are": "is" if len(broken) == 1 else "are"}
        if any(decision.rule.observed for decision in broken):
            return say("{runs}: the gate fails; {n} of {rules} {are} broken.", **values)
        return say("{runs}: the gate fails; {n} of {rules} {are} shown to be broken.", **values)
    if gate.outcome == INCOMPLETE:
        return say("{runs}: the gate cannot decide; {reason}.", runs=runs, reason=incomplete(gate))
    undecided = sum(decision.outcome == UNDECIDED for decision in gate.decisions)
    values = {"runs": runs, "n": undecided, "rules": rules}
    if strict:
        return say(
            "{runs}: the gate is undecided; too little is known for {n} of {rules}, and what is undecided does not "
            "pass (strict).",
            **values,
        )
    return say(
        "{runs}: the gate is undecided; too little is known for {n} of {rules}, and none is shown to be broken.",
        **values,
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
    recheck = decision.with_empties
    if recheck is None:
        return f"{_why(gate, decision)}{corrected}{_left_out(gate, decision)}"
    decision_in_both = replace(decision, outcome=decision.outcome_in_both)
    sentence_in_both = f"{_why(gate, decision_in_both)}{corrected}{_left_out(gate, decision)}"
    recheck_sentences = _with_empties(gate, decision, recheck)
    if decision.outcome == decision.outcome_in_both:
        return f"{sentence_in_both} {recheck_sentences}"
    return say("{with_empties} Without them: {alone}", with_empties=recheck_sentences, alone=sentence_in_both)


def _with_empties(gate: Gate, d: Decision, recheck: Decision) -> str:
    """Describe the decision if a right empty answer of one run and junk of the other both count."""
    questions = count(d.settled, "question")
    if d.rule.metric.empty == "skip":
        situation = say("On {questions} one run returned nothing and the other is scored.", questions=questions)
    else:
        situation = say(
            "On {questions} one run rightly returned nothing and the other returned junk.", questions=questions
        )
    result = say(
        "With {metric}, which counts them ({value} for {run} and {of_baseline} for {baseline}): {outcome}.",
        metric=line(str(recheck.rule.metric)),
        value=number(recheck.value),
        run=line(gate.run),
        of_baseline=number(recheck.baseline),
        baseline=line(gate.baseline),
        outcome=say(recheck.outcome),
    )
    return f"{situation} {result} {_why(gate, recheck)}"


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
    holds, breaks = _side_of_bound(gate, d, d.rule.sign), _side_of_bound(gate, d, -d.rule.sign)
    if d.outcome == FAIL:
        return say("{value} is shown to be {side} ({p}).", value=value, side=breaks, p=p_equals(d.p_fail, alpha))
    values = {"value": value, "side": holds, "p": p_equals(d.p, alpha)}
    if d.outcome == PASS and d.p <= alpha:
        return say("{value} is shown to be {side} ({p}).", **values)
    if d.same and not d.lost and (d.outcome == PASS or not d.rule.allows(0.0)):
        return _equal_everywhere(gate, d, alpha)
    if d.p <= alpha:
        if d.rule.relative:
            sentence = say("Over the questions scored in both, {value} is shown to be {side} ({p})", **values)
        else:
            sentence = say("Over the questions scored, {value} is shown to be {side} ({p})", **values)
        condition = say(
            "but no longer if those that are scored in {baseline} alone count as the worst.", baseline=baseline
        )
        return f"{sentence}, {condition}"
    return say(
        "It cannot be told whether {value} is {side}: {reason}.", value=value, side=holds, reason=_undecided(gate, d)
    )


def _observed(gate: Gate, d: Decision, value: str) -> str:
    """Say on which side of the bound the value is, and that no test was made."""
    baseline = line(gate.baseline)
    if d.rule.relative:
        observation = say(
            "{value} differs from that of {baseline} by {difference} on these questions",
            value=value,
            baseline=baseline,
            difference=signed(d.difference),
        )
    else:
        observation = say("{value} is {number} on these questions", value=value, number=number(d.value))
    if d.outcome == UNDECIDED:
        return say(
            "{seen}, but the questions that are scored in {baseline} alone can turn this. No test is made.",
            seen=observation,
            baseline=baseline,
        )
    bound = _exact_bound(d.rule.bound)
    if d.outcome == PASS:
        return say(
            "{seen}, within the bound of {bound}; observed, without a test: it may be chance.",
            seen=observation,
            bound=bound,
        )
    return say(
        "{seen}, beyond the bound of {bound}; observed, without a test: it may be chance.",
        seen=observation,
        bound=bound,
    )


def _side_of_bound(gate: Gate, d: Decision, sign: int) -> str:
    """Say that the value is above (sign 1) or below (sign -1) the bound."""
    bound, size = d.rule.bound, _exact_bound(abs(d.rule.bound))
    if not d.rule.relative or bound == 0:
        limit = say("that of {run}", run=line(gate.baseline)) if d.rule.relative else _exact_bound(bound)
        return say("above {what}", what=limit) if sign > 0 else say("below {what}", what=limit)
    values = {"size": size, "run": line(gate.baseline)}
    if bound > 0:
        if sign > 0:
            return say("more than {size} above that of {run}", **values)
        return say("no more than {size} above that of {run}", **values)
    if sign > 0:
        return say("no more than {size} below that of {run}", **values)
    return say("more than {size} below that of {run}", **values)


def _exact_bound(bound: float) -> str:
    """Write a bound with all its digits, because it is not an estimate."""
    return localised(f"{bound:.15g}".replace("-", "−"))


def _equal_everywhere(gate: Gate, d: Decision, alpha: float) -> str:
    """Say that no question differs, and how many other questions may still differ."""
    groups, units = (d.n, say("questions")) if d.sessions == d.n else (d.sessions, nouns(gate.unit))
    equality = (
        say("Equal on all {questions}", questions=count(d.n, "question"))
        if d.n > 1
        else say("Equal on the one question")
    )
    if not d.rule.allows(0.0):
        return say("{same}, and the rule demands a difference.", same=equality)
    if d.copy:
        return say(
            "{same}: what was scored is the same in both runs, so that no question can tell them apart.", same=equality
        )
    share = 1 - alpha ** (1 / groups)
    values = {"same": equality, "units": units, "level": percent_level(1 - alpha)}
    if share < 0.995:
        largest_share = localised(f"{100 * share:.2g} %")
        return say(
            "{same}; that up to {most} of other {units} differ is not ruled out ({level}).",
            most=largest_share,
            **values,
        )
    return say("{same}; that nearly all other {units} differ is not ruled out ({level}).", **values)


def _undecided(gate: Gate, d: Decision) -> str:
    alpha, questions = 1 - gate.level, count(d.n, "question")
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
        equality = (
            say("all {n:,} differences are equal", n=d.n)
            if d.rule.relative
            else say("all {n:,} values are equal", n=d.n)
        )
        return say(
            "{equal}, and {test} takes chance from how they differ; --test {other} can decide",
            equal=equality,
            test=name_of_test(d.test),
            other=NEEDS_NO_SPREAD,
        )
    if abs(d.lead) <= 1e-12:
        return say("what was seen is exactly at the bound ({p})", p=p_equals(d.p, alpha))
    if d.lead > 0:
        tendency = say("what was seen speaks for it, but may be chance ({p})", p=p_equals(d.p, alpha))
    else:
        tendency = say("what was seen speaks against it, but may be chance ({p})", p=p_equals(d.p_fail, alpha))
    if d.needed is None:
        return tendency
    values = {"unsure": tendency, "needed": about(d.needed), "n": d.n}
    if d.lead > 0:
        return say(
            "{unsure}; to decide takes about {needed} questions instead of {n:,} (if they go as these did, the rule "
            "then passes 4 times of 5)",
            **values,
        )
    return say(
        "{unsure}; to decide takes about {needed} questions instead of {n:,} (if they go as these did, the rule then "
        "fails 4 times of 5)",
        **values,
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
    values = {"questions": count(d.unscored, "question"), "cause": cause, "lost": lost}
    if d.rule.relative:
        left_out = say("Left out: {questions} not scored in both{cause}{lost}.", **values)
    else:
        left_out = say("Left out: {questions} not scored{cause}{lost}.", **values)
    return "".join(f" {sentence}" for sentence in (left_out, _over_own_questions(gate, d)) if sentence)


def _over_own_questions(gate: Gate, d: Decision) -> str:
    """Give each run's mean over its own questions if it differs from that over the questions scored in both."""
    sides = [(gate.run, d.value, d.value_alone), (gate.baseline, d.baseline, d.baseline_alone)]
    differing_means = [(run, own_mean) for run, value, own_mean in sides if abs(value - own_mean) > _EQUAL]
    if not differing_means:
        return ""
    values = [say("{value} for {run}", value=number(own_mean), run=line(run)) for run, own_mean in differing_means]
    metric = line(str(d.rule.metric))
    return say("Over all questions scored in one run, {metric} is {values}.", metric=metric, values=listed(values))


def method(gate: Gate) -> str:
    """Describe in a paragraph how the rules were tested."""
    return " ".join(filter(None, _method(gate)))


def _method(gate: Gate) -> Iterator[str]:
    decisions = [decision for d in gate.decisions for decision in (d, d.with_empties) if decision is not None]
    tested = [decision for decision in decisions if not (decision.rule.observed or decision.by_equality)]
    n_observed = sum(decision.rule.observed for decision in gate.decisions)
    n_equal = sum(decision.by_equality for decision in gate.decisions)
    if tested:
        yield say(
            "One-sided tests at {level}, by {unit}: {tests}. p is of the rule and of its opposite, each at its own "
            "level: no rule shields another.",
            level=percent_level(round(1 - gate.level, 10)),
            unit=noun(gate.unit),
            tests=listed(sorted({decision.test for decision in tested})),
        )
    rules_tested = sum(any(decision in tested for decision in (d, d.with_empties)) for d in gate.decisions)
    if rules_tested > 1:
        yield say(
            "If all {n} rules are only just kept, independent ones fail falsely {share} of the time.",
            n=rules_tested,
            share=percent(1 - gate.level**rules_tested),
        )
    if n_equal:
        yield say("No question differs, so that no test is made: {rules}.", rules=count(n_equal, "rule"))
    if n_observed:
        yield say("Decided by the number observed, without a test: {rules}.", rules=count(n_observed, "rule"))
    yield of_intervals((str(d.rule.metric), d.interval_method) for d in decisions)
