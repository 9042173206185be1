"""The judge of SQL: runs an answer's query and the expected one on your data, and compares what comes back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from neraca.errors import InputError, SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.outcome import Outcome, unscored
from neraca.judges.result_table import Agreement, Columns, Matching, ResultTable, compare_results
from neraca.judges.sql_engines import Engine, Limits, QueryFailed, open_database
from neraca.judges.sql_query import Query, check_dialect, query_in
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict
from neraca.settings import read_settings
from neraca.targets.tool_call import read_call

COUNTS = ("rows_matched", "rows_returned", "rows_expected", "columns_matched", "columns_returned", "columns_expected")


class SqlSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands under `[judges.sql]` in a study.

    Attributes
    ----------
    database
        A file of SQLite or DuckDB, or `postgresql://user:${PASSWORD}@host/name`; nothing is written to it.
    dialect
        Of the queries, as sqlglot calls it (`mysql`), where that is not the database's own.
    expected
        The column of the questions that holds the expected query; "": the references (of several the best counts).
    argument
        The argument of a tool call that holds the query, of the last call that has it; "": the answer's text.
    columns, key, tolerance
        How results are compared: see `Matching`.
    order
        `reference`: the order of the rows counts where the expected query orders them (ties apart); `ignore`.
    timeout, rows
        Seconds that a query may take; rows that it may return.
    """

    database: str
    dialect: str = ""
    expected: str = ""
    argument: str = ""
    columns: Columns = "any"
    key: tuple[str, ...] = ()
    tolerance: float = 1e-9
    order: str = "reference"
    timeout: float = 30.0
    rows: int = 10_000


@JUDGES.register("sql")
class SQL:
    """Compares the results of queries.

    Each answer gets seven verdicts on `answer`.  `sql_equivalent` is 1 where the results are the same, else 0 with the
    first difference as why.  The others count the rows and columns that are in both results, were returned, and are
    expected (`rows_matched`, …).  An answer that failed, has no query, or has one that cannot be run, returned nothing:
    all 0.  Unscored where there is no expected query, or it cannot be run.

    Parameters
    ----------
    settings
        See `SqlSettings`; raises `SpecError` where one is unknown or wrong, `MissingExtra` without the extra `sql`.

    Notes
    -----
    Where there is no data to run queries on, the judge `aspect` can compare them by a criterion of your own.
    """

    by = "rules:sql"
    settings_type = SqlSettings

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        chosen = read_settings(SqlSettings, settings or {}, "judge sql")
        _check(chosen)
        self._settings = chosen
        self._how = Matching(columns=chosen.columns, key=chosen.key, tolerance=chosen.tolerance)

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession | None = None) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs; raises `InputError` where the database cannot be used."""
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
            where = f"in column {self._settings.expected}" if self._settings.expected else "as its reference"
            return f"the question has no expected query {where}"
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
            outcomes = dict.fromkeys(("sql_equivalent", *COUNTS), unscored(agreement))
        else:
            rows = agreement.rows[2]
            same = f"{rows:,} {'row' if rows == 1 else 'rows'}, as expected" if rows else "both results are empty"
            counts = zip(COUNTS, (*agreement.rows, *agreement.columns), strict=True)
            outcomes = {"sql_equivalent": Outcome(float(not agreement.why), agreement.why or same)}
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
