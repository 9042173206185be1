"""Words on which offline metric predicts the users' preference."""

from __future__ import annotations

from typing import Any

from neraca.metaeval.correlations import SYMBOLS, Correlations
from neraca.number_format import DASH, correlation, correlation_span, integer, percent_level
from neraca.reports.blocks.block import Block, Heading, Sentences
from neraca.reports.counts_and_lists import count, listed
from neraca.result import Table


def table(correlations: Correlations) -> Table:
    """Return each metric beside the users' preference, the one that agrees most first."""
    rows = [
        [
            row.metric,
            correlation(row.value),
            correlation_span(row.low, row.high) or DASH,
            integer(row.n),
        ]
        for row in correlations.with_human
    ]
    columns = [
        "offline metric",
        SYMBOLS[correlations.method],
        f"{percent_level(correlations.level)} interval",
        "queries",
    ]
    return Table(columns, rows, "Offline metrics beside what users preferred, query by query", name="offline")


def sentences(correlations: Correlations) -> list[str]:
    """Say which metrics agree with the users' preference, and which cannot be told apart."""
    sure = [row for row in correlations.with_human if row.low > 0]
    against = [row.metric for row in correlations.with_human if row.high < 0]
    n = max((row.n for row in correlations.with_human), default=0)
    texts = []
    if sure:
        others = [row.metric for row in sure[1:] if not row.told_apart]
        text = f"{sure[0].metric} agrees most with users"
        texts.append(f"{text}; {listed(others)} cannot be told from it." if others else f"{text}.")
    else:
        texts.append(
            f"On {count(n, 'query', 'queries')} no metric is shown to go with what users preferred: single queries "
            "have few clicks, so it takes many of both."
        )
    if against:
        texts.append(f"{listed(against)} {'goes' if len(against) == 1 else 'go'} against users.")
    return texts


def rows(correlations: Correlations) -> list[dict[str, Any]]:
    """Return a flat row for each metric."""
    return [
        {"metric": row.metric, "correlation": correlations.method, "value": row.value, "low": row.low, "high": row.high}
        | {"n": row.n, "told_apart": row.told_apart, "why": row.why}
        for row in correlations.with_human
    ]


def section(correlations: Correlations) -> tuple[Block, ...]:
    """Return the blocks of the section in a report of interleaving."""
    heading = Heading("Offline metrics and users", "offline", "Offline")
    return heading, Sentences(sentences(correlations)), table(correlations)
