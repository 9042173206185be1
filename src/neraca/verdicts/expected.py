"""Whether a good answer to a question returns results or nothing, by the effective verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from neraca.records import Item
from neraca.runs.verdict_table import VerdictTable, moments, numbered, times
from neraca.verdicts.effective import effective
from neraca.verdicts.raters import EXPECTS, Rule, Together, rule_of
from neraca.verdicts.source import source_of
from neraca.verdicts.undecided import ALL_RUNS, Decisions, Place
from neraca.verdicts.votes import Votes


class Expected(NamedTuple):
    """Questions with what a good answer to them returns.

    Attributes
    ----------
    items
        The questions, with `expects` as it was decided.
    together
        Kind of source → joint decisions of its voters.
    overruled
        Ids of the questions whose decision contradicts the data set, in its order.
    """

    items: Sequence[Item]
    together: dict[str, Together]
    overruled: tuple[str, ...] = ()


def with_expected(
    items: Sequence[Item],
    verdicts: Sequence[VerdictTable],
    asked: str = "",
    decisions: Decisions | None = None,
    combine: Rule | None = None,
) -> Expected:
    """Return the items with `expects` from verdicts about `item`, aspect `expects`.

    A verdict in any run holds in all runs, and has precedence over the data set.  The newest verdicts of several people
    are combined by the rule `combine`, see `rule_of`; None: by majority.  A tie is decided by `decisions`, otherwise
    by the data set.  Only verdicts of the source `asked` count.
    """
    votes = Votes(rule_of(EXPECTS, np.zeros(0), combine), decisions)
    table = VerdictTable.joined([on_expects(part.dated()) for part in verdicts])
    if not len(table):
        return Expected(items, {})
    table = table.take(np.argsort(times(table.at), kind="stable"))
    place, moment = numbered(table.item.codes.astype(np.int64)), moments(table.at)
    settled = effective(place, table.value, table.by, votes.rule, asked=asked, moment=moment)
    decided: dict[str, float] = {}
    for number, row in enumerate(settled.row.tolist()):
        item, source, value = table.item[row], source_of(table.by[row]), float(settled.value[number])
        if settled.votes[number] > 1:
            votes.count(source, int(settled.votes[number]))
        if number in settled.open:
            value = votes.settle(source, Place(ALL_RUNS, item, 0, "item", EXPECTS), settled.open[number])
        if value == value:
            decided[item] = value
    items_with_expectation = tuple(
        replace(item, expects="results" if decided[item.id] else "none") if item.id in decided else item
        for item in items
    )
    overruled = tuple(
        before.id
        for before, after in zip(items, items_with_expectation, strict=True)
        if before.expected and before.expected != after.expected
    )
    return Expected(items_with_expectation, dict(votes.together), overruled)


def on_expects(table: VerdictTable) -> VerdictTable:
    """Return the verdicts on what items expect."""
    return table.take(table.about.isin(["item"]) & table.aspect.isin([EXPECTS])).compact()
