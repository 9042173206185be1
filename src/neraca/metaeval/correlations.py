"""What was found by correlating metrics with each other and with people, as numbers and in sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from neraca.errors import SpecError, nearest
from neraca.stats.interval import Floats

SYMBOLS = {"pearson": "r", "spearman": "rho", "kendall": "tau"}
#: Of more metrics than this the names are not all said.
NAMES = 10
#: What people's scores are called where nobody gave them a name.
PEOPLE = "people"
#: On fewer answers than this no two metrics are called one signal.
FEW = 10


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a metric goes together with people's scores of one kind.

    Attributes
    ----------
    value, low, high
        The correlation, above 0 where the metric agrees with people; bounds are NaN where the data give none.
    n
        Answers that have both.
    told_apart
        The tests say that it agrees less than the metric that agrees most.
    """

    metric: str
    human: str
    value: float
    low: float
    high: float
    n: int
    told_apart: bool = False


@dataclass(frozen=True, eq=False)
class Correlations:
    """Correlations of metrics with each other and with people; prints as sentences.

    Attributes
    ----------
    names
        The metrics, k of them.
    matrix
        Shape (k, k); NaN where a correlation is not defined, on the diagonal for a metric that never varies.
    n
        Shape (k, k): how many answers are scored in both.
    clusters
        Metrics of which every two correlate by at least `at`; one that is like no other stands alone.
    with_human
        For each kind of people's scores the metrics, those that agree most first.
    turned
        Metrics of errors; they were turned around, so that above 0 always means agreement.
    counting
        Metrics of which more is neither better nor worse; they are in no cluster with others.
    """

    names: tuple[str, ...]
    matrix: Floats
    n: NDArray[np.int64]
    clusters: tuple[tuple[str, ...], ...]
    with_human: tuple[Agreement, ...]
    turned: tuple[str, ...]
    counting: tuple[str, ...]
    method: str
    at: float
    level: float

    def value(self, one: str, other: str) -> float:
        """The correlation of two metrics; raises `SpecError` for one that is not among them."""
        return float(self.matrix[self._place(one), self._place(other)])

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise SpecError(f"no correlation of {name!r} was computed; {nearest(name, self.names)}")
        return self.names.index(name)

    @property
    def symbol(self) -> str:
        """The coefficient's usual name."""
        return SYMBOLS[self.method]

    @property
    def humans(self) -> tuple[str, ...]:
        """The kinds of people's scores."""
        return tuple(dict.fromkeys(row.human for row in self.with_human))

    @property
    def says(self) -> tuple[str, ...]:
        """What follows, in sentences: metrics that say the same, those that say nothing, those closest to people."""
        people = ([row for row in self.with_human if row.human == name] for name in self.humans)
        return (*_same(self), *_silent(self), *(_closest(rows, self.symbol) for rows in people))

    def __str__(self) -> str:
        return "\n".join(self.says)


def write(value: float) -> str:
    """Two decimals, more where these would make it 1.

    >>> write(0.714), write(-0.5), write(0.998), write(1)
    ('0.71', '−0.50', '0.998', '1.00')
    """
    digits = 2
    while digits < 12 and abs(value) < 1 and abs(round(value, digits)) == 1:
        digits += 1
    text = f"{value:.{digits}f}".replace("-", "−")
    return text if float(text.replace("−", "-")) else "0.00"


def _listed(names: Sequence[str]) -> str:
    said = list(names) if len(names) <= NAMES else [*names[: NAMES - 1], f"{len(names) - NAMES + 1} more"]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _range(least: str, most: str) -> str:
    return least if least == most else f"{least} to {most}"


def _same(found: Correlations) -> Iterator[str]:
    """Which metrics say the same, as far as these answers show."""
    groups = [group for group in found.clusters if len(group) > 1]
    yield from (_one_signal(found, group) for group in groups)
    usable = [p for p, name in enumerate(found.names) if name not in found.counting and found.matrix[p, p] == 1]
    known = [abs(float(found.matrix[pair])) for pair in combinations(usable, 2)]
    known = [value for value in known if not math.isnan(value)]
    if not known or groups:
        return
    if len(usable) == 2:
        both = _listed([found.names[place] for place in usable])
        yield f"{both} do not say the same: {found.symbol} is {write(known[0])} in size."
    else:
        most = f"between any two of them {found.symbol} is at most {write(max(known))} in size"
        yield f"No two of the {len(usable)} metrics say the same: {most}."


def _one_signal(found: Correlations, group: Sequence[str]) -> str:
    pairs = list(combinations([found.names.index(name) for name in group], 2))
    values, sizes = [float(found.matrix[pair]) for pair in pairs], [int(found.n[pair]) for pair in pairs]
    n = _range(f"{min(sizes):,}", f"{max(sizes):,}")
    rests = f"{found.symbol} {_range(write(min(values)), write(max(values)))}, n {n}"
    way = ", some the other way round" if min(values) < 0 else ""
    if min(sizes) < FEW:
        return f"{_listed(group)} say nearly the same{way} ({rests}), but on so few answers that it may be chance."
    return f"{_listed(group)} say nearly the same{way} ({rests}): count them as one signal."


def _silent(found: Correlations) -> Iterator[str]:
    """Metrics that cannot be correlated with anything."""
    flat = [place for place in range(len(found.names)) if math.isnan(found.matrix[place, place])]
    unscored = [found.names[place] for place in flat if found.n[place, place] == 0]
    constant = [found.names[place] for place in flat if found.n[place, place] > 0]
    if unscored:
        yield f"Without any value, and so without a correlation: {_listed(unscored)}."
    if constant:
        yield f"With the same value in every answer, and so without a correlation: {_listed(constant)}."


def _closest(rows: Sequence[Agreement], symbol: str) -> str:
    """Which metric agrees most with people, and from which others the data tell it."""
    human = "people's scores" + (f" ({rows[0].human})" if rows[0].human != PEOPLE else "")
    known = [row for row in rows if not math.isnan(row.value)]
    if not known:
        return f"Of agreement with {human} nothing can be said: no metric varies together with them."
    best, others = known[0], known[1:]
    said = f"{best.metric}, {symbol} {write(best.value)}"
    if math.isnan(best.low):
        whole = abs(best.value) == 1 and best.n >= FEW
        why = "at its limit it has no interval" if whole else "too few independent answers for an interval"
        return f"Highest correlation with {human}: {said}, n {best.n:,}; {why}."
    said += f" [{write(best.low)}, {write(best.high)}], n {best.n:,}"
    if best.low <= 0:
        return f"No metric is shown to agree with {human}: the highest correlation is that of {said}."
    if not others:
        return f"Agreement with {human}: {said}."
    same = [row.metric for row in others if not row.told_apart]
    if not same:
        return f"Closest to {human}: {said}; the tests tell it from every other metric."
    rest = "" if len(same) == len(others) else ", told apart from the others"
    return f"Closest to {human}: {said}; not told apart from {_listed(same)}{rest}."
