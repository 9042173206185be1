"""Lines of a rater's table that rate one answer several times: the answer counts once, by the latest of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

from neraca.counts_and_lists import listed
from neraca.people.rating_table import RatedLine
from neraca.translation import say

T = TypeVar("T")
_FROM_GRADES = ("relevant_count", "first_relevant_rank", "overall_precision", "precision_at_5", "mrr", "success")


def merge_repeated(lines: Sequence[RatedLine]) -> tuple[list[RatedLine], list[str], list[str]]:
    """Return the lines with one for each rated answer, notes on merged lines, and contradictions, all in words.

    An answer is known by its opaque id in the column `answer`; lines without one are left as they are.  As on import,
    the latest line counts, and values that contradict each other at the same time are left out.
    """
    lines_of: dict[object, list[RatedLine]] = {}
    for number, line in enumerate(lines):
        answer = line.texts.get("answer")
        lines_of.setdefault((line.texts.get("rater", ""), answer) if answer else number, []).append(line)
    merged: list[RatedLine] = []
    notes: list[str] = []
    problems: list[str] = []
    for several in lines_of.values():
        latest = max(line.texts.get("rated_at", "") for line in several)
        last = [line for line in several if line.texts.get("rated_at", "") == latest]
        merged.append(_merge(last, problems))
        if len(several) > 1:
            template = (
                "{places} rate the same answer; the latest counts"
                if len(last) == 1
                else "{places} rate the same answer; it counts once"
            )
            notes.append(say(template, places=listed([line.place for line in several])))
    return merged, notes, problems


def _merge(lines: Sequence[RatedLine], problems: list[str]) -> RatedLine:
    """Return one line with the values on which the lines agree; add a problem for each on which they do not."""
    first = lines[0]
    names = dict.fromkeys(name for line in lines for name in line.numbers)
    values = {name: _distinct(line.numbers.get(name) for line in lines) for name in names}
    grades = _distinct(line.grades for line in lines)
    empty = _distinct(line.empty or None for line in lines)
    odd = [name for name, several in values.items() if len(several) > 1]
    if len(grades) > 1:
        odd = ["ratings", *(name for name in odd if name not in _FROM_GRADES)]
        values = {name: several for name, several in values.items() if name not in _FROM_GRADES}
    if len(empty) > 1:
        odd.append("notes")
    if odd:
        places = listed([line.place for line in lines])
        problems.append(
            say(
                "{places} contradict each other on the same answer in {columns}; neither is taken. Correct "
                "one of the lines, or leave it out",
                places=places,
                columns=", ".join(odd),
            )
        )
    numbers = {name: several[0] for name, several in values.items() if len(several) == 1}
    texts = {name: text for line in reversed(lines) for name, text in line.texts.items()}
    if len(empty) > 1:
        del texts["notes"]
    return replace(first, numbers=numbers, grades=grades[0] if len(grades) == 1 else None, texts=texts)


def _distinct(values: Iterable[T | None]) -> list[T]:
    return list(dict.fromkeys(value for value in values if value is not None))
