"""Compare two queries by their text: remove spelling that cannot change a result, and run nothing.

Queries of equal form return the same on any data.  Queries of different form may still return the same.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from neraca.judges.sql.engines import QueryFailed, import_extra
from neraca.judges.sql.query import Query
from neraca.judges.sql.result_table import Columns


def same_form(query: str, expected: str, dialect: str = "", *, columns: Columns = "any", ordered: bool = True) -> bool:
    """Return whether two queries are equal apart from spelling.

    These do not matter: case, quotes, white space, comments, aliases of tables, the order of conditions and of the
    sides of a comparison, ASC, INNER, OUTER, COUNT(1), and needless parentheses.

    Parameters
    ----------
    query, expected
        The query of an answer, and the expected query.
    dialect
        The dialect of both, as sqlglot calls it; "": the common part of most dialects.
    columns
        Whether the returned columns may differ in names and order (`any`), in order (`named`) or in names (`ordered`).
    ordered
        Whether the order of the rows counts if the expected query has ORDER BY.

    Raises
    ------
    QueryFailed
        If one of them cannot be read, or does anything else than read tables.

    Examples
    --------
    >>> same_form("select count(1) as n from House h where h.rooms > 2", "SELECT COUNT(*) FROM house WHERE 2 < rooms")
    True
    >>> same_form("SELECT id FROM house WHERE rooms >= 3", "SELECT id FROM house WHERE rooms > 2")
    False
    """
    trees = [Query.read(text, dialect).tree.copy() for text in (query, expected)]
    if not ordered or not trees[1].args.get("order"):
        for tree in trees:
            _drop_order(tree)
    try:
        first, second = (_normal(tree, dialect, columns) for tree in trees)
    except RecursionError:
        raise QueryFailed("it is nested too deeply to be compared") from None
    return bool(first == second)


def _drop_order(tree: Any) -> None:
    """Remove the ORDER BY of all rows, unless it decides which rows are returned."""
    if not tree.args.get("limit") and not tree.args.get("offset"):
        tree.set("order", None)


def _normal(tree: Any, dialect: str, columns: Columns) -> Any:
    errors = import_extra("sqlglot.errors")
    tree = import_extra("sqlglot.optimizer.normalize_identifiers").normalize_identifiers(tree, dialect=dialect or None)
    with suppress(errors.OptimizeError):  # the table of a column may be unknown; then the column stays as it is written
        qualify = import_extra("sqlglot.optimizer.qualify").qualify
        tree = qualify(tree.copy(), dialect=dialect or None, validate_qualify_columns=False)
    _resolve_order(tree)
    _rename_sources(tree)
    tree = tree.transform(lambda node: node.unnest()).transform(_plain)
    _normalize_columns(tree, columns)
    return tree


def _rename_sources(tree: Any) -> None:
    """Number the aliases of tables in the order of the query; if there is only one table, columns do not name it."""
    exp = import_extra("sqlglot.expressions")
    sources = [node for node in tree.find_all(exp.Table, exp.Subquery) if node.alias]
    names = {node.alias: f"t{number}" for number, node in enumerate(sources)}
    if len(names) < len(sources):  # two aliases are equal
        return
    for node in sources:
        node.args["alias"].set("this", exp.to_identifier(names[node.alias], quoted=True))
    for column in tree.find_all(exp.Column):
        if column.table in names:
            column.set("table", exp.to_identifier(names[column.table], quoted=True) if len(sources) > 1 else None)


def _plain(node: Any) -> Any:
    """Return the plainest form of a node; its parts are made plain afterwards."""
    exp = import_extra("sqlglot.expressions")
    if isinstance(node, exp.Not) and isinstance(node.this, exp.EQ):
        node = exp.NEQ(this=node.this.this, expression=node.this.expression)
    mirrored = {exp.GT: exp.LT, exp.GTE: exp.LTE}.get(type(node))
    if mirrored:
        node = mirrored(this=node.expression, expression=node.this)
    if isinstance(node, exp.Count) and isinstance(node.this, exp.Literal):
        node.set("this", exp.Star())
    if isinstance(node, exp.Ordered) and not node.args.get("desc"):
        node.set("desc", None)
    if isinstance(node, exp.Join) and node.args.get("kind") in ("INNER", "OUTER"):
        node.set("kind", None)
    if isinstance(node, exp.And | exp.Or):
        parts = sorted((part.copy().transform(_plain) for part in node.flatten()), key=_text)
        node = exp.Tuple(expressions=[exp.Var(this=node.key), *parts])
    elif isinstance(node, exp.EQ | exp.NEQ):
        first, second = sorted((node.this, node.expression), key=_text)
        node = type(node)(this=first, expression=second)
    elif isinstance(node, exp.In) and node.expressions:
        node.set("expressions", sorted(node.expressions, key=_text))
    return node


def _text(node: Any) -> str:
    return str(node.sql(comments=False))


def _resolve_order(tree: Any) -> None:
    """Replace the alias of a returned expression in the ORDER BY of all rows by the expression itself."""
    exp = import_extra("sqlglot.expressions")
    order = tree.args.get("order") if isinstance(tree, exp.Select) else None
    selects_by_alias = {select.alias: select.unalias() for select in tree.selects if select.alias}
    for part in order.expressions if order else ():
        if isinstance(part.this, exp.Column) and not part.this.table and part.this.name in selects_by_alias:
            part.set("this", selects_by_alias[part.this.name].copy())


def _normalize_columns(tree: Any, columns: Columns) -> None:
    """Remove names and order of the returned columns if they do not matter."""
    exp = import_extra("sqlglot.expressions")
    if not isinstance(tree, exp.Select) or any(select.is_star for select in tree.selects):
        return
    selects = list(tree.selects)
    unqualified = {column.name for column in tree.find_all(exp.Column) if not column.table}
    parts = [tree.args.get(name) for name in ("order", "group")]
    by_position = any(isinstance(key.unnest(), exp.Literal) for part in parts if part for key in _keys(part))
    if columns != "ordered" and not by_position:
        selects.sort(key=lambda select: _text(select.unalias() if columns == "any" else select))
    if columns != "named":  # keep an alias that is used elsewhere, unless it only repeats the name of its own column
        selects = [
            select.unalias() if select.alias not in unqualified or select.unalias().name == select.alias else select
            for select in selects
        ]
    tree.set("expressions", selects)


def _keys(part: Any) -> list[Any]:
    exp = import_extra("sqlglot.expressions")
    return [key.this if isinstance(key, exp.Ordered) else key for key in part.expressions]
