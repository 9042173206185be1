"""Compare two arms of an A/B test when only their totals are known."""

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
from neraca.stats.tests.ratio_test import Effect, ratio_test

#: First letters of counts where fewer is better. For every other count, more is better.
FEWER = ("reformulation", "abandon", "complaint", "refund", "error", "bounce", "no_result", "timeout")
#: Denominators of rates; they are not compared themselves.
OF = ("users", "searches")
_WORD = re.compile(r"([^:=,]+):((?:[^:=,]+=[^:=,]+,)*[^:=,]+=[^:=,]+)")


@dataclass(frozen=True)
class CountRatio:
    """One count in both arms.

    Attributes
    ----------
    a, b
        The counts in the first and the second arm.
    times
        b / a; infinite if only a is 0, NaN if both are 0.
    favours
        The arm with the better rate per user; if the users are unknown, with the better count; "" if they are equal.
    effect
        The difference between the arms in the share of users, for a count of users (`…_users`) if the number of users
        is known; else None.
    """

    name: str
    a: float
    b: float
    times: float
    favours: str
    effect: Effect | None


@dataclass(frozen=True, eq=False, repr=False)
class Counts(Tabular):
    """The totals of two arms; `users` and `searches` are NaN for an arm that does not give them."""

    arms: tuple[str, str]
    ratios: tuple[CountRatio, ...]
    users: tuple[float, float]
    searches: tuple[float, float]

    def rows(self) -> list[dict[str, Any]]:
        """Return one row for each count."""
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
        """A table of the counts of both arms."""
        return Table(["count", *self.arms], [[r.name, f"{r.a:,.0f}", f"{r.b:,.0f}"] for r in self.ratios])

    def _tables(self) -> list[Table]:
        return [self.table]


def compare_counts(words: Sequence[str]) -> Counts:
    """Compare totals of two arms, each written as `A:clicks=5000,reformulations=1300`.

    Raises
    ------
    SpecError
        A word cannot be read, or the words are not two arms with a common count.

    Examples
    --------
    >>> counts = compare_counts(["A:clicks=5000,reformulations=1300", "B:clicks=100000,reformulations=58"])
    >>> [(r.name, round(r.times, 4), r.favours) for r in counts.ratios]
    [('clicks', 20.0, 'B'), ('reformulations', 0.0446, 'B')]
    """
    arms = dict(_read_arm(word) for word in words)
    if len(arms) != 2 or len(words) != 2:
        raise SpecError("--counts takes two arms, such as: A:clicks=5000,users=300 B:clicks=6100,users=310")
    (a, of_a), (b, of_b) = arms.items()
    shared = [name for name in of_a if name in of_b]
    if not [name for name in shared if name not in OF]:
        raise SpecError(f"--counts: {a} and {b} have no count in common")
    users, searches = ((of_a.get(name, math.nan), of_b.get(name, math.nan)) for name in OF)
    ratios = tuple(_ratio(name, (a, b), (of_a[name], of_b[name]), users) for name in shared if name not in OF)
    return Counts((a, b), ratios, users, searches)


def _read_arm(word: str) -> tuple[str, dict[str, float]]:
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
            raise SpecError(f"--counts {word!r}: {name} must be a number, at least 0, not {value!r}")
    return match[1].strip(), counts


def _ratio(name: str, arms: tuple[str, str], values: tuple[float, float], users: tuple[float, float]) -> CountRatio:
    a, b = values
    times = b / a if a else math.inf if b else math.nan
    rates = values if math.isnan(sum(users)) or not all(users) else (a / users[0], b / users[1])
    fewer = name.casefold().startswith(FEWER)
    favours = "" if rates[0] == rates[1] else arms[int((rates[1] > rates[0]) != fewer)]
    is_share = name.endswith("_users") and all(n > 0 and x <= n for x, n in zip(values, users, strict=True))
    effect = ratio_test(*map(_share_moments, values, users)).within((-1.0, 1.0)) if is_share else None
    return CountRatio(name, a, b, times, favours, effect)


def _share_moments(count: float, users: float) -> Moments:
    """Return the moments of an indicator that is 1 for `count` of the users and 0 for the others."""
    share = count / users
    spread = users * share * (1 - share)
    return Moments(int(users), np.array([share, 1.0]), np.array([[spread, 0.0], [0.0, 0.0]]))
