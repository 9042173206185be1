"""A run's answers as a scorable: the columns that items, answers and the verdicts on them give."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from neraca.errors import SpecError
from neraca.languages import code_of
from neraca.metrics.ranking.graded import GradedHits, KnownGrades
from neraca.metrics.ranking.subtopics import first_hits, judged_subtopics
from neraca.metrics.scorable import Scorable
from neraca.records import Answer, Item, Verdict
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.relevance import Relevance

Pairs = Sequence[tuple[Item, Answer]]
SUSPECT = "suspect: the answer may not be whole"


def scorable_of_answers(
    pairs: Pairs,
    verdicts: Iterable[Verdict] = (),
    *,
    relevance: Relevance | None = None,
    by: str = "",
    name: str = "run",
    more: Mapping[str, Callable[[], Any]] | None = None,
) -> Scorable:
    """Answers beside their items, and the verdicts on them.

    Parameters
    ----------
    pairs
        Each answer with its item; several trials of one item stand one after the other.
    verdicts
        On these answers, in the order in which they were given; best as `VerdictTable`.
    relevance
        What is relevant, pooled over the runs that are scored together; None: by these items and verdicts alone.
    by
        Whose verdicts count; "": the first source that has an opinion.
    name
        Of the run.
    more
        Further columns.
    """
    items, answers = [item for item, _ in pairs], [answer for _, answer in pairs]
    known = relevance or Relevance.of({item.id: item for item in items}.values(), [verdicts])
    judged: dict[str, Callable[[], Any]] = {
        "verdicts": lambda: AnswerVerdicts.of(verdicts, answers, by),
        "subtopics": lambda: judged_subtopics(part.column("verdicts"), [item.id for item in items]),
        "subtopic_hits": lambda: [
            list(first_hits(hits, known or {}))
            for hits, known in zip(part.column("hits"), part.column("subtopics"), strict=True)
        ],
        "grades": lambda: GradedHits.of(part.column("hits"), [known.grades.get(item.id) or {} for item in items]),
        "known": lambda: KnownGrades.of([(known.grades.get(item.id) or {}).values() for item in items], known.top),
    }
    part: Scorable = Scorable(
        name,
        len(pairs),
        {**_asked_and_answered(items, answers), **(more or {}), **judged},
        reasons={
            "": lambda: [SUSPECT if answer.status == "suspect" else "" for answer in answers],
            "references": lambda: ["" if any(map(str.strip, item.references)) else NO_REFERENCE for item in items],
            "grades": lambda: [
                _unjudged(item, hits, known) for item, hits in zip(items, part.column("hits"), strict=True)
            ],
        },
    )
    return part


NO_REFERENCE = "the item has no reference"


def _asked_and_answered(items: Sequence[Item], answers: Sequence[Answer]) -> dict[str, Callable[[], Any]]:
    """Return the columns that items and answers give without a verdict."""
    return {
        "items": lambda: items,
        "answers": lambda: answers,
        "counted_answers": lambda: [replace(one, text="", hits=()) if one.failed else one for one in answers],
        "ids": lambda: [item.id for item in items],
        "failed": lambda: np.array([answer.failed for answer in answers], dtype=bool),
        "expects": lambda: np.array([item.expected for item in items], dtype=np.str_),
        "language": lambda: _languages(items),
        "query": lambda: [item.query for item in items],
        "response": lambda: ["" if answer.failed else answer.text for answer in answers],
        "references": lambda: [item.references for item in items],
        "contexts": lambda: [[hit.text for hit in answer.hits] for answer in answers],
        "hits": lambda: [[] if answer.failed else [hit.id for hit in answer.hits] for answer in answers],
        "constraints": lambda: [tuple(item.constraints) for item in items],
        "expected_calls": lambda: [item.expected_calls for item in items],
        "calls": lambda: [() if answer.failed else answer.calls for answer in answers],
        "available": lambda: _available(items),
    }


def _unjudged(item: Item, hits: Sequence[str], relevance: Relevance) -> str:
    """Return why nobody can say whether the hits of an answer are relevant, or ""."""
    if item.id in relevance.grades:
        return ""
    if not item.expected:
        return "nobody judged its hits, and what it expects is not said"
    return "nobody judged its hits" if item.expected == "results" and hits else ""


def _languages(items: Iterable[Item]) -> list[str]:
    codes: dict[str, str] = {"": ""}
    language_of_item = []
    for item in items:
        tag = item.tags.get("language", "")
        if tag not in codes:
            try:
                codes[tag] = code_of(tag)
            except SpecError as error:
                raise SpecError(f"item {item.id!r}, tag language: {error}") from error
        language_of_item.append(codes[tag])
    return language_of_item


def _available(items: Sequence[Item]) -> frozenset[str]:
    """Return which of the columns that default metrics need hold something."""
    holds = {
        "references": any(item.references for item in items),
        "grades": any(item.relevant is not None or item.constraints or item.expects for item in items),
        "expected_calls": any(item.expected_calls for item in items),
    }
    return frozenset(name for name, there in holds.items() if there)
