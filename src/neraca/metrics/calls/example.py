"""Short ways to write tool calls, for examples and to compute a metric by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.calls.calls import Calls
from neraca.records import Answer, Item


def calls(expected: str | list[Any], made: str | list[Any], status: str = "complete") -> Calls:
    """Return the view of one answer; a text such as "search book" names calls without arguments.

    >>> calls("search book", "search").made
    [[('search', '{}')]]
    """
    item = Item(id="1", query="?", expected_calls=_calls(expected))
    answer = Answer(item="1", calls=_calls(made), status=status)  # type: ignore[arg-type]
    return Calls.of(scorable_of_answers([item], [answer]))


def _calls(calls: str | list[Any]) -> tuple[Mapping[str, Any], ...]:
    return tuple({"name": name} for name in calls.split()) if isinstance(calls, str) else tuple(calls)
