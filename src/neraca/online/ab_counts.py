"""Compare two arms of an A/B test when only their totals are known."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.online.experiment import MISMATCH
from neraca.result import SavedReport, Table, Tabular
from neraca.stats.moments import Moments
from neraca.stats.tests.ratio_test import Effect, ratio_test
from neraca.stats.tests.sample_ratio import SampleRatio, sample_ratio

#: Denominators of rates; they are not compared themselves.
OF = ("users", "searches")
#: Known counts: 1 if more is better, -1 if fewer is better, 0 if neither is.
DIRECTIONS = {
    "clicks": 1,
    "clicked_searches": 1,
    "reformulations": -1,
    "abandonments": -1,
    "no_results": -1,
    "errors": -1,
    "timeouts": -1,
    "bounces": -1,
    "complaints": -1,
    "refunds": -1,
    "conversions": 1,
    "purchases": 1,
    "orders": 1,
    "add_to_carts": 1,
    "revenue": 1,
    "sessions": 0,
    "impressions": 0,
}
#: Known counts of users who did something at least once.
USER_DIRECTIONS = {
    "clicked_users": 1,
    "converted_users": 1,
    "bought_users": 1,
    "returned_users": 1,
    "reformulated_users": -1,
    "abandoned_users": -1,
    "complained_users": -1,
    "refunded_users": -1,
}
#: Counts whose rate is per search if the number of searches is known.
OF_SEARCHES = (
    *("clicks", "clicked_searches", "reformulations", "abandonments"),
    *("no_results", "errors", "timeouts", "bounces", "impressions"),
)
#: Counts of searches: a search adds at most 1.
ONCE = ("clicked_searches", "reformulations", "abandonments", "no_results")
#: Count → the counts that it cannot exceed, because each of its users, or searches, has at least one of them.
AT_MOST = {
    "clicked_users": ("searches", "clicked_searches", "clicks"),
    "reformulated_users": ("searches", "reformulations"),
    "abandoned_users": ("searches", "abandonments"),
    "converted_users": ("conversions",),
    "bought_users": ("purchases",),
    "complained_users": ("complaints",),
    "refunded_users": ("refunds",),
    "clicked_searches": ("clicks",),
}
#: A number that may have dots between thousands, such as 4.000 or 1.250.000.
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")
_SYNONYMS = {"queries": "searches"}
#: Users with (or without) the event below which a test of a share is doubted.
FEWEST = 5
#: More clicks per search than this are doubted: a page shows about ten results, and people open few of them.
MOST_CLICKS = 5.0
#: A rate that exceeds the other arm's by this factor is doubted: rankings rarely differ so much, logging does.
FAR = 3.0
_WORD = re.compile(r"([^:=,]+):((?:[^:=,]+=[^:=,]+,)*[^:=,]+=[^:=,]+)")


@dataclass(frozen=True)
class CountRatio:
    """One count in both arms.

    Attributes
    ----------
    a, b
        The counts in the first and the second arm.
    per
        What the rates are counted by: `user`, `search`, or "" if neither is known.
    rates
        The counts divided by users or searches; the counts themselves if neither is known.
    times
        Second rate / first rate; infinite if only the first is 0, NaN if both are 0.
    favours
        The arm with the better rate; "" if the rates are equal, no direction is better, or users do not divide as
        planned.
    effect
        The difference between the arms in the share of users, for a count of users (`…_users`) if the number of users
        is known; else None.
    """

    name: str
    a: float
    b: float
    per: str
    rates: tuple[float, float]
    times: float
    favours: str
    effect: Effect | None


@dataclass(frozen=True)
class Doubt:
    """A reason to doubt the totals.

    Attributes
    ----------
    kind
        `many_clicks`: more clicks per search than people make; `far_apart`: rates of the arms that are too far apart;
        `few_users`: too few users with or without the event for the test.
    arm
        The arm with the larger rate, or with too few users.
    value
        Clicks per search, the larger rate divided by the smaller, or the number of these users.
    """

    kind: Literal["many_clicks", "far_apart", "few_users"]
    arm: str
    name: str
    value: float


@dataclass(frozen=True, eq=False, repr=False)
class Counts(SavedReport, Tabular):
    """The totals of two arms.

    Attributes
    ----------
    users, searches
        Of each arm; NaN if not given.
    split
        Test whether the users were divided as planned; None without users.
    level
        Of the intervals.
    """

    report = "online.ab_counts:counts_document"

    arms: tuple[str, str]
    ratios: tuple[CountRatio, ...]
    users: tuple[float, float]
    searches: tuple[float, float]
    split: SampleRatio | None
    doubts: tuple[Doubt, ...]
    level: float = 0.95

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
                "per": r.per,
                "rate_of_control": r.rates[0] if r.per else math.nan,
                "rate_of_arm": r.rates[1] if r.per else math.nan,
                "times": r.times,
                "favours": r.favours,
                "difference": r.effect.difference if r.effect else math.nan,
                "low": r.effect.low if r.effect else math.nan,
                "high": r.effect.high if r.effect else math.nan,
                "p": r.effect.p if r.effect else math.nan,
                "doubts": [doubt.kind for doubt in self.doubts if doubt.name == r.name],
                "sample_ratio_p": self.split.p if self.split else math.nan,
            }
            for r in self.ratios
        ]

    @property
    def table(self) -> Table:
        """A table of the counts of both arms, with rates where they are known."""
        a, b = self.arms
        rows = [[r.name, f"{r.a:,.0f}", f"{r.b:,.0f}"] for r in self.ratios]
        if not any(r.per for r in self.ratios):
            return Table(["count", a, b], rows)
        rates = [[r.per, *(f"{rate:,.3f}" if r.per else "–" for rate in r.rates)] for r in self.ratios]
        columns = ["count", a, b, "rate per", f"{a}'s", f"{b}'s"]
        return Table(columns, [[*row, *of_row] for row, of_row in zip(rows, rates, strict=True)])

    def _tables(self) -> list[Table]:
        return [self.table]


def compare_counts(words: Sequence[str], shares: Mapping[str, float] | None = None, level: float = 0.95) -> Counts:
    """Compare totals of two arms, each written as `A:users=300,searches=900,clicks=500,reformulations=130`.

    Parameters
    ----------
    words
        The totals of each arm.  `queries` means `searches`.  A count of your own has a sign in front that tells which
        direction is better: `+favourites=12`, `-calls=4`.
    shares
        Arm → planned share of users; default: equal shares.
    level
        Of the intervals.

    Raises
    ------
    SpecError
        A word cannot be read, a count is unknown or impossible, or the words are not two arms with the same counts.

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
    if unpaired := sorted(of_a.keys() ^ of_b.keys()):
        with_count, without_count = (a, b) if unpaired[0] in of_a else (b, a)
        raise SpecError(
            f"--counts: {with_count} has {unpaired[0]}, {without_count} has not; give the same counts for both arms"
        )
    if not [name for name in of_a if name not in OF]:
        raise SpecError("--counts: there is nothing to compare; give a count beside users and searches, such as clicks")
    users, searches = ((of_a.get(name, math.nan), of_b.get(name, math.nan)) for name in OF)
    denominators = {"user": users, "search": searches}
    names = [name for name in of_a if name not in OF]
    ratios = tuple(_ratio(name, (a, b), (of_a[name], of_b[name]), denominators, level) for name in names)
    split = _split((a, b), users, shares or {})
    if split is not None and split.p < MISMATCH:
        ratios = tuple(replace(r, favours="") for r in ratios)
    return Counts((a, b), ratios, users, searches, split, tuple(_doubts((a, b), ratios, users, searches)), level)


def _read_arm(word: str) -> tuple[str, dict[str, float]]:
    match = _WORD.fullmatch(word.strip())
    if not match:
        raise SpecError(
            f"cannot read --counts {word!r}; write A:clicks=5000,reformulations=1300, without spaces and without marks "
            "between thousands"
        )
    arm, counts = match[1].strip(), dict[str, float]()
    for pair in match[2].split(","):
        written_name, _, value = pair.partition("=")
        name = _SYNONYMS.get(written_name.strip(), written_name.strip())
        _direction(name, arm)
        if name in counts:
            raise SpecError(f"--counts {word!r}: {name} is given twice")
        counts[name] = _number(word, name, value)
    _check_possible(arm, counts)
    return arm, counts


def _number(word: str, name: str, text: str) -> float:
    if _THOUSANDS.fullmatch(text.strip()):
        plain = text.strip().replace(".", "")
        other = f", or {float(text):g} if you mean that" if text.count(".") == 1 else ""
        raise SpecError(f"--counts {word!r}: {name}={text} may have dots between thousands; write {plain}{other}")
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise SpecError(f"--counts {word!r}: {name} must be a number, at least 0, not {text!r}")
    if name in OF and not value:
        raise SpecError(f"--counts {word!r}: {name} must be above 0; an arm that nobody saw cannot be compared")
    if name[:1] not in "+-" and name != "revenue" and value != round(value):
        raise SpecError(f"--counts {word!r}: {name} must be a whole number, not {text!r}")
    return value


def _check_possible(arm: str, counts: Mapping[str, float]) -> None:
    """Raise `SpecError` if a count exceeds the number of users or searches that it counts."""
    for name, value in counts.items():
        wholes = ("users",) if name.endswith("_users") else ("searches",) if name in ONCE else ()
        for whole in (*wholes, *AT_MOST.get(name, ())):
            if value > counts.get(whole, math.inf):
                raise SpecError(
                    f"--counts {arm}: {value:,.0f} {name} of {counts[whole]:,.0f} {whole} are impossible; {name} "
                    f"cannot exceed {whole}"
                )


def _direction(name: str, arm: str = "") -> int:
    """Return 1 if more is better, -1 if fewer is better, else 0; raise `SpecError` if the count is unknown."""
    if name in OF:
        return 0
    if name[:1] in ("+", "-") and len(name) > 1:
        return 1 if name[0] == "+" else -1
    directions = DIRECTIONS | USER_DIRECTIONS
    if name not in directions:
        raise SpecError(
            f"--counts {arm}: no count is called {name!r}; {nearest(name, [*OF, 'queries', *directions], 0.7)} With a "
            f"count of your own, say which direction is better: +{name}=… or -{name}=…"
        )
    return directions[name]


def _ratio(
    name: str,
    arms: tuple[str, str],
    values: tuple[float, float],
    denominators: Mapping[str, tuple[float, float]],
    level: float,
) -> CountRatio:
    preferred = ("search", "user") if name in OF_SEARCHES else ("user", "search")
    per = next((unit for unit in preferred if not math.isnan(sum(denominators[unit]))), "")
    rates = (values[0] / denominators[per][0], values[1] / denominators[per][1]) if per else values
    times = rates[1] / rates[0] if rates[0] else math.inf if rates[1] else math.nan
    better = (rates[1] - rates[0]) * _direction(name)
    users = denominators["user"]
    is_share = name.endswith("_users") and not math.isnan(sum(users))
    effect = ratio_test(*map(_share_moments, values, users), level=level).within((-1.0, 1.0)) if is_share else None
    return CountRatio(name.lstrip("+-"), *values, per, rates, times, arms[int(better > 0)] if better else "", effect)


def _split(arms: tuple[str, str], users: tuple[float, float], shares: Mapping[str, float]) -> SampleRatio | None:
    """Test whether the users were divided as planned; None without users."""
    if unknown := [arm for arm in shares if arm not in arms]:
        raise SpecError(f"--share: no arm is called {unknown[0]!r}; there are: {', '.join(arms)}")
    if shares and (missing := [arm for arm in arms if arm not in shares]):
        raise SpecError(f"--share {missing[0]}: give the planned share of every arm, or of none")
    if bad := [arm for arm, share in shares.items() if not 0 < share < math.inf]:
        raise SpecError(f"--share {bad[0]}: a share must be above 0")
    if math.isnan(sum(users)):
        return None
    return sample_ratio([int(n) for n in users], [shares.get(arm, 1.0) for arm in arms])


def _doubts(
    arms: tuple[str, str], ratios: Sequence[CountRatio], users: tuple[float, float], searches: tuple[float, float]
) -> list[Doubt]:
    doubts = []
    for r in ratios:
        if r.name == "clicks":
            by_arm = zip(arms, (r.a, r.b), searches, strict=True)
            doubts += [Doubt("many_clicks", arm, r.name, x / n) for arm, x, n in by_arm if x > MOST_CLICKS * n]
        if r.effect:
            smallest, arm = min((min(x, n - x), arm) for arm, x, n in zip(arms, (r.a, r.b), users, strict=True))
            doubts += [Doubt("few_users", arm, r.name, smallest)] if smallest < FEWEST else []
        larger = max(r.times, 1 / r.times) if r.times else math.inf
        if FAR < larger < math.inf:
            doubts.append(Doubt("far_apart", arms[int(r.times > 1)], r.name, larger))
    return doubts


def _share_moments(count: float, users: float) -> Moments:
    """Return the moments of an indicator that is 1 for `count` of the users and 0 for the others."""
    share = count / users
    spread = users * share * (1 - share)
    return Moments(int(users), np.array([share, 1.0]), np.array([[spread, 0.0], [0.0, 0.0]]))
