"""Rubric and Aspect: grades and yes/no verdicts by a criterion in the user's words."""

from __future__ import annotations

import math
import re

from neraca.errors import SpecError
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on

#: The scale on which people rate the criterion `quality`, unless a run states another (`Manifest.scales`).
QUALITY = "0-5"
#: The lowest and the highest grade, either of which may be below zero.
_ENDS = re.compile(r"\s*([+-]?[^-]+)-([+-]?[^-]+)")


def ends_of_scale(name: str, scale: str = "") -> tuple[float, float]:
    """Return the ends of a scale such as "0-5", infinite if it is not known; raise `SpecError`."""
    ends_text = scale or (QUALITY if str(name) == "quality" else "")
    if not ends_text:
        return -math.inf, math.inf
    written = _ENDS.fullmatch(ends_text)
    try:
        ends = (float(written[1]), float(written[2])) if written else (0.0, 0.0)
    except ValueError:
        ends = 0.0, 0.0
    if not ends[0] < ends[1]:
        raise SpecError(f"Rubric({name}): a scale is its lowest and its highest grade, such as 0-5, not {scale!r}")
    return ends


def _range(name: str, by: str = "", scale: str = "", share: bool = False) -> tuple[float, float]:
    ends = ends_of_scale(name, scale)
    return (0.0, 1.0) if share else ends


@metric(
    "Rubric",
    described={"name": "Mean grade of the answers by the criterion {name}."},
    range_of=_range,
    low=-math.inf,
    high=math.inf,
    not_for="before people and the judge were seen to agree on the grades; and as equal steps: 4 is not twice 2",
    judge="rubric",
)
@judged_on("{name}")
def rubric(verdicts: JudgeVerdicts, *, name: str, by: str = "", scale: str = "", share: bool = False) -> Reasoned:
    r"""Mean grade of the answers by the criterion of this name, such as `Rubric(helpfulness)`.

    $$ \frac{1}{n} \sum_{i=1}^{n} g_i $$

    with $g_i$ the grade of answer i, of n that are scored.  A higher grade is better.  `scale`, such as
    `scale=1-5`, gives the ends of the scale, so that an interval stays within them.  Without it they are the ends that
    the run states, from the judge `rubric` or from a page with a scale of its own, or else 0 and 5 for `quality`.  With
    `share=true` each grade is its share of the scale, $(g_i - l) / (h - l)$ with the ends l and h, from 0 to 1: so runs
    that were rated on different scales can be compared.  A verdict with several repeats holds their median.  A failed
    or empty answer without a grade has the lowest grade of the scale (0 without one), and is undefined if the question
    expects `none`.  Unscored, with the reason, if the judge failed or nobody graded.  People come before judges; `by`
    names one of several judges.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> rubric(judged(helpfulness=4), name="helpfulness").values
    array([4.])
    >>> rubric(judged(helpfulness=4), name="helpfulness", scale="1-5", share=True).values
    array([0.75])
    """
    low, high = ends_of_scale(name, scale or verdicts.scales.get(str(name), ""))
    grades = verdicts.rating(
        str(name), by, silence=low if math.isfinite(low) else 0.0
    )  # name: Rubric(2024) is a number
    if not share:
        return grades
    if not math.isfinite(low):
        raise SpecError(
            f"Rubric({name}): a share needs the ends of the scale; write Rubric({name},scale=1-5,share=true)"
        )
    if outside := [value for value in grades.values.tolist() if value < low or value > high]:
        raise SpecError(
            f"Rubric({name}): {outside[0]:g} is outside its scale of {low:g} to {high:g}; name it by scale="
        )
    return Reasoned((grades.values - low) / (high - low), grades.why)


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

    with $y_i$ the verdict on answer i, of n that are scored.  Word the criterion so that yes is good.  0 to 1; a failed
    or empty answer without a verdict does not meet the criterion, and is undefined if the question expects `none`.
    Raises `SpecError` for grades, which are a Rubric.  The rest is as in Rubric.

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
