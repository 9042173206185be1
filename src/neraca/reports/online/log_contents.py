"""Say in words which events were read from a log, before any result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from neraca.number_format import integer
from neraca.online.exclusions import Exclusion
from neraca.online.log_contents import LogContents
from neraca.reports.counts_and_lists import count, listed
from neraca.reports.formats.escape import line

#: Reasons for which events lie outside the time of the experiment.
OUTSIDE = ("outside", "late")


def contents_sentences(
    contents: LogContents, exclusions: Sequence[Exclusion], unused: Sequence[str] = (), earlier: int = 0
) -> list[str]:
    """Say what was read, from when to when, and which columns were not read."""
    parts = [f"{count(contents.searches, 'search', 'searches')} of {count(contents.users, 'user')}"]
    unranked = f" ({integer(contents.unranked)} without a rank)" if contents.unranked else ""
    parts.append(f"{count(contents.clicks, 'click')}{unranked}")
    parts.append(count(contents.reformulations, "reformulation"))
    if contents.conversions:
        unvalued = f" ({_unvalued(contents)} a value)" if contents.unvalued else ""
        parts.append(f"{count(contents.conversions, 'conversion')}{unvalued}")
    if contents.searches:
        parts.append(f"{count(contents.days, 'day')} ({_date(contents.first)} to {_date(contents.last)}, UTC)")
    outside = [exclusion for exclusion in exclusions if exclusion.reason in OUTSIDE]
    left_out = "".join(f"; {count(e.n, 'event')} outside, left out ({line(e.example, 70)})" for e in outside)
    sentences = [f"Read: {', '.join(parts)}{left_out}."]
    if earlier:
        sentences.append(f"Before the start: {count(earlier, 'search', 'searches')} of these users.")
    if 0 < contents.unvalued < contents.conversions:
        n, conversions = integer(contents.unvalued), count(contents.conversions, "conversion")
        sentences.append(f"{n} of {conversions} have no value, and add nothing to revenue.")
    if contents.others:
        others = [f"{line(name, 30)} {integer(n)}" for name, n in contents.others.most_common()]
        sentences.append(f"Other events: {listed(others, 8)}.")
    if not contents.names_sessions:
        sentences.append("No column holds the session: 30 minutes without an event of a user end one.")
    if unused:
        sentences.append(f"Columns that were not read: {listed([line(name, 60) for name in unused], 20)}.")
    return sentences


def _unvalued(contents: LogContents) -> str:
    return "none has" if contents.unvalued == contents.conversions else f"{integer(contents.unvalued)} without"


def _date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
