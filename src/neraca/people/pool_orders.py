"""In which order the documents of one question are judged: fused ranks, move-to-front, and the max-mean bandit.

All of them take the rankings of several runs, best document first, and know nothing of which system a ranking is of.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

#: Of reciprocal rank fusion, as its authors chose it.
K = 60
#: From which grade on a document is relevant.
RELEVANT = 1

Rankings = Sequence[Sequence[str]]


def fused(rankings: Rankings) -> dict[str, float]:
    r"""Reciprocal rank fusion: document → score, best first; equal scores in the order of the ids.

    $$ RRF(d) = \sum_{r} \frac{1}{60 + rank_r(d)} $$

    The sum is over the rankings that have the document.

    References
    ----------
    Cormack, G., Clarke, C. and Büttcher, S. (2009). Reciprocal rank fusion outperforms Condorcet and individual rank
    learning methods. SIGIR, 758-759.

    Examples
    --------
    >>> list(fused([["a", "b"], ["b", "c"]]))  # 1/61, 1/62 + 1/61, 1/62
    ['b', 'a', 'c']
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, document in enumerate(dict.fromkeys(ranking), start=1):
            scores[document] = scores.get(document, 0.0) + 1 / (K + rank)
    return dict(sorted(scores.items(), key=lambda pair: (-pair[1], pair[0])))


def move_to_front(rankings: Rankings, judged: Mapping[str, float], n: int) -> list[str]:
    """Return the next n documents to judge by move-to-front pooling.

    All runs begin with the same priority.  The next document comes from the run of the highest priority, the first of
    several in the order given.  A document that is not relevant lowers the priority of its run by 1.

    What is judged is replayed from the beginning.  A document that waits for its judgment counts as not relevant
    until then, so that several documents at a time come from several runs; with n = 1 it is the published method.

    Parameters
    ----------
    rankings
        Of each run, best document first.
    judged
        Document → grade of those judged so far; relevant from 1 on.
    n
        How many; fewer where fewer are left.

    References
    ----------
    Cormack, G., Palmer, C. and Clarke, C. (1998). Efficient construction of large test collections. SIGIR, 282-289
    (local move-to-front).

    Examples
    --------
    >>> move_to_front([["a", "b"], ["c", "d"]], {"a": 1}, 1)  # a was relevant: its run stays in front
    ['b']
    >>> move_to_front([["a", "b"], ["c", "d"]], {"a": 0}, 1)
    ['c']
    """
    priority = [0] * len(rankings)

    def learn(run: int, document: str, relevant: bool) -> None:
        priority[run] -= not relevant

    return _next(rankings, judged, n, lambda run: priority[run], learn)


def max_mean(rankings: Rankings, judged: Mapping[str, float], n: int) -> list[str]:
    r"""Return the next n documents to judge by the bandit max-mean.

    Each run is an arm.  The next document comes from the run with the largest mean of its posterior
    $Beta(1 + R, 1 + N)$: $(1 + R) / (2 + R + N)$, the first of several in the order given.  Of the judged documents
    that the run returned, R are relevant and N are not; a judgment counts for every run that returned the document.

    All judgments count, whoever asked for them; nothing is replayed.  A document that waits counts as not relevant
    until it is judged, as with `move_to_front`.

    Parameters
    ----------
    rankings, judged, n
        As of `move_to_front`.

    References
    ----------
    Losada, D., Parapar, J. and Barreiro, A. (2016). Feeling lucky? Multi-armed bandits for ordering judgements in
    pooling-based evaluation. SAC, 1027-1034 (MM, stationary).

    Examples
    --------
    >>> max_mean([["a", "b"], ["c", "d"]], {"a": 1}, 1)  # 2/3 against 1/2
    ['b']
    >>> max_mean([["a", "b"], ["c", "d"]], {"a": 0}, 1)  # 1/3 against 1/2
    ['c']
    """
    returned = [set(ranking) for ranking in rankings]
    seen_of = [len(documents & judged.keys()) for documents in returned]
    relevant_of = [sum(judged[one] >= RELEVANT for one in documents & judged.keys()) for documents in returned]

    def learn(run: int, document: str, relevant: bool) -> None:
        for number, documents in enumerate(returned):
            seen_of[number] += document in documents and document not in judged

    return _next(rankings, judged, n, lambda run: (1 + relevant_of[run]) / (2 + seen_of[run]), learn)


def _next(
    rankings: Rankings,
    judged: Mapping[str, float],
    n: int,
    value: Callable[[int], float],
    learn: Callable[[int, str, bool], None],
) -> list[str]:
    """Play: take the first document not seen yet of the run of the largest value, until n of them are unjudged."""
    places, seen, chosen = [0] * len(rankings), set[str](), list[str]()
    while len(chosen) < n:
        for run, ranking in enumerate(rankings):
            while places[run] < len(ranking) and ranking[places[run]] in seen:
                places[run] += 1
        left = [run for run, ranking in enumerate(rankings) if places[run] < len(ranking)]
        if not left:
            break
        run = max(left, key=value)
        document = rankings[run][places[run]]
        seen.add(document)
        if document not in judged:
            chosen.append(document)
        learn(run, document, judged.get(document, 0) >= RELEVANT)
    return chosen
