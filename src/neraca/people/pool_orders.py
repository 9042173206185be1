"""Orders in which the documents of a question are judged: fused ranks, move-to-front, and the max-mean bandit.

All take the rankings of several runs, best document first, without the names of the systems.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

#: Constant of reciprocal rank fusion, as its authors chose it.
K = 60
#: Smallest grade of a relevant document.
RELEVANT = 1

Rankings = Sequence[Sequence[str]]


def fused(rankings: Rankings) -> dict[str, float]:
    r"""Fuse rankings by reciprocal rank: document → score, best first; equal scores in the order of the ids.

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

    All runs begin with the same priority.  The next document comes from the run with the highest priority; of several
    such runs, from the first.  A document that is not relevant lowers the priority of its run by 1.

    Earlier judgements are replayed from the beginning.  A document without a judgement counts as not relevant, so that
    several documents at a time come from several runs; with n = 1 this is the published method.

    Parameters
    ----------
    rankings
        The ranking of each run, best document first.
    judged
        Document → grade so far; relevant from 1 on.
    n
        Number of documents; fewer if fewer are left.

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
    $Beta(1 + R, 1 + N)$: $(1 + R) / (2 + R + N)$; of several such runs, from the first.  Of the judged documents
    that the run returned, R are relevant and N are not.  A judgement counts for every run that returned the document.

    All judgements count; nothing is replayed.  A document without a judgement counts as not relevant, as with
    `move_to_front`.

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
    n_judged = [len(documents & judged.keys()) for documents in returned]
    n_relevant = [sum(judged[name] >= RELEVANT for name in documents & judged.keys()) for documents in returned]

    def learn(run: int, document: str, relevant: bool) -> None:
        for number, documents in enumerate(returned):
            n_judged[number] += document in documents and document not in judged

    return _next(rankings, judged, n, lambda run: (1 + n_relevant[run]) / (2 + n_judged[run]), learn)


def _next(
    rankings: Rankings,
    judged: Mapping[str, float],
    n: int,
    value: Callable[[int], float],
    learn: Callable[[int, str, bool], None],
) -> list[str]:
    """Take the first new document of the run with the largest value, until n unjudged documents are chosen."""
    places, visited, chosen = [0] * len(rankings), set[str](), list[str]()
    while len(chosen) < n:
        for run, ranking in enumerate(rankings):
            while places[run] < len(ranking) and ranking[places[run]] in visited:
                places[run] += 1
        unfinished = [run for run, ranking in enumerate(rankings) if places[run] < len(ranking)]
        if not unfinished:
            break
        run = max(unfinished, key=value)
        document = rankings[run][places[run]]
        visited.add(document)
        if document not in judged:
            chosen.append(document)
        learn(run, document, judged.get(document, 0) >= RELEVANT)
    return chosen
