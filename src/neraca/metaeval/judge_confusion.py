"""Confusion matrices of a judge and people: which values the judge confuses, how often, and its bias."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from neraca.number_format import number, span
from neraca.records import Item, Verdict
from neraca.result import Results, Table
from neraca.scores.unit import clusters_of
from neraca.stats.intervals.interval import NO_RANGE, NOTHING_SCORED, Estimate, Floats, Range, interval, mean
from neraca.verdicts.opinions import Thing, values_by_aspect
from neraca.verdicts.pair_decisions import is_on_pair
from neraca.verdicts.source import is_human

#: Why decisions on pairs of answers have no bias.
NO_DIRECTION = "it is arbitrary which answer is named first"
#: Most values whose columns name the judge: 11 columns fit in 80 characters without it.
NAMED_COLUMNS = 6


@dataclass(frozen=True, slots=True)
class JudgeConfusion:
    """The verdicts of one judge and of people on one aspect, where both decided; of several people the median counts.

    Attributes
    ----------
    scale
        The q values that occur, in ascending order.
    counts
        Shape (q, q): how often people gave the value of the row and the judge the value of the column.
    agree
        Share of equal values.
    bias
        Mean of the judge's value minus people's value; NaN for decisions on pairs of answers, which have no direction.
    sensitivity, specificity
        The share that the judge calls right among those that people call right, and the share that it calls wrong
        among those that people call wrong; n is 0 for grades and pairs.
    """

    aspect: str
    judge: str
    scale: tuple[float, ...]
    counts: tuple[tuple[int, ...], ...]
    agree: Estimate
    bias: Estimate
    sensitivity: Estimate
    specificity: Estimate

    def table(self) -> Table:
        """Return the counts as text: a row for each value of people, a column for each value of the judge."""
        rows = [[f"{value:g}", *map(str, row)] for value, row in zip(self.scale, self.counts, strict=True)]
        if len(self.scale) > NAMED_COLUMNS:
            title = f"{self.aspect}: people in the rows, {self.judge} in the columns"
            return Table(["people", *(f"{value:g}" for value in self.scale)], rows, title)
        judge_columns = [f"judge {value:g}" for value in self.scale]
        return Table(["people", *judge_columns], rows, f"{self.aspect}: people and {self.judge}")


class JudgeConfusions(Results[JudgeConfusion]):
    """Judges beside people, aspect by aspect; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        yield self.table()

    def table(self) -> Table:
        """Return the estimates as text: a row for each judge and aspect."""
        yes_no = any(confusion.sensitivity.n or confusion.specificity.n for confusion in self)
        columns = ["aspect", "judge", "agree", "interval", "judge − people", "interval"]
        columns += ["right as right", "interval", "wrong as wrong", "interval"] if yes_no else []
        rows = []
        for confusion in self:
            parts = [confusion.agree, confusion.bias]
            parts += [confusion.sensitivity, confusion.specificity] if yes_no else []
            cells = [cell for part in parts for cell in (number(part.value), span(part.low, part.high))]
            rows.append([confusion.aspect, confusion.judge, *cells, f"{confusion.agree.n:,}"])
        return Table([*columns, "n"], rows, names=2)

    def rows(self) -> list[dict[str, Any]]:
        """Return a flat row for each cell: {aspect, judge, people_say, judge_says, count, both} and estimates."""
        flat = []
        for confusion in self:
            parts = {name: getattr(confusion, name) for name in ("agree", "bias", "sensitivity", "specificity")}
            estimates = {f"{name}{suffix}": value for name, part in parts.items() for suffix, value in _flat(part)}
            names = {"aspect": confusion.aspect, "judge": confusion.judge}
            for people, counts in zip(confusion.scale, confusion.counts, strict=True):
                for judge, count in zip(confusion.scale, counts, strict=True):
                    cell = {"people_say": people, "judge_says": judge, "count": count, "both": confusion.agree.n}
                    flat.append(names | cell | estimates)
        return flat


def _flat(part: Estimate) -> Iterator[tuple[str, float | str]]:
    yield from (("", part.value), ("_low", part.low), ("_high", part.high), ("_why", part.why))


def judges_beside_people(
    items: Sequence[Item],
    *verdicts: Iterable[Verdict],
    judges: Sequence[str] = (),
    level: float = 0.95,
    ends: Mapping[str, Range] = {},
) -> JudgeConfusions:
    """Compare each program's verdicts with people's, for each aspect of answers and hits.

    Parameters
    ----------
    items
        The questions; a session is one observation in intervals.
    verdicts, judges
        See `neraca.agreement`.
    level
        Confidence of the intervals.
    ends
        Aspect → the lowest and the highest grade of its scale, where it is known (`scale_ends`).  The interval of the
        bias stays within it.

    Examples
    --------
    >>> values = {"human:ana": (1, 1, 0, 0), "llm:m": (1, 1, 1, 0)}
    >>> (confusion,) = judges_beside_people(
    ...     [Item(id=str(n), query="?") for n in range(4)],
    ...     [Verdict(item=str(n), about="answer", aspect="valid", by=by, value=value)
    ...      for by, row in values.items() for n, value in enumerate(row)],
    ... )
    >>> confusion.counts, confusion.bias.value, confusion.sensitivity.value, confusion.specificity.value
    (((1, 1), (0, 2)), 0.25, 1.0, 0.5)
    """
    numbers = clusters_of(item.session for item in items).tolist()
    session = dict(zip((item.id for item in items), numbers, strict=True))
    confusions = JudgeConfusions()
    for aspect, opinions_by_thing in values_by_aspect(verdicts, judges).items():
        sources = {name for opinions in opinions_by_thing.values() for name in opinions}
        for judge in sorted(name for name in sources if not is_human(name)):
            pairs = list(_pairs(opinions_by_thing, judge))
            if pairs:
                clusters = np.array([session[item] for item, _, _ in pairs], dtype=np.int64)
                values = np.array([pair[1:] for pair in pairs])
                on_pairs = all(is_on_pair(about) for *_, about in opinions_by_thing)
                scale = ends.get(aspect, NO_RANGE)
                confusions.append(
                    confusion_of(aspect, judge, values, clusters, level, directed=not on_pairs, ends=scale)
                )
    return confusions


def _pairs(opinions_by_thing: Mapping[Thing, Mapping[str, float]], judge: str) -> Iterator[tuple[str, float, float]]:
    """Yield item, people's value and the judge's value for each thing on which both decided."""
    for (_, item, _, _), opinions in opinions_by_thing.items():
        people = [value for name, value in opinions.items() if is_human(name)]
        if people and judge in opinions:
            yield item, float(median(people)), opinions[judge]


def confusion_of(
    aspect: str,
    judge: str,
    values: Floats,
    clusters: np.ndarray[Any, Any],
    level: float,
    *,
    directed: bool = True,
    ends: Range = NO_RANGE,
) -> JudgeConfusion:
    """Compare values of people with those of a judge: shape (n, 2), people's first; `clusters` numbers the sessions.

    Without `directed`, it is arbitrary whether 1 or 0 is the higher value, so there is no bias and no right or wrong.
    `ends` are the lowest and the highest grade.  They do not count if a value lies outside.
    """
    scale = sorted(set(values.ravel().tolist()))
    counts = [[int(((values[:, 0] == a) & (values[:, 1] == b)).sum()) for b in scale] for a in scale]
    people, judged = values.T
    yes_no = directed and set(scale) <= {0.0, 1.0}

    def share(column: Floats, rows: np.ndarray[Any, Any], limits: Range | None = None) -> Estimate:
        if not rows.any():
            return Estimate.without_interval(math.nan, 0, NOTHING_SCORED)
        return interval(
            np.column_stack([column[rows], np.ones(rows.sum())]), mean, clusters[rows], level, limits=limits
        )

    low, high = (0.0, 1.0) if scale[0] >= 0 and scale[-1] <= 1 else ends
    bias_limits = (low - high, high - low) if low <= scale[0] and scale[-1] <= high else NO_RANGE
    every, none = np.ones(len(values), bool), np.zeros(len(values), bool)
    return JudgeConfusion(
        aspect,
        judge,
        tuple(scale),
        tuple(map(tuple, counts)),
        share((people == judged) * 1.0, every),
        share(judged - people, every, bias_limits)
        if directed
        else Estimate.without_interval(math.nan, 0, NO_DIRECTION),
        share(judged, people == 1 if yes_no else none),
        share(1 - judged, people == 0 if yes_no else none),
    )
