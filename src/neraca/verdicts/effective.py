"""The effective verdict where several were given on one thing: one function, with a rule for each use.

Only the first source that has an opinion counts (people, qrels, rules, models, embeddings).  Among several of its
verdicts the rule decides: the newest, or the lower median, the majority or the mean of what each of its voters said
last.  `raters.py` says which rule holds between people.
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
        Shape (p,): number of the place, rising.
    value
        Shape (p,): what was decided; NaN where it is undecided.
    row
        Shape (p,): row of the newest verdict that counts.
    votes
        Shape (p,): how many verdicts count.
    open
        Row of each undecided place on which several voted → the values that they gave, rising.
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
    """Settle what counts in each place.

    Parameters
    ----------
    place, value, by
        Shape (n,): of each verdict, oldest first, the number of what it is about, its value (NaN: none), and who gave
        it.  Verdicts with the same number are on the same thing.
    rule
        `newest`: the last verdict of the first source, also where it has no value.  `median`, `majority` and `mean`
        are taken over the voters of the first source that has a value; of each voter the newest verdict counts, and
        one without a value takes the voter's earlier vote back.  The median is the lower one.  A level majority is
        undecided.
    asked
        Only this source is asked; see `source.matches`.
    voters
        The voters, if not each `by` for itself: with prompts left out, a model votes once, however often its prompt
        was changed.
    moment
        Shape (n,): equal for verdicts of the same time.  With `newest`, the voters of the latest time then decide by
        majority; else the last verdict does.
    """
    combines = rule != "newest" or moment is not None
    rows = np.flatnonzero(by.where([matches(name, asked) for name in by.words]))
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
    level: dict[int, tuple[float, ...]] = {}
    if combines:
        for number in np.flatnonzero(votes > 1).tolist():
            voting = rows[ends[number] - votes[number] + 1 : ends[number] + 1]
            several = value[voting if moment is None else deciding(voting, moment[voting], rule)]
            settled[number] = agreed(several, rule)
            if np.isnan(settled[number]) and not np.isnan(several).any():
                level[number] = tuple(np.unique(several).tolist())
    return Effective(place[rows[ends]], settled, rows[ends], votes, level)
