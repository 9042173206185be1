"""Judge the relevance of documents by their clicks, corrected for the rank at which they were shown.

COEC (clicks over expected clicks) expects from each impression the mean click-through rate of its rank.  The
position-based model separates attraction from examination.  Both values are relative to an average document, which
has 1.
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
    """Relevance by clicks of each (query, document) pair of a log.

    Attributes
    ----------
    how
        The method, `coec` or `pbm`.
    queries, documents
        The query and the document of each pair.
    value
        Shape (pairs,): clicks divided by those of an average document at the same ranks; NaN if no clicks are expected
        there.
    impressions, clicks
        Shape (pairs,).
    enough
        Shape (pairs,): whether the pair was shown often enough to be judged.
    least
        The fewest impressions that are enough.
    relevant_from
        The smallest value of a relevant document.
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
        """Return the reason for a verdict: clicks, impressions and value."""
        return (
            f"{self.clicks[pair]:,.0f} clicks on {self.impressions[pair]:,.0f} impressions, "
            f"{self.value[pair]:.2f} times those of an average document at the same ranks"
        )


def click_relevance(log: ClickLog, how: How = "coec", *, least: int = 20, relevant_from: float = 1.0) -> ClickRelevance:
    r"""Compute the relevance of each (query, document) pair of a log from its clicks.

    With clicks $c_{pr}$ and impressions $n_{pr}$ of pair p at rank r,

    $$ COEC_p = \sum_r c_{pr} \Big/ \sum_r n_{pr} \, ctr_r, \quad ctr_r = \sum_p c_{pr} \Big/ \sum_p n_{pr} $$

    With the position-based model, the value is the attraction of the pair divided by the mean attraction over
    impressions.

    Raises
    ------
    InputError
        The position-based model finds no two ranks that can be compared.

    References
    ----------
    Zhang, V. and Jones, R. (2007). Comparing click logs and editorial labels for training query rewriting. WWW
    workshop on query log analysis (clicks over expected clicks).
    """
    sample = log.fitted.joined(log.held_out)
    impressions, clicks = sums(sample.pair, sample.impressions, log.pairs), sums(sample.pair, sample.clicks, log.pairs)
    if how == "pbm":
        attraction = PositionBased.fit(sample, log.pairs).attraction
        value = attraction / np.average(attraction, weights=impressions)
    else:
        click_through = sample.clicked_at / np.maximum(sample.shown_at, 1)
        expected = sums(sample.pair, sample.impressions * click_through[sample.rank], log.pairs)
        value = np.divide(clicks, expected, out=np.full(log.pairs, np.nan), where=expected > 0)
    enough = (impressions >= least) & ~np.isnan(value)
    return ClickRelevance(how, log.queries, log.documents, value, impressions, clicks, enough, least, relevant_from)


class Matched(NamedTuple):
    """Verdicts from clicks on the items of a dataset.

    Attributes
    ----------
    verdicts
        Verdicts on hits of the items, 1 or 0.
    items
        Number of items with at least one verdict.
    too_few
        Number of their (query, document) pairs that were not shown often enough.
    unknown
        Number of items that nobody searched for.
    """

    verdicts: list[Verdict]
    items: int
    too_few: int
    unknown: int


def click_verdicts(relevance: ClickRelevance, items: Iterable[Item]) -> Matched:
    """Make verdicts on the hits of items.  Match an item to a query by its query, else by its id."""
    pairs_by_query: dict[str, list[int]] = defaultdict(list)
    for pair, query in enumerate(relevance.queries):
        pairs_by_query[query].append(pair)
    verdicts: list[Verdict] = []
    counts: Counter[str] = Counter()
    for item in items:
        pairs = pairs_by_query.get(normal_query(item.query)) or pairs_by_query.get(normal_query(item.id), [])
        enough = [pair for pair in pairs if relevance.enough[pair]]
        counts["unknown"] += not pairs
        counts["too_few"] += len(pairs) - len(enough)
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
    """Return the lines of a TREC qrels file; white space in queries and ids becomes an underscore."""
    judged = np.flatnonzero(relevance.enough).tolist()
    return [
        f"{'_'.join(relevance.queries[pair].split())} 0 {'_'.join(relevance.documents[pair].split())} "
        f"{relevance.grade(pair):.0f}"
        for pair in judged
    ]
