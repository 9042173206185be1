"""Compare queries without a database: by their text and, if that does not decide, by a model if one is set."""

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
#: The source of verdicts by text alone.  It is not one of `rules`, so that verdicts of a model take precedence.
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
        """Return the outcome or, if the texts do not decide, the data for a model."""
        expected, query = self.expected(item), self.query(answer)
        if not expected:
            return unscored(self.nothing_expected)
        if answer.failed or not query.strip():
            return Outcome(0.0, f"the target failed ({answer.status})" if answer.failed else "there is no query")
        for expected_query in expected:
            try:
                is_same = same_form(query, expected_query, self.dialect, columns=self.columns, ordered=self.ordered)
            except QueryFailed:  # perhaps a dialect that sqlglot does not read; a model may
                is_same = " ".join(query.split()) == " ".join(expected_query.split())
            if is_same:
                return Outcome(1.0, "written as the expected query is, but for spelling (sqlglot); nothing was run")
        dialect = self.dialect or "not said"
        return {"question": item.query, "expected": list(expected), "query": query, "dialect": dialect}


class WithModel(YesNo):
    """Judges queries by their text, and asks a model if that does not decide: one verdict on each answer, by the model.

    Parameters
    ----------
    settings
        The settings of the model.
    chat
        Makes the model of a session.
    comparison
        The comparison by text.
    """

    def __init__(self, settings: RepeatSettings, chat: MakeChat, comparison: Comparison) -> None:
        super().__init__("sql", settings, chat, ASPECT)
        self._comparison = comparison

    def prompt_data(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return the data for the model, or the outcome if the texts decide."""
        return self._comparison.of(item, answer)


@dataclass(frozen=True)
class WithoutModel:
    """Judges queries by their text alone: one verdict on each answer, undecided if the queries differ in form."""

    comparison: Comparison
    by: str = BY

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession | None = None) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs."""
        for item, answer in judgeable(pairs):
            outcome = self.comparison.of(item, answer)
            decided = outcome if isinstance(outcome, Outcome) else unscored(_UNKNOWN)
            yield decided.on(answer, "answer", ASPECT, self.by)
