"""Words on which offline metric predicts the users' preference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from neraca.counts_and_lists import count, listed
from neraca.metaeval.correlations import SYMBOLS, Correlations
from neraca.number_format import DASH, correlation, correlation_span, integer, percent_level
from neraca.reports.blocks.block import Block, Heading, Sentences
from neraca.result import Table
from neraca.translation import say


def section(correlations: Correlations) -> tuple[Block, ...]:
    """Return the blocks of the section in a report of interleaving."""
    heading = Heading(say("Offline metrics and users"), "offline", say("Offline"))
    return heading, Sentences(tuple(sentences(correlations))), _table(correlations)


def _table(correlations: Correlations) -> Table:
    """Return each metric beside the users' preference, the one that agrees most first."""
    rows = [
        [row.metric, correlation(row.value), correlation_span(row.low, row.high) or DASH, integer(row.n)]
        for row in correlations.with_human
    ]
    interval = say("{level} interval", level=percent_level(correlations.level))
    columns = [say("offline metric"), SYMBOLS[correlations.method], interval, say("queries")]
    title = say("Offline metrics beside what users preferred, query by query")
    return Table(columns, rows, title, name="offline")


def sentences(correlations: Correlations) -> Iterator[str]:
    """Say which metrics agree with the users' preference, and which cannot be told apart."""
    agreeing = [row for row in correlations.with_human if row.low > 0]
    against = [row.metric for row in correlations.with_human if row.high < 0]
    if agreeing:
        indistinct = [row.metric for row in agreeing[1:] if not row.told_apart]
        if indistinct:
            yield say(
                "{metric} agrees most with users; {others} cannot be told from it.",
                metric=agreeing[0].metric,
                others=listed(indistinct),
            )
        else:
            yield say("{metric} agrees most with users.", metric=agreeing[0].metric)
    else:
        n = max((row.n for row in correlations.with_human), default=0)
        yield say(
            "On {queries} no metric is shown to go with what users preferred: single queries have few clicks, so it "
            "takes many of both.",
            queries=count(n, "query", "queries"),
        )
    if against:
        yield say(
            "{metrics} goes against users." if len(against) == 1 else "{metrics} go against users.",
            metrics=listed(against),
        )


def rows(correlations: Correlations) -> list[dict[str, Any]]:
    """Return a flat row for each metric."""
    return [
        {"metric": row.metric, "correlation": correlations.method, "value": row.value, "low": row.low, "high": row.high}
        | {"n": row.n, "told_apart": row.told_apart, "why": row.why}
        for row in correlations.with_human
    ]
