"""Confusion of a judge's verdicts with people's: values confused, how often, and in which direction."""

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
from neraca.verdicts.source import source_of


@dataclass(frozen=True, slots=True)
class JudgeConfusion:
    """One judge beside people on one aspect, on all that both decided; of several people the median counts.

    Attributes
    ----------
    scale
        The q values that occur, rising.
    counts
        Shape (q, q): of each value that people gave how often the judge gave each.
    agree
        Share on which both say the same.
    bias
        What the judge says less what people say, mean.
    sensitivity, specificity
        Of yes and no: of what people call right the share that the judge calls right, and of what they call wrong the
        share that it calls wrong.  Both count nothing of grades.
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
        """Names of columns and rows of text: what people say, and how often the judge says what then."""
        said = [f"judge {value:g}" for value in self.scale]
        rows = [[f"{value:g}", *map(str, row)] for value, row in zip(self.scale, self.counts, strict=True)]
        return Table(["people", *said], rows, f"{self.aspect}: people and {self.judge}")


class JudgeConfusions(Results[JudgeConfusion]):
    """Judges beside people, aspect by aspect; prints as a table."""

    __slots__ = ()

    def _tables(self) -> Iterator[Table]:
        yield self.table()

    def table(self) -> Table:
        """Names of columns and rows of text: a row for each judge and aspect."""
        yes_no = any(one.sensitivity.n or one.specificity.n for one in self)
        columns = ["aspect", "judge", "agree", "interval", "judge − people", "interval"]
        columns += ["right as right", "interval", "wrong as wrong", "interval"] if yes_no else []
        rows = []
        for one in self:
            parts = [one.agree, one.bias, *([one.sensitivity, one.specificity] if yes_no else [])]
            cells = [cell for part in parts for cell in (number(part.value), span(part.low, part.high))]
            rows.append([one.aspect, one.judge, *cells, f"{one.agree.n:,}"])
        return Table([*columns, "n"], rows, names=2)

    def rows(self) -> list[dict[str, Any]]:
        """A flat row for each cell: {aspect, judge, people_say, judge_says, count, both} and estimates."""
        flat = []
        for one in self:
            parts = {"agree": one.agree, "bias": one.bias}
            parts |= {"sensitivity": one.sensitivity, "specificity": one.specificity}
            known = {f"{name}{end}": value for name, part in parts.items() for end, value in _flat(part)}
            for people, counts in zip(one.scale, one.counts, strict=True):
                for judge, count in zip(one.scale, counts, strict=True):
                    row = {"aspect": one.aspect, "judge": one.judge, "people_say": people, "judge_says": judge}
                    flat.append(row | {"count": count, "both": one.agree.n} | known)
        return flat


def _flat(part: Estimate) -> Iterator[tuple[str, float | str]]:
    yield from (("", part.value), ("_low", part.low), ("_high", part.high), ("_why", part.why))


def judges_beside_people(
    items: Sequence[Item], *verdicts: Iterable[Verdict], judges: Sequence[str] = (), level: float = 0.95
) -> JudgeConfusions:
    """Lay what each program says beside what people say, for each aspect of answers and hits.

    Parameters
    ----------
    items
        The questions; those of one session are one observation in intervals.
    verdicts, judges
        As of `neraca.agreement`.
    level
        Of the intervals.

    Examples
    --------
    >>> said = {"human:ana": (1, 1, 0, 0), "llm:m": (1, 1, 1, 0)}
    >>> (one,) = judges_beside_people(
    ...     [Item(id=str(n), query="?") for n in range(4)],
    ...     [Verdict(item=str(n), about="answer", aspect="valid", by=by, value=value)
    ...      for by, row in said.items() for n, value in enumerate(row)],
    ... )
    >>> one.counts, one.bias.value, one.sensitivity.value, one.specificity.value
    (((1, 1), (0, 2)), 0.25, 1.0, 0.5)
    """
    numbers = clusters_of(item.session for item in items).tolist()
    session = dict(zip((item.id for item in items), numbers, strict=True))
    found = JudgeConfusions()
    for aspect, things in values_by_aspect(verdicts, judges).items():
        programs = sorted({name for opinions in things.values() for name in opinions if source_of(name) != "human"})
        for judge in programs:
            pairs = list(_pairs(things, judge))
            if pairs:
                clusters = np.array([session[item] for item, _, _ in pairs], dtype=np.int64)
                values = np.array([[people, said] for _, people, said in pairs])
                found.append(_confusion(aspect, judge, values, clusters, level))
    return found


def _pairs(things: Mapping[Thing, Mapping[str, float]], judge: str) -> Iterator[tuple[str, float, float]]:
    """Item, what people say and what the judge says, of each thing on which both decided."""
    for (_, item, _, _), opinions in things.items():
        people = [value for name, value in opinions.items() if source_of(name) == "human"]
        if people and judge in opinions:
            yield item, float(median(people)), opinions[judge]


def _confusion(aspect: str, judge: str, values: Floats, clusters: np.ndarray[Any, Any], level: float) -> JudgeConfusion:
    scale = sorted(set(values.ravel().tolist()))
    counts = [[int(((values[:, 0] == a) & (values[:, 1] == b)).sum()) for b in scale] for a in scale]
    people, said = values.T
    yes_no = set(scale) <= {0.0, 1.0}

    def share(of: Floats, rows: np.ndarray[Any, Any], limits: Range | None = None) -> Estimate:
        if not rows.any():
            return Estimate.without_interval(math.nan, 0, NOTHING_SCORED)
        return interval(np.column_stack([of[rows], np.ones(rows.sum())]), mean, clusters[rows], level, limits=limits)

    every, none = np.ones(len(values), bool), np.zeros(len(values), bool)
    return JudgeConfusion(
        aspect,
        judge,
        tuple(scale),
        tuple(map(tuple, counts)),
        share((people == said) * 1.0, every),
        share(said - people, every, (-1.0, 1.0) if yes_no else NO_RANGE),
        share(said, people == 1 if yes_no else none),
        share(1 - said, people == 0 if yes_no else none),
    )
