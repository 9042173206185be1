"""ClaimPrecision, ClaimRecall and ClaimF: agreement of an answer with its reference, claim by claim."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, divide
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned, rests_on

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats


@metric(
    "ClaimPrecision",
    why_undefined="the answer claims nothing, or its reference does not",
    not_for="where references are short and answers rightly say more: what is not in the reference counts as wrong",
    judge="claims",
)
@rests_on("claim correct")
def claim_precision(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    """Claims of the answer that the reference states / claims of the answer; the mean over answers.

    $$ TP / (TP + FP) $$

    with TP claims of the answer that the reference states, and FP claims that it does not state.  0 to 1; 0 for a
    failed or empty answer, unless the question expects `none`.  Otherwise undefined if the answer has no claims, or
    there is no reference with claims.  `by` and failures of the judge are as in Faithfulness.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> claim_precision(judged([("a", 1), ("a", 0), ("", 1)], [("", 1)])).values.round(4)
    array([0.6667])
    """
    claims = Claims.by(verdicts, by)
    values = np.where(claims.reference.n > 0, claims.answer.share(claims.answer.agreed), np.nan)
    precision = reasoned(values, claims.answer.why, claims.reference.why, claims.answer.why_agreed)
    return verdicts.with_silence(precision, claims.silent, claims.reference.why_nothing)


@metric(
    "ClaimRecall",
    why_undefined="the reference claims nothing",
    not_for="alone: longer answers raise it; look at `ClaimPrecision` and `Words` too",
    judge="claims",
)
@rests_on("reference stated")
def claim_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that the answer states / claims of the reference; the mean over answers.

    $$ |R \cap A| / |R| $$

    with R the claims of the reference, and A the claims that the answer states.  0 to 1; 0 for an answer that failed
    or has no claims.  Undefined without a reference with claims.  `by` and failures of the judge are as in
    Faithfulness.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> claim_recall(judged([("a", 1)], [("a", 1), ("", 0)])).values
    array([0.5])
    """
    all_claims = Claims.by(verdicts, by)
    claims = all_claims.reference
    recall = reasoned(claims.share(claims.agreed), claims.why, claims.why_agreed)
    return verdicts.with_silence(recall, all_claims.silent, claims.why_nothing)


@metric(
    "ClaimF",
    described={"beta": "F of the claims, in which recall counts {beta:g} times as much as precision."},
    why_undefined="the reference claims nothing",
    not_for="where leaving out is worse than adding, or the reverse: `ClaimRecall` and `ClaimPrecision` part them",
    judge="claims",
)
@judged_on("reference_claims", "claims")
@rests_on("claim correct", "reference stated")
def claim_f(verdicts: JudgeVerdicts, *, by: str = "", beta: float = 1) -> Reasoned:
    r"""F of the claims: TP / (TP + (FP + FN) / 2).

    $$ F_\beta = \frac{(1 + \beta^2)\, TP}{(1 + \beta^2)\, TP + FP + \beta^2\, FN} $$

    with TP claims of the answer that the reference states, FP claims that it does not state, and FN claims of the
    reference that the answer does not state.  0 to 1; 0 if TP is 0, also for an answer that failed or has no claims.
    Recall counts `beta` times as much as precision.  ClaimF is not always the mean of ClaimPrecision and ClaimRecall,
    because one claim of the answer may state two of the reference.  Undefined without a reference with claims.  `by`
    and failures of the judge are as in Faithfulness.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> claim_f(judged([("", 1), ("", 0)], [("", 1), ("", 0)])).values  # TP 1, FP 1, FN 1
    array([0.5])
    """
    claims = Claims.by(verdicts, by)
    f_values = reasoned(f_of(claims, beta, "ClaimF"), *reasons(claims))
    return verdicts.with_silence(f_values, claims.silent, claims.reference.why_nothing)


def f_of(claims: Claims, beta: float, name: str) -> Floats:
    """Return the F of the claims of each answer, shape (n,); NaN if the reference has no claims."""
    if not 0 <= beta < math.inf:
        raise SpecError(f"{name}: beta is a number from 0, not {beta!r}")
    right = claims.answer.sum(claims.answer.agreed)
    wrong = claims.answer.sum(1 - claims.answer.agreed)
    missed = claims.reference.sum(1 - claims.reference.agreed)
    twice = right * (1 + beta**2)
    values = divide(twice, twice + wrong + missed * beta**2)
    values[right == 0] = 0.0  # where beta is 0 and there are no claims the formula is 0 / 0
    return np.where(claims.reference.n > 0, values, np.nan)


def reasons(claims: Claims) -> list[list[str]]:
    """Return the reasons why the F of an answer is unknown, from either side."""
    answer, reference = claims.answer, claims.reference
    return [list(why) for why in (reference.why, answer.why, answer.why_agreed, reference.why_agreed)]
