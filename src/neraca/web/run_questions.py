"""The questions of several runs, as a table of questions and systems and one by one."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from neraca.errors import InputError
from neraca.number_format import percent_level
from neraca.web.choices import Choice, Option
from neraca.web.facts_store import FactsStore
from neraca.web.matrix import column_groups, difference_head, difference_text, orders, row_cells, shown_measures
from neraca.web.measures import offered_metrics
from neraca.web.one_question import shown_answers
from neraca.web.question_facts import LABELS, QuestionFacts
from neraca.web.question_filters import Filters, choices
from neraca.web.question_list import PER_PAGE, QuestionEntry, QuestionList
from neraca.web.question_records import QuestionRecords
from neraca.web.run_index import RunIndex
from neraca.web.table_layout import QUESTION, TAG, Layout

#: Number of tags to choose from, the most frequent ones.
TAGS = 100
#: Seconds that a page waits for facts, without and with a filter or an order that needs them.
WAIT, LONG_WAIT = 0.1, 0.7
Indices = NDArray[np.int64]


@dataclass(frozen=True)
class _Request:
    """The content of a link: runs, filters, layout; `facts` are None until the runs are scored."""

    paths: Sequence[str]
    filters: Filters
    layout: Layout
    listing: QuestionList
    facts: QuestionFacts | None

    def link(self, layout: Layout | None = None, page: int = 0, of: str = "/questions") -> str:
        """Return the address of this table with another layout or page, or of its file."""
        parts = [selection(self.paths), self.filters.link(), (layout or self.layout).link()]
        return f"{of}?" + "&".join([*filter(None, parts), *([f"page={page}"] if page else [])])


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
        self._lists = self._facts.lists
        self._records = QuestionRecords(index)

    def list_view(
        self, paths: Sequence[str], filters: Filters, page: int, layout: Layout | None = None
    ) -> dict[str, Any]:
        """Return the values for the template of the table of questions; see `rows`.

        Facts are computed in the background.  Until they are ready, the page says so and reloads itself.
        """
        layout = layout or Layout()
        by_scores = filters.need_scores or layout.needs_scores
        listing = self._lists.of(paths, 0)  # another process begins to read while this one waits for the facts
        facts, problem = self._facts.within(paths, LONG_WAIT if by_scores else WAIT, layout.metric)
        if problem and (filters.need_scores or layout.metric):
            raise InputError(problem)
        changes_rows = bool(filters.link() or layout.sort or page > 1)
        if listing.missing and changes_rows:
            listing = self._lists.of(paths, LONG_WAIT)
        asked = _Request(paths, filters, layout, listing, facts)
        waiting = facts is None and not problem
        hidden = (waiting and by_scores) or bool(listing.missing and changes_rows)
        matches = np.zeros(0, np.int64) if hidden else _matching(asked)
        total = len(matches) + (0 if hidden else listing.missing)
        pages = max(1, math.ceil(total / PER_PAGE))
        page = min(max(1, page), pages)
        rows = matches[(page - 1) * PER_PAGE : page * PER_PAGE].tolist()
        return {
            **_filter_values(asked),
            **(_table(asked, facts, rows, matches) if facts else _names_only(asked, rows)),
            "runs": paths,
            "asked": filters,
            "layout": layout,
            "problem": problem,
            "live": waiting or bool(listing.missing),
            "reading": bool(listing.missing),
            "hidden": hidden,
            "several": len(paths) > 1,
            "total": total,
            "report": f"/report?{selection(paths)}",
            "charts": f"/history?{selection(paths)}",
            "export": asked.link(of="/questions.csv"),
            "cleared": replace(asked, filters=Filters()).link() if filters.link() else "",
            "earlier": asked.link(page=page - 1) if page > 1 else "",
            "later": asked.link(page=page + 1) if page < pages else "",
        }

    def rows(self, paths: Sequence[str], filters: Filters, layout: Layout) -> list[dict[str, Any]]:
        """Return the questions that pass the filters, with the values of the shown measures; wait for the facts.

        Runs that cannot be scored together have no values.

        Raises
        ------
        InputError
            If a filter or the order needs scores, and the runs cannot be scored together.
        """
        facts, problem = self._facts.within(paths, None, layout.metric)
        if problem and (filters.need_scores or layout.needs_scores):
            raise InputError(problem)
        listing = self._lists.of(paths)
        indices = _matching(_Request(paths, filters, layout, listing, facts)).tolist()
        rows: list[dict[str, Any]] = [
            {"item": question.id, "query": question.query, "tags": "; ".join(question.tags)}
            for question in map(listing.__getitem__, indices)
        ]
        for name in shown_measures(facts, layout) if facts else ():
            for run, values in zip(facts.runs, facts.columns[name], strict=True) if facts else ():
                for row, value in zip(rows, values[indices].tolist(), strict=True):
                    row[f"{name} {run}"] = None if math.isnan(value) else value
        return rows

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
            ids = self._lists.of(paths, 0).ids
            places = [ids.index(name)] if name in ids else []
            for measure in facts.columns if places else ():
                for of_run, cell in zip(values, row_cells(facts, measure, places)[0], strict=True):
                    of_run.append(
                        (facts.label(measure), facts.full_name(measure), cell.text.removeprefix("failed: "), cell.why)
                    )
        return {
            "item": runs[0].items[0],
            "earlier": [
                (each.query, f"/question?{selection(paths)}&{urlencode({'item': each.id})}")
                for each in runs[0].conversation.before(name)
            ],
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
    listing, filters, facts = asked.listing, asked.filters, asked.facts
    indices = np.arange(len(listing))
    if facts and filters.need_scores:
        indices = np.flatnonzero(filters.fit(facts, asked.paths))
    if filters.tag:
        indices = indices[listing.with_tag(filters.tag)[indices]]
    if words := filters.q.casefold().split():
        matching = indices.tolist()
        of_id = [index for index in matching if listing.ids[index] == filters.q]
        for word in words:
            matching = [index for index in matching if word in listing.folded[index]]
        indices = np.union1d(matching, of_id).astype(np.int64)
    return _in_order(asked, indices)


def _in_order(asked: _Request, indices: Indices) -> Indices:
    layout, listing = asked.layout, asked.listing
    if layout.needs_scores:
        return layout.by_scores(asked.facts, indices) if asked.facts else indices
    if not layout.key:
        return indices
    if layout.key != QUESTION:
        values = listing.values_of(layout.key.removeprefix(TAG))
        ranks = np.argsort(np.argsort([value.casefold() for value in values.words], kind="stable"), kind="stable")
        order = ranks[values.codes[indices]]
        return indices[np.argsort(-order if layout.descending else order, kind="stable")]
    texts = [listing.folded[index] for index in indices.tolist()]
    order = sorted(range(len(texts)), key=texts.__getitem__, reverse=layout.descending)
    return indices[np.array(order, dtype=np.int64)]


def _unknown_order(asked: _Request) -> list[str]:
    """Say that the link asks for an order that does not exist, if it does."""
    layout = asked.layout
    if layout.key in ("", QUESTION) or layout.key.removeprefix(TAG) in asked.listing.tag_names:
        return []
    exists = asked.facts is None or layout.exists_in(asked.facts)
    return [] if exists else [f"No order is called {layout.sort}: the questions stand in the order of the dataset."]


def _filter_values(asked: _Request) -> dict[str, Any]:
    """Return the values for the form of filters and columns."""
    filters, layout, facts, listing = asked.filters, asked.layout, asked.facts, asked.listing
    frequent = dict(listing.tag_counts.most_common(TAGS))
    frequent |= {filters.tag: listing.tag_counts[filters.tag]} if filters.tag in listing.tag_counts else {}
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
    kept |= {"tag": filters.tag} if listing.missing else {}
    return {
        "tag": tag if (len(frequent) > 1 or tag.chosen) and not listing.missing else None,
        "choices": by_scores,
        "order": order if facts else None,
        "metrics": offered_metrics(facts.metrics) if facts else [],
        "columns": [*measures, *((f"{TAG}{name}", name) for name in listing.tag_names)],
        "kept": list(kept.items()),
        "notes": [*(choice.note for choice in (tag, *by_scores) if choice.note), *_unknown_order(asked)],
    }


def _question_link(asked: _Request, question: QuestionEntry) -> str:
    return f"/question?{selection(asked.paths)}&{urlencode({'item': question.id})}"


def _names_only(asked: _Request, rows: Sequence[int]) -> dict[str, Any]:
    """Return the rows of the table before the runs are scored."""
    questions = [asked.listing[row] for row in rows]
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
    all_questions = len(matches) == len(asked.listing)
    table: list[Any] = []
    for place, row in enumerate(rows):
        question = asked.listing[row]
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
