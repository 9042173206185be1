"""ContextRecall and ContextUtilisation: how much of the reference was found, and how much of that was used."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, divide
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned


@metric(
    "ContextRecall",
    why_undefined="the reference claims nothing",
    not_for="alone: more contexts raise it, and cost; and where the reference says more than a good answer needs",
    judge="claims",
)
@judged_on("reference_claims", "contexts")
def context_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that some context supports / claims of the reference; the mean over answers.

    $$ |R \cap S| / |R| $$

    with R the claims of the reference, and S those that some context supports.

    0 to 1; 0 where nothing was returned or the target failed.  Not defined where the reference claims nothing or
    there is none; `by` and the judge's failures as in Faithfulness.  What is not in the corpus counts as not found;
    CorpusCoverage and FindableRecall tell the two apart.

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
def context_utilisation(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that some context supports and the answer states / those that some context supports.

    $$ |R \cap S \cap A| / |R \cap S| $$

    with R the claims of the reference, S those that some context supports, A those that the answer states.

    How much of what was found the answer uses.  0 to 1; 0 for an answer that failed or is empty, unless the question
    expects `none`.  Not defined where no context supports any of them otherwise, or there is no reference; `by` and
    the judge's failures as in Faithfulness.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> context_utilisation(judged([], [("a b", 0), ("", 0), ("b", 1), ("", 1)])).values
    array([0.5])
    """
    of_judge = Claims.by(verdicts, by)
    claims = of_judge.reference
    used = (claims.supported == 1) & (claims.agreed == 1)
    values = divide(claims.sum(used * 1.0), claims.sum((claims.supported == 1) * 1.0))
    made = reasoned(values, claims.why, claims.why_supported, claims.why_agreed)
    return verdicts.with_silence(made, of_judge.silent, claims.why_nothing)
