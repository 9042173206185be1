"""Recognise the role of each field of a log by its name, such as `user` or `time`; UBI 1.3 needs no mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from neraca.datasets.columns import column_named, fold
from neraca.errors import InputError, SpecError
from neraca.nearest import nearest

_OF_ATTRIBUTES = ("query_attributes", "event_attributes")
#: Role → usual names of its field, including UBI's, the clearest first.
ROLES: dict[str, tuple[str, ...]] = {
    "action": ("action", "action_name", "event", "event_type", "event_name", "type"),
    "user": ("user", "user_id", "client_id", "visitor_id", "visitor", "uid", "user_pseudo_id", "distinct_id"),
    "session": ("session", "session_id", "visit_id"),
    "search": ("search", "query_id", "search_id", "ranking_id", "serp_id", "impression_id", "qid"),
    "query": ("query", "user_query", "query_text", "search_query", "keywords", "q", "text"),
    "variant": (
        *("variant", "arm", "variation", "experiment_group", "test_group", "treatment", "bucket", "group"),
        *(f"{place}.{name}" for place in _OF_ATTRIBUTES for name in ("variant", "arm", "experiment.variant")),
    ),
    "time": ("time", "timestamp", "event_time", "created_at", "datetime", "date", "ts"),
    "document": (
        *("document", "doc", "doc_id", "document_id", "object_id", "item_id", "product_id", "listing_id", "url"),
        "event_attributes.object.object_id",
    ),
    "rank": ("rank", "position", "ordinal", "event_attributes.position.ordinal"),
    "shown": ("shown", "results", "hits", "query_response_hit_ids", "documents", "serp"),
    "teams": ("teams", "team", "ranker", "rankers", *(f"{place}.teams" for place in _OF_ATTRIBUTES)),
    "clicked": (
        *("clicked_documents", "clicked_docs", "clicked_doc_ids", "clicked_ids", "clicked_items", "clicked_results"),
        *("clicked_positions", "clicked_position", "clicked_ranks", "clicked_rank", "click_positions", "click_ranks"),
        *(
            "clicked",
            "clicks",
            "is_click",
            "click",
            "has_click",
            "was_clicked",
            "click_count",
            "n_clicks",
            "num_clicks",
        ),
    ),
    "clicked_at": ("clicked_at", "click_times", "click_time", "click_timestamps", "clicked_times", "click_seconds"),
    "dwell": ("dwell", "dwell_time", "dwell_times", "dwell_seconds", "seconds", "event_attributes.dwell"),
    "value": (
        *("value", "revenue", "amount", "price", "order_values", "order_value", "event_attributes.value"),
        "event_attributes.revenue",
    ),
    "converted": ("converted", "is_conversion", "purchased", "ordered", "conversions", "orders"),
    "reformulated": ("reformulated", "is_reformulated", "was_reformulated"),
    "abandoned": ("abandoned", "is_abandoned", "was_abandoned"),
    "event": ("event_id", "uuid", "log_id"),
}
#: Roles of the columns that say what happened after a search, in a log with a row for each search.
OUTCOMES = ("clicked", "clicked_at", "converted", "reformulated", "abandoned")
#: Action → names that logs use for it.  Other actions keep their name.
ACTIONS: dict[str, tuple[str, ...]] = {
    "search": ("search", "query", "serp", "on_search", "search_performed"),
    "impression": ("impression", "impressions", "view", "shown", "exposure", "view_search_results"),
    "click": ("click", "clicks", "select", "select_item", "item_click", "result_click"),
    "conversion": ("conversion", "purchase", "order", "buy", "checkout", "transaction", "booking"),
    "reformulation": ("reformulation", "reformulate"),
}


class EventFields(NamedTuple):
    """Fields of a table by role, and the kind of its rows: `search`, `impression`, or "" if the action field says."""

    fields: dict[str, str]
    rows: str

    def unused(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that are not read.  A nested field without a part that is read is returned as a whole.

        >>> EventFields({"time": "at", "rank": "more.rank"}, "").unused(["at", "size", "more", "more.rank", "more.x"])
        ['size', 'more.x']
        """
        used = self.fields.values()
        parts = [c for c in columns if c not in used and not any(field.startswith(f"{c}.") for field in used)]
        return [part for part in parts if not any(part.startswith(f"{outer}.") for outer in (*parts, *used))]


def event_fields(columns: Sequence[str], mapping: Mapping[str, str], where: str, rows: str = "") -> EventFields:
    """Find the field for each role.

    Parameters
    ----------
    columns
        The fields of the table, nested ones with dots.
    mapping
        Role → field, takes precedence over recognition by name; "" means that the role has no field.  Names that are
        not roles are segments.
    where
        The name of the table, for messages.
    rows
        The kind of the rows if no field says what happened; "": this is an error.

    Raises
    ------
    SpecError
        A mapped field does not exist.
    InputError
        No field says what happened, when, or who did it.

    Examples
    --------
    >>> event_fields(["user_id", "timestamp", "event", "query_id"], {}, "log.csv").fields
    {'action': 'event', 'user': 'user_id', 'search': 'query_id', 'time': 'timestamp'}
    """
    fields = {}
    for role, names in ROLES.items():
        if role in mapping:
            continue
        if column := column_named(names, columns):
            fields[role] = column
    for role, column in mapping.items():
        if column and column not in columns:
            raise SpecError(f"{where}: no field is called {column!r} (for {role}); {nearest(column, columns)}")
        if column:
            fields[role] = column
    used: set[str] = set()
    for role in [*fields]:
        if fields[role] in used and role not in mapping:
            del fields[role]
        else:
            used.add(fields[role])
    rows = _row_kind(fields, columns, where, rows)
    unread = {"search": (), "impression": OUTCOMES[1:], "": OUTCOMES}[rows]
    return EventFields({role: field for role, field in fields.items() if role not in unread}, rows)


def _row_kind(fields: Mapping[str, str], columns: Sequence[str], where: str, otherwise: str) -> str:
    """Return the kind of the rows.  Raise `InputError` if it is unclear, or if time or user has no field."""
    all_fields = f"its fields: {', '.join(columns)}"
    if "time" not in fields:
        raise InputError(f"{where}: no field holds the time of an event; name it: --column time=FIELD ({all_fields})")
    if not {"user", "session", "search"} & fields.keys():
        raise InputError(
            f"{where}: no field holds the user; name it: --column user=FIELD, or session=FIELD ({all_fields})"
        )
    if "action" in fields:
        return ""
    if "shown" in fields or fold("query_response_id") in map(fold, columns):
        return "search"
    if "clicked" in fields and ("rank" in fields or "document" in fields):
        return "impression"
    if fields.keys() & {"clicked", "reformulated", "abandoned"}:
        return "search"
    if otherwise:
        return otherwise
    raise InputError(
        f"{where}: no field says what happened (search, click, …); name it: --column action=FIELD ({all_fields})"
    )
