"""Two queries compared as they are written: spelling that cannot change a result is taken out, nothing is run.

Equal forms return the same on any data.  Different forms say nothing: the queries may still return the same.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from neraca.judges.sql.engines import QueryFailed, extra
from neraca.judges.sql.query import Query
from neraca.judges.sql.result_table import Columns


def same_form(query: str, expected: str, dialect: str = "", *, columns: Columns = "any", ordered: bool = True) -> bool:
    """Return whether two queries are equal but for spelling.

    Case, quotes, white space and comments, names of tables' aliases, the order of conditions and of the sides of a
    comparison, ASC, INNER and OUTER, COUNT(1) and needless parentheses play no part.

    Parameters
    ----------
    query, expected
        What was written, and what is expected.
    dialect
        In which both are, as sqlglot calls it; "": what most databases share.
    columns
        `any`: names and order of the columns that are returned play no part; `named`: their order; `ordered`: names.
    ordered
        Whether the order of the rows counts where the expected query has ORDER BY.

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
    """Take out the order of all rows, unless it says which rows are returned."""
    if not tree.args.get("limit") and not tree.args.get("offset"):
        tree.set("order", None)


def _normal(tree: Any, dialect: str, columns: Columns) -> Any:
    errors = extra("sqlglot.errors")
    tree = extra("sqlglot.optimizer.normalize_identifiers").normalize_identifiers(tree, dialect=dialect or None)
    with suppress(errors.OptimizeError):  # it may not be known whose column it is; then it stays as it is written
        qualify = extra("sqlglot.optimizer.qualify").qualify
        tree = qualify(tree.copy(), dialect=dialect or None, validate_qualify_columns=False)
    _resolve_order(tree)
    _rename_sources(tree)
    tree = tree.transform(lambda node: node.unnest()).transform(_plain)
    _settle_columns(tree, columns)
    return tree


def _rename_sources(tree: Any) -> None:
    """Number the aliases of tables in the order in which they stand; columns of one table alone need no name of it."""
    exp = extra("sqlglot.expressions")
    sources = [node for node in tree.find_all(exp.Table, exp.Subquery) if node.alias]
    names = {node.alias: f"t{number}" for number, node in enumerate(sources)}
    if len(names) < len(sources):  # two are called alike
        return
    for node in sources:
        node.args["alias"].set("this", exp.to_identifier(names[node.alias], quoted=True))
    for column in tree.find_all(exp.Column):
        if column.table in names:
            column.set("table", exp.to_identifier(names[column.table], quoted=True) if len(sources) > 1 else None)


def _plain(node: Any) -> Any:
    """Return the plainest way to write a node whose parts are not plain yet; the parts come next."""
    exp = extra("sqlglot.expressions")
    if isinstance(node, exp.Not) and isinstance(node.this, exp.EQ):
        node = exp.NEQ(this=node.this.this, expression=node.this.expression)
    turned = {exp.GT: exp.LT, exp.GTE: exp.LTE}.get(type(node))
    if turned:
        node = turned(this=node.expression, expression=node.this)
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
    """Put what is returned in the place of its name, where all rows are ordered by it."""
    exp = extra("sqlglot.expressions")
    order = tree.args.get("order") if isinstance(tree, exp.Select) else None
    named = {select.alias: select.unalias() for select in tree.selects if select.alias}
    for part in order.expressions if order else ():
        if isinstance(part.this, exp.Column) and not part.this.table and part.this.name in named:
            part.set("this", named[part.this.name].copy())


def _settle_columns(tree: Any, columns: Columns) -> None:
    """Take names and order of the returned columns out, where they play no part."""
    exp = extra("sqlglot.expressions")
    if not isinstance(tree, exp.Select) or any(select.is_star for select in tree.selects):
        return
    selects, bare = list(tree.selects), {column.name for column in tree.find_all(exp.Column) if not column.table}
    parts = [tree.args.get(name) for name in ("order", "group")]
    by_place = any(isinstance(key.unnest(), exp.Literal) for part in parts if part for key in _keys(part))
    if columns != "ordered" and not by_place:
        selects.sort(key=lambda select: _text(select.unalias() if columns == "any" else select))
    if columns != "named":  # a name that is used elsewhere may be that of a column, unless it is the same column
        selects = [
            one.unalias() if one.alias not in bare or one.unalias().name == one.alias else one for one in selects
        ]
    tree.set("expressions", selects)


def _keys(part: Any) -> list[Any]:
    exp = extra("sqlglot.expressions")
    return [key.this if isinstance(key, exp.Ordered) else key for key in part.expressions]
