"""Faithfulness: how much of what an answer says its contexts support."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned


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
def faithfulness(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the answer that some context supports / claims of the answer; the mean over answers.

    $$ Faithfulness = |\{c \in C : \text{some context supports } c\}| / |C| $$

    with C the claims that a judge found in the answer.  0 to 1; 0 where it claims something and nothing was retrieved,
    and for an answer that failed or is empty, unless the question expects `none`.  Not defined where it claims nothing
    otherwise, as a refusal.  Unscored, with the reason, where the judge failed, also where it could not tell of one
    claim alone.  What a person says of a claim (`supported`, or that it is no `claim`) stands in the place of the
    judge's word.  `by` names the judge; with several judges it must.

    References
    ----------
    Es, S. and others (2024). RAGAs: automated evaluation of retrieval augmented generation. EACL Demonstrations.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> faithfulness(judged([("a b", 1), ("", 0)])).values  # the first of two claims is supported, by a and by b
    array([0.5])
    """
    of_judge = Claims.by(verdicts, by)
    claims = of_judge.answer
    made = reasoned(claims.share(claims.supported), claims.why, claims.why_supported)
    return verdicts.with_silence(made, of_judge.silent)
