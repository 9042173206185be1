"""Choose which pairs of many runs a figure draws, and describe the choice for its caption."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from neraca.comparisons.difference import Difference, baseline_of
from neraca.counts_and_lists import count
from neraca.metrics.metric import Metric
from neraca.translation import say

#: The most pairs in one figure: more are not readable on a page.
MOST = 20


class PairsDrawn(NamedTuple):
    """The differences that are drawn, and a note on the choice; "" if all are drawn."""

    pairs: Sequence[Difference]
    note: str


def pairs_drawn(differences: Sequence[Difference], best: str = "") -> PairsDrawn:
    """Choose the pairs of the run with the best value if there are more than `MOST`; of still more the first.

    With a baseline, all pairs are its own, and the first are drawn.

    Parameters
    ----------
    differences
        The differences in one metric, in the order of drawing.
    best
        The run with the best value; "": the one that is ahead by most, summed over its pairs.
    """
    if len(differences) <= MOST:
        return PairsDrawn(differences, "")
    baseline = baseline_of(differences)
    run = baseline or best or _furthest_ahead(differences)
    drawn = [d for d in differences if run in (d.a, d.b)][:MOST]
    words = {
        "drawn": count(len(drawn), "pair"),
        "run": run,
        "others": count(len(differences) - len(drawn), "other pair"),
    }
    return PairsDrawn(
        drawn,
        say("Drawn are the first {drawn} with {run}; {others} are not.", **words)
        if baseline
        else say("Drawn are {drawn} of {run}, which has the best value; {others} are not.", **words),
    )


def _furthest_ahead(differences: Sequence[Difference]) -> str:
    leads: dict[str, float] = {}
    for d in differences:
        lead = d.difference if Metric.of(d.metric).higher_is_better else -d.difference
        leads[d.a], leads[d.b] = leads.get(d.a, 0.0) + lead, leads.get(d.b, 0.0) - lead
    return max(leads, key=leads.__getitem__)
