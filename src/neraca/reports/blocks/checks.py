"""Write the verdicts on an answer and its hits as lines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from neraca.number_format import exact
from neraca.records import Item, Verdict
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.aspect_words import aspect_words
from neraca.reports.sentences.reasons import source_words, verdict_reason
from neraca.runs.preferred import is_of_one_order
from neraca.verdicts.raters import NOTE

_NO_VALUE = {"missing": "missing", "not_applicable": "not applicable"}


@dataclass(frozen=True)
class Check:
    """A verdict in a line: `word` is pass, fail or missing for a constraint, "" for a note, else the value."""

    word: str
    aspect: str
    why: str
    by: str


def checks_by_part(verdicts: Iterable[Verdict], item: Item) -> dict[str, tuple[Check, ...]]:
    """Return the verdicts on an answer and its hits as lines, by the part that they judge."""
    checks: dict[str, list[Check]] = {}
    for verdict in verdicts:
        part, aspect = verdict.about, verdict.aspect
        if is_of_one_order(aspect):  # the same decision stands there without its order
            continue
        hit = part.startswith("hit:")
        word = _word(verdict, hit and aspect in item.constraints)
        why = line(verdict_reason(verdict.by, verdict.why), 160)
        by = "" if verdict.by == "rules" else line(source_words(verdict.by), 40)
        checks.setdefault(part if hit else line(part, 40), []).append(Check(word, aspect_words(aspect, 60), why, by))
    return {name: tuple(lines) for name, lines in checks.items()}


def _word(verdict: Verdict, constraint: bool) -> str:
    """Return pass and fail for a constraint, and "" for a note; other values are written as they are."""
    value = verdict.value
    if verdict.aspect == NOTE:
        return ""
    if value is None:
        return _NO_VALUE.get(verdict.status, "not decided")
    return {0.0: "fail", 1.0: "pass"}.get(value, exact(value)) if constraint else exact(value)
