"""CorpusCoverage and FindableRecall: how much of the reference is in the corpus, and how much of that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, Ints, divide
from neraca.metrics.rag.judge_verdicts import NO_REFERENCE, JudgeVerdicts, judged_on, reasoned, rests_on
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.source import judge_of

#: A judge of the corpus decides on this aspect of an answer: the number of its reference's claims.
NUMBER = "corpus_claims"


@dataclass(frozen=True)
class CorpusClaims:
    """The verdicts of one judge on whether the c claims of n references are in the corpus, overruled by people.

    Attributes
    ----------
    owner
        Shape (c,): the row of the answer; a claim that a person rejected is left out.
    in_corpus
        Shape (c,): 1 if a document of the corpus supports the claim, else 0; NaN: undecided.
    n
        Shape (n,): the number of claims of each reference; 0 if they are not known.
    why, why_in_corpus
        For each answer why its claims, or this fact about them, are not known, or "".
    judge
        The judge, as in `by`; "" without verdicts of a judge.
    """

    owner: Ints
    in_corpus: Floats
    n: Floats
    why: Sequence[str]
    why_in_corpus: Sequence[str]
    judge: str

    @classmethod
    def by(cls, verdicts: JudgeVerdicts, by: str) -> CorpusClaims:
        """Return the verdicts of the judge `by`; "": the only judge, or `SpecError` if there are several."""
        return verdicts.once((cls, by), lambda: cls._of(verdicts, by))

    @classmethod
    def _of(cls, verdicts: JudgeVerdicts, by: str) -> CorpusClaims:
        judged = verdicts.of_judge([NUMBER], by, keep=[NUMBER])
        owner: list[int] = []
        in_corpus: list[float] = []
        why, why_in_corpus = [""] * judged.n, [""] * judged.n
        references = verdicts.part.column("references")
        for row, decisions in enumerate(judged):
            count = decisions.get(("answer", NUMBER))
            if not any(text.strip() for text in references[row]):
                why[row] = NO_REFERENCE
            elif count is None or count.value is None:
                why[row] = judged.reason(count, judged.silent("what stands in the corpus"))
            else:
                for number in range(1, int(count.value) + 1):
                    about = f"reference:{number}"
                    claim, decision = decisions.get((about, "claim")), decisions.get((about, "in_corpus"))
                    if claim is not None and claim.value == 0:
                        continue
                    decided = decision is not None and decision.value is not None
                    owner.append(row)
                    in_corpus.append(float(decision.value == 1) if decision and decided else np.nan)
                    if not decided and not why_in_corpus[row]:
                        reason = judged.reason(decision, "nobody said whether it stands in the corpus")
                        why_in_corpus[row] = f"reference {number}: {reason}"
        owners = np.array(owner, dtype=np.int64)
        n = np.bincount(owners, minlength=judged.n).astype(np.float64)
        return cls(owners, np.array(in_corpus, dtype=np.float64), n, why, why_in_corpus, judged.judge)

    def sum(self, values: Floats) -> Floats:
        """Sum over the claims of each reference, shapes (c,) -> (n,)."""
        return np.bincount(self.owner, weights=values, minlength=len(self.n)).astype(np.float64, copy=False)


@metric(
    "CorpusCoverage",
    kind="diagnostic",
    why_undefined="the reference claims nothing",
    not_for="to say which run is better: it is of the corpus and the questions, a diagnostic",
    judge="corpus",
)
@judged_on(NUMBER)
@rests_on("reference in_corpus")
def corpus_coverage(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that some document of the corpus supports / claims of the reference.

    $$ |R \cap D| / |R| $$

    with R the claims of the reference, and D the claims that some document supports.  It is the most that a retriever
    could find; ContextRecall is what the system found.  0 to 1; the mean over answers.  All runs of the same questions
    and documents have the same value.  A claim counts as missing if its passage was not among the nearest ones, so
    ContextRecall may be higher.  Undefined without a reference with claims.  `by` and failures of the judge are as in
    Faithfulness.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> corpus_coverage(judged([], [("a", 0, 1), ("", 0, 0)])).values
    array([0.5])
    """
    claims = CorpusClaims.by(verdicts, by)
    return reasoned(divide(claims.sum(claims.in_corpus), claims.n), claims.why, claims.why_in_corpus)


@metric(
    "FindableRecall",
    why_undefined="no claim of the reference stands in the corpus",
    not_for="where the corpus was not searched for the reference's claims: `ContextRecall`",
    judge="corpus",
)
@judged_on("reference_claims", "contexts", NUMBER)
@rests_on("reference in_corpus", "reference supported")
def findable_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that are in the corpus and that some context supports / claims in the corpus.

    $$ |R \cap D \cap S| / |R \cap D| $$

    with R the claims of the reference, D the claims in the corpus, and S the claims that some context supports.  It is
    ContextRecall over the claims that could be found.  0 to 1; the mean over answers; 0 if the target failed.
    Undefined if no claim is in the corpus, or there is no reference with claims.  Unscored if the corpus and the
    contexts were judged for different claims: let the same model judge both, with the same prompts and cache.  `by` and
    failures of the judge are as in Faithfulness.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> findable_recall(judged([], [("a", 0, 1), ("", 0, 1), ("", 0, 0)])).values
    array([0.5])
    """
    # the judge of the corpus has other prompts
    all_claims, corpus = Claims.by(verdicts, by), CorpusClaims.by(verdicts, judge_of(by))
    claims, failed = all_claims.reference, verdicts.failed
    why_different = _why_different(all_claims.judge, corpus, np.where(failed, corpus.n, claims.n))
    supported = np.zeros(len(corpus.owner))
    comparable = np.array([not why for why in why_different], dtype=bool) & ~failed
    supported[comparable[corpus.owner]] = claims.supported[comparable[claims.owner]]
    in_corpus = corpus.in_corpus == 1
    values = divide(corpus.sum(np.where(in_corpus, supported, 0.0)), corpus.sum(in_corpus * 1.0))
    return reasoned(values, claims.why, corpus.why, why_different, corpus.why_in_corpus, claims.why_supported)


def _why_different(judge: str, corpus: CorpusClaims, n: Floats) -> list[str]:
    """Return, for each answer, why its claims differ from the claims looked for in the corpus, or ""."""
    if judge and corpus.judge and judge_of(judge) != judge_of(corpus.judge):
        remedy = "let one model judge both"
        why = f"contexts were judged by {judge_of(judge)}, the corpus by {judge_of(corpus.judge)}; {remedy}"
        return [why] * len(n)
    return [
        f"the corpus was searched for {searched:g} claims, the contexts for {judged:g}; judge again"
        if searched != judged
        else ""
        for searched, judged in zip(corpus.n.tolist(), n.tolist(), strict=True)
    ]
