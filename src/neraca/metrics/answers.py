"""A run's answers as a scorable, with columns from the items, the answers and the verdicts on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np
from msgspec.structs import replace

from neraca.datasets.expectations import expectation_columns, read_expectations
from neraca.errors import SpecError
from neraca.languages import code_of
from neraca.metrics.ranking.graded import GradedHits, KnownGrades
from neraca.metrics.ranking.subtopics import first_hits, judged_subtopics
from neraca.metrics.scorable import Scorable
from neraca.records import FAILED, LEFT_OUT, Answer, Item, Verdict
from neraca.runs.stored_records import ReadLater
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.relevance import Relevance


def scorable_of_answers(
    items: Sequence[Item],
    answers: Sequence[Answer],
    verdicts: Iterable[Verdict] = (),
    *,
    relevance: Relevance | None = None,
    by: str = "",
    name: str = "run",
    more: Mapping[str, Callable[[], Any]] | None = None,
) -> Scorable:
    """Return the scorable of a run's answers.

    Parameters
    ----------
    items, answers
        Equally many: the item of each answer.  Trials of one item follow each other.
    verdicts
        Verdicts on these answers, oldest first; best as a `VerdictTable`.
    relevance
        The relevance, pooled over the runs that are scored together; None: from these items and verdicts alone.
    by
        The source whose verdicts count; "": the first source with a verdict.
    name
        The name of the run.
    more
        Further columns.
    """
    pooled = relevance or Relevance.of({item.id: item for item in items}.values(), [verdicts])
    judged: dict[str, Callable[[], Any]] = {
        "verdicts": lambda: AnswerVerdicts.of(verdicts, part.column("ids"), part.column("trial"), by),
        "subtopics": lambda: judged_subtopics(part.column("verdicts"), part.column("ids")),
        "subtopic_hits": lambda: [
            list(first_hits(hits, pooled or {}))
            for hits, pooled in zip(part.column("hits"), part.column("subtopics"), strict=True)
        ],
        "grades": lambda: GradedHits.of(
            part.column("hits"), (pooled.grades.get(name) or {} for name in part.column("ids"))
        ),
        "known": lambda: _known_grades(part, pooled),
    }
    part: Scorable = Scorable(
        name,
        len(answers),
        {**_question_columns(items), **_answer_columns(answers), **(more or {}), **judged},
        reasons={
            "": lambda: [LEFT_OUT.get(status, "") for status in part.column("status")],
            "references": lambda: ["" if any(map(str.strip, item.references)) else NO_REFERENCE for item in items],
            "hits": lambda: part.column("unknown_hits"),
            "grades": lambda: _why_no_grades(part, pooled),
        },
    )
    return part


NO_REFERENCE = "the item has no reference"


def _why_no_grades(part: Scorable, relevance: Relevance) -> list[str]:
    """Return for each answer why the relevance of its hits is unknown, or ""."""
    rows = zip(
        part.column("ids"),
        part.column("expects"),
        part.column("grades").returned.tolist(),
        part.column("unknown_hits"),
        strict=True,
    )
    return [
        unknown or ("" if name in relevance.grades else _unjudged(part, row, expected, hits, relevance))
        for row, (name, expected, hits, unknown) in enumerate(rows)
    ]


def _known_grades(part: Scorable, relevance: Relevance) -> KnownGrades:
    """Return the grades of all judged documents; runs that answered the same questions share one copy."""
    ids = tuple(part.column("ids"))
    return part.group.once(
        (KnownGrades, id(relevance), ids), partial(KnownGrades.of, relevance.grades.of(ids), relevance.top)
    )


def _question_columns(items: Sequence[Item]) -> dict[str, Callable[[], Any]]:
    """Return the columns of items; one pass reads the fields that nearly every metric needs."""

    @cache
    def brief() -> tuple[list[str], list[str]]:
        expects, languages = [], []
        for item in items:
            expects.append(item.expected)
            languages.append(item.tags.get("language", ""))
        return expects, languages

    return {
        "items": lambda: items,
        "ids": lambda: [item.id for item in items],
        "expects": lambda: np.array(brief()[0], dtype=np.str_),
        "language": lambda: _languages(items, brief()[1]),
        "query": lambda: [item.query for item in items],
        "references": lambda: [item.references for item in items],
        "constraints": lambda: _constraints(items),
        "expected_calls": lambda: [item.expected_calls for item in items],
        "expectations": lambda: [read_expectations(item.extra) if item.extra else () for item in items],
        "available": lambda: _available(items),
    }


def _constraints(items: Iterable[Item]) -> list[tuple[str, ...]]:
    """Return the names of each item's constraints; equal tuples are one object."""
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}
    return [shared.setdefault(names, names) for names in (tuple(item.constraints) for item in items)]


def _answer_columns(answers: Sequence[Answer]) -> dict[str, Callable[[], Any]]:
    """Return the columns of answers; one pass reads the fields that nearly every metric needs."""

    @cache
    def brief() -> tuple[list[str], list[int], list[str]]:
        statuses: list[str] = []
        trials: list[int] = []
        unknown: list[str] = []
        for answer in answers:
            statuses.append(answer.status)
            trials.append(answer.trial)
            unknown.append(answer.unknown_hits and (answer.unknown_hits if answer.replied else ""))
        return statuses, trials, unknown

    return {
        "answers": lambda: answers,
        "counted_answers": lambda: [
            answer if answer.replied else replace(answer, text="", hits=()) for answer in answers
        ],
        "status": lambda: brief()[0],
        "failed": lambda: np.array([status in FAILED for status in brief()[0]], dtype=bool),
        "trial": lambda: np.array(brief()[1], dtype=np.int64),
        "hits": lambda: ReadLater(answers, _hits),
        "unknown_hits": lambda: brief()[2],
        "response": lambda: [answer.text if answer.replied else "" for answer in answers],
        "contexts": lambda: ReadLater(answers, _contexts),
        "calls": lambda: [answer.calls if answer.replied else () for answer in answers],
    }


def _hits(answer: Answer) -> list[str]:
    return [hit.id for hit in answer.hits] if answer.replied else []


def _contexts(answer: Answer) -> list[str]:
    return [hit.text for hit in answer.hits]


def _undecided(part: Scorable, row: int, relevance: Relevance) -> bool:
    """Return whether people disagree on a hit of this answer."""
    undecided = relevance.undecided_hits.get(part.column("ids")[row], frozenset())
    return bool(undecided) and not undecided.isdisjoint(part.column("hits")[row])


def _unjudged(part: Scorable, row: int, expected: str, hits: int, relevance: Relevance) -> str:
    """Return why the relevance of an answer's hits is unknown, or ""."""
    undecided = _undecided(part, row, relevance)
    if not expected:
        if undecided:
            return "people disagree on its hits, which stay undecided, and what it expects is not said"
        if part.column("items")[row].relevant:
            return "nobody judged its hits (each grade is -1), and what it expects is not said"
        return "nobody judged its hits, and what it expects is not said"
    if expected != "results" or not hits:
        return ""
    return "people disagree on its hits, which stay undecided" if undecided else "nobody judged its hits"


def _languages(items: Sequence[Item], tags: Sequence[str]) -> list[str]:
    codes: dict[str, str] = {"": ""}
    for row, tag in enumerate(tags):
        if tag not in codes:
            try:
                codes[tag] = code_of(tag)
            except SpecError as error:
                raise SpecError(f"item {items[row].id!r}, tag language: {error}") from error
    return [codes[tag] for tag in tags]


def _available(items: Iterable[Item]) -> frozenset[str]:
    """Return those columns for default metrics that have content."""
    available: set[str] = set()
    for item in items:
        if item.references:
            available.add("references")
        if item.judged or item.constraints:
            available.add("grades")
        if item.expects:
            available.add("expects")
        if item.extra and expectation_columns(item.extra):
            available.add("expectations")
        if item.expected_calls is not None:
            available.add("expected_calls")
    return frozenset(available)
