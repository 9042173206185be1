"""Make the report of a gate: the decision, how far each rule is from its bound, the rules as a table, the reasons."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from neraca.comparisons.gate_decision import FAIL, PASS, Decision, Gate
from neraca.number_format import DASH, about, integer, number, p_value, percent_level, signed, span
from neraca.reports.blocks.block import Block, Cell, Document, Figure, Heading, Sentences
from neraca.reports.figures.forest import Line, forest
from neraca.reports.formats.markdown import draw
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.gate import headline, method, rule_sentences, why
from neraca.reports.sentences.gate_untested import untested
from neraca.reports.sentences.notes import notes
from neraca.result import Table
from neraca.translation import say, say_all, written_in

#: How to read the figure.
FIGURE = "Left of zero a rule is broken. In colour: rules that are decided."

#: A longer name of a run is no heading of a column; the first sentence has both names.
_LONGEST = 24


def gate_document(gate: Gate, strict: bool = False, language: str = "en", *, cautions: bool = True) -> Document:
    """Make the blocks of a gate's report.

    Parameters
    ----------
    gate, strict
        The decisions, and whether an undecided rule fails.
    language
        The language of the report, one of `translation.LANGUAGES`.
    cautions
        Whether the cautions on the scores are a part of it; a command that prints them elsewhere leaves them out.

    Raises
    ------
    SpecError
        If the language is unknown.
    """
    with written_in(language):
        title = say("Gate: {outcome}", outcome=say(gate.outcome))
        facts = {"outcome": gate.outcome, "exit_code": gate.exit_code(strict), "why": headline(gate, strict)}
        facts |= {"strict": strict, "run": gate.run, "baseline": gate.baseline, "level": gate.level}
        return Document(title, tuple(_blocks(gate, strict, cautions)), language, {"rules": rows(gate)}, facts)


def rows(gate: Gate) -> list[dict[str, Any]]:
    """Return a row for each rule, with unrounded numbers, and `why`: the reason in words."""
    return [row | {"why": why(gate, decision)} for row, decision in zip(gate.rows(), gate.decisions, strict=True)]


def cautions_of(gate: Gate) -> list[str]:
    """Return the cautions on the scores that the rules were held against, such as unjudged documents."""
    return [] if gate.scores is None else [*notes(gate.scores)]


def _blocks(gate: Gate, strict: bool, cautions: bool) -> Iterator[Block]:
    yield Sentences((headline(gate, strict),), "lead")
    if cautions and (sentences := cautions_of(gate)):
        yield Sentences(sentences, title=say("Before you trust it"))
    yield from _figures(gate)
    yield Heading(say("Rules"), "rules", say("Rules"))
    yield table(gate)
    yield Heading(say("Why each rule was decided so"), "reasons", say("Reasons"))
    yield Sentences(rule_sentences(gate))
    if not_tested := untested(gate):
        yield Heading(say("What was not tested, and what to do"), "untested", say("Not tested"))
        yield Sentences(not_tested)
    yield Heading(say("How it was tested"), "method", say("Method"))
    yield Sentences((method(gate),), "words")


def table(gate: Gate) -> Table:
    """Return the rules with their outcomes: a row for each decision, also for those with right empty answers."""
    alpha = 1 - gate.level
    runs = [line(name) for name in (gate.run, gate.baseline) if name]
    names = runs if max(map(len, runs)) <= _LONGEST else say_all("value", "baseline")[: len(runs)]
    columns = [*say_all("rule", "outcome"), *names, *(say_all("difference") if gate.baseline else ())]
    columns += [say("{level} interval", level=_interval_level(gate)), *say_all("p", "p of the opposite", "n", "needed")]
    rows = [
        [
            str(d.rule),
            Cell(say(d.outcome), _equality_note(d), bold=d.outcome == FAIL),
            number(d.value),
            *([number(d.baseline), signed(d.difference)] if gate.baseline else []),
            span(d.low, d.high) or DASH,
            p_value(d.p, alpha),
            p_value(d.p_fail, alpha),
            Cell(integer(d.n), say("{n:,} unscored", n=d.unscored) if d.unscored else ""),
            DASH if d.needed is None else about(d.needed),
        ]
        for d in _with_rechecks(gate)
    ]
    return Table(columns, rows, names=2, name="rules")


def _equality_note(d: Decision) -> str:
    return say("no question differs") if d.by_equality and d.outcome == PASS else ""


def _with_rechecks(gate: Gate) -> Iterator[Decision]:
    """Yield each decision; if the rule was also tested with right empty answers, yield that decision after it."""
    for d in gate.decisions:
        yield d
        if d.with_empties is not None:
            yield d.with_empties


def _interval_level(gate: Gate) -> str:
    """Return the level of the two-sided intervals."""
    return percent_level(round(2 * gate.level - 1, 10))


def _figures(gate: Gate) -> Iterator[Block]:
    """Draw how far each rule is from its bound; metrics with different ranges get separate axes."""
    rules_by_range: dict[object, list[Decision]] = {}
    for d in _with_rechecks(gate):
        if math.isfinite(d.lead):
            limits = d.rule.metric.definition.limits
            rules_by_range.setdefault(limits if all(map(math.isfinite, limits)) else d.rule.metric, []).append(d)
    title = say(
        "Distance of each rule from its bound, with {level} intervals; right of zero it holds",
        level=_interval_level(gate),
    )
    for place, decisions in enumerate(rules_by_range.values(), start=1):
        name = f"rules{place if place > 1 else ''}"
        lines = list(map(_line, decisions))
        svg = forest(name, title, say("Distance from the bound"), lines, (-math.inf, math.inf), zero=True)
        yield Figure(name, title, svg)
    if rules_by_range:
        yield Sentences((say(FIGURE),), "words", only="page")


def _line(d: Decision) -> Line:
    low, high = sorted((bound - d.rule.bound) * d.rule.sign for bound in (d.low, d.high))
    decided = d.outcome in (PASS, FAIL)
    return Line(str(d.rule), d.lead, low, high, f"{signed(d.lead)}, {say(d.outcome)}", decided)


def to_markdown(gate: Gate, strict: bool = False, language: str = "en") -> str:
    """Write the report as a part of a larger Markdown file, such as a pull request's summary."""
    document = gate_document(gate, strict, language)
    parts = [block._replace(level=3) if isinstance(block, Heading) else block for block in document.blocks]
    with written_in(language):
        return draw((Heading(document.title), *parts))
