"""How often drift is shown in a year of daily looks: where nothing changes (false alarms), and where something does.

    .venv/bin/python benchmarks/drift.py [--years N] [--seed N] [--processes N]

Writes `benchmarks/results/drift.md`.  Each day sessions of one to three turns come; turns of a session are alike.  The
first days are the reference.  At the end of each of 365 later days somebody looks: at all since the reference, and at
the day, week or month that is over.  A year is a false alarm if any look shows anything.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import starmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from neraca.stats.intervals.interval import Range, t_quantile
from neraca.stats.intervals.reference_difference import PeriodMean, period_mean, reference_difference
from neraca.stats.tests.correction import holm

Floats = NDArray[np.float64]
DAYS, ALPHA = 365, 0.05
RESULTS = Path(__file__).with_name("results") / "drift.md"
SHARE: Range = (0.0, 1.0)


@dataclass(frozen=True)
class Design:
    """A system and who looks at it.

    Attributes
    ----------
    name
        What its values are.
    draw
        From a generator, the numbers of turns of sessions, and the loss of quality to the turns of all sessions.
    limits
        The range of the values.
    sessions
        Sessions of a day.
    reference, every
        Days of the reference, and of a bucket.
    metrics
        The number of metrics, each drawn by itself.
    """

    name: str
    draw: Callable[[np.random.Generator, NDArray[np.int64], Floats], Floats]
    limits: Range = SHARE
    sessions: int = 20
    reference: int = 14
    every: int = 7
    metrics: int = 1


def shares(quality: float, rng: np.random.Generator, turns: NDArray[np.int64], loss: Floats) -> Floats:
    """Values of 0 or 1, alike within a session."""
    mean = quality - loss
    of_session = rng.beta(6 * mean, 6 * (1 - mean))
    return (rng.random(int(turns.sum())) < np.repeat(of_session, turns)).astype(float)


def fractions(rng: np.random.Generator, turns: NDArray[np.int64], loss: Floats) -> Floats:
    """Shares of claims: values between 0 and 1, many of them 1."""
    claims = 1 + rng.integers(0, 6, int(turns.sum()))
    of_session = rng.beta(7 * (0.9 - loss), 7 * (0.1 + loss))
    return rng.binomial(claims, np.repeat(of_session, turns)) / claims


def lengths(rng: np.random.Generator, turns: NDArray[np.int64], loss: Floats) -> Floats:
    """Values with a heavy tail, such as seconds or words."""
    of_session = rng.normal(0, 0.5, len(turns)) + np.log1p(loss)
    return np.exp(rng.normal(0, 0.7, int(turns.sum())) + np.repeat(of_session, turns))


NULL = [
    Design("shares of 0.9", partial(shares, 0.9)),
    Design("shares of 0.9, days", partial(shares, 0.9), sessions=60, reference=2, every=1),
    Design("shares of 0.98", partial(shares, 0.98)),
    Design("shares of 0.98, days, small reference", partial(shares, 0.98), sessions=30, reference=1, every=1),
    Design("fractions of 0.9", fractions),
    Design("fractions of 0.9, months", fractions, every=30, reference=30),
    Design("heavy tails", lengths, limits=(0.0, math.inf)),
    Design("three metrics, shares of 0.9", partial(shares, 0.9), metrics=3),
]


@dataclass(frozen=True)
class _Sums:
    """Running sums over sessions: of their turns m, values y, and of y², ym and m²; shape (n + 1, 5)."""

    running: Floats
    limits: Range

    @classmethod
    def of(cls, values: Floats, turns: NDArray[np.int64], limits: Range) -> _Sums:
        """Sum the values of turns by session, and check one mean against `period_mean`."""
        m, sessions = turns.astype(float), np.repeat(np.arange(len(turns)), turns)
        y = np.bincount(sessions, weights=values)
        running = np.vstack([np.zeros(5), np.cumsum(np.stack([m, y, y * y, y * m, m * m], axis=1), axis=0)])
        result = cls(running, limits)
        part = sessions < 500
        slow, quick = period_mean(values[part], sessions[part], limits), result.mean(0, 500)
        if not np.allclose([slow.value, slow.variance, slow.df], [quick.value, quick.variance, quick.df], rtol=1e-9):
            raise AssertionError(f"{slow} is not {quick}")
        return result

    def mean(self, begin: int, end: int) -> PeriodMean:
        """Return what `period_mean` does of the sessions from one to before another, in constant time."""
        m, y, yy, ym, mm = self.running[end] - self.running[begin]
        value, groups = y / m, end - begin
        variance = max(0.0, yy - 2 * value * ym + value * value * mm) / m**2 * groups / max(1, groups - 1)
        if math.isfinite(self.limits[1]):
            low, high = self.limits
            variance += 0.5 * (mm / m**2) ** 2 * ((high - value) ** 2 + (value - low) ** 2)
        return PeriodMean(float(value), float(variance), groups - 1, groups)


def years_of(design: Design, seed: int, loss: float = 0.0, begins: int = 0) -> tuple[int, int, int]:
    """Simulate a year, and return the first day on which each kind of look shows a change.

    The looks are at all since the reference, at buckets, and ordinary ones by Welch's test; 0: none of a kind does.
    """
    rng = np.random.default_rng([seed, 35])
    first, n = design.reference * design.sessions, (design.reference + DAYS) * design.sessions
    turns = rng.integers(1, 4, n)
    losses = np.where(np.arange(n) >= first + begins * design.sessions, loss, 0.0)
    sums = [_Sums.of(design.draw(rng, turns, losses), turns, design.limits) for _ in range(design.metrics)]
    starts = first + design.sessions * np.arange(DAYS + 1)

    def mean(metric: int, begin: int, end: int) -> PeriodMean:
        return sums[metric].mean(int(begin), int(end))

    references = [mean(metric, 0, starts[0]) for metric in range(design.metrics)]
    limits = (-1.0, 1.0) if design.limits == SHARE else (-math.inf, math.inf)

    def p(begin: int, end: int, number: int) -> float:
        later = [mean(metric, begin, end) for metric in range(design.metrics)]
        differences = starmap(
            lambda a, b: reference_difference(a, b, number, limits), zip(references, later, strict=True)
        )
        return float(np.nanmin(np.append(holm(np.array([d.p for d in differences])), 1.0)))

    since = bucket = ordinary = 0
    for last in range(1, DAYS + 1):
        if not since and p(starts[0], starts[last], 0) < ALPHA:
            since = last
        if not bucket and last % design.every == 0:
            number = last // design.every
            if p(starts[(number - 1) * design.every], starts[last], number) < ALPHA:
                bucket = last
        if not ordinary and _ordinary(references[0], mean(0, starts[0], starts[last])):
            ordinary = last
        if since and bucket and ordinary:
            break
    return since, bucket, ordinary


def _ordinary(before: PeriodMean, after: PeriodMean) -> bool:
    """Return whether Welch's test of a single look finds a difference."""
    if min(before.sessions, after.sessions) < 20 or not before.variance + after.variance > 0:
        return False
    variance = before.variance + after.variance
    df = variance**2 / (before.variance**2 / before.df + after.variance**2 / after.df)
    return abs(after.value - before.value) > t_quantile(1 - ALPHA, df) * math.sqrt(variance)


def stated_power(design: Design, loss: float, days: int, seed: int = 1) -> float:
    """Return the chance, by formula, that all since the reference shows a change after so many days.

    The variances are those of a long sample.
    """
    rng = np.random.default_rng([seed, 36])
    n, periods = 20_000, []
    for lost, length in ((0.0, design.reference), (loss, days)):
        turns, sessions = rng.integers(1, 4, n), length * design.sessions
        values = design.draw(rng, turns, np.full(n, lost))
        mean = period_mean(values, np.repeat(np.arange(n), turns))
        imagined = 0.5 * (7 / 6 / sessions) ** 2 * ((1 - mean.value) ** 2 + mean.value**2)  # 7 / 6: E[m²] / E[m]²
        periods.append(PeriodMean(mean.value, mean.variance * n / sessions + imagined, sessions - 1, sessions))
    found = reference_difference(*periods)
    half = found.high - found.difference
    return float(ndtr((abs(found.difference) - half) / found.error))


def main() -> None:
    """Simulate all designs and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--years", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    begun = time.process_time()
    with ProcessPoolExecutor(options.processes) as pool:
        lines = list(_tables(options, pool))
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))
    print(f"{time.process_time() - begun:.0f} CPU s", file=sys.stderr)


def _tables(options: argparse.Namespace, pool: ProcessPoolExecutor) -> Iterator[str]:
    years = options.years
    yield "# How often drift is shown in a year of daily looks (`benchmarks/drift.py`)"
    yield ""
    yield (
        f"Python {sys.version.split()[0]}, numpy {np.__version__}; {years:,} years of {DAYS} daily looks for each row, "
        f"level {1 - ALPHA:.0%}, seed {options.seed}"
    )
    yield ""
    yield "## Nothing changes: share of years in which a change was shown, in per cent"
    yield ""
    columns = "sessions a day | days of the reference | days of a bucket | all since | buckets | either | ordinary"
    yield f"| values | {columns} |"
    yield "|---|---|---|---|---|---|---|---|"
    for design in NULL:
        run = partial(years_of, design)
        shown = np.array(list(pool.map(run, range(options.seed, options.seed + years), chunksize=10))) > 0
        rates = [*shown.mean(axis=0)[:2], shown[:, :2].any(axis=1).mean(), shown[:, 2].mean()]
        cells = " | ".join(f"{100 * rate:.1f}" for rate in rates)
        yield f"| {design.name} | {design.sessions} | {design.reference} | {design.every} | {cells} |"
        print(design.name, cells, file=sys.stderr, flush=True)
    yield ""
    yield "## Something changes on the first day: years in per cent in which all since shows it by a day"
    yield ""
    yield "Stated is the chance by formula that the look on this day shows it; found, that this or an earlier one does."
    yield ""
    columns = "day 7: stated | found | day 30: stated | found | day 90: stated | found | any bucket, day 90"
    yield f"| values | loss | {columns} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    fewer = max(years // 4, 10)
    for design, loss in [(NULL[0], 0.05), (NULL[0], 0.1), (NULL[0], 0.2), (NULL[4], 0.05), (NULL[4], 0.1)]:
        run = partial(years_of, design, loss=loss)
        days = np.array(list(pool.map(run, range(options.seed, options.seed + fewer), chunksize=10)))
        cells = []
        for last in (7, 30, 90):
            found = ((days[:, 0] > 0) & (days[:, 0] <= last)).mean()
            cells += [f"{100 * stated_power(design, loss, last):.0f}", f"{100 * found:.0f}"]
        by_bucket = ((days[:, 1] > 0) & (days[:, 1] <= 90)).mean()
        yield f"| {design.name} | {loss:g} | {' | '.join(cells)} | {100 * by_bucket:.0f} |"
    yield ""
    yield "## Something changes on day 91: per cent of years in which it is shown within so many days"
    yield ""
    yield "| values | loss | all since: 7 | 30 | 90 | buckets: 7 | 30 | 90 | shown before |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for design, loss in [(NULL[0], 0.1), (NULL[0], 0.2), (NULL[4], 0.1), (NULL[4], 0.2)]:
        run = partial(years_of, design, loss=loss, begins=90)
        days = np.array(list(pool.map(run, range(options.seed, options.seed + fewer), chunksize=10)))
        cells = [
            f"{100 * ((days[:, kind] > 90) & (days[:, kind] <= 90 + last)).mean():.0f}"
            for kind in (0, 1)
            for last in (7, 30, 90)
        ]
        before = ((days[:, :2] > 0) & (days[:, :2] <= 90)).any(axis=1).mean()
        yield f"| {design.name} | {loss:g} | {' | '.join(cells)} | {100 * before:.1f} |"


if __name__ == "__main__":
    main()
