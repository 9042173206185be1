"""ContextPrecision: whether the useful contexts come first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, divide
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned, rests_on

CORRECT_EMPTY = "correct empty: nothing to find, nothing returned"


@metric(
    "ContextPrecision",
    not_for=(
        "where the order of contexts does not matter to the answer; and with references that say only part of "
        "what is useful"
    ),
    judge="claims",
)
@judged_on("contexts")
@rests_on("hit useful")
def context_precision(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Precision at the rank of each useful context, averaged over the useful contexts.

    $$ \frac{1}{U} \sum_{i=1}^{K} u_i \cdot \frac{u_1 + \dots + u_i}{i} $$

    with $u_i$ 1 if the context at rank i helps to arrive at the reference (without one, at the answer), else 0, and U
    their sum.  It is AP over the returned contexts, so useful texts that were not found do not count; see
    ContextRecall.  0 to 1; 0 if no context is useful, nothing was returned or the target failed, and without a
    reference for an empty answer.  A repeated document counts at its first rank.  Undefined if the question expects
    `none`.  Unscored, with the reason, if the judge failed on a context; `by` as in Faithfulness.

    References
    ----------
    The ragas library (2023), context precision; Harman, D. (1992). Overview of TREC-1.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> context_precision(judged(useful=[0, 1])).values, context_precision(judged(useful=[1, 0, 1])).values.round(4)
    (array([0.5]), array([0.8333]))
    """
    claims = Claims.by(verdicts, by)
    contexts, n = claims.contexts, verdicts.part.n
    useful = np.nan_to_num(contexts.useful)
    up_to = np.cumsum(useful)
    first = np.searchsorted(contexts.owner, contexts.owner)
    within = up_to - (up_to - useful)[first]
    number = np.bincount(contexts.owner, weights=useful, minlength=n)
    gained = np.bincount(contexts.owner, weights=useful * within / contexts.rank, minlength=n)
    precision = reasoned(np.nan_to_num(divide(gained, number)), verdicts.unanswerable, contexts.why_useful)
    references: Sequence[Sequence[str]] = verdicts.part.column("references")
    has_reference = ["the reference is the goal" if any(map(str.strip, texts)) else "" for texts in references]
    return verdicts.with_silence(precision, claims.silent, has_reference)
