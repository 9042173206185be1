"""The questions of several runs, as a table of questions and systems and one by one."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError
from neraca.journal import Journal
from neraca.number_format import percent_level
from neraca.records import Item
from neraca.web.choices import Choice, Option
from neraca.web.facts_store import FactsStore
from neraca.web.matrix import column_groups, difference_head, difference_text, orders, row_cells, shown_measures
from neraca.web.one_question import shown_answers
from neraca.web.question_facts import LABELS, QuestionFacts
from neraca.web.question_filters import Filters, choices
from neraca.web.question_records import QuestionRecords
from neraca.web.run_index import RunIndex
from neraca.web.table_layout import QUESTION, TAG, Layout

PER_PAGE = 50
#: Number of tags to choose from, the most frequent ones, and of tags that can be columns.
TAGS, TAG_COLUMNS = 100, 12
#: Number of runs whose questions are cached.
CACHED = 4
#: Seconds that a page waits for facts, without and with a filter or an order that needs them.
WAIT, LONG_WAIT = 0.2, 0.7
Indices = NDArray[np.int64]


class QuestionEntry(NamedTuple):
    """A question in the list; a tag has the form `category=hats`."""

    id: str
    query: str
    tags: tuple[str, ...]

    def value_of(self, tag: str) -> str:
        """Return the value of a tag; "" if the question does not have it."""
        return next((text.partition("=")[2] for text in self.tags if text.partition("=")[0] == tag), "")


class Listing(NamedTuple):
    """The questions of a run in file order, and the number of questions with each tag."""

    questions: list[QuestionEntry]
    tags: Counter[str]

    @property
    def tag_names(self) -> list[str]:
        """The names of the tags, the most frequent first."""
        names: Counter[str] = Counter()
        for tag, n in self.tags.items():
            names[tag.partition("=")[0]] += n
        return [name for name, _ in names.most_common(TAG_COLUMNS)]


@lru_cache(maxsize=CACHED)
def _listing(folder: Path, stamp: str) -> Listing:
    """Return the questions of a run; `stamp` identifies the state of its files."""
    items = Journal(folder / "items.jsonl", Item)
    listed = [
        QuestionEntry(item.id, item.query, tuple(f"{name}={value}" for name, value in item.tags.items()))
        for item in items
    ]
    return Listing(listed, Counter(tag for question in listed for tag in question.tags))


def listing_of(index: RunIndex, paths: Sequence[str]) -> Listing:
    """Return the questions of the first of these runs."""
    return _listing(index.run(paths[0]).path, index.entry(paths[0]).stamp)


@dataclass(frozen=True)
class _Request:
    """The content of a link: runs, filters, layout; `facts` are None until the runs are scored."""

    paths: Sequence[str]
    filters: Filters
    layout: Layout
    listing: Listing
    facts: QuestionFacts | None

    def link(self, layout: Layout | None = None, page: int = 0) -> str:
        """Return the address of this table with another layout or page."""
        parts = [selection(self.paths), self.filters.link(), (layout or self.layout).link()]
        return "/questions?" + "&".join([*filter(None, parts), *([f"page={page}"] if page else [])])


class RunQuestions:
    """The questions of the runs of an index.

    Parameters
    ----------
    index
        The index of the runs, which also runs long computations.
    facts
        The facts about their questions.
    """

    def __init__(self, index: RunIndex, facts: FactsStore | None = None) -> None:
        self._index = index
        self._facts = facts or FactsStore(index)
        self._records = QuestionRecords(index)

    def list_view(
        self, paths: Sequence[str], filters: Filters, page: int, layout: Layout | None = None
    ) -> dict[str, Any]:
        """Return the values for the template of the table of questions; see `matching_questions`.

        Facts are computed in the background.  Until they are ready, the page says so and reloads itself.
        """
        layout = layout or Layout()
        by_scores = filters.need_scores or layout.needs_scores
        facts, problem = self._facts.within(paths, LONG_WAIT if by_scores else WAIT, layout.metric)
        if problem and (filters.need_scores or layout.metric):
            raise InputError(problem)
        listing = listing_of(self._index, paths)
        asked = _Request(paths, filters, layout, listing, facts)
        waiting = facts is None and not problem
        hidden = waiting and by_scores
        matches = np.zeros(0, np.int64) if hidden else _matching(asked)
        pages = max(1, math.ceil(len(matches) / PER_PAGE))
        page = min(max(1, page), pages)
        rows = matches[(page - 1) * PER_PAGE : page * PER_PAGE].tolist()
        return {
            **_filter_values(asked),
            **(_table(asked, facts, rows, matches) if facts else _names_only(asked, rows)),
            "runs": paths,
            "asked": filters,
            "layout": layout,
            "problem": problem,
            "live": waiting,
            "hidden": hidden,
            "several": len(paths) > 1,
            "total": len(matches),
            "report": f"/report?{selection(paths)}",
            "charts": f"/history?{selection(paths)}",
            "export": f"/questions.csv?{selection(paths)}&{filters.link()}",
            "earlier": asked.link(page=page - 1) if page > 1 else "",
            "later": asked.link(page=page + 1) if page < pages else "",
        }

    def matching_questions(self, paths: Sequence[str], filters: Filters) -> list[QuestionEntry]:
        """Return the questions that pass the filters, in the order of the first run; wait for facts if they are needed.

        Raises
        ------
        InputError
            If a filter needs scores, and the runs cannot be scored together.
        """
        facts, problem = self._facts.within(paths, None) if filters.need_scores else (None, "")
        if problem:
            raise InputError(problem)
        listing = listing_of(self._index, paths)
        return [
            listing.questions[index] for index in _matching(_Request(paths, filters, Layout(), listing, facts)).tolist()
        ]

    def question_view(self, paths: Sequence[str], name: str) -> dict[str, Any]:
        """Return the values for the template of one question: each answer, compared with the first, and its verdicts.

        Values of metrics are there if the list of questions was opened before; this page scores nothing.

        Raises
        ------
        InputError
            If the first run has no such question.
        """
        runs = self._records.of(paths, name)
        facts = self._facts.kept(paths)
        answers = shown_answers(runs, facts.metrics if facts else ())
        values: list[list[tuple[str, str, str, str]]] = [[] for _ in runs]
        if facts:
            questions = listing_of(self._index, paths).questions
            place = next(place for place, question in enumerate(questions) if question.id == name)
            for measure in facts.columns:
                for of_run, cell in zip(values, row_cells(facts, measure, [place])[0], strict=True):
                    of_run.append((facts.label(measure), facts.full_name(measure), cell.text, cell.why))
        return {
            "item": runs[0].items[0],
            "sides": [
                (facts.runs[index] if facts else run.name, values[index], answers[index])
                for index, run in enumerate(runs)
                if answers[index]
            ],
            "lacking": [run.name for run in runs if not len(run.answers())],
            "back": f"/questions?{selection(paths)}",
        }


def _matching(asked: _Request) -> Indices:
    """Return the questions that pass the filters, in the order asked for; without facts, ignore what needs scores."""
    questions, filters, facts = asked.listing.questions, asked.filters, asked.facts
    indices = np.arange(len(questions))
    if facts and filters.need_scores:
        indices = np.flatnonzero(filters.fit(facts, asked.paths))
    if filters.tag:
        indices = indices[[filters.tag in questions[index].tags for index in indices.tolist()]]
    if words := filters.q.casefold().split():
        of_id = [index for index in indices.tolist() if questions[index].id == filters.q]
        found = indices.tolist()
        for word in words:
            found = [index for index in found if word in questions[index].query.casefold()]
        indices = np.union1d(found, of_id).astype(np.int64)
    return _in_order(asked, indices)


def _in_order(asked: _Request, indices: Indices) -> Indices:
    layout, questions = asked.layout, asked.listing.questions
    if layout.needs_scores:
        return layout.by_scores(asked.facts, indices) if asked.facts else indices
    if not layout.key:
        return indices
    tag = layout.key.removeprefix(TAG)
    texts = (
        [questions[index].query.casefold() for index in indices.tolist()]
        if layout.key == QUESTION
        else [questions[index].value_of(tag).casefold() for index in indices.tolist()]
    )
    order = sorted(range(len(texts)), key=texts.__getitem__, reverse=layout.descending)
    return indices[np.array(order, dtype=np.int64)]


def _filter_values(asked: _Request) -> dict[str, Any]:
    """Return the values for the form of filters and columns."""
    filters, layout, facts, listing = asked.filters, asked.layout, asked.facts, asked.listing
    frequent = dict(listing.tags.most_common(TAGS))
    frequent |= {filters.tag: listing.tags[filters.tag]} if filters.tag in listing.tags else {}
    options = [Option(name, name, n) for name, n in frequent.items()]
    tag = Choice("tag", "Tag", options, filters.tag, "No question has the tag {}.")
    by_scores = choices(filters, facts, asked.paths) if facts else []
    all_orders = orders(facts, listing.tag_names)
    order_options = [Option(value, label) for value, label in all_orders.items() if value]
    order = Choice("sort", "Order", order_options, layout.sort, "", "of the dataset")
    others = [name for name in facts.columns if name != facts.metric] if facts else []
    measures = [(name, facts.label(name)) for name in others] if facts else []
    kept = {} if facts else {name: getattr(filters, name) for name in ("best", "outcome", "verdict")}
    kept |= {} if facts else {"metric": layout.metric, "sort": layout.sort}
    return {
        "tag": tag if len(frequent) > 1 or tag.chosen else None,
        "choices": by_scores,
        "order": order if facts else None,
        "metrics": [Option(name, facts.label(name)) for name in facts.metrics] if facts else [],
        "columns": [*measures, *((f"{TAG}{name}", name) for name in listing.tag_names)],
        "kept": list(kept.items()),
        "notes": [choice.note for choice in (tag, *by_scores) if choice.note],
    }


def _question_link(asked: _Request, question: QuestionEntry) -> str:
    return f"/question?{selection(asked.paths)}&{urlencode({'item': question.id})}"


def _names_only(asked: _Request, rows: Sequence[int]) -> dict[str, Any]:
    """Return the rows of the table before the runs are scored."""
    questions = [asked.listing.questions[row] for row in rows]
    table: list[Any] = [(_question_link(asked, question), question, [], [], None) for question in questions]
    return {
        "metric": "",
        "parameters": "",
        "level": "",
        "groups": [],
        "tags": [],
        "difference": None,
        "questions": table,
        "by_words": "",
    }


def _table(asked: _Request, facts: QuestionFacts, rows: Sequence[int], matches: Indices) -> dict[str, Any]:
    """Return the header and the rows of the table."""
    layout = asked.layout
    measures = shown_measures(facts, layout)
    cells = [row_cells(facts, name, rows) for name in measures]
    tags = [name.removeprefix(TAG) for name in layout.columns if name.startswith(TAG)]
    several = len(facts.runs) > 1
    all_questions = len(matches) == len(asked.listing.questions)
    table: list[Any] = []
    for place, row in enumerate(rows):
        question = asked.listing.questions[row]
        of_measures = [of_measure[place] for of_measure in cells]
        difference = difference_text(facts, row) if several else None
        table.append(
            (
                _question_link(asked, question),
                question,
                [question.value_of(tag) for tag in tags],
                of_measures,
                difference,
            )
        )
    return {
        "metric": facts.metric,
        "parameters": facts.labels.parameters_line([name for name in measures if name not in LABELS]),
        "level": percent_level(facts.level),
        "groups": column_groups(facts, layout, None if all_questions else matches, asked.link),
        "tags": [(t, asked.link(layout.sorted_by(f"{TAG}{t}", "")), layout.is_sorted_by(f"{TAG}{t}")) for t in tags],
        "difference": difference_head(facts, layout, asked.link) if several else None,
        "questions": table,
        "by_words": asked.link(replace(layout, sort="question" if layout.sort != "question" else "")),
    }


def selection(paths: Sequence[str]) -> str:
    """Return the runs of these paths as part of the query string of an address."""
    return urlencode([("run", path) for path in paths])
