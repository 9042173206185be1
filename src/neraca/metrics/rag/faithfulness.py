"""Faithfulness: the share of an answer's claims that its contexts support."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned, rests_on


@metric(
    "Faithfulness",
    why_undefined="the answer claims nothing",
    not_for=(
        "as a sign of truth or help: it says that an answer follows from its contexts, which may be wrong, and "
        "saying little raises it"
    ),
    judge="claims",
)
@judged_on("claims")
@rests_on("claim supported")
def faithfulness(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the answer that some context supports / claims of the answer; the mean over answers.

    $$ Faithfulness = |\{c \in C : \text{some context supports } c\}| / |C| $$

    with C the claims that a judge found in the answer.  0 to 1; 0 if the answer has claims and nothing was retrieved.
    A failed or empty answer has 0, unless the question expects `none`.  Any other answer without claims, such as a
    refusal, is undefined.  Unscored, with the reason, if the judge failed, even on a single claim.  A person's verdict
    on a claim (`supported`, or that it is no `claim`) replaces the judge's.  `by` names the judge, and must if there
    are several.

    References
    ----------
    Es, S. and others (2024). RAGAs: automated evaluation of retrieval augmented generation. EACL Demonstrations.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> faithfulness(judged([("a b", 1), ("", 0)])).values  # the first of two claims is supported, by a and by b
    array([0.5])
    """
    all_claims = Claims.by(verdicts, by)
    claims = all_claims.answer
    shares = reasoned(claims.share(claims.supported), claims.why, claims.why_supported)
    return verdicts.with_silence(shares, all_claims.silent)
