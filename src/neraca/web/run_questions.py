"""One question in several runs, read from where its lines begin, so that large runs need not be read whole."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
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
#: Runs whose places of lines are kept in memory.
KEPT = 8


class Lines(NamedTuple):
    """Id of each question → where its lines begin in the files of a run; `queries` are (id, words, tags)."""

    items: dict[str, list[int]]
    answers: dict[str, list[int]]
    verdicts: dict[str, list[int]]
    queries: list[tuple[str, str, tuple[str, ...]]]


@lru_cache(maxsize=KEPT)
def _lines(folder: Path, stamp: str) -> Lines:
    """Of a run whose files have this stamp; they are gone through once."""
    run, items = Run(folder), Journal(folder / "items.jsonl", Item)
    queries = [(item.id, item.query, tuple(f"{name}={value}" for name, value in item.tags.items())) for item in items]
    return Lines(
        items.offsets("id"), run.answers_journal.offsets("item"), run.verdicts_journal.offsets("item"), queries
    )


def _opened(index: RunIndex, path: str) -> tuple[Run, Lines]:
    run = index.run(path)
    return run, _lines(run.path, index.entry(path).stamp)


def question_list(index: RunIndex, paths: Sequence[str], words: str, tag: str, page: int) -> dict[str, Any]:
    """What the list of the questions of these runs is filled from: those with this tag and all these words."""
    asked, queries = words.casefold().split(), _opened(index, paths[0])[1].queries
    found = [
        (name, query)
        for name, query, tags in queries
        if (not tag or tag in tags) and (name == words or all(word in query.casefold() for word in asked))
    ]
    counts = Counter(one for _, _, tags in queries for one in tags)
    start = max(0, page - 1) * PER_PAGE
    shown = [
        (f"/question?{_selection(paths)}&{urlencode({'item': name})}", name, query)
        for name, query in found[start : start + PER_PAGE]
    ]
    chosen = {name: value for name, value in (("q", words), ("tag", tag), ("page", str(max(1, page) + 1))) if value}
    later = f"/questions?{_selection(paths)}&{urlencode(chosen)}" if start + PER_PAGE < len(found) else ""
    return {
        "runs": paths,
        "q": words,
        "tag": tag,
        "tags": counts.most_common(TAGS) if len(counts) > 1 else [],
        "questions": shown,
        "total": len(found),
        "later": later,
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
        run, lines = _opened(index, path)
        if item is None:
            places = lines.items.get(name)
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
