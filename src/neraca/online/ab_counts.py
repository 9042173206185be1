"""Two arms of which only totals are known: what they say, and what they cannot say."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from neraca.errors import SpecError
from neraca.result import Table, Tabular
from neraca.stats.moments import Moments
from neraca.stats.ratio_test import Effect, ratio_test

#: Counts of which fewer are better; what begins with another word is taken as better the more there are.
FEWER = ("reformulation", "abandon", "complaint", "refund", "error", "bounce", "no_result", "timeout")
#: What rates are made of.
OF = ("users", "searches")
_WORD = re.compile(r"([^:=,]+):((?:[^:=,]+=[^:=,]+,)*[^:=,]+=[^:=,]+)")


@dataclass(frozen=True)
class CountRatio:
    """One count in both arms.

    Attributes
    ----------
    times
        How many times as many b has; infinite where a has none, NaN where neither has.
    favours
        The arm for which it speaks if both had as many users; "" where they are equal.
    effect
        Of a count of users (`…_users`) the difference of shares, where users are known; else None.
    """

    name: str
    a: float
    b: float
    times: float
    favours: str
    effect: Effect | None


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Tabular):
    """Totals of two arms."""

    arms: tuple[str, str]
    ratios: tuple[CountRatio, ...]
    users: tuple[float, float]
    searches: tuple[float, float]

    def rows(self) -> list[dict[str, Any]]:
        """One row for each count."""
        a, b = self.arms
        return [
            {
                "count": r.name,
                "control": a,
                "arm": b,
                "of_control": r.a,
                "of_arm": r.b,
                "times": r.times,
                "favours": r.favours,
                "difference": r.effect.difference if r.effect else math.nan,
                "low": r.effect.low if r.effect else math.nan,
                "high": r.effect.high if r.effect else math.nan,
                "p": r.effect.p if r.effect else math.nan,
            }
            for r in self.ratios
        ]

    @property
    def table(self) -> Table:
        """The counts of both arms."""
        return Table(["count", *self.arms], [[r.name, f"{r.a:,.0f}", f"{r.b:,.0f}"] for r in self.ratios])

    def _tables(self) -> list[Table]:
        return [self.table]


def compare_counts(words: Sequence[str]) -> Counts:
    """Compare totals of two arms, each written as `A:clicks=5000,reformulations=1300`.

    Raises
    ------
    SpecError
        A word cannot be read, or there are not two arms with a count in common.

    Examples
    --------
    >>> counts = compare_counts(["A:clicks=5000,reformulations=1300", "B:clicks=100000,reformulations=58"])
    >>> [(r.name, round(r.times, 4), r.favours) for r in counts.ratios]
    [('clicks', 20.0, 'B'), ('reformulations', 0.0446, 'B')]
    """
    arms = dict(_arm(word) for word in words)
    if len(arms) != 2 or len(words) != 2:
        raise SpecError("--counts takes two arms, such as: A:clicks=5000,users=300 B:clicks=6100,users=310")
    (a, of_a), (b, of_b) = arms.items()
    shared = [name for name in of_a if name in of_b]
    if not [name for name in shared if name not in OF]:
        raise SpecError(f"--counts: {a} and {b} have no count in common")
    users, searches = ((of_a.get(name, math.nan), of_b.get(name, math.nan)) for name in OF)
    ratios = tuple(_ratio(name, (a, b), (of_a[name], of_b[name]), users) for name in shared if name not in OF)
    return Counts((a, b), ratios, users, searches)


def _arm(word: str) -> tuple[str, dict[str, float]]:
    match = _WORD.fullmatch(word.strip())
    if not match:
        raise SpecError(f"cannot read --counts {word!r}; write A:clicks=5000,reformulations=1300")
    counts = {}
    for pair in match[2].split(","):
        name, _, value = pair.partition("=")
        try:
            counts[name.strip()] = float(value)
        except ValueError:
            counts[name.strip()] = math.nan
        if not 0 <= counts[name.strip()] < math.inf:
            raise SpecError(f"--counts {word!r}: {name} is a number from 0, not {value!r}")
    return match[1].strip(), counts


def _ratio(name: str, arms: tuple[str, str], values: tuple[float, float], users: tuple[float, float]) -> CountRatio:
    a, b = values
    times = b / a if a else math.inf if b else math.nan
    rates = values if math.isnan(sum(users)) or not all(users) else (a / users[0], b / users[1])
    fewer = name.casefold().startswith(FEWER)
    favours = "" if rates[0] == rates[1] else arms[int((rates[1] > rates[0]) != fewer)]
    shares = name.endswith("_users") and all(n > 0 and x <= n for x, n in zip(values, users, strict=True))
    effect = ratio_test(*map(_share, values, users)).within((-1.0, 1.0)) if shares else None
    return CountRatio(name, a, b, times, favours, effect)


def _share(count: float, users: float) -> Moments:
    """The moments of 0 and 1 over users, of whom so many have 1."""
    share = count / users
    spread = users * share * (1 - share)
    return Moments(int(users), np.array([share, 1.0]), np.array([[spread, 0.0], [0.0, 0.0]]))
