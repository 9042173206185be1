"""One question in several runs, read from where its lines begin, so that large runs need not be read whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from neraca.errors import InputError
from neraca.files import Journal
from neraca.records import Answer, Item, Verdict
from neraca.reports.explorer import word_changes
from neraca.runs.run import Run, content_of
from neraca.runs.verdict_table import VerdictTable
from neraca.web.run_index import RunIndex

PER_PAGE = 50
#: So many tags can be chosen, the most frequent ones.
TAGS = 100
_AHEAD = ThreadPoolExecutor(1, "lines")
#: Runs whose places of lines are kept in memory.
KEPT = 8


class Listed(NamedTuple):
    """A question in the list; its tags are written `category=hats`."""

    id: str
    query: str
    tags: tuple[str, ...]


class Lines(NamedTuple):
    """Id of each question → where its lines begin in the files of a run."""

    answers: dict[str, list[int]]
    verdicts: dict[str, list[int]]


# Each goes once through a file of a run whose files have this stamp.


@lru_cache(maxsize=KEPT)
def _lines(folder: Path, stamp: str) -> Lines:
    run = Run(folder)
    return Lines(run.answers_journal.offsets("item"), run.verdicts_journal.offsets("item"))


@lru_cache(maxsize=KEPT)
def _items(folder: Path, stamp: str) -> dict[str, list[int]]:
    return Journal(folder / "items.jsonl", Item).offsets("id")


@lru_cache(maxsize=KEPT)
def _queries(folder: Path, stamp: str) -> list[Listed]:
    items = Journal(folder / "items.jsonl", Item)
    return [
        Listed(item.id, item.query, tuple(f"{name}={value}" for name, value in item.tags.items())) for item in items
    ]


def questions_found(index: RunIndex, paths: Sequence[str], words: str, tag: str = "") -> list[Listed]:
    """The questions of these runs that hold all these words and have this tag, in the order of the first run."""
    asked = words.casefold().split()
    return [
        one
        for one in _queries(index.run(paths[0]).path, index.entry(paths[0]).stamp)
        if (not tag or tag in one.tags) and (one.id == words or all(word in one.query.casefold() for word in asked))
    ]


def question_list(index: RunIndex, paths: Sequence[str], words: str, tag: str, page: int) -> dict[str, Any]:
    """What the list of the questions of these runs is filled from; see `questions_found`."""
    for path in paths:  # whoever sees the list opens one of its questions next
        _AHEAD.submit(_lines, index.run(path).path, index.entry(path).stamp)
    found, known = questions_found(index, paths, words, tag), questions_found(index, paths, "")
    counts = Counter(name for one in known for name in one.tags)
    start = max(0, page - 1) * PER_PAGE
    shown = [
        (f"/question?{_selection(paths)}&{urlencode({'item': one.id})}", one.id, one.query)
        for one in found[start : start + PER_PAGE]
    ]
    asked = f"{_selection(paths)}&{urlencode({'q': words, 'tag': tag})}"
    return {
        "runs": paths,
        "q": words,
        "tag": tag,
        "tags": counts.most_common(TAGS) if len(counts) > 1 else [],
        "questions": shown,
        "total": len(found),
        "export": f"/questions.csv?{asked}",
        "later": f"/questions?{asked}&page={max(1, page) + 1}" if start + PER_PAGE < len(found) else "",
        "report": f"/report?{_selection(paths)}",
    }


def question_view(index: RunIndex, paths: Sequence[str], name: str) -> dict[str, Any]:
    """What the page of one question is filled from: each answer as it differs from the first, and its verdicts.

    Raises
    ------
    InputError
        When the first run has no such question.
    """
    sides: list[tuple[str, Answer, list[tuple[str, str]], list[Verdict]]] = []
    lacking, item = [], None
    for path in paths:
        run, stamp = index.run(path), index.entry(path).stamp
        lines = _lines(run.path, stamp)
        if item is None:
            places = _items(run.path, stamp).get(name)
            if not places:
                raise InputError(f"{run.name} has no question {name!r}")
            item = Journal(run.path / "items.jsonl", Item).at(places)[0]
        newest = {answer.trial: answer for answer in run.answers_journal.at(lines.answers.get(name, ()))}
        said = run.verdicts_journal.at(lines.verdicts.get(name, ()))
        verdicts = list(VerdictTable.made(said).newest())
        for trial, answer in sorted(newest.items()):
            parts = word_changes(sides[0][1].text if sides else answer.text, answer.text)
            sides.append((run.name, answer, parts, [v for v in verdicts if v.trial == trial and _holds(v, answer)]))
        if not newest:
            lacking.append(run.name)
    return {"item": item, "sides": sides, "lacking": lacking, "back": f"/questions?{_selection(paths)}"}


def _holds(verdict: Verdict, answer: Answer) -> bool:
    return verdict.status != "withdrawn" and verdict.of in ("", content_of(answer))


def _selection(paths: Sequence[str]) -> str:
    return urlencode([("run", path) for path in paths])
