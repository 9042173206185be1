"""AnswerCorrectness: an answer beside its reference, by claims and by meaning."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claim_overlap import f_of, reasons
from neraca.metrics.rag.claims import Claims
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned
from neraca.metrics.rag.similarity import similarity


@metric(
    "AnswerCorrectness",
    described={"weight": "ClaimF, weighted by {weight:g}, and Similarity, by the rest to 1."},
    why_undefined="the reference claims nothing",
    not_for="to learn what is wrong: it adds claims and embeddings; `ClaimPrecision` and `ClaimRecall` tell them apart",
    judge="claims",
)
@judged_on("reference_claims", "claims", "similarity")
def answer_correctness(
    verdicts: JudgeVerdicts, *, by: str = "", embed: str = "", beta: float = 1, weight: float = 0.75
) -> Reasoned:
    r"""Three quarters ClaimF and one quarter Similarity.

    $$ w \cdot F_\beta + (1 - w) \cdot \max(0, Similarity) $$

    with w the `weight` of claims.  0 to 1; 0 for an answer that failed or is empty; one that claims nothing otherwise
    keeps its part of Similarity.  The first of several references gives claims, the nearest gives Similarity.
    Undefined if the question expects `none`, the reference claims nothing, or there is none.  Unscored, with the
    reason, if the judge failed or nobody compared the meanings; `AnswerCorrectness(weight=1)` needs no embeddings, but
    is ClaimF.  `by` names the judge of claims, `embed` the embeddings: they must if there are several.

    References
    ----------
    The ragas library (2023), answer correctness; there an answer and a reference without claims have F = 1.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> answer_correctness(judged([("", 1), ("", 0)], [("", 1), ("", 0)], similarity=0.8)).values  # .75 × .5 + .25 × .8
    array([0.575])
    """
    if not 0 <= weight <= 1:
        raise SpecError(f"AnswerCorrectness: weight is a share from 0 to 1, not {weight!r}")
    claims = Claims.by(verdicts, by)
    values = weight * f_of(claims, beta, "AnswerCorrectness")
    if weight == 1:
        made = reasoned(values, verdicts.unanswerable, *reasons(claims))
    else:
        close = similarity(verdicts, embed=embed)
        values += (1 - weight) * np.maximum(close.values, 0)
        made = reasoned(values, verdicts.unanswerable, *reasons(claims), close.why)
    return verdicts.with_silence(made, claims.silent, claims.reference.why_nothing)
