"""Preferred: how often an answer is better than another run's answer to the same question."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on


@metric(
    "Preferred",
    described={"over": "Share of answers that are better than those of the run {over}, ties half."},
    not_for=(
        "to say how good: it says better than that run; and with a judge that prefers the first or the longer one "
        "(`neraca prefer`)"
    ),
    judge="pairwise",
)
@judged_on("preferred:{over}")
def preferred(verdicts: JudgeVerdicts, *, over: str, by: str = "") -> Reasoned:
    """Share of answers that are better than those of the run `over`, ties half: `Preferred(baseline)`.

    $$ (w + t / 2) / n $$

    with w answers that are better and t ties, of n that were compared.  An answer has 1 if it is better, 0 if it is
    worse, and 0.5 for a tie, which includes a judge that changes its mind when the two change places.  A mean of 0.5 is
    even.  A failed answer is scored only if somebody compared it.  Unscored, with the reason, if the judge failed or
    nobody compared.  People come before judges; `by` names one of several judges.

    References
    ----------
    Zheng, L. and others (2023). Judging LLM-as-a-judge with MT-Bench and Chatbot Arena. NeurIPS, sec. 3.4.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> preferred(judged(**{"preferred:baseline": 0.5}), over="baseline").values
    array([0.5])
    """
    return verdicts.rating(f"preferred:{over}", by)
