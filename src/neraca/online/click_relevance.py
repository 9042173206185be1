"""Clicks as a judge: how relevant documents are by their clicks, whatever rank they were shown at.

COEC, clicks over expected clicks, expects of each impression the mean click-through of its rank.  The position-based
model tells attraction from examination.  Both are given as multiples of an average document: 1 is as good as one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from neraca.online.click_models.click_log import Bools, ClickLog, Floats, normal_query, sums
from neraca.online.click_models.position_based import PositionBased
from neraca.records import Item, Verdict

How = Literal["coec", "pbm"]


@dataclass(frozen=True)
class ClickRelevance:
    """How relevant each (query, document) pair of a log is by its clicks.

    Attributes
    ----------
    how
        `coec` or `pbm`.
    queries, documents
        Of each pair.
    value
        Shape (pairs,): times as many clicks as an average document gets where this one was shown; NaN where nothing
        was expected.
    impressions, clicks
        Shape (pairs,).
    enough
        Shape (pairs,): whether the pair was shown often enough to be judged.
    least, relevant_from
        The impressions that are enough, and the value from which a document is relevant.
    """

    how: How
    queries: Sequence[str]
    documents: Sequence[str]
    value: Floats
    impressions: Floats
    clicks: Floats
    enough: Bools
    least: int
    relevant_from: float

    def grade(self, pair: int) -> float:
        """Return 1 for a relevant document, else 0."""
        return float(self.value[pair] >= self.relevant_from)

    def why(self, pair: int) -> str:
        """Say what a verdict rests on."""
        return (
            f"{self.clicks[pair]:,.0f} clicks on {self.impressions[pair]:,.0f} impressions, "
            f"{self.value[pair]:.2f} times those of an average document at the same ranks"
        )


def click_relevance(log: ClickLog, how: How = "coec", *, least: int = 20, relevant_from: float = 1.0) -> ClickRelevance:
    r"""Judge the documents of a log by all of its clicks.

    With clicks $c_{pr}$ and impressions $n_{pr}$ of pair p at rank r,

    $$ COEC_p = \sum_r c_{pr} \Big/ \sum_r n_{pr} \, ctr_r, \quad ctr_r = \sum_p c_{pr} \Big/ \sum_p n_{pr} $$

    By the position-based model the value is the attraction of the pair, divided by the mean attraction of what was
    shown.

    Raises
    ------
    InputError
        By the position-based model, where no two ranks can be compared.

    References
    ----------
    Zhang, V. and Jones, R. (2007). Comparing click logs and editorial labels for training query rewriting. WWW
    workshop on query log analysis (clicks over expected clicks).
    """
    whole = log.fitted.joined(log.held_out)
    impressions, clicks = sums(whole.pair, whole.impressions, log.pairs), sums(whole.pair, whole.clicks, log.pairs)
    if how == "pbm":
        attraction = PositionBased.fit(whole, log.pairs).attraction
        value = attraction / np.average(attraction, weights=impressions)
    else:
        through = whole.clicked_at / np.maximum(whole.shown_at, 1)
        expected = sums(whole.pair, whole.impressions * through[whole.rank], log.pairs)
        value = np.divide(clicks, expected, out=np.full(log.pairs, np.nan), where=expected > 0)
    enough = (impressions >= least) & ~np.isnan(value)
    return ClickRelevance(how, log.queries, log.documents, value, impressions, clicks, enough, least, relevant_from)


class Matched(NamedTuple):
    """What became of a log's judgements on a dataset.

    Attributes
    ----------
    verdicts
        On hits of the items, 1 or 0.
    items
        How many items have at least one.
    too_few
        Pairs of these items that were not shown often enough.
    unknown
        Items that nobody searched for.
    """

    verdicts: list[Verdict]
    items: int
    too_few: int
    unknown: int


def click_verdicts(relevance: ClickRelevance, items: Iterable[Item]) -> Matched:
    """Make verdicts on hits of items; an item is found by the words of its query, else by its id as the query."""
    pairs: dict[str, list[int]] = defaultdict(list)
    for pair, query in enumerate(relevance.queries):
        pairs[query].append(pair)
    verdicts: list[Verdict] = []
    counts: Counter[str] = Counter()
    for item in items:
        found = pairs.get(normal_query(item.query)) or pairs.get(normal_query(item.id), [])
        enough = [pair for pair in found if relevance.enough[pair]]
        counts["unknown"] += not found
        counts["too_few"] += len(found) - len(enough)
        counts["items"] += bool(enough)
        verdicts += _verdicts(relevance, item, enough)
    return Matched(verdicts, counts["items"], counts["too_few"], counts["unknown"])


def _verdicts(relevance: ClickRelevance, item: Item, pairs: Sequence[int]) -> Iterator[Verdict]:
    for pair in pairs:
        yield Verdict(
            item=item.id,
            about=f"hit:{relevance.documents[pair]}",
            aspect="relevance",
            by=f"clicks:{relevance.how}",
            value=relevance.grade(pair),
            why=relevance.why(pair),
        )


def qrels_lines(relevance: ClickRelevance) -> list[str]:
    """Lines of a TREC file of judgements; white space in queries and ids becomes an underscore."""
    judged = np.flatnonzero(relevance.enough).tolist()
    return [
        f"{'_'.join(relevance.queries[pair].split())} 0 {'_'.join(relevance.documents[pair].split())} "
        f"{relevance.grade(pair):.0f}"
        for pair in judged
    ]
