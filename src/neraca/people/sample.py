"""Random samples of the documents of a question, with the inclusion probability of each."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from neraca.errors import SpecError


class Drawn(NamedTuple):
    """A sampled document.

    Attributes
    ----------
    document
        Id of the document.
    stratum
        The stratum that it was drawn from.
    probability
        Its inclusion probability; NaN if it was not drawn at random.
    """

    document: str
    stratum: str
    probability: float


class Stratum(NamedTuple):
    """Documents with a best rank of at most `depth` that are in no earlier stratum, and the share to draw of them."""

    depth: int
    share: float


def draws_of(seed: int, question: str) -> random.Random:
    """Return the random numbers of a question, which depend on the seed and not on other questions."""
    return random.Random(f"{seed} {question}")


def shuffled(documents: Iterable[str], draws: random.Random) -> list[str]:
    """Return documents in a random order, which depends on their ids and the draws alone."""
    ordered = sorted(documents)
    draws.shuffle(ordered)
    return ordered


def uniform(documents: Iterable[str], n: int, draws: random.Random) -> list[Drawn]:
    """Draw n documents without replacement, each as likely as any other: n / (number of documents).

    >>> len(uniform("abcd", 2, draws_of(0, "q"))), uniform("abcd", 2, draws_of(0, "q"))[0].probability
    (2, 0.5)
    """
    ordered = shuffled(documents, draws)
    sample = ordered[:n]
    return [Drawn(document, "all", len(sample) / len(ordered)) for document in sample]


def stratified(best_rank: Mapping[str, int], strata: Sequence[Stratum], draws: random.Random) -> list[Drawn]:
    """Draw a share of each stratum, uniformly within it; the sample comes in a random order.

    A stratum holds the documents whose best rank in any run is in a range; each has a share of its own, as for statAP
    and xinfAP.  At least one document is drawn from a stratum that is not empty.  The probability is the number of
    documents drawn from the stratum, divided by its size.

    Parameters
    ----------
    best_rank
        Document → its best rank in any run, from 1.
    strata
        The strata with rising depths; documents below the last one are not drawn.
    draws
        The source of random draws.

    References
    ----------
    Aslam, J. and Pavlu, V. (2008). A practical sampling strategy for efficient retrieval evaluation. Northeastern
    University (statAP).  Yilmaz, E., Kanoulas, E. and Aslam, J. (2008). A simple and efficient sampling method for
    estimating AP and NDCG. SIGIR, 603-610 (xinfAP, strata by depth).

    Examples
    --------
    >>> ranks = {"a": 1, "b": 2, "c": 3, "d": 3, "e": 4, "f": 4}
    >>> sorted(stratified(ranks, parse_strata("2=1 4=0.5"), draws_of(0, "q")))[:2]
    [Drawn(document='a', stratum='1-2', probability=1.0), Drawn(document='b', stratum='1-2', probability=1.0)]
    >>> len(stratified(ranks, parse_strata("2=1 4=0.5"), draws_of(0, "q")))
    4
    """
    sample: list[Drawn] = []
    first = 1
    for depth, share in strata:
        members = [document for document, rank in best_rank.items() if first <= rank <= depth]
        n = max(1, round(share * len(members)))
        name = f"{first}-{depth}" if depth > first else f"{depth}"
        sample += [drawn._replace(stratum=name) for drawn in uniform(members, n, draws)]
        first = depth + 1
    draws.shuffle(sample)
    return sample


def parse_strata(text: str) -> tuple[Stratum, ...]:
    """Read strata; raise `SpecError` if they cannot be read.

    >>> parse_strata("10=1 100=0.2")  # all of the ranks 1 to 10, a fifth of 11 to 100
    (Stratum(depth=10, share=1.0), Stratum(depth=100, share=0.2))
    """
    strata = []
    for word in text.replace(",", " ").split():
        depth, _, share = word.partition("=")
        try:
            strata.append(Stratum(int(depth), float(share)))
        except ValueError:
            strata.append(Stratum(0, 0.0))
    depths = [stratum.depth for stratum in strata]
    rising = all(a < b for a, b in zip([0, *depths], depths, strict=False))
    if not strata or not rising or not all(0 < stratum.share <= 1 for stratum in strata):
        raise SpecError(
            f"cannot read the strata {text!r}; write rising depths, each with the share to draw, such as '10=1 100=0.2'"
        )
    return tuple(strata)
