"""Queries compared without a database: by how they are written; where that says nothing, by a model if there is one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neraca.judges.llm.majority_vote import RepeatSettings
from neraca.judges.llm.model_judge import MakeChat, judgeable
from neraca.judges.llm.single_question import YesNo
from neraca.judges.outcome import Outcome, unscored
from neraca.judges.sql.engines import QueryFailed
from neraca.judges.sql.normal_form import same_form
from neraca.judges.sql.result_table import Columns
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict

ASPECT = "sql_equivalent"
#: Without data and a model.  It is none of `rules`, so that the word of a model who is asked later comes before it.
BY = "sqlglot"
_UNKNOWN = (
    "it is written differently than the expected query, which does not say that it returns something else; name a "
    "database to run both on, or a model"
)


@dataclass(frozen=True)
class Comparison:
    """The comparison of an answer's query with the expected queries by their text alone.

    Attributes
    ----------
    expected, query
        Functions from an item to its expected queries, and from an answer to its query ("" if it has none).
    dialect, columns, ordered
        See `same_form`.
    nothing_expected
        Reason why no query is expected, if so.
    """

    expected: Callable[[Item], Sequence[str]]
    query: Callable[[Answer], str]
    dialect: str
    columns: Columns
    ordered: bool
    nothing_expected: str

    def of(self, item: Item, answer: Answer) -> Outcome | dict[str, Any]:
        """Return what is decided, or what a model is shown to decide it."""
        expected, query = self.expected(item), self.query(answer)
        if not expected:
            return unscored(self.nothing_expected)
        if answer.failed or not query.strip():
            return Outcome(0.0, f"the target failed ({answer.status})" if answer.failed else "there is no query")
        for one in expected:
            try:
                same = same_form(query, one, self.dialect, columns=self.columns, ordered=self.ordered)
            except QueryFailed:  # perhaps in a dialect that sqlglot reads otherwise: a model may know more
                same = " ".join(query.split()) == " ".join(one.split())
            if same:
                return Outcome(1.0, "written as the expected query is, but for spelling (sqlglot); nothing was run")
        dialect = self.dialect or "not said"
        return {"question": item.query, "expected": list(expected), "query": query, "dialect": dialect}


class WithModel(YesNo):
    """Asks a model where the writing says nothing: one verdict on each answer, by the model.

    Parameters
    ----------
    settings
        Of the model.
    chat
        Makes the model of a session.
    comparison
        Of the queries as they are written.
    """

    def __init__(self, settings: RepeatSettings, chat: MakeChat, comparison: Comparison) -> None:
        super().__init__("sql", settings, chat, ASPECT)
        self._comparison = comparison

    def shown(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return what the model is shown, or what was decided without it."""
        return self._comparison.of(item, answer)


@dataclass(frozen=True)
class WithoutModel:
    """Leaves undecided where the writing says nothing: one verdict on each answer."""

    comparison: Comparison
    by: str = BY

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession | None = None) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs."""
        for item, answer in judgeable(pairs):
            outcome = self.comparison.of(item, answer)
            decided = outcome if isinstance(outcome, Outcome) else unscored(_UNKNOWN)
            yield decided.on(answer, "answer", ASPECT, self.by)
