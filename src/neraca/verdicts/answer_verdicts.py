"""The verdicts on the answers of one run, and which of them count on each answer, hit and claim."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from neraca.records import Verdict
from neraca.runs.preferred import is_of_one_order
from neraca.runs.verdict_table import Ints, VerdictTable
from neraca.verdicts.effective import effective
from neraca.verdicts.raters import NOTE, TOGETHER
from neraca.verdicts.source import is_human, matches

#: Effective verdicts are found for about so many verdicts at once.
BLOCK = 250_000


@dataclass(frozen=True)
class AnswerVerdicts:
    """Verdicts beside the n answers that they are on.

    Attributes
    ----------
    table
        All m verdicts on the run, oldest first.
    answer
        Shape (m,): row of the answer; -1 if there is no such answer.
    n
        Number of answers.
    by
        The source whose verdicts count; "": the first source with a verdict.
    """

    table: VerdictTable
    answer: Ints
    n: int
    by: str = ""

    @classmethod
    def of(cls, verdicts: Iterable[Verdict], items: Sequence[str], trial: Ints, by: str = "") -> Self:
        """Find the answer that each verdict is on; `items` and `trial` are the item id and the trial of each answer."""
        table = verdicts if isinstance(verdicts, VerdictTable) else VerdictTable.made(verdicts)
        trials = int(max(table.trial.max(initial=0), trial.max(initial=0))) + 1
        codes = {name: code for code, name in enumerate(table.item.words)}
        item = np.array([codes.get(name, -1) for name in items], dtype=np.int64)
        row_of = np.full((len(codes) + 1) * trials, -1)
        row_of[item * trials + trial] = np.where(item < 0, -1, np.arange(len(items)))
        return cls(table, row_of[table.item.codes.astype(np.int64) * trials + table.trial], len(items), by)

    @cached_property
    def rows(self) -> Ints:
        """Rows of the effective verdicts, one for each aspect of each thing, in the order of their first verdicts."""
        counting, first_rows = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for rows in self.table.by_items(BLOCK):
            part = self.table.take(rows)
            place = part.key("item", "trial", "about", "aspect")
            settled = effective(place, part.value, part.by, asked=self.by)
            places, first = np.unique(place, return_index=True)
            counting.append(rows[settled.row])
            first_rows.append(rows[first[np.searchsorted(places, settled.place)]])
        return np.concatenate(counting)[np.argsort(np.concatenate(first_rows), kind="stable")]

    @cached_property
    def _by_answer(self) -> tuple[Ints, Ints]:
        """The effective rows in the order of the answers, and the index of the first one of each answer."""
        rows = self.rows[self.answer[self.rows] >= 0]
        rows = rows[np.argsort(self.answer[rows], kind="stable")]
        return rows, np.searchsorted(self.answer[rows], np.arange(self.n + 1))

    def on(self, answer: int, hits: bool = True) -> list[Verdict]:
        """Return the verdicts that count on one answer, with `hits` also those on its hits."""
        rows, starts = self._by_answer
        rows = rows[starts[answer] : starts[answer + 1]]
        return [self.table[row] for row in (rows if hits else rows[~self.table.on_hits[rows]]).tolist()]

    @property
    def judges(self) -> Counter[str]:
        """Judge → number of its verdicts, also of those that another source overrules; people's as far as they count.

        Verdicts that several people gave together count as `human`.  Notes are no verdicts, and a preference in one
        order of the answers is the same decision as that without it.
        """
        by = self.table.by
        counting = ~by.where(is_human)
        counting[self.rows] = True
        counting &= ~(self.table.aspect.isin([NOTE]) | self.table.aspect.where(is_of_one_order))
        rows = np.flatnonzero(counting)
        counts = np.bincount(by.codes[rows], minlength=len(by.words)).tolist()
        names = ("human" if name == TOGETHER else name for name in by.words)
        return Counter({name: n for name, n in zip(names, counts, strict=True) if n})

    def ratings(self, source: str = "human") -> dict[str, NDArray[np.float64]]:
        """Return aspect → mean value that a source, such as people, gave each whole answer, shape (n,); NaN: none."""
        table = self.table
        on_answer = table.about.isin(["answer"]) & (self.answer >= 0)
        single = ~table.by.isin([TOGETHER]) & ~table.aspect.where(is_of_one_order)
        rows = np.flatnonzero(on_answer & single)
        place = self.answer[rows] * len(table.aspect.words) + table.aspect.codes[rows]
        counting = effective(place, table.value[rows], table.by.take(rows), "mean", asked=source)
        ratings: dict[str, NDArray[np.float64]] = {}
        from_source = table.by.where(lambda name: matches(name, source))
        for code in dict.fromkeys(table.aspect.codes[rows[from_source[rows]]].tolist()):
            ratings[table.aspect.words[code]] = np.full(self.n, np.nan)
        for row, value in zip(rows[counting.row].tolist(), counting.value.tolist(), strict=True):
            ratings[table.aspect[row]][self.answer[row]] = value
        return ratings
