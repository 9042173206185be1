"""GoalReached: whether the system did what the user wanted."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, rests_on


@metric(
    "GoalReached",
    not_for="to learn why: one verdict says nothing of the steps; `ToolCallAccuracy`",
    binary=True,
    judge="aspect",
)
@rests_on("answer goal")
def goal_reached(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of answers that reached the goal: the verdict on aspect `goal` of the answer, 1 or 0.

    $$ \frac{1}{n} \sum_{i=1}^{n} g_i $$

    with $g_i$ the verdict on answer i, of n that are scored.

    A person decides, or a model by a yes/no criterion of that name; degrees between 0 and 1 are allowed.  A failed
    answer has not reached the goal unless a verdict says otherwise; an answer without text may have.  Unscored, with
    the reason, if the judge could not decide or nobody judged.  People come before judges; `by` names one of several
    judges.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> goal_reached(judged(goal=1)).values
    array([1.])
    """
    return verdicts.rating("goal", by, silence=0.0, silent=verdicts.failed)
