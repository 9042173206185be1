"""The effective verdict among several on one thing: one function, with a rule for each use.

Only the first source with an opinion counts (people, qrels, rules, models, embeddings).  Among several verdicts of this
source a rule decides: the newest one, or the lower median, majority or mean of each voter's newest verdict.
`raters.py` chooses the rule between people.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.runs.verdict_table import Ints, combined, last_of_each
from neraca.verdicts.raters import Rule, agreed, deciding
from neraca.verdicts.source import matches, precedence

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Effective:
    """The effective verdicts on p things.

    Attributes
    ----------
    place
        Shape (p,): number of the place, ascending.
    value
        Shape (p,): the effective value; NaN if undecided.
    row
        Shape (p,): row of the newest verdict that counts.
    votes
        Shape (p,): number of verdicts that count.
    open
        Index of each undecided place with several voters → the values that they gave, ascending.
    """

    place: Ints
    value: Floats
    row: Ints
    votes: Ints
    open: Mapping[int, tuple[float, ...]] = field(default_factory=dict)


def effective(
    place: Ints,
    value: Floats,
    by: Categorical,
    rule: Rule = "newest",
    *,
    asked: str = "",
    voters: Categorical | None = None,
    moment: Ints | None = None,
) -> Effective:
    """Find the effective verdict in each place.

    Parameters
    ----------
    place, value, by
        Shape (n,), oldest verdict first: the number of the thing that it is on, its value (NaN: none), and its source.
    rule
        `newest`: the last verdict of the first source, even without a value.  `median`, `majority` and `mean` combine
        the voters of the first source that has a value.  The newest verdict of each voter counts; one without a value
        withdraws the voter's earlier vote.  The median is the lower one.  A tie is undecided.
    asked
        Only this source counts; see `source.matches`.
    voters
        The voters, if they are not `by`: without the prompt, a model votes once, however often its prompt changed.
    moment
        Shape (n,): equal for verdicts of the same time.  With `newest`, the voters of the latest time then decide by
        majority; else the last verdict does.
    """
    combines = rule != "newest" or moment is not None
    rows = np.flatnonzero(by.where(lambda name: matches(name, asked)))
    if combines:
        names = voters or by
        rows = rows[last_of_each(combined(place[rows], names.codes[rows], len(names.words)))]
    if rule != "newest":
        rows = rows[~np.isnan(value[rows])]
    rank = np.array([precedence(name) for name in by.words], dtype=np.int64)[by.codes[rows]]
    order = np.lexsort((rows, -rank, place[rows]))  # the first source last, its newest verdict at the end
    rows, rank = rows[order], rank[order]
    ends = np.flatnonzero(np.append(np.diff(place[rows]) != 0, True)[: len(rows)])
    lengths = np.diff(ends, prepend=-1)
    votes = np.add.reduceat(rank == np.repeat(rank[ends], lengths), ends - lengths + 1) if len(ends) else ends
    settled = value[rows[ends]]
    ties: dict[int, tuple[float, ...]] = {}
    if combines:
        for number in np.flatnonzero(votes > 1).tolist():
            voting = rows[ends[number] - votes[number] + 1 : ends[number] + 1]
            voted = value[voting if moment is None else deciding(voting, moment[voting], rule)]
            settled[number] = agreed(voted, rule)
            if np.isnan(settled[number]) and not np.isnan(voted).any():
                ties[number] = tuple(np.unique(voted).tolist())
    return Effective(place[rows[ends]], settled, rows[ends], votes, ties)
