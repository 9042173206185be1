"""The judge of SQL: runs an answer's query and the expected one on your data, and compares what comes back.

Without data it compares how the queries are written: see sql_without_data.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from neraca.errors import InputError, SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.majority_vote import RepeatSettings, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat
from neraca.judges.outcome import Outcome, unscored
from neraca.judges.sql.engines import Engine, Limits, QueryFailed, extra, open_database
from neraca.judges.sql.query import Query, check_dialect, query_in
from neraca.judges.sql.result_table import Agreement, Columns, Matching, ResultTable, compare_results
from neraca.judges.sql.without_data import ASPECT, Comparison, WithModel, WithoutModel
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict
from neraca.settings import read_settings
from neraca.targets.tool_call import read_call

COUNTS = ("rows_matched", "rows_returned", "rows_expected", "columns_matched", "columns_returned", "columns_expected")


class SqlSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `sql`, from the table `[judges.sql]`.

    Attributes
    ----------
    database
        A file of SQLite or DuckDB, or `postgresql://user:${PASSWORD}@host/name`; nothing is written to it.  "": queries
        are not run, and a `model` compares those that are written differently.  With a database, no model is called.
    dialect
        Dialect of the queries, as named by sqlglot (`mysql`), if it is not the database's own.
    expected
        The column of the questions that holds the expected query; "": the references (the best match counts).
    argument
        The argument of a tool call that holds the query; the last call with it counts.  "": the answer's text.
    columns, key, tolerance
        Options for comparing results; see `Matching`.
    order
        `reference`: the order of the rows counts where the expected query orders them (ties apart); `ignore`.
    timeout, rows
        Most seconds that a query may take, and most rows that it may return.
    model, model_key, url, temperature, max_tokens, retries, extra, price, repeats, language, prompts, examples
        Settings of the model that is called without a database, as for other judges; `model_key` is their `key`.
    """

    database: str = ""
    dialect: str = ""
    expected: str = ""
    argument: str = ""
    columns: Columns = "any"
    key: tuple[str, ...] = ()
    tolerance: float = 1e-9
    order: str = "reference"
    timeout: float = 30.0
    rows: int = 10_000
    model: str = ""
    model_key: str = ""
    url: str = ""
    temperature: float | None = 0.0
    max_tokens: int = 8000
    retries: int = 4
    extra: dict[str, Any] = {}
    price: tuple[float, float] | None = None
    repeats: int = 1
    language: str = ""
    prompts: str = ""
    examples: str = ""


@JUDGES.register("sql")
class SqlJudge:
    """Compares the results of queries, or without a database how they are written.

    Each answer gets seven verdicts on `answer`.  `sql_equivalent` is 1 where the results are the same, else 0 with the
    first difference as why.  The others count the rows and columns that are in both results, were returned, and are
    expected (`rows_matched`, …).  An answer that failed, has no query, or has one that cannot be run, returned nothing:
    all 0.  Unscored where there is no expected query, or it cannot be run.

    Without a database there is `sql_equivalent` alone: 1 where both queries are the same but for spelling, 0 without a
    query.  Else the model says, and all verdicts are by that model; without one the answer is unscored.

    Parameters
    ----------
    settings
        See `SqlSettings`; raises `SpecError` where one is unknown or wrong, `MissingExtra` without the extra `sql`.
    chat
        Makes the model of a session.
    """

    by = "rules:sql"
    settings_type = SqlSettings

    @settings_as_keywords(SqlSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        chosen = read_settings(SqlSettings, settings or {}, "judge sql")
        _check(chosen)
        self._settings = chosen
        self._how = Matching(columns=chosen.columns, key=chosen.key, tolerance=chosen.tolerance)
        self._by_text = None if chosen.database else self._of_texts(chat)
        if self._by_text:
            self.by = self._by_text.by

    def _of_texts(self, chat: MakeChat) -> WithModel | WithoutModel:
        """Return the judge of how queries are written."""
        chosen = self._settings
        extra("sqlglot")
        ordered = chosen.order == "reference"
        expected = Comparison(
            self._expected, self._query_of, chosen.dialect, chosen.columns, ordered, self._nothing_expected()
        )
        if not chosen.model:
            return WithoutModel(expected)
        names = set(RepeatSettings.__struct_fields__) & set(SqlSettings.__struct_fields__) - {"key", "timeout"}
        own = {name: getattr(chosen, name) for name in names} | {"key": chosen.model_key}
        return WithModel(read_repeat_settings(RepeatSettings, own, "judge sql"), chat, expected)

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs; raises `InputError` where the database cannot be used."""
        if self._by_text:
            yield from self._by_text.judge(pairs, session)
            return
        with open_database(self._settings.database, Limits(self._settings.timeout, self._settings.rows)) as engine:
            expected: dict[str, ResultTable | QueryFailed] = {}
            for item, answer in pairs:
                yield from self._verdicts(answer, self._compared(item, answer, engine, expected))

    def _compared(
        self, item: Item, answer: Answer, engine: Engine, expected: dict[str, ResultTable | QueryFailed]
    ) -> Agreement | str:
        """Return what both results have in common, or why there is nothing to compare with."""
        queries = self._expected(item)
        for query in queries:
            if query not in expected:
                expected[query] = self._run(query, engine, ordered=self._settings.order == "reference")
        tables = [table for query in queries if isinstance(table := expected[query], ResultTable)]
        if queries and not tables:
            return f"the expected query cannot be used: {expected[queries[0]]}"
        if not queries:
            return self._nothing_expected()
        returned = self._run(self._query_of(answer), engine)
        if isinstance(returned, QueryFailed):
            rows, columns = len(tables[0].rows), len(tables[0].columns)
            failed = f"the target failed ({answer.status})" if answer.failed else f"its query failed: {returned}"
            return Agreement(rows=(0, 0, rows), columns=(0, 0, columns), why=failed)
        try:
            agreements = [compare_results(returned, table, self._how) for table in tables]
        except InputError as error:
            return str(error)
        return max(agreements, key=lambda each: (not each.why, each.rows[0] / max(each.rows[1] + each.rows[2], 1)))

    def _run(self, text: str, engine: Engine, ordered: bool = False) -> ResultTable | QueryFailed:
        try:
            query = Query.read(text, engine.dialect, self._settings.dialect)
            order = query.ordered() if ordered else None
            if order is None:
                return engine.run(query.text)
            try:
                return order.result(engine.run(order.text))
            except QueryFailed:  # a key that names what the query returns cannot be returned beside it
                table = engine.run(query.text)
                return replace(table, ties=tuple(range(len(table.rows))))
        except QueryFailed as error:
            return error

    def _nothing_expected(self) -> str:
        where = f"in column {self._settings.expected}" if self._settings.expected else "as its reference"
        return f"the question has no expected query {where}"

    def _expected(self, item: Item) -> list[str]:
        column = self._settings.expected
        texts = [item.extra.get(column)] if column else item.references
        return [query_in(text) for text in texts if isinstance(text, str) and text.strip()]

    def _query_of(self, answer: Answer) -> str:
        if answer.failed:
            return ""
        if not self._settings.argument:
            return query_in(answer.text)
        for call in reversed(answer.calls):
            try:
                arguments = read_call(call).arguments
            except InputError:
                continue
            query = arguments.get(self._settings.argument) if isinstance(arguments, Mapping) else None
            if isinstance(query, str):
                return query_in(query)
        return ""

    def _verdicts(self, answer: Answer, agreement: Agreement | str) -> Iterator[Verdict]:
        if isinstance(agreement, str):
            outcomes = dict.fromkeys((ASPECT, *COUNTS), unscored(agreement))
        else:
            rows = agreement.rows[2]
            same = f"{rows:,} {'row' if rows == 1 else 'rows'}, as expected" if rows else "both results are empty"
            counts = zip(COUNTS, (*agreement.rows, *agreement.columns), strict=True)
            outcomes = {ASPECT: Outcome(float(not agreement.why), agreement.why or same)}
            outcomes |= {aspect: Outcome(float(count)) for aspect, count in counts}
        for aspect, outcome in outcomes.items():
            yield outcome.on(answer, "answer", aspect, self.by)


def _check(settings: SqlSettings) -> None:
    if settings.order not in ("reference", "ignore"):
        raise SpecError(f"judge sql: order is reference or ignore, not {settings.order!r}")
    if not 0 <= settings.tolerance < 1:
        raise SpecError(f"judge sql: tolerance is a share from 0 and below 1, not {settings.tolerance!r}")
    if not 0 < settings.timeout <= 86_400 or settings.rows < 1:
        raise SpecError("judge sql: timeout is in seconds, above 0 and at most a day; rows is at least 1")
    if settings.dialect:
        check_dialect(settings.dialect)
