"""Valid and Supported: one yes/no verdict on the whole answer."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned
from neraca.verdicts.declined import declined

DECLINED = "the answer declines, so it states nothing that contexts could support"


@metric("Valid", not_for="as a sign of truth: an answer to the point may be wrong", binary=True, judge="valid")
@judged_on("valid")
def valid(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of answers that respond to their question, in one yes or no of a judge or a person.

    $$ \frac{1}{n} \sum_{i=1}^{n} y_i $$

    with $y_i$ the verdict on answer i, of n that are scored.  0 to 1; a failed or empty answer without a verdict does
    not respond.  Undefined if the question expects `none`.  Unscored, with the reason, if the judge failed or nobody
    judged.  People come before judges; `by` names one of several judges.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> valid(judged(valid=1)).values
    array([1.])
    """
    rating = verdicts.rating("valid", by, silence=0.0)
    return reasoned(rating.values, verdicts.unanswerable, rating.why)


@metric(
    "Supported",
    not_for="to learn which part is not supported: one yes or no of the whole; `Faithfulness`",
    binary=True,
    judge="supported",
)
@judged_on("supported")
def supported(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of answers that can be derived from their contexts, in one yes or no of a judge or a person.

    $$ \frac{1}{n} \sum_{i=1}^{n} y_i $$

    with $y_i$ the verdict on answer i, of n that are scored.  0 to 1.  It is coarser than Faithfulness, which decides
    on each claim.  Undefined for an answer that declines, because a refusal states nothing; otherwise as Valid.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> supported(judged(supported=0)).values
    array([0.])
    """
    refused = (declined(verdicts.verdicts) == 1) & ~verdicts.wordless
    rating = verdicts.rating("supported", by, silence=0.0)
    return reasoned(rating.values, rating.why, [DECLINED if is_refusal else "" for is_refusal in refused.tolist()])
