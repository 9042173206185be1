"""Offline metrics and the preferences of users, in words."""

from __future__ import annotations

from typing import Any

from neraca.metaeval.correlations import SYMBOLS, Correlations
from neraca.number_format import DASH, correlation, correlation_span, integer, percent_level
from neraca.reports.blocks.block import Block, Heading, Sentences
from neraca.reports.counts_and_lists import count, listed
from neraca.result import Table


def table(correlations: Correlations) -> Table:
    """Each metric beside what users preferred, the one that agrees most first."""
    rows = [
        [
            agreement.metric,
            correlation(agreement.value),
            correlation_span(agreement.low, agreement.high) or DASH,
            integer(agreement.n),
        ]
        for agreement in correlations.with_human
    ]
    columns = [
        "offline metric",
        SYMBOLS[correlations.method],
        f"{percent_level(correlations.level)} interval",
        "queries",
    ]
    return Table(columns, rows, "Offline metrics beside what users preferred, query by query", name="offline")


def sentences(correlations: Correlations) -> list[str]:
    """Say which metrics go with users' preference, and which cannot be told apart."""
    sure = [agreement for agreement in correlations.with_human if agreement.low > 0]
    against = [agreement.metric for agreement in correlations.with_human if agreement.high < 0]
    n = max((agreement.n for agreement in correlations.with_human), default=0)
    lines = []
    if sure:
        others = [agreement.metric for agreement in sure[1:] if not agreement.told_apart]
        text = f"{sure[0].metric} agrees most with users"
        lines.append(f"{text}; {listed(others)} cannot be told from it." if others else f"{text}.")
    else:
        lines.append(
            f"On {count(n, 'query', 'queries')} no metric is shown to go with what users preferred: single queries "
            "have few clicks, so it takes many of both."
        )
    if against:
        lines.append(f"{listed(against)} {'goes' if len(against) == 1 else 'go'} against users.")
    return lines


def rows(correlations: Correlations) -> list[dict[str, Any]]:
    """Return a flat row for each metric."""
    return [
        {
            "metric": agreement.metric,
            "correlation": correlations.method,
            "value": agreement.value,
            "low": agreement.low,
            "high": agreement.high,
        }
        | {"n": agreement.n, "told_apart": agreement.told_apart, "why": agreement.why}
        for agreement in correlations.with_human
    ]


def section(correlations: Correlations) -> tuple[Block, ...]:
    """Return the blocks of the section in a report of interleaving."""
    return (
        Heading("Offline metrics and users", "offline", "Offline"),
        Sentences(sentences(correlations)),
        table(correlations),
    )
