"""Words on which offline metric predicts the users' preference."""

from __future__ import annotations

from typing import Any

from neraca.metaeval.correlations import SYMBOLS, Correlations
from neraca.number_format import DASH, correlation, correlation_span, integer, percent_level
from neraca.reports.blocks.block import Block, Heading, Sentences
from neraca.reports.counts_and_lists import count, listed
from neraca.result import Table


def table(found: Correlations) -> Table:
    """Return each metric beside the users' preference, the one that agrees most first."""
    rows = [
        [
            one.metric,
            correlation(one.value),
            correlation_span(one.low, one.high) or DASH,
            integer(one.n),
        ]
        for one in found.with_human
    ]
    columns = ["offline metric", SYMBOLS[found.method], f"{percent_level(found.level)} interval", "queries"]
    return Table(columns, rows, "Offline metrics beside what users preferred, query by query", name="offline")


def sentences(found: Correlations) -> list[str]:
    """Say which metrics agree with the users' preference, and which cannot be told apart."""
    sure = [one for one in found.with_human if one.low > 0]
    against = [one.metric for one in found.with_human if one.high < 0]
    n = max((one.n for one in found.with_human), default=0)
    said = []
    if sure:
        others = [one.metric for one in sure[1:] if not one.told_apart]
        text = f"{sure[0].metric} agrees most with users"
        said.append(f"{text}; {listed(others)} cannot be told from it." if others else f"{text}.")
    else:
        said.append(
            f"On {count(n, 'query', 'queries')} no metric is shown to go with what users preferred: single queries "
            "have few clicks, so it takes many of both."
        )
    if against:
        said.append(f"{listed(against)} {'goes' if len(against) == 1 else 'go'} against users.")
    return said


def rows(found: Correlations) -> list[dict[str, Any]]:
    """Return a flat row for each metric."""
    return [
        {"metric": one.metric, "correlation": found.method, "value": one.value, "low": one.low, "high": one.high}
        | {"n": one.n, "told_apart": one.told_apart, "why": one.why}
        for one in found.with_human
    ]


def section(found: Correlations) -> tuple[Block, ...]:
    """Return the blocks of the section in a report of interleaving."""
    return Heading("Offline metrics and users", "offline", "Offline"), Sentences(sentences(found)), table(found)
