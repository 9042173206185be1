"""PassRatio, PassRate and StrictPass: how many of a question's constraints the hits satisfy."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.constraints.checks import Checks, counts, ratio
from neraca.metrics.metric import metric
from neraca.stats.intervals.interval import Floats


def hit_ratios(checks: Checks, missing: str = "skip") -> Floats:
    """Return PASS / (PASS + FAIL) of each hit, shape (h,); NaN for a hit without a decision.

    With `missing=fail` a constraint that could not be checked counts as failed.
    """
    if missing not in ("skip", "fail"):
        raise SpecError(f"PassRatio: missing is skip or fail, not {missing!r}")
    decided = ~np.isnan(checks.value) if missing == "skip" else np.ones(len(checks.value), dtype=bool)
    passed = checks.per_hit((checks.value == 1).astype(np.float64))
    checked = checks.per_hit(decided.astype(np.float64))
    return np.where(checked > 0, passed / np.maximum(checked, 1), np.nan)


@metric(
    "PassRatio",
    described={
        "missing=fail": "Constraint pass ratio (CPR): per hit PASS / all verdicts, of which what could not be checked "
        "counts as failed; per item the mean over its hits."
    },
    total=ratio,
    why_undefined="no hit with a verdict on its constraints",
    not_for="where one constraint must hold in any case: it lets the others make up for it; `StrictPass`",
    judge="rules",
)
def pass_ratio(checks: Checks, *, missing: str = "skip", unjudged: str = "skip") -> Floats:
    r"""Constraint pass ratio (CPR): per hit PASS / (PASS + FAIL); per item the mean over its hits.

    $$ \frac{1}{h} \sum_{j=1}^{h} \frac{p_j}{p_j + f_j} $$

    with $p_j$ constraints that hit j passes and $f_j$ that it fails, and h hits that have such a ratio.

    The total over items weights each item by its hits.  With `missing=fail` a constraint for which the hit has no data
    counts as failed; with `unjudged=fail` a hit without any verdict counts 0 instead of being left out.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> pass_ratio(checks([[1, 1, 1, 1, 0, 1]]))
    array([[0.83333333, 1.        ]])
    """
    if unjudged not in ("skip", "fail"):
        raise SpecError(f"PassRatio: unjudged is skip or fail, not {unjudged!r}")
    ratios = hit_ratios(checks, missing)
    scored = ~np.isnan(ratios) if unjudged == "skip" else np.ones(len(ratios), dtype=bool)
    return counts(checks.per_answer(np.nan_to_num(ratios)), checks.per_answer(scored.astype(np.float64)))


@metric(
    "PassRate",
    described={
        "aspect": "PASS / all verdicts of the constraint {aspect} (per-constraint accuracy, PCA); missing counts as "
        "not passed."
    },
    total=ratio,
    why_undefined="no hit with a verdict on this constraint",
    not_for=(
        "to compare systems that return different hits alone: it is of one constraint, not of the whole need; "
        "`PassRatio`"
    ),
    judge="rules",
)
def pass_rate(checks: Checks, *, aspect: str) -> Floats:
    """PASS / all verdicts of one constraint (per-constraint accuracy, PCA); missing counts as not passed.

    $$ p / v $$

    with p hits that pass the constraint, of v that have a verdict on it.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> ratio(pass_rate(checks([[1, 0], [1, None]], names=["price", "floors"]), aspect="price"))
    array([1.])
    >>> ratio(pass_rate(checks([[1, 0], [1, None]], names=["price", "floors"]), aspect="floors"))
    array([0.])
    """
    of_aspect = checks.on(str(aspect))  # PassRate(2024) arrives as a number
    passed = checks.per_hit((of_aspect & (checks.value == 1)).astype(np.float64))
    return counts(checks.per_answer(passed), checks.per_answer(checks.per_hit(of_aspect.astype(np.float64))))


@metric(
    "StrictPass",
    total=ratio,
    why_undefined="no hit with a verdict on its constraints",
    not_for="where a near miss is worth something: one constraint of ten costs all; `PassRatio`",
    judge="rules",
)
def strict_pass(checks: Checks, *, missing: str = "fail") -> Floats:
    """Share of hits that pass every constraint; with `missing=skip`, every constraint that could be checked.

    $$ s / h $$

    with s hits that pass every constraint, of h that have a verdict.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import checks
    >>> ratio(strict_pass(checks([[1, 1], [1, 0], [1, None]])))
    array([0.33333333])
    >>> ratio(strict_pass(checks([[1, 1], [1, 0], [1, None]]), missing="skip"))
    array([0.66666667])
    """
    ratios = hit_ratios(checks, missing)
    scored = ~np.isnan(ratios)
    return counts(checks.per_answer((ratios == 1).astype(np.float64)), checks.per_answer(scored.astype(np.float64)))
