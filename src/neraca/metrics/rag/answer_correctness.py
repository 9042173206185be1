"""AnswerCorrectness: agreement of an answer with its reference in claims and in meaning."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claim_overlap import f_of, reasons
from neraca.metrics.rag.claims import Claims
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned, rests_on
from neraca.metrics.rag.similarity import similarity


@metric(
    "AnswerCorrectness",
    described={"weight": "ClaimF, weighted by {weight:g}, and Similarity, by the rest to 1."},
    why_undefined="the reference claims nothing",
    not_for="to learn what is wrong: it adds claims and embeddings; `ClaimPrecision` and `ClaimRecall` tell them apart",
    judge="claims",
)
@judged_on("reference_claims", "claims", "similarity")
@rests_on("claim correct", "reference stated")
def answer_correctness(
    verdicts: JudgeVerdicts, *, by: str = "", embed: str = "", beta: float = 1, weight: float = 0.75
) -> Reasoned:
    r"""Three quarters ClaimF and one quarter Similarity.

    $$ w \cdot F_\beta + (1 - w) \cdot \max(0, Similarity) $$

    with w the `weight` of claims.  0 to 1; 0 for a failed or empty answer.  Another answer without claims keeps the
    part of Similarity.  Of several references the first gives the claims, the nearest the Similarity.  Undefined if the
    question expects `none`, or there is no reference with claims.  Unscored, with the reason, if the judge failed or
    the meanings were not compared.  `AnswerCorrectness(weight=1)` is ClaimF and needs no embeddings.  If there are
    several, `by` must name the judge of claims and `embed` the embeddings.

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
    why = [verdicts.unanswerable, *reasons(claims)]
    if weight != 1:
        similarities = similarity(verdicts, embed=embed)
        values += (1 - weight) * np.maximum(similarities.values, 0)
        why.append(list(similarities.why))
    return verdicts.with_silence(reasoned(values, *why), claims.silent, claims.reference.why_nothing)
