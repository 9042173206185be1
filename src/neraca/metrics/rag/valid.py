"""Valid and Supported: one yes or no about the whole answer."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on


@metric("Valid", not_for="as a sign of truth: an answer to the point may be wrong", binary=True, judge="valid")
@judged_on("valid")
def valid(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of answers that respond to their question, in one yes or no of a judge or a person.

    $$ \frac{1}{n} \sum_{i=1}^{n} y_i $$

    with $y_i$ the verdict on answer i, of n that are scored.

    0 to 1; a failed answer does not respond, unless somebody says otherwise.  Unscored, with the reason, where the
    judge failed or nobody judged.  People come before judges; `by` names one of several judges.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> valid(judged(valid=1)).values
    array([1.])
    """
    return verdicts.rating("valid", by, failed=0.0)


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

    with $y_i$ the verdict on answer i, of n that are scored.

    Coarser than Faithfulness, which asks of each claim.  0 to 1; a failed answer says nothing, and is unscored.
    Otherwise as Valid.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> supported(judged(supported=0)).values
    array([0.])
    """
    return verdicts.rating("supported", by)
