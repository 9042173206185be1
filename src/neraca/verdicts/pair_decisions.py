"""Merge the copies of a preference in several run folders into one decision on a pair of different answers.

A rater who compares two answers decides once.  The decision is stored in the folders of both runs, for every two runs
that gave these answers, and for every trial in which they did.  Whoever counts decisions, or measures how far raters
agree, must count it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Self

import msgspec

from neraca.records import Answer, Verdict
from neraca.runs.preferred import preferred_first, preferred_over
from neraca.runs.run import Run, content_of
from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.pairs_not_shown import IDENTICAL, Pair, pairs_not_shown
from neraca.verdicts.raters import TOGETHER
from neraca.verdicts.source import JURY, judge_of

#: The aspect of merged decisions.  It is never stored.
PREFERENCES = "preferences"
#: What a merged decision is about: this answer beside that of the run whose name follows.  It is never stored.
BESIDE = "beside:"


@dataclass(frozen=True, slots=True)
class MergedPairs:
    """Numbers of comparisons, decisions and pairs that were merged.

    Attributes
    ----------
    comparisons
        The number of comparisons of two runs: one for each judge, question, trial and two runs.
    decisions
        The number of decisions behind them: one for each judge and two different answers to a question.
    pairs
        The number of pairs of different answers on which somebody decided.
    """

    comparisons: int = 0
    decisions: int = 0
    pairs: int = 0


class Place(NamedTuple):
    """The first place where two answers stand: the trial, and the runs by number, the smaller first."""

    trial: int
    first: int
    second: int


#: An item, and what identifies two answers to it.
Decided = tuple[str, frozenset[str]]


@dataclass(frozen=True, eq=False)
class AnswerPairs:
    """Tells which pairs of answers are the same pair, because several runs or trials gave equal answers.

    Answers are equal if their contents are, or if raters were not shown the pair because the two look the same.
    """

    answers: Sequence[Mapping[tuple[str, int], Answer]]
    _root: dict[tuple[str, str], str] = field(default_factory=dict)
    _contents: dict[tuple[str, int, int], str] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Sequence[Run], alike: Iterable[Pair]) -> Self:
        """Read the answers of the runs; `alike` are the pairs that nobody was shown because the answers are alike."""
        pairs = cls([run.answers() for run in runs])
        for item, trial, first, second in alike:
            one, other = sorted((pairs._identity(item, trial, first), pairs._identity(item, trial, second)))
            if one != other:
                pairs._root[item, other] = one
        return pairs

    def decided(self, item: str, trial: int, run: int, other: int) -> Decided:
        """Return what identifies the pair of answers of two runs; each pair of alike answers is one for itself."""
        both = frozenset((self._identity(item, trial, run), self._identity(item, trial, other)))
        return item, both if len(both) > 1 else frozenset((*both, f"{trial}:{min(run, other)}:{max(run, other)}"))

    def is_first(self, item: str, trial: int, run: int, place: Place) -> bool:
        """Return whether the answer of a run is the one that the first run of a place gave."""
        own = self._identity(item, trial, run)
        ends = [self._identity(item, place.trial, end) for end in place[1:]]
        return run == place.first if ends[0] == ends[1] else own == ends[0]

    def _identity(self, item: str, trial: int, run: int) -> str:
        key = item, trial, run
        if key not in self._contents:
            answer = self.answers[run].get((item, trial))
            self._contents[key] = content_of(answer) if answer else f"{trial}:{run}"
        content = self._contents[key]
        while (item, content) in self._root:
            content = self._root[item, content]
        return content


def is_on_pair(about: str) -> bool:
    """Return whether a verdict is a merged decision, whose value depends on which answer is named first."""
    return about.startswith(BESIDE)


def merge_pairs(runs: Sequence[Run], tables: Sequence[VerdictTable]) -> tuple[list[VerdictTable], MergedPairs]:
    """Return the verdicts with each preference of a judge on two different answers once, and what was merged.

    A merged decision has the aspect `preferences` and stands in the table of the first run that gave one of the two
    answers.  It is about `beside:OTHER`, where OTHER is the first run that gave the other one; 1 means that the answer
    of the first run is better.  Preferences over a run that is not among `runs`, or whose name two of them have, stay
    as they are, because the other answer is not known.

    Parameters
    ----------
    runs
        Runs that answer the same questions.
    tables
        The verdicts of each run, oldest first.
    """
    names = [run.name for run in runs]
    places = {name: place for place, name in enumerate(names) if names.count(name) == 1}
    aspects = {preferred_over(name): place for name, place in places.items()}
    if not any(aspects.keys() & {*table.aspect.words} for table in tables):
        return list(tables), MergedPairs()
    in_one_order, unmerged = {*map(preferred_first, places)}, list[VerdictTable]()
    preferences: list[tuple[Verdict, int, int]] = []
    for number, table in enumerate(tables):
        rows = table.aspect.isin(aspects.keys() - {preferred_over(names[number])}) & table.about.isin(["answer"])
        preferences += [(verdict, number, aspects[verdict.aspect]) for verdict in table.take(rows)]
        unmerged.append(table.take(~rows & ~table.aspect.isin(in_one_order)))
    merged, counts = _merged(preferences, answer_pairs(runs), names)
    joined = [
        VerdictTable.joined([table, VerdictTable.made(of_run)]) if of_run else table
        for table, of_run in zip(unmerged, merged, strict=True)
    ]
    return joined, counts


def answer_pairs(runs: Sequence[Run]) -> AnswerPairs:
    """Return the pairs of answers of these runs; the stored verdicts say which of them raters were not shown."""
    reasons = pairs_not_shown(runs, [current_verdicts(run) for run in runs])
    return AnswerPairs.of(runs, {pair for of_run in reasons for pair, why in of_run.values() if why == IDENTICAL})


def _merged(
    preferences: Sequence[tuple[Verdict, int, int]], pairs: AnswerPairs, names: Sequence[str]
) -> tuple[list[list[Verdict]], MergedPairs]:
    """Return the merged decisions of each run; the preferences are (verdict, its run, the other run)."""
    place_of: dict[Decided, Place] = {}
    for verdict, run, other in preferences:
        key, place = pairs.decided(verdict.item, verdict.trial, run, other), Place(verdict.trial, *sorted((run, other)))
        place_of[key] = min(place, place_of.get(key, place))
    merged: list[dict[tuple[object, ...], Verdict]] = [{} for _ in names]
    comparisons, decisions = set[tuple[object, ...]](), set[tuple[str, Decided]]()
    for verdict, run, other in preferences:
        key = pairs.decided(verdict.item, verdict.trial, run, other)
        place, judge = place_of[key], judge_of(verdict.by)
        is_first = pairs.is_first(verdict.item, verdict.trial, run, place)
        decision = msgspec.structs.replace(
            verdict,
            aspect=PREFERENCES,
            about=f"{BESIDE}{names[place.second]}",
            trial=place.trial,
            value=verdict.value if is_first or verdict.value is None else 1 - verdict.value,
            of=verdict.of if is_first else "",
        )
        copy = decision.item, decision.trial, decision.about, decision.by, decision.value, decision.at
        merged[place.first].setdefault(copy, decision)
        if verdict.value is not None and judge not in (JURY, TOGETHER):  # who decides by others' decisions made none
            comparisons.add((judge, verdict.item, verdict.trial, frozenset((run, other))))
            decisions.add((judge, key))
    counts = MergedPairs(len(comparisons), len(decisions), len({key for _, key in decisions}))
    return [[*of_run.values()] for of_run in merged], counts
