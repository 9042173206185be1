"""Parse a query before it is run: check that it only reads, and find the order of rows that its ORDER BY demands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from neraca.errors import SpecError
from neraca.judges.sql.engines import QueryFailed, import_extra
from neraca.judges.sql.result_table import ResultTable

if TYPE_CHECKING:
    from sqlglot import exp

_FENCE = re.compile(r"```[ \t]*([\w+-]*)[^\n]*\n(.*?)(?:```|\Z)", re.DOTALL)
_SQL = frozenset({"sql", "sqlite", "sqlite3", "duckdb", "postgres", "postgresql", "psql", "pgsql"})
_BEGINS = frozenset({"SELECT", "WITH", "FROM", "L_PAREN"})
#: Functions of PostgreSQL that read files, act on this or another server, or run SQL given as text.  A read-only
#: transaction does not keep a powerful role from calling them; the other databases refuse such functions themselves.
_FORBIDDEN = re.compile(
    r"pg_(?!typeof$|size_pretty$|get_|column_size$)\w*|lo_\w+|dblink\w*|\w*_to_xml\w*|set_config|setval|nextval",
    re.IGNORECASE,
)


def query_in(text: str) -> str:
    r"""Return the query in an answer's text: the last block fenced as SQL, the last fenced block, or all of it.

    >>> query_in("Here it is:\n```sql\nSELECT 1;\n```\nIt gives one.")
    'SELECT 1;'
    """
    blocks = [(kind.lower(), inside.strip()) for kind, inside in _FENCE.findall(text)]
    fenced_as_sql = [inside for kind, inside in blocks if kind in _SQL]
    queries: list[str] = fenced_as_sql or [inside for _, inside in blocks] or [text.strip()]
    return queries[-1]


def check_dialect(name: str) -> None:
    """Raise `SpecError` for a dialect that sqlglot does not know."""
    dialect = import_extra("sqlglot.dialects.dialect").Dialect
    try:
        dialect.get_or_raise(name)
    except ValueError as error:
        raise SpecError(f"judge sql: dialect: {error}") from None


@dataclass(frozen=True)
class Query:
    """A query that only reads.

    Attributes
    ----------
    text
        The query to run, translated if it was written for another database.
    tree
        The query as parsed by sqlglot.
    dialect
        The dialect of the database.
    """

    text: str
    tree: exp.Query
    dialect: str

    @classmethod
    def read(cls, text: str, dialect: str, source_dialect: str = "") -> Query:
        """Read a query.

        Parameters
        ----------
        dialect, source_dialect
            The dialect of the database, and that of the query; "": the same.

        Raises
        ------
        QueryFailed
            If there is no query or several, or if it cannot be parsed or does anything but read tables.
        """
        sqlglot = import_extra("sqlglot")
        if not text.strip():
            raise QueryFailed("there is no query")
        try:
            tokens = sqlglot.tokenize(text, read=source_dialect or dialect)
            if not tokens or tokens[0].token_type.name not in _BEGINS:
                raise QueryFailed("only SELECT, or WITH and SELECT, is run")
            trees = [tree for tree in sqlglot.parse(text, read=source_dialect or dialect) if tree is not None]
            tree = _single_query(trees)
            if source_dialect and source_dialect != dialect:
                text = tree.sql(dialect=dialect, unsupported_level=sqlglot.ErrorLevel.RAISE)
            return cls(text, tree, dialect)
        except (sqlglot.errors.SqlglotError, RecursionError) as error:
            reason = re.sub(r"\x1b\[\d*m", "", str(error)).partition("\n")[0] or "it is nested too deeply"
            raise QueryFailed(f"it cannot be read as {source_dialect or dialect}: {reason}") from None

    def ordered(self) -> Ordered | None:
        """Return the query with its sort keys among the columns, so that ties are visible; None without ORDER BY."""
        from sqlglot import exp

        tree: Any = self.tree.unnest()
        order = tree.args.get("order")
        if order is None:
            return None
        selects = tree.selects
        can_add_columns = isinstance(tree, exp.Select) and not tree.args.get("distinct")
        keys: list[int | str] = []
        hidden: list[Any] = []
        for part in order.expressions:
            key = part.this
            place = _column_of_key(key, selects)
            if place is None and can_add_columns:
                hidden.append(exp.alias_(key.copy(), f"neraca_order_{len(hidden)}"))
                place = -len(hidden)
            keys.append(place if place is not None else key.name if isinstance(key, exp.Column) else "")
        text = tree.copy().select(*hidden).sql(dialect=self.dialect) if hidden else self.text
        return Ordered(text, tuple(keys), len(hidden))


@dataclass(frozen=True)
class Ordered:
    """A query that orders its rows, and the columns of its sort keys.

    Attributes
    ----------
    text
        The query; keys that it does not return are added as hidden columns at the end.
    keys
        For each key the position of its column, from 0; -1, -2, … for hidden columns; a name if the query returns `*`.
    hidden
        Number of hidden columns.
    """

    text: str
    keys: tuple[int | str, ...]
    hidden: int

    def result(self, table: ResultTable) -> ResultTable:
        """Return the result without hidden columns, and with its ties: rows that are equal in all keys.

        If a key is not among the columns, no two rows are tied.
        """
        width = len(table.columns) - self.hidden
        names = [name.casefold() for name in table.columns[:width]]
        places: list[int | None] = []
        for key in self.keys:
            if isinstance(key, str):
                places.append(names.index(key.casefold()) if key.casefold() in names else None)
            else:
                places.append(key if key >= 0 else width - 1 - key)
        return ResultTable(table.columns[:width], tuple(row[:width] for row in table.rows), _ties(table.rows, places))


def _ties(rows: Sequence[Sequence[Any]], places: Sequence[int | None]) -> tuple[int, ...]:
    keys = [place for place in places if place is not None]
    values = [tuple(row[place] for place in keys) for row in rows]
    numbers: list[int] = []
    for number, value in enumerate(values):
        tied = number and len(keys) == len(places) and value == values[number - 1]
        numbers.append(numbers[-1] if tied else number)
    return tuple(numbers)


def _column_of_key(key: exp.Expression, selects: Sequence[exp.Expression]) -> int | None:
    """Return the position of the returned column that is this ORDER BY key; None if the query does not tell."""
    from sqlglot import exp

    if any(select.is_star for select in selects):
        return None
    if isinstance(key, exp.Literal) and key.is_int:
        place = int(key.name) - 1
        return place if place < len(selects) else None
    name = key.name.casefold() if isinstance(key, exp.Column) and not key.table else None
    for place, select in enumerate(selects):
        if name and select.alias_or_name.casefold() == name:
            return place
    return next((place for place, select in enumerate(selects) if select.unalias() == key), None)


def _single_query(trees: Sequence[exp.Expression]) -> exp.Query:
    """Return the only statement; raise `QueryFailed` if there is none or several, or if it does more than read."""
    from sqlglot import exp

    if len(trees) != 1:
        raise QueryFailed("only one statement is run" if trees else "there is no query")
    tree = trees[0]
    if not isinstance(tree, exp.Query):
        raise QueryFailed("only SELECT, or WITH and SELECT, is run")
    for node in tree.walk():
        if isinstance(node, exp.DML | exp.DDL | exp.Into | exp.Lock | exp.Command) and not isinstance(node, exp.Query):
            raise QueryFailed(f"it does more than read ({node.key.upper()}), and is not run")
        name = node.name if isinstance(node, exp.Anonymous) else node.sql_name() if isinstance(node, exp.Func) else ""
        if _FORBIDDEN.fullmatch(name):
            raise QueryFailed(f"it calls {name}, which does more than read tables, and is not run")
    return tree
