"""Read logs with a row for each search, whose columns hold its clicks, orders, and whether it was put in other words.

A cell holds a list (`["d7", "d2"]`, or words with separators), a flag (`true`), or a count (`2`).  Each click and each
order becomes an event of its own, as in a log with a row for each event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from neraca.datasets.columns import fold
from neraca.online.event_columns import ROLES
from neraca.online.list_cells import parse_lists
from neraca.online.times import parse_times

if TYPE_CHECKING:
    import polars as pl

#: Words of English, Indonesian, Spanish, Portuguese, French and German.
TRUE = ("true", "t", "yes", "y", "ya", "sí", "si", "sim", "oui", "ja", "wahr", "vrai")
FALSE = ("false", "f", "no", "n", "none", "null", "nan", "tidak", "não", "nao", "non", "nein", "falsch", "faux", "")
#: A click with a time below this is counted from its search, in seconds; otherwise the time is a date.
FROM_SEARCH = 1e8
#: Roles of the fields of a click that is an object, such as `{"doc_id": "d7", "position": 2}`.
_PARTS = {
    "item": ("item", *ROLES["document"], "id"),
    "rank": ROLES["rank"],
    "at": ("at", *ROLES["clicked_at"], *ROLES["time"]),
    "dwell": ROLES["dwell"],
}
#: A value that may be one number with a decimal comma, or two numbers.
_AMBIGUOUS = r"^\s*\d+,\d+\s*$"
#: Flags of a document in a list that has one for each document shown.
_CLICKED, _NOT_CLICKED = ("1", "1.0", "true", "True"), ("0", "0.0", "false", "False")
_SEPARATOR = r'"?\s*[,;|\s]\s*"?'


class Outcome(NamedTuple):
    """Events made of the rows of searches.

    Attributes
    ----------
    clicks, orders
        A row for each event: `row` of its search, `nth` in its cell, and for clicks `document rank at dwell`, for
        orders `value`.
    uneven
        Number of searches with more or fewer times or dwell times than clicks; these times are not used.
    contradicted
        Number of searches that are called abandoned and have a click, or the reverse.
    without_cell
        Number of searches whose clicks are missing, where other searches without a click have an empty list or 0.
    """

    clicks: pl.DataFrame
    orders: pl.DataFrame
    uneven: int
    contradicted: int
    without_cell: int


def outcomes(frame: pl.DataFrame, shown: pl.Series, clicked_field: str, first_rank: int = 1) -> Outcome:
    """Return the clicks and orders of rows of searches.

    Parameters
    ----------
    frame
        A row for each search; columns have the names of their roles.
    shown
        The documents that each search showed.
    clicked_field
        The name of the field of clicks.  If it names documents or ranks, its cells hold these.  Otherwise whole numbers
        that are not documents shown are ranks, and a single number is a count.
    first_rank
        The number of the rank of the first flag, where a cell has a flag for each document shown.
    """
    import polars as pl

    contradicted = without_cell = 0
    if "clicked" in frame.columns:
        without_cell = _count_missing(frame["clicked"])
        clicks = _clicks(frame["clicked"], shown, fold(clicked_field), first_rank)
        if "abandoned" in frame.columns:
            has_click = pl.int_range(pl.len()).is_in(clicks["row"].unique().implode())
            abandoned = flags(frame["abandoned"])
            contradicted = int(frame.select((abandoned == has_click).fill_null(False).sum()).item())
    elif "abandoned" in frame.columns:
        rows = frame.select(flags(frame["abandoned"]).alias("abandoned")).with_row_index("row")
        clicks = _empty_clicks().vstack(_unranked(rows.filter(~pl.col("abandoned"))["row"].cast(pl.Int64)))
    else:
        clicks = _empty_clicks()
    uneven = 0
    for role in ("clicked_at", "dwell"):
        if role in frame.columns and len(clicks):
            clicks, n = _with_list(clicks, frame[role], {"clicked_at": "at"}.get(role, role))
            uneven += n
    return Outcome(clicks, _orders(frame), uneven, contradicted, without_cell)


def _count_missing(column: pl.Series) -> int:
    """Return the number of cells that hold nothing, if other cells say that there is no click; else 0.

    >>> import polars as pl
    >>> _count_missing(pl.Series(["[d1]", "[]", "", "NaN", None])), _count_missing(pl.Series(["d1", "", None]))
    (3, 0)
    """
    import polars as pl

    if isinstance(column.dtype, pl.List):
        return column.null_count() if (column.list.len() == 0).any() else 0
    word = column.cast(pl.String).str.strip_chars().str.to_lowercase()
    says_none = word.is_in(["[]", "0", "0.0", "false", "no"]).any()
    return int(word.is_in(["", "null", "nan", "none"]).fill_null(True).sum()) if says_none else 0


def flags(column: pl.Series) -> pl.Series:
    """Return whether each cell means yes: true, a number above 0, or a list with elements; null if it is unclear."""
    import polars as pl

    if column.dtype == pl.Boolean:
        return column
    if isinstance(column.dtype, pl.List):
        return column.list.len() > 0
    if column.dtype.is_numeric():
        return column > 0
    word = column.cast(pl.String).str.strip_chars().str.to_lowercase()
    number = word.cast(pl.Float64, strict=False)
    is_yes = pl.when(word.is_in([*TRUE])).then(True).when(word.is_in([*FALSE[:-1]])).then(False).otherwise(number > 0)
    return pl.select(is_yes).to_series()


def items(column: pl.Series) -> pl.Series:
    """Return the elements of each cell as texts: of a list, of JSON, or words; see `parse_lists`."""
    import polars as pl

    column = _objects(column)
    if isinstance(column.dtype, pl.List):
        if isinstance(column.dtype.inner, pl.Struct):
            name = _part(column.dtype.inner, "item") or column.dtype.inner.fields[0].name
            return column.list.eval(pl.element().struct.field(name).cast(pl.String))
        return column.cast(pl.List(pl.String))
    return parse_lists(column)


def _objects(column: pl.Series) -> pl.Series:
    """Return JSON texts of lists of objects as such lists, and any other column as it is."""
    import polars as pl

    if column.dtype != pl.String or not column.str.contains(r"^\s*\[\s*\{").any():
        return column
    kind = pl.List(pl.Struct(dict.fromkeys(_PARTS, pl.String)))
    return pl.Series(column.name, [_decoded(cell) for cell in column], dtype=kind)


def _decoded(cell: str | None) -> list[dict[str, str | None]] | None:
    try:
        elements = msgspec.json.decode(cell or "null")
    except msgspec.DecodeError:
        return None
    if not isinstance(elements, list):
        return None
    return [_parts_of(element) for element in elements]


def _parts_of(element: Any) -> dict[str, str | None]:
    if not isinstance(element, dict):
        return {"item": None if element is None else str(element)}
    folded = {fold(str(name)): value for name, value in element.items()}
    values = {role: next((folded[fold(n)] for n in names if fold(n) in folded), None) for role, names in _PARTS.items()}
    return {role: None if value is None else str(value) for role, value in values.items()}


def _part(kind: pl.Struct, role: str) -> str:
    """Return the field of an object that has a role; "" if it has none."""
    by_name = {fold(field.name): field.name for field in reversed(kind.fields)}
    return next((by_name[fold(name)] for name in _PARTS[role] if fold(name) in by_name), "")


def _empty_clicks() -> pl.DataFrame:
    import polars as pl

    kinds = {"row": pl.Int64, "nth": pl.Int32, "document": pl.String, "rank": pl.Float64}
    return pl.DataFrame(schema={**kinds, "at": pl.Float64, "dwell": pl.Float64})


def _unranked(rows: pl.Series) -> pl.DataFrame:
    """Return one click of unknown rank for each occurrence of a row."""
    import polars as pl

    frame = rows.alias("row").to_frame().with_columns(nth=pl.int_range(pl.len()).over("row"))
    return _with_columns(frame)


def _with_columns(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the columns of `_empty_clicks`, null where the frame lacks one."""
    import polars as pl

    return frame.select(
        (pl.col(name).cast(kind, strict=False) if name in frame.columns else pl.lit(None, dtype=kind)).alias(name)
        for name, kind in _empty_clicks().schema.items()
    )


def _clicks(column: pl.Series, shown: pl.Series, field: str, first_rank: int) -> pl.DataFrame:
    """Return a row for each click in a column of clicks."""
    import polars as pl

    column = _objects(column)
    if isinstance(column.dtype, pl.List) and isinstance(column.dtype.inner, pl.Struct):
        return _clicks_of_objects(column, column.dtype.inner)
    names_elements = any(word in field for word in ("position", "rank", "document", "doc", "id", "item", "result"))
    if not isinstance(column.dtype, pl.List):
        word = column.cast(pl.String).str.strip_chars().str.to_lowercase()
        number = word.cast(pl.Float64, strict=False)
        several = word.str.contains(_SEPARATOR + r"|^\[").any()
        as_flag = word.is_in([*TRUE])
        count = pl.Series("count", as_flag.cast(pl.Float64))
        if not names_elements and not several:
            count = count.zip_with(as_flag | number.is_null(), number)
            column = column.cast(pl.String).set(number.is_not_null(), None)
        times = count.fill_null(0.0).fill_nan(0.0).clip(0, 10_000).cast(pl.Int64)
        unranked = pl.DataFrame({"row": pl.int_range(len(times), eager=True), "times": times}).filter(
            pl.col("times") > 0
        )
        unranked = _unranked(unranked.select(pl.col("row").repeat_by("times").explode()).to_series())
        column = column.cast(pl.String).set(word.is_in([*TRUE, *FALSE]).fill_null(False), None)
        return pl.concat([unranked, _clicks_of_items(items(column), shown, field, first_rank)])
    return _clicks_of_items(items(column), shown, field, first_rank)


def _clicks_of_items(elements: pl.Series, shown: pl.Series, field: str, first_rank: int) -> pl.DataFrame:
    """Return the clicks from lists of documents, of ranks, or of a flag for each rank."""
    import polars as pl

    if _are_flags(elements, shown):
        rank = pl.when(pl.element().is_in(_CLICKED)).then((pl.int_range(pl.len()) + first_rank).cast(pl.String))
        elements, field = elements.list.eval(rank).list.drop_nulls(), "rank"
    cells = pl.DataFrame({"item": elements, "shown": shown}).with_row_index("row")
    cells = cells.filter(pl.col("item").list.len() > 0)
    cells = cells.with_columns(nth=pl.int_ranges(pl.col("item").list.len())).explode("item", "nth")
    cells = cells.filter(pl.col("item").is_not_null() & (pl.col("item") != ""))
    is_shown = cells.select(pl.col("item").is_in(pl.col("shown")).fill_null(False)).to_series()
    ranks = cells["item"].cast(pl.Float64, strict=False)
    is_rank = bool(len(ranks)) and not ranks.null_count() and 2 * int(is_shown.sum()) < len(cells)
    if "position" in field or "rank" in field or (is_rank and not ("doc" in field or "id" in field)):
        return _with_columns(cells.with_columns(rank=ranks.fill_null(-1.0)))
    return _with_columns(cells.with_columns(document=pl.col("item")))


def _are_flags(elements: pl.Series, shown: pl.Series) -> bool:
    """Return whether each list holds one 0 or 1 (false or true) for each document that its search showed."""
    import polars as pl

    cells = pl.DataFrame({"item": elements, "shown": shown}).filter(pl.col("item").list.len() > 0)
    sizes = cells["item"].list.len()
    if not len(cells) or sizes.max() == 1 or not (sizes == cells["shown"].list.len()).fill_null(False).all():
        return False
    names_a_document = cells["shown"].explode().is_in([*_CLICKED, *_NOT_CLICKED]).any()
    return not names_a_document and bool(cells["item"].explode().is_in([*_CLICKED, *_NOT_CLICKED]).all())


def _clicks_of_objects(column: pl.Series, kind: pl.Struct) -> pl.DataFrame:
    """Return the clicks that are objects with a document, a rank, a time or a dwell time."""
    import polars as pl

    cells = column.alias("click").to_frame().with_row_index("row").filter(pl.col("click").list.len() > 0)
    cells = cells.with_columns(nth=pl.int_ranges(pl.col("click").list.len())).explode("click", "nth")
    parts = {role: _part(kind, role) for role in _PARTS}
    fields = {role: pl.col("click").struct.field(name) for role, name in parts.items() if name}
    cells = cells.select("row", "nth", **fields)
    if "item" in cells.columns:
        cells = cells.rename({"item": "document"})
    if "at" in cells.columns and not cells.schema["at"].is_numeric():
        cells = cells.with_columns(parse_times(cells["at"]).alias("at"))
    return _with_columns(cells)


def _with_list(clicks: pl.DataFrame, column: pl.Series, name: str) -> tuple[pl.DataFrame, int]:
    """Fill a column of clicks from the cells of their searches; return the number of searches that it does not fit.

    A cell has one value for each click.  A cell with a single value belongs to the last click.
    """
    import polars as pl

    lists = items(column if column.dtype == pl.String or isinstance(column.dtype, pl.List) else column.cast(pl.String))
    if isinstance(column.dtype, pl.List) and column.dtype.inner.is_temporal():
        lists = column.list.eval(pl.element().dt.timestamp("us") / 1e6).cast(pl.List(pl.String))
    cells = lists.alias("values").to_frame().with_row_index("row").with_columns(pl.col("row").cast(pl.Int64))
    clicks = clicks.join(cells, on="row", how="left", maintain_order="left")
    place, n = pl.int_range(pl.len()).over("row"), pl.len().over("row")
    length = pl.col("values").list.len()
    nth = pl.when(length == n).then(place).when((length == 1) & (place == n - 1)).then(0)
    filled = clicks.with_columns(filled=pl.col("values").list.get(nth, null_on_oob=True))
    uneven = filled.filter((length > 1) & (length != n))["row"].n_unique()
    values = parse_times(filled["filled"]) if name == "at" else filled["filled"].cast(pl.Float64, strict=False)
    filled = filled.with_columns(values.alias("filled")).with_columns(pl.coalesce(name, "filled").alias(name))
    return filled.drop("values", "filled"), uneven


def _orders(frame: pl.DataFrame) -> pl.DataFrame:
    """Return a row for each order: a value above 0, an element of a list, or else a flag."""
    import polars as pl

    kinds = {"row": pl.Int64, "nth": pl.Int32, "value": pl.String}
    orders = pl.DataFrame(schema=kinds)
    if "value" in frame.columns:
        is_list = isinstance(frame.schema["value"], pl.List)
        column = frame["value"] if is_list else frame["value"].cast(pl.String)
        bracketed = pl.repeat(True, len(column), eager=True) if is_list else column.str.starts_with("[")
        values = items(column)
        if not is_list:  # "12,34" may be one price or two: keep it as one text, which counts as a bad number
            values = values.zip_with(
                ~column.str.contains(_AMBIGUOUS).fill_null(False), column.reshape((-1, 1)).arr.to_list()
            )
        cells = pl.DataFrame({"value": values, "list": bracketed}).with_row_index("row")
        cells = cells.filter(pl.col("value").list.len() > 0)
        cells = cells.with_columns(nth=pl.int_ranges(pl.col("value").list.len())).explode("value", "nth")
        nothing = ~pl.col("list") & (pl.col("value").cast(pl.Float64, strict=False) == 0).fill_null(False)
        orders = cells.filter(~nothing).select(pl.col(name).cast(kind) for name, kind in kinds.items())
    if "converted" in frame.columns:
        converted = flags(frame["converted"]).alias("flag").to_frame().with_row_index("row")
        plain = converted.filter(pl.col("flag") & ~pl.col("row").is_in(orders["row"].implode()))
        orders = orders.vstack(
            plain.select(pl.col("row").cast(pl.Int64), nth=pl.lit(0, pl.Int32), value=pl.lit(None, pl.String))
        )
    return orders
