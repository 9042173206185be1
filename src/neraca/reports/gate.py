"""The decision of a gate for people and for build servers: sentences, a table, Markdown and JUnit XML."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from xml.etree import ElementTree

from neraca.comparisons.gate_decision import FAIL, INCOMPLETE, PASS, UNDECIDED, Decision, Gate
from neraca.comparisons.gate_rule import OBSERVED
from neraca.number_format import DASH, about, number, p_value, percent, percent_level, signed, span
from neraca.reports.blocks.block import Document, Heading, Sentences
from neraca.reports.blocks.corrected import of_rule
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line
from neraca.reports.formats.markdown import draw
from neraca.reports.sentences.interval_words import of_intervals
from neraca.reports.sentences.parts import p_is
from neraca.reports.sentences.unit import noun, nouns, observations, too_few
from neraca.result import Table
from neraca.scores.unit import few
from neraca.stats.intervals.fewest import FEWEST_IN_RANGE

#: Means that differ by no more than this are equal.
_SAME = 1e-9
#: What no XML file may hold, whatever `visible` left.
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def headline(gate: Gate, strict: bool = False) -> str:
    """Say in a sentence what all rules decide together."""
    what = f"{line(gate.run)} against {line(gate.baseline)}" if gate.baseline else line(gate.run)
    rules = count(len(gate.decisions), "rule")
    if gate.outcome == PASS:
        return f"{what}: the gate passes; {len(gate.decisions)} of {rules} hold{'s' * (len(gate.decisions) == 1)}."
    if gate.outcome == FAIL:
        broken = [decision for decision in gate.decisions if decision.outcome == FAIL]
        shown = "broken" if any(decision.rule.observed for decision in broken) else "shown to be broken"
        return f"{what}: the gate fails; {len(broken)} of {rules} {'is' if len(broken) == 1 else 'are'} {shown}."
    if gate.outcome == INCOMPLETE:
        return f"{what}: the gate cannot decide; {_incomplete(gate)}."
    undecided = sum(decision.outcome == UNDECIDED for decision in gate.decisions)
    end = "what is undecided does not pass (strict)" if strict else "none is shown to be broken"
    return f"{what}: the gate is undecided; too little is known for {undecided} of {rules}, and {end}."


def _incomplete(gate: Gate) -> str:
    if gate.lacking:
        lacking = [f"{line(run)} has no answer to {count(n, 'question')}" for run, n in gate.lacking.items()]
        return f"{listed(lacking)} (ask them again)"
    incomplete = sum(decision.outcome == INCOMPLETE for decision in gate.decisions)
    return f"nothing can be said of {incomplete} of {count(len(gate.decisions), 'rule')}"


def table(gate: Gate) -> Table:
    """Return the rules with their outcomes, a row for each."""
    alpha = 1 - gate.level
    relative = [gate.baseline] if gate.baseline else []
    columns = ["rule", "outcome", *(line(name, 40) for name in (gate.run, *relative))]
    columns += ["difference"] if relative else []
    columns += [f"{_percent(1 - 2 * alpha)} interval", "p", "p of the opposite", "n", "needed"]
    each = [one for d in gate.decisions for one in (d, d.with_empties) if one is not None]
    rows = [
        [
            str(d.rule),
            f"{d.outcome} (no question differs)" if d.by_equality and d.outcome == PASS else d.outcome,
            number(d.value),
            *([number(d.baseline), signed(d.difference)] if relative else []),
            span(d.low, d.high) or DASH,
            p_value(d.p, alpha),
            p_value(d.p_fail, alpha),
            f"{d.n:,}{f' ({d.unscored:,} unscored)' if d.unscored else ''}",
            DASH if d.needed is None else about(d.needed),
        ]
        for d in each
    ]
    return Table(columns, rows, name="rules")


def sentences(gate: Gate) -> list[str]:
    """Say why each rule was decided as it was."""
    return [f"{line(str(decision.rule))}: {decision.outcome}. {why(gate, decision)}" for decision in gate.decisions]


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
    return f"{with_empties} Without them: {alone}"


def _with_empties(gate: Gate, d: Decision, again: Decision) -> str:
    """Describe the decision if a right empty answer of one run and junk of the other both count."""
    happened = "rightly returned nothing and the other returned junk"
    if d.rule.metric.empty == "skip":
        happened = "returned nothing and the other is scored"
    return (
        f"On {count(d.settled, 'question')} one run {happened}. With "
        f"{line(str(again.rule.metric))}, which counts them ({number(again.value)} for {line(gate.run)} and "
        f"{number(again.baseline)} for {line(gate.baseline)}): {again.outcome}. {_why(gate, again)}"
    )


def _why(gate: Gate, d: Decision) -> str:
    alpha, what = 1 - gate.level, f"{line(str(d.rule.metric))} of {line(gate.run)}"
    if not d.n:
        both = " in both runs" if d.rule.relative else ""
        return f"Nothing can be said of {what}: no question is scored{both}."
    if d.outcome == INCOMPLETE:
        return f"Nothing can be said: {d.rule.metric} is not defined over the {count(d.n, 'scored question')}."
    if d.rule.observed:
        return _observed(gate, d, what)
    holds, broken = _side(gate, d, d.rule.sign), _side(gate, d, -d.rule.sign)
    if d.outcome == FAIL:
        return f"{what} is shown to be {broken} ({p_is(d.p_fail, gate.level)})."
    if d.outcome == PASS and d.p <= alpha:
        return f"{what} is shown to be {holds} ({p_is(d.p, gate.level)})."
    if d.same and not d.lost and (d.outcome == PASS or not d.rule.allows(0.0)):
        return _same(gate, d, alpha)
    if d.p <= alpha:
        where = f"Over the questions scored{' in both' if d.rule.relative else ''}"
        shown = f"{where}, {what} is shown to be {holds} ({p_is(d.p, gate.level)})"
        return f"{shown}, but no longer if those that are scored in {line(gate.baseline)} alone count as the worst."
    return f"It cannot be told whether {what} is {holds}: {_undecided(gate, d)}."


def _observed(gate: Gate, d: Decision, what: str) -> str:
    """Say on which side of the bound the number is, and that it says nothing about other questions."""
    amount = signed(d.difference) if d.rule.relative else number(d.value)
    amount = f"differs from that of {line(gate.baseline)} by {amount}" if d.rule.relative else f"is {amount}"
    seen = f"{what} {amount} on these questions"
    if d.outcome == UNDECIDED:
        return (
            f"{seen}, but the questions that are scored in {line(gate.baseline)} alone can turn this. No test is made."
        )
    side = "within" if d.outcome == PASS else "beyond"
    return f"{seen}, {side} the bound of {_exact(d.rule.bound)}; observed, without a test: it may be chance."


def _side(gate: Gate, d: Decision, sign: int) -> str:
    """Say that the value is more (sign 1) or less (-1) than the bound."""
    bound, size = d.rule.bound, _exact(abs(d.rule.bound))
    side = "above" if sign > 0 else "below"
    if not d.rule.relative:
        return f"{side} {_exact(bound)}"
    whose = f"that of {line(gate.baseline)}"
    if bound == 0:
        return f"{side} {whose}"
    if (bound > 0) == (sign > 0):
        return f"more than {size} {side} {whose}"
    return f"no more than {size} {'above' if sign < 0 else 'below'} {whose}"


def _exact(bound: float) -> str:
    """A bound with all its digits, because it is no estimate."""
    return f"{bound:.15g}".replace("-", "−")


def _same(gate: Gate, d: Decision, alpha: float) -> str:
    """No question differs: that shows little of the questions that were not asked."""
    groups, what = (d.n, "questions") if d.sessions == d.n else (d.sessions, nouns(gate.unit))
    share = 1 - alpha ** (1 / groups)
    same = f"Equal on all {count(d.n, 'question')}" if d.n > 1 else "Equal on the one question"
    if not d.rule.allows(0.0):
        return f"{same}, and the rule demands a difference."
    if d.copy:
        return f"{same}: what was scored is the same in both runs, so that no question can tell them apart."
    most = f"{100 * share:.2g} %" if share < 0.995 else "nearly all"
    return f"{same}; that up to {most} of other {what} differ is not ruled out ({percent_level(1 - alpha)})."


def _undecided(gate: Gate, d: Decision) -> str:
    level = gate.level
    if d.correction and d.correction.why:
        return "people's labels do not correct what the judge says"
    if math.isnan(d.p) and d.n < FEWEST_IN_RANGE:
        rests = f"it rests on {count(d.n, 'question')}, and a rule is tested on at least {FEWEST_IN_RANGE}"
        return f"{rests} (write {OBSERVED} after it to decide by the number alone)"
    if math.isnan(d.p) and few(d.sessions, d.n):
        return f"{too_few(gate.unit, d.sessions, d.n)} (--unit question takes each question as one observation)"
    if math.isnan(d.p):
        groups = observations(gate.unit, d.sessions)
        return f"{count(d.n, 'question')} in {groups} do not show what is chance"
    if abs(d.lead) <= 1e-12:
        return f"what was seen is exactly at the bound ({p_is(d.p, level)})"
    speaks, outcome, p = ("for", "passes", d.p) if d.lead > 0 else ("against", "fails", d.p_fail)
    unsure = f"what was seen speaks {speaks} it, but may be chance ({p_is(p, level)})"
    if d.needed is None:
        return unsure
    decided = f"if they go as these did, the rule then {outcome} 4 times of 5"
    return f"{unsure}; to decide takes about {about(d.needed)} questions instead of {d.n:,} ({decided})"


def _left_out(gate: Gate, d: Decision) -> str:
    """Say which questions do not count, and why."""
    if not d.unscored:
        return ""
    both = " in both" if d.rule.relative else ""
    reason = f" (mostly: {line(d.why_unscored)})" if d.why_unscored else ""
    lost = f"; {d.lost:,} of them {'is' if d.lost == 1 else 'are'} scored in {line(gate.baseline)}" if d.lost else ""
    return f" Left out: {count(d.unscored, 'question')} not scored{both}{reason}{lost}.{_alone(gate, d)}"


def _alone(gate: Gate, d: Decision) -> str:
    """The value of each run over its own questions, where it is another one than over those scored in both."""
    sides = [(gate.run, d.value, d.value_alone), (gate.baseline, d.baseline, d.baseline_alone)]
    differ = [(run, alone) for run, value, alone in sides if abs(value - alone) > _SAME]
    if not differ:
        return ""
    values = listed([f"{number(alone)} for {line(run)}" for run, alone in differ])
    return f" Over all questions scored in one run, {line(str(d.rule.metric))} is {values}."


def method(gate: Gate) -> str:
    """Say in a line how it was tested."""
    rules = [each for d in gate.decisions for each in (d, d.with_empties) if each is not None]
    tested = [decision for decision in rules if not (decision.rule.observed or decision.by_equality)]
    untested = sum(decision.rule.observed for decision in gate.decisions)
    equal = sum(decision.by_equality for decision in gate.decisions)
    observed = f"Decided by the number observed, without a test: {count(untested, 'rule')}." if untested else ""
    if equal:
        observed = f"No question differs, so that no test is made: {count(equal, 'rule')}. {observed}".strip()
    intervals = of_intervals((str(d.rule.metric), d.interval_method) for d in rules)
    observed = f"{observed} {intervals}".strip()
    if not tested:
        return observed
    tests = listed(sorted({decision.test for decision in tested}))
    how = (
        f"One-sided tests at {_percent(1 - gate.level)}, by {noun(gate.unit)}: {tests}. p is of the rule and of its "
        "opposite, each at its own level: no rule shields another."
    )
    if len(tested) > 1:
        alarm = percent(1 - gate.level ** len(tested))
        how += f" If all {len(tested)} rules are only just kept, independent ones fail falsely {alarm} of the time."
    return f"{how} {observed}".strip()


def _percent(share: float) -> str:
    return percent_level(round(share, 10))


def gate_document(gate: Gate, strict: bool = False) -> Document:
    """Make the blocks of a gate's report: the decision, the rules, and why each was decided so."""
    blocks = (Sentences((headline(gate, strict),), "lead"), table(gate), Sentences(sentences(gate)))
    return Document(f"Gate: {gate.outcome}", (*blocks, Sentences((method(gate),), "words")))


def to_markdown(gate: Gate, strict: bool = False) -> str:
    """Write the decision as a part of a larger Markdown file, such as a pull request's summary."""
    document = gate_document(gate, strict)
    return draw((Heading(document.title), *document.blocks))


def to_junit(gate: Gate, strict: bool = False) -> str:
    """The decision as JUnit XML: a test case for each rule, and one for missing answers.

    A broken rule is a failure, an undecided one is skipped (with `strict` a failure), and an incomplete one an error.
    """
    cases = [(str(d.rule), d.outcome, why(gate, d)) for d in gate.decisions]
    if gate.lacking:
        cases.append(("every question has an answer", INCOMPLETE, _incomplete(gate)))
    tags = {FAIL: "failure", INCOMPLETE: "error", UNDECIDED: "failure" if strict else "skipped"}
    case_tags = [tags.get(outcome, "") for _, outcome, _ in cases]
    counts = {
        f"{tag}s" if tag != "skipped" else tag: str(case_tags.count(tag)) for tag in ("failure", "error", "skipped")
    }
    name = _xml(f"neraca gate: {gate.run}{f' against {gate.baseline}' if gate.baseline else ''}")
    counted = {"name": name, "tests": str(len(cases)), **counts, "time": "0"}
    root = ElementTree.Element("testsuites", counted)
    suite = ElementTree.SubElement(root, "testsuite", counted)
    for (rule, outcome, words), tag in zip(cases, case_tags, strict=True):
        case = ElementTree.SubElement(suite, "testcase", {"classname": "neraca.gate", "name": _xml(rule), "time": "0"})
        if tag:
            kind = {} if tag == "skipped" else {"type": outcome}
            ElementTree.SubElement(case, tag, {"message": _xml(words), **kind})
        else:
            ElementTree.SubElement(case, "system-out").text = _xml(words)
    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", line(text, 2000))
