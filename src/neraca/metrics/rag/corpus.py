"""CorpusCoverage and FindableRecall: how much of the reference stands in the corpus, and how much of that was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, Ints, divide
from neraca.metrics.rag.judge_verdicts import NO_REFERENCE, JudgeVerdicts, judged_on, reasoned
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.source import judge_of

#: The aspect of an answer by which a judge of the corpus is known.
NUMBER = "corpus_claims"


@dataclass(frozen=True)
class CorpusClaims:
    """The verdicts of a judge that looked for the c claims of n references in the corpus, overruled by people.

    Attributes
    ----------
    owner
        Shape (c,): the row of the answer; a claim that a person says is none is left out.
    there
        Shape (c,): 1 where a document of the corpus supports it, 0, or NaN where nobody could tell.
    n
        Shape (n,): claims of each reference; 0 where they are not known.
    why, why_there
        For each answer why its claims, or that of them, are not known, or "".
    judge
        As in `by`; "" where no judge said anything.
    """

    owner: Ints
    there: Floats
    n: Floats
    why: Sequence[str]
    why_there: Sequence[str]
    judge: str

    @classmethod
    def by(cls, verdicts: JudgeVerdicts, by: str) -> CorpusClaims:
        """Return what the judge `by` said; "": the only one.  Raises `SpecError` where there are several."""
        return verdicts.once((cls, by), lambda: cls._of(verdicts, by))

    @classmethod
    def _of(cls, verdicts: JudgeVerdicts, by: str) -> CorpusClaims:
        judged = verdicts.of_judge([NUMBER], by, keep=[NUMBER])
        owner: list[int] = []
        there: list[float] = []
        why, why_there = [""] * judged.n, [""] * judged.n
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
                    there.append(float(decision.value == 1) if decision and decided else np.nan)
                    if not decided and not why_there[row]:
                        reason = judged.reason(decision, "nobody said whether it stands in the corpus")
                        why_there[row] = f"reference {number}: {reason}"
        owners = np.array(owner, dtype=np.int64)
        n = np.bincount(owners, minlength=judged.n).astype(np.float64)
        return cls(owners, np.array(there, dtype=np.float64), n, why, why_there, judged.judge)

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
def corpus_coverage(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that some document of the corpus supports / claims of the reference.

    $$ |R \cap D| / |R| $$

    with R the claims of the reference, and D those that some document supports.

    What the best retriever could find; ContextRecall says how much of the reference the system found.  0 to 1; the
    mean over answers.  It says nothing of the system: all runs of the same questions and documents have the same.
    A claim whose passage was not among the nearest ones counts as not there, so ContextRecall may be higher.  Not
    defined where the reference claims nothing or there is none; `by` and the judge's failures as in Faithfulness.

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
    return reasoned(divide(claims.sum(claims.there), claims.n), claims.why, claims.why_there)


@metric(
    "FindableRecall",
    why_undefined="no claim of the reference stands in the corpus",
    not_for="where the corpus was not searched for the reference's claims: `ContextRecall`",
    judge="corpus",
)
@judged_on("reference_claims", "contexts", NUMBER)
def findable_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the reference that stand in the corpus and that some context supports / those in the corpus.

    $$ |R \cap D \cap S| / |R \cap D| $$

    with R the claims of the reference, D those that stand in the corpus, S those that some context supports.

    ContextRecall on what was findable, so that a retriever is not blamed for what is not there.  0 to 1; the mean over
    answers; 0 where the target failed.  Not defined where no claim stands in the corpus, or the reference claims
    nothing or there is none.  Unscored where the corpus and the contexts were judged for other claims: let the same
    model judge both, with the same prompts and cache.  `by` and the judge's failures as in Faithfulness.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> findable_recall(judged([], [("a", 0, 1), ("", 0, 1), ("", 0, 0)])).values
    array([0.5])
    """
    of_judge, corpus = Claims.by(verdicts, by), CorpusClaims.by(verdicts, judge_of(by))  # with prompts of its own
    claims, failed = of_judge.reference, verdicts.failed
    other = _other_judge(of_judge.judge, corpus, np.where(failed, corpus.n, claims.n))
    supported = np.zeros(len(corpus.owner))
    same = np.array([not why for why in other], dtype=bool) & ~failed
    supported[same[corpus.owner]] = claims.supported[same[claims.owner]]
    supported_claims = corpus.sum(np.where(corpus.there == 1, supported, 0.0))
    values = divide(supported_claims, corpus.sum((corpus.there == 1) * 1.0))
    unknown = [list(why) for why in (claims.why, corpus.why, other, corpus.why_there, claims.why_supported)]
    return reasoned(values, *unknown)


def _other_judge(judge: str, corpus: CorpusClaims, n: Floats) -> list[str]:
    """For each answer why its claims are not those that were looked for in the corpus, or ""."""
    if judge and corpus.judge and judge_of(judge) != judge_of(corpus.judge):
        remedy = "let one model judge both"
        why = f"contexts were judged by {judge_of(judge)}, the corpus by {judge_of(corpus.judge)}; {remedy}"
        return [why] * len(n)
    return [
        "" if there == here else f"the corpus was searched for {there:g} claims, the contexts for {here:g}; judge again"
        for there, here in zip(corpus.n.tolist(), n.tolist(), strict=True)
    ]
