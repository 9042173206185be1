"""ContextRecall and ContextUtilisation: how much of the reference the contexts support, and the answer then uses."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, divide
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned, rests_on


@metric(
    "ContextRecall",
    why_undefined="the reference claims nothing",
    not_for="alone: more contexts raise it, and cost; and where the reference says more than a good answer needs",
    judge="claims",
)
@judged_on("reference_claims", "contexts")
@rests_on("reference supported")
def context_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that some context supports / claims of the reference; the mean over answers.

    $$ |R \cap S| / |R| $$

    with R the claims of the reference, and S the claims that some context supports.  0 to 1; 0 if nothing was returned
    or the target failed.  Undefined without a reference with claims.  `by` and failures of the judge are as in
    Faithfulness.  A claim that is not in the corpus counts as not found; CorpusCoverage and FindableRecall separate the
    two.

    References
    ----------
    Es, S. and others (2024). RAGAs: automated evaluation of retrieval augmented generation. EACL Demonstrations.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> context_recall(judged([], [("a b", 0), ("", 0), ("b", 1), ("", 1)])).values
    array([0.5])
    """
    claims = Claims.by(verdicts, by).reference
    return reasoned(claims.share(claims.supported), claims.why, claims.why_supported)


@metric(
    "ContextUtilisation",
    why_undefined="no context supports a claim of the reference",
    not_for="to judge retrieval: it looks only at what was found",
    judge="claims",
)
@rests_on("reference supported", "reference stated")
def context_utilisation(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that some context supports and the answer states / those that some context supports.

    $$ |R \cap S \cap A| / |R \cap S| $$

    with R the claims of the reference, S the claims that some context supports, and A the claims that the answer
    states.  0 to 1; 0 for a failed or empty answer, unless the question expects `none`.  Otherwise undefined if no
    context supports a claim, or there is no reference.  `by` and failures of the judge are as in Faithfulness.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> context_utilisation(judged([], [("a b", 0), ("", 0), ("b", 1), ("", 1)])).values
    array([0.5])
    """
    all_claims = Claims.by(verdicts, by)
    claims = all_claims.reference
    used = (claims.supported == 1) & (claims.agreed == 1)
    values = divide(claims.sum(used * 1.0), claims.sum((claims.supported == 1) * 1.0))
    utilisation = reasoned(values, claims.why, claims.why_supported, claims.why_agreed)
    return verdicts.with_silence(utilisation, all_claims.silent, claims.why_nothing)
