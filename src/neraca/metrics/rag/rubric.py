"""Rubric and Aspect: a grade, or a yes or no, by a criterion in the user's words."""

from __future__ import annotations

import math

from neraca.errors import SpecError
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on

#: The scale on which people rate the criterion `quality` (`neraca.people.rating.QUALITY`).
QUALITY = "0-5"


def _scale(name: str, by: str = "", scale: str = "") -> tuple[float, float]:
    """The ends of a scale such as "0-5"; infinite where nothing is known of it.  Raises `SpecError`."""
    words = scale or (QUALITY if str(name) == "quality" else "")
    if not words:
        return -math.inf, math.inf
    low, _, high = words.partition("-")
    try:
        ends = float(low), float(high)
    except ValueError:
        ends = 0.0, 0.0
    if not ends[0] < ends[1]:
        raise SpecError(f"Rubric({name}): a scale is its lowest and its highest grade, such as 0-5, not {scale!r}")
    return ends


@metric(
    "Rubric",
    described={"name": "Mean grade of the answers by the criterion {name}."},
    range_of=_scale,
    low=-math.inf,
    high=math.inf,
    not_for="before people and the judge were seen to agree on the grades; and as equal steps: 4 is not twice 2",
    judge="rubric",
)
@judged_on("{name}")
def rubric(verdicts: JudgeVerdicts, *, name: str, by: str = "", scale: str = "") -> Reasoned:
    r"""Mean grade of the answers by the criterion of this name, such as `Rubric(helpfulness)`.

    $$ \frac{1}{n} \sum_{i=1}^{n} g_i $$

    with $g_i$ the grade of answer i, of n that are scored.

    On the scale that the criterion has, which the verdicts do not tell; a higher grade is better.  `scale`, such as
    `scale=1-5`, names its ends, so that an interval stays within them; for `quality` these are 0 and 5.  The verdict
    holds the median of several repeats.  An answer that failed or is empty has the grade that somebody gave it, else
    the lowest of `scale` (0 without one); undefined if the question expects `none`.  Unscored, with the reason, where
    the judge failed or nobody graded.  People come before judges; `by` names one of several judges.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> rubric(judged(helpfulness=4), name="helpfulness").values
    array([4.])
    """
    lowest, _ = _scale(name, scale=scale)
    silence = lowest if math.isfinite(lowest) else 0.0
    return verdicts.rating(str(name), by, silence=silence)  # Rubric(2024) arrives as a number


@metric(
    "Aspect",
    described={"name": "Share of answers that meet the criterion {name}."},
    not_for=(
        "before people and the judge were seen to agree on the criterion; and to compare values under different "
        "judges or prompts"
    ),
    binary=True,
    judge="aspect",
)
@judged_on("{name}")
def aspect(verdicts: JudgeVerdicts, *, name: str, by: str = "") -> Reasoned:
    r"""Share of answers that meet the criterion of this name, such as `Aspect(polite)`.

    $$ \frac{1}{n} \sum_{i=1}^{n} y_i $$

    with $y_i$ the verdict on answer i, of n that are scored.

    Word the criterion so that yes is good.  0 to 1; an answer that failed or is empty does not meet it, unless somebody
    says otherwise, and is undefined if the question expects `none`.  Raises `SpecError` for grades: they are a Rubric.
    Otherwise as Rubric.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> aspect(judged(polite=1), name="polite").values
    array([1.])
    """
    rating = verdicts.rating(str(name), by, silence=0.0)
    outside = [value for value in rating.values if value < 0 or value > 1]
    if outside:
        raise SpecError(f"Aspect({name}): {outside[0]:g} is no yes or no, it is a grade; use Rubric({name})")
    return rating
