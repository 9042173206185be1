"""Hallucination and SelfKnowledge: the wrong and the right claims of an answer that no context supports."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, reasoned, rests_on


@metric(
    "Hallucination",
    better="lower",
    why_undefined="the answer claims nothing, or its reference does not",
    not_for="where references are short: what neither context nor reference says may still be right",
    judge="claims",
)
@rests_on("claim supported", "claim correct")
def hallucination(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the answer that no context supports and the reference does not state / claims of the answer.

    $$ |A \cap \overline{S} \cap \overline{T}| / |A| $$

    with A the claims of the answer, S the claims that some context supports, and T the claims that the reference
    states.  0 to 1, less is better; Faithfulness + Hallucination + SelfKnowledge = 1.  Undefined if the answer or the
    reference has no claims, or there is no reference.  `by` and failures of the judge are as in Faithfulness.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> hallucination(judged([("a", 1), ("", 0), ("", 1), ("", 1)])).values
    array([0.25])
    """
    return _unsupported(verdicts, by, correct=0.0)


@metric(
    "SelfKnowledge",
    better="neither",
    why_undefined="the answer claims nothing, or its reference does not",
    not_for="as quality: it says where the answer's truth came from",
    judge="claims",
)
@rests_on("claim supported", "claim correct")
def self_knowledge(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the answer that no context supports and the reference states / claims of the answer.

    $$ |A \cap \overline{S} \cap T| / |A| $$

    with A the claims of the answer, S the claims that some context supports, and T the claims that the reference
    states.  These claims are right, but cannot be checked in the contexts: the model knew them, or the judge did not
    see their contexts.  0 to 1; neither direction is better.  Undefined and unscored as Hallucination.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> self_knowledge(judged([("a", 1), ("", 0), ("", 1), ("", 1)])).values
    array([0.5])
    """
    return _unsupported(verdicts, by, correct=1.0)


def _unsupported(verdicts: JudgeVerdicts, by: str, correct: float) -> Reasoned:
    all_claims = Claims.by(verdicts, by)
    claims, reference = all_claims.answer, all_claims.reference
    chosen = (claims.supported == 0) & (claims.agreed == correct)
    values = claims.share(chosen * 1.0)
    values[reference.n == 0] = float("nan")
    return reasoned(values, claims.why, reference.why, claims.why_supported, claims.why_agreed)
