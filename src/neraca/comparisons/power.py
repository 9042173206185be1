"""The number of questions needed to see a difference: planned on paper, or from the differences of two runs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from neraca.comparisons.compare import paired_differences, scored_in_both
from neraca.comparisons.power_curve import MOST, Noncentral, OwnData, Power, Shares, plan
from neraca.errors import InputError, SpecError
from neraca.scores.scores import Scores
from neraca.scores.unit import FEWEST
from neraca.stats.intervals.interval import Floats, clustered_error
from neraca.stats.planning.resampled_power import moved_to, resampled_power

OBSERVED = "observed"
#: The differences of two systems where each item is right or wrong.
LATTICE = np.array([-1.0, 0.0, 1.0])
#: The smallest alpha: with much less, 1 - alpha / 2 is rounded to 1, which has no finite quantile.
LEAST_ALPHA = 1e-9
#: Simulated tests for each number of questions; fewer where the data have more than 2,000 sessions.
SIMULATIONS = 5000


def power(
    spread: float | Scores | ArrayLike | None = None,
    *,
    difference: float | str | None = None,
    effect: float | None = None,
    n: int | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    seed: int = 0,
) -> Power:
    """Plan a comparison of two systems on the same questions.

    Parameters
    ----------
    spread
        The standard deviation of the paired differences; or data that show it: scores of two runs in one metric, or
        the differences themselves, shape (m,), NaN where unscored.
    difference
        The smallest difference that matters; `"observed"`: the difference in the data (see Notes).  Without it, a plan
        from data is for the smallest difference that n questions find.
    effect
        Cohen's d_z, instead of difference and standard deviation.
    n
        Number of questions; default: as many as the data have.
    alpha, power
        Level of the two-sided test, and the chance to find the difference.
    seed
        Seed of the simulated tests.

    Raises
    ------
    SpecError
        For numbers that make no plan: a difference of 0, no variance, one question, an effect beside a difference.
    InputError
        For data without any chance in them: identical runs, a single session.

    Notes
    -----
    The power for the *observed* difference says nothing that its p-value does not (Hoenig, J. M. and Heisey, D. M.,
    2001. The American Statistician 55, 19-24).  For shares of independent questions the formula is McNemar's.

    Examples
    --------
    >>> plan = power(0.2, difference=0.1, n=20)
    >>> plan.needed, round(plan.reached, 2), round(plan.detectable, 3), power(effect=0.3).needed
    (34, 0.56, 0.132, 90)
    """
    _check(alpha, power)
    if spread is None or isinstance(spread, int | float):
        return _on_paper(spread, difference, effect, n, alpha, power)
    if effect is not None:
        raise SpecError("the data show the spread, so that an effect size says it twice; give a difference")
    observed = _of_scores(spread) if isinstance(spread, Scores) else _of_numbers(spread)
    return _from_data(observed, difference, n, alpha, power, seed)


@dataclass(frozen=True, slots=True)
class _Observed:
    """Paired differences without NaN, their sessions, and the most by which the runs can differ."""

    differences: Floats
    clusters: NDArray[np.int64]
    metric: str = ""
    a: str = ""
    b: str = ""
    most: float = math.inf

    @property
    def where(self) -> str:
        return f"{self.a} and {self.b}, {self.metric}: " if self.metric else ""


def _check(alpha: float, power: float) -> None:
    if not 0 < alpha < 1:
        raise SpecError(f"alpha is the share of false alarms that is tolerated, such as 0.05, not {alpha:g}")
    if alpha < LEAST_ALPHA:
        raise SpecError(f"alpha = {alpha:g}: plan with at least {LEAST_ALPHA:g}")
    if not alpha < power < 1:
        raise SpecError(f"the power is a share above alpha ({alpha:g}) and below 1, such as 0.8, not {power:g}")


def _check_difference(difference: float) -> None:
    if difference == 0:
        raise SpecError(
            "no number of questions finds a difference of 0, because there is none; give the smallest difference that "
            "would matter"
        )
    if not math.isfinite(difference):
        raise SpecError(f"the difference to find is a number such as 0.05, not {difference:g}")


def _check_n(n: int | None, fewest: int) -> None:
    if n is not None and n < fewest:
        why = "a single question shows no chance" if fewest == 2 else "fewer than two sessions show no chance"
        raise SpecError(f"n = {n}: {why}, so that no test can be made; give at least {fewest}")
    if n is not None and n > MOST:
        raise SpecError(f"n = {n:,}: plan with at most {MOST:,} questions")


def _on_paper(
    sd: float | None, difference: float | str | None, effect: float | None, n: int | None, alpha: float, power: float
) -> Power:
    if isinstance(difference, str):
        raise SpecError(f"the difference is a number, or of data {OBSERVED!r}, not {difference!r}")
    if effect is not None and (sd is not None or difference is not None):
        raise SpecError("an effect size stands for difference and standard deviation; give it alone, or those two")
    if sd is not None and not 0 < sd < math.inf:
        raise SpecError(f"the standard deviation of the paired differences is more than 0, not {sd:g}")
    if difference is not None and sd is None:
        raise SpecError(
            "whether a difference is large depends on how much the differences spread: give their standard deviation "
            "(sd) too, or an effect size instead, or two runs that show it"
        )
    size = difference if effect is None else effect
    if size is None and n is None:
        raise SpecError("say what to plan for: difference and sd, an effect size, n, or two runs")
    if size is not None:
        _check_difference(size)
    _check_n(n, 2)
    formula = Noncentral(1.0 if sd is None else sd, alpha, power)
    return plan(formula, math.nan if size is None else float(size), "" if size is None else "given", n)


def _of_scores(scores: Scores) -> _Observed:
    if len(scores.runs) != 2:
        raise InputError(f"power is about the difference of two runs; there are {len(scores.runs)}")
    if len(scores.metrics) != 1:
        raise SpecError(f"power is about one metric; name one of {', '.join(map(str, scores.metrics))}")
    metric, (a, b) = scores.metrics[0], scores.runs
    rows_a, rows_b, sessions = scored_in_both(metric, a, b)
    differences, (_, most) = paired_differences(metric, rows_a, rows_b), metric.definition.limits_of_difference
    return _Observed(differences, sessions, str(metric), a.name, b.name, most)


def _of_numbers(numbers: ArrayLike) -> _Observed:
    try:
        values = np.asarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"give scores of two runs, or their paired differences as numbers: {error}") from error
    if values.ndim != 1 or np.isinf(values).any():
        raise InputError("paired differences are one finite number for each question")
    values = values[~np.isnan(values)]
    return _Observed(values, np.arange(len(values)))


def _from_data(
    observed: _Observed, difference: float | str | None, n: int | None, alpha: float, power: float, seed: int
) -> Power:
    d, sessions = observed.differences, len(np.unique(observed.clusters))
    error = _error(observed, sessions)
    size, disagree = len(d) / sessions, float((np.abs(d) > 0.5).mean())
    shares = sessions == len(d) and disagree > 0 and bool(np.isin(d.round(9), LATTICE).all())
    formula: Noncentral | Shares = Noncentral(error * math.sqrt(sessions), alpha, power, size)
    if shares:
        formula = Shares(disagree, alpha, power)
    _check_n(n, formula.fewest)
    n = len(d) if n is None else n
    assumed, to_find = _assumed(observed, difference, formula.detectable(n), 1.0 if shares else observed.most)
    simulations = SIMULATIONS if sessions <= 2000 else max(500, 2000 * SIMULATIONS // sessions)

    def simulated(mean: float, n: int) -> float:
        values, groups, chances = moved_to(d, observed.clusters, mean), observed.clusters, None
        if isinstance(formula, Shares):
            values, groups, chances = LATTICE, np.arange(3), formula.chances(mean)
        sessions_drawn = max(2, round(n / size))
        return resampled_power(values, groups, sessions_drawn, chances, alpha=alpha, seed=seed, simulations=simulations)

    sd = float(d.std(ddof=1))
    data = OwnData(
        metric=observed.metric,
        a=observed.a,
        b=observed.b,
        n=len(d),
        sessions=sessions,
        ties=int((np.abs(d) < 1e-9).sum()),
        effective=(sd / error) ** 2,
        difference=float(d.mean()),
        sd=sd,
        false_alarms=simulated(0.0, n),
        simulations=simulations,
        seed=seed,
    )
    return plan(formula, to_find, assumed, n, data, simulated)


def _error(observed: _Observed, sessions: int) -> float:
    """Return the standard error of the mean difference; raise `InputError` if the data show no chance."""
    d, remedy = observed.differences, "; give the standard deviation (sd) that you expect instead"
    if sessions < 2 and len(d) > 1:
        least = f"the {len(d)} questions scored in both make fewer than {FEWEST} observations, as sessions or by a tag"
        raise InputError(f"{observed.where}{least}{remedy}, or say that each question is one (--unit question)")
    if sessions < 2:
        raise InputError(f"{observed.where}{len(d)} question scored in both, and two are the least{remedy}")
    if not np.abs(d).max() > 1e-12:
        raise InputError(f"{observed.where}the values are the same on all {len(d)} questions{remedy}")
    error, _ = clustered_error(d, observed.clusters)
    if error <= 1e-12 * float(np.abs(d).max()):
        raise InputError(
            f"{observed.where}every session differs by the same {d.mean():g}, which shows no chance{remedy}"
        )
    return error


def _assumed(observed: _Observed, difference: float | str | None, detectable: float, most: float) -> tuple[str, float]:
    """Return the difference to find, and the source that it comes from."""
    mean = float(observed.differences.mean())
    if difference is None:
        return ("", math.nan) if math.isnan(detectable) else ("detectable", math.copysign(detectable, mean))
    if difference == OBSERVED:
        if abs(mean) < 1e-12:
            raise InputError(f"{observed.where}the observed difference is 0; give the smallest that would matter")
        return OBSERVED, mean
    if isinstance(difference, str):
        raise SpecError(f"the difference is a number or {OBSERVED!r}, not {difference!r}")
    _check_difference(difference)
    if abs(difference) > most:
        raise SpecError(f"{observed.where}a difference of {difference:g} cannot be; the most is {most:g}")
    return "given", float(difference)
