"""Refuse a log that has searches and no click, and name the columns that may hold the clicks."""

from __future__ import annotations

import re

from neraca.datasets.columns import fold
from neraca.errors import InputError
from neraca.number_format import integer
from neraca.online.event_columns import ROLES
from neraca.online.log_contents import LogContents
from neraca.online.search_log import SearchLog

#: Names of columns that may hold clicks.
_CLICKS = re.compile(r"click|tap|select|open|interact|action|event", re.IGNORECASE)


def check_clicks(log: SearchLog, contents: LogContents, purpose: str) -> None:
    """Raise `InputError` if the log has searches but no click; `purpose` says what cannot be done without clicks."""
    if contents.clicks or not contents.searches:
        return
    unused = log.unused
    columns = f"the columns that were not read: {', '.join(unused[:20])}" if unused else "all of its columns were read"
    actions = ", ".join(f"{name} {integer(n)}" for name, n in contents.others.most_common(8))
    other_events = f"; events with other actions: {actions} (write `click` for a click)" if actions else ""
    clicks = [f"{integer(e.n)} {e.what}" for e in log.exclusions if "click" in e.what or e.reason == "bad_rank"]
    left_out = f"; left out: {'; '.join(clicks)}" if clicks else ""
    raise InputError(
        f"no click was found in {integer(contents.searches)} searches, so {purpose}; {columns}{other_events}"
        f"{left_out}. {_remedy(log, unused)}"
    )


def _remedy(log: SearchLog, unused: list[str]) -> str:
    """Say how to name the clicks."""
    names = {fold(name) for name in ROLES["clicked"]}
    of_searches = [name for name in unused if fold(name) in names]
    if of_searches and log.has("action"):
        action = next(fields.fields["action"] for _, fields in log.fields if "action" in fields.fields)
        return (
            f"With a column of actions ({action}) each click is a row of its own; if every row is a search, and "
            f"{of_searches[0]} holds its clicks, pass --column action= (with nothing behind it)"
        )
    likely = [name for name in unused if _CLICKS.search(name)] or unused or ["FIELD"]
    return (
        f"Name the column that holds the clicks of a search (--column clicked={likely[0]}), or add the table of "
        "clicks; if the action of a row is not what its column says, pass --column action="
    )
