"""Make the tables of the section on correlations of metrics with each other and with people."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.metaeval.correlations import Agreement
from neraca.number_format import correlation, correlation_span, integer
from neraca.reports.blocks.block import Block, Cell, Sentences
from neraca.reports.blocks.correlations import CorrelationTable, shade
from neraca.reports.report import Report
from neraca.reports.sentences.captions import Captions
from neraca.result import Table
from neraca.translation import say


def correlation_blocks(report: Report, captions: Captions) -> Iterator[Block]:
    """Yield what the metrics have in common with each other and with people: sentences, then the tables."""
    if (table := report.correlations) is None:
        return
    if table.says:
        yield Sentences(table.says)
    if table.agreements:
        rows = [(row.metric, *map(_agreement, row.cells)) for row in table.agreements]
        title = captions["correlations"]["people"]
        yield Table((say("Metric"), *table.humans), rows, title, name="metrics and people")
    if table.names:
        yield _correlation_matrix(table)


def _agreement(agreement: Agreement | None) -> Cell:
    if agreement is None:
        return Cell(say("made from them"))
    interval = correlation_span(agreement.low, agreement.high) or say("no interval")
    remark = f", {say('less than the best')}" if agreement.told_apart else ""
    return Cell(correlation(agreement.value), interval, note=f"n = {integer(agreement.n)}{remark}")


def _correlation_matrix(table: CorrelationTable) -> Table:
    """Number the metrics.  Each row has the correlations with the metrics before it, so the last has no column."""
    width = len(table.names) - 1
    rows = [
        (name, *(Cell(correlation(value), shade=shade(value)) for value in values), *[""] * (width - len(values)))
        for name, values in zip(table.numbered, table.rows, strict=True)
    ]
    columns = (say("Metric"), *map(str, range(1, width + 1)))
    return Table(columns, rows, f"{table.rests} {table.cut}".rstrip(), name="correlations")
