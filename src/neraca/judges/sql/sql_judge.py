"""The judge of SQL: run an answer's query and the expected one on the user's data, and compare the results.

Without data it compares the texts of the queries; see without_data.py.
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
from neraca.judges.sql.engines import Engine, Limits, QueryFailed, import_extra, open_database
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
        are not run, and a `model` compares those of different form.  With a database, no model is called.
    dialect
        Dialect of the queries, as named by sqlglot (`mysql`), if it is not the database's own.
    expected
        The column of the questions that holds the expected query; "": the references (the best match counts).
    argument
        The argument of a tool call that holds the query; the last call with it counts.  "": the answer's text.
    columns, key, tolerance
        Options for comparing results; see `Matching`.
    order
        `reference`: the order of the rows counts, except among ties, if the expected query has ORDER BY; `ignore`.
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
    """Compares the results of queries or, without a database, their texts.

    Each answer gets seven verdicts on `answer`.  `sql_equivalent` is 1 if the results are the same, else 0 with the
    first difference as why.  The others count the rows and columns that are in both results, were returned, and are
    expected (`rows_matched`, …).  If the answer failed, has no query, or its query cannot be run, nothing was returned,
    and all are 0.  Unscored if there is no expected query, or if that cannot be run.

    Without a database there is only `sql_equivalent`: 1 if both queries are equal apart from spelling, 0 if the answer
    has no query.  Otherwise the model decides, and all verdicts are by that model; without a model they are unscored.
    """

    by = "rules:sql"
    settings_type = SqlSettings

    @settings_as_keywords(SqlSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        options = read_settings(SqlSettings, settings or {}, "judge sql")
        _check(options)
        self._settings = options
        self._matching = Matching(columns=options.columns, key=options.key, tolerance=options.tolerance)
        self._by_text = None if options.database else self._text_judge(chat)
        if self._by_text:
            self.by = self._by_text.by

    def _text_judge(self, chat: MakeChat) -> WithModel | WithoutModel:
        """Return the judge that compares the texts of queries."""
        options = self._settings
        import_extra("sqlglot")
        ordered = options.order == "reference"
        comparison = Comparison(
            self._expected_queries,
            self._query_of,
            options.dialect,
            options.columns,
            ordered,
            self._why_nothing_expected(),
        )
        if not options.model:
            return WithoutModel(comparison)
        names = set(RepeatSettings.__struct_fields__) & set(SqlSettings.__struct_fields__) - {"key", "timeout"}
        model_settings = {name: getattr(options, name) for name in names} | {"key": options.model_key}
        return WithModel(read_repeat_settings(RepeatSettings, model_settings, "judge sql"), chat, comparison)

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs; raise `InputError` if the database cannot be used."""
        if self._by_text:
            yield from self._by_text.judge(pairs, session)
            return
        with open_database(self._settings.database, Limits(self._settings.timeout, self._settings.rows)) as engine:
            expected_results: dict[str, ResultTable | QueryFailed] = {}
            for item, answer in pairs:
                yield from self._verdicts(answer, self._compare(item, answer, engine, expected_results))

    def _compare(
        self, item: Item, answer: Answer, engine: Engine, expected_results: dict[str, ResultTable | QueryFailed]
    ) -> Agreement | str:
        """Return the agreement of the two results, or the reason why there is no expected result."""
        queries = self._expected_queries(item)
        for query in queries:
            if query not in expected_results:
                expected_results[query] = self._run(query, engine, ordered=self._settings.order == "reference")
        tables = [table for query in queries if isinstance(table := expected_results[query], ResultTable)]
        if queries and not tables:
            return f"the expected query cannot be used: {expected_results[queries[0]]}"
        if not queries:
            return self._why_nothing_expected()
        returned = self._run(self._query_of(answer), engine)
        if isinstance(returned, QueryFailed):
            rows, columns = len(tables[0].rows), len(tables[0].columns)
            failed = f"the target failed ({answer.status})" if answer.failed else f"its query failed: {returned}"
            return Agreement(rows=(0, 0, rows), columns=(0, 0, columns), why=failed)
        try:
            agreements = [compare_results(returned, table, self._matching) for table in tables]
        except InputError as error:
            return str(error)
        return max(
            agreements, key=lambda agreement: (not agreement.why, agreement.rows[0] / max(sum(agreement.rows[1:]), 1))
        )

    def _run(self, text: str, engine: Engine, ordered: bool = False) -> ResultTable | QueryFailed:
        try:
            query = Query.read(text, engine.dialect, self._settings.dialect)
            order = query.ordered() if ordered else None
            if order is None:
                return engine.run(query.text)
            try:
                return order.result(engine.run(order.text))
            except QueryFailed:  # the database cannot also return a key that refers to a returned column
                table = engine.run(query.text)
                return replace(table, ties=tuple(range(len(table.rows))))
        except QueryFailed as error:
            return error

    def _why_nothing_expected(self) -> str:
        where = f"in column {self._settings.expected}" if self._settings.expected else "as its reference"
        return f"the question has no expected query {where}"

    def _expected_queries(self, item: Item) -> list[str]:
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
            agreement_text = (
                f"{rows:,} {'row' if rows == 1 else 'rows'}, as expected" if rows else "both results are empty"
            )
            counts = zip(COUNTS, (*agreement.rows, *agreement.columns), strict=True)
            outcomes = {ASPECT: Outcome(float(not agreement.why), agreement.why or agreement_text)}
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
