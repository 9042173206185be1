"""Run folders as scorables, with relevance pooled over all runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.datasets.dataset import Dataset, canonical
from neraca.errors import InputError, SpecError
from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.scorable import Scorable, constant
from neraca.nearest import nearest
from neraca.records import REPLIED, Item
from neraca.runs.answers import Answers
from neraca.runs.run import Run
from neraca.runs.stored_records import taken
from neraca.runs.verdict_table import VerdictTable
from neraca.scores.unit import clusters_of
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.expected import with_expected
from neraca.verdicts.pairs_not_shown import without_pairs_not_shown
from neraca.verdicts.raters import EXPECTS, RELEVANCE, Kinds, Rule, Together, raters_together
from neraca.verdicts.ratings import same_ratings
from neraca.verdicts.relevance import Relevance
from neraca.verdicts.selection import Selection
from neraca.verdicts.source import is_human, judge_of, source_of
from neraca.verdicts.undecided import Decisions, Open
from neraca.verdicts.unreturned import without_unreturned


@dataclass(frozen=True)
class People:
    """The rules for people's verdicts, and the sources that are ignored.

    Attributes
    ----------
    counted
        Whether they count; if not, all verdicts of people are ignored.
    combine, decisions, kinds
        As in `raters_together`.
    without
        Sources whose verdicts are ignored, whoever they are.
    """

    counted: bool = True
    combine: Rule | None = None
    decisions: Decisions = field(default_factory=dict)
    kinds: Kinds = field(default_factory=Kinds)
    without: Collection[str] = ()


@dataclass(frozen=True)
class _CountingVerdicts:
    """The verdicts that count on the answers of several runs, by the chosen source.

    Attributes
    ----------
    items, tables
        The questions with their expectations; the verdicts on each run, with the combined verdicts of several people.
    relevance, selection
        The relevant documents; the source whose verdicts count.
    together
        Aspect → kind of source → the combined verdicts of several voters.
    overruled
        As in `Expected`.
    """

    items: Sequence[Item]
    tables: Sequence[VerdictTable]
    relevance: Relevance
    selection: Selection
    together: Mapping[str, Mapping[str, Together]]
    overruled: tuple[str, ...]

    @classmethod
    def of(
        cls, items: Sequence[Item], tables: Sequence[VerdictTable], selection: Selection, people: People
    ) -> _CountingVerdicts:
        """Decide the expectations of questions, combine the verdicts of several people, and pool relevance."""
        combine, decisions = people.combine, people.decisions
        expecting, expected, overruled = with_expected(items, tables, selection.expects, decisions, combine)
        extended, together_by_aspect = raters_together(tables, combine, decisions, selection.by, people.kinds)
        votes_on_hits = selection.on_relevance(extended)
        pooled = Relevance.of(expecting, votes_on_hits, selection.relevance, combine, decisions)
        together: dict[str, Mapping[str, Together]] = {
            aspect: {"human": group}
            for aspect, group in together_by_aspect.items()
            if aspect not in (RELEVANCE, EXPECTS)
        }
        together = {**together, RELEVANCE: pooled.together, EXPECTS: expected}
        return cls(expecting, extended, pooled, selection, together, overruled)

    def columns(self) -> dict[str, Callable[[], Any]]:
        """Return the columns `raters`, `open`, `selection` and `overruled` of `scorables_of_runs`."""
        return {
            "raters": constant(self.together),
            "open": constant(self.open),
            "selection": constant(self.selection),
            "overruled": constant(self.overruled),
        }

    @property
    def open(self) -> Open:
        """The undecided verdicts, with the values that they could take."""
        deciding_groups = [group for by_source in self.together.values() for group in by_source.values()]
        undecided = {place: values for group in deciding_groups for place, values in group.open.items()}
        return {**undecided, **self.relevance.contradicted}


def scorables_of_runs(
    runs: Sequence[Run],
    relevance: str = "auto",
    by: str = "",
    people: People | None = None,
    only: Collection[str] | None = None,
) -> tuple[list[Scorable], Relevance]:
    """Return a scorable for each run, and the relevance pooled over the hits of all runs.

    The scorables have columns about verdicts: `raters` (combined ones), `scales` (of people), `open` (undecided ones),
    `selection` (the source that counts), `overruled` (questions whose verdict contradicts what the data set expects),
    `same_ratings` (equal sources), and what is left out: `unreturned` (on hits that no run returned), `pairs_not_shown`
    (reason → number of pairs).  With `only`, other questions are left out.

    Raise `InputError` if the runs do not answer the same questions, or a verdict is about an answer or hit that no run
    has.  Raise `SpecError` if `relevance` cannot be read, or no source called `by` wrote a verdict.
    """
    check_same_questions(runs)
    for run in runs[1:]:
        run.items, run.item_ids = runs[0].items, runs[0].item_ids  # equal items, kept once in memory
    answers = [run.answers() for run in runs]
    tables = [current_verdicts(run, answers_of_run) for run, answers_of_run in zip(runs, answers, strict=True)]
    _check_known(by, tables)
    if not (rules_for_people := people or People()).counted:
        tables = [table.take(~table.by.where(is_human)) for table in tables]
    if rules_for_people.without:
        tables = [table.take(~table.by.isin(rules_for_people.without)) for table in tables]
    tables, unreturned = without_unreturned(tables, answers)
    tables, pairs_not_shown = without_pairs_not_shown(runs, tables)
    counting = _CountingVerdicts.of(runs[0].items, tables, Selection.of(tables, by, relevance), rules_for_people)
    items, ids, pooled = counting.items, runs[0].item_ids, counting.relevance
    sessions, tags = _groups(items)
    parts = []
    for name, run, answers_of_run, table in zip(_names(runs), runs, answers, counting.tables, strict=True):
        trials = range(run.manifest.trials)
        chosen = [(place, name) for place, name in enumerate(ids) if only is None or name in only]
        places = [(place, trial) for place, name in chosen for trial in trials if (name, trial) in answers_of_run]
        columns: dict[str, Callable[[], Any]] = {
            "run": constant(run),
            "scales": constant(run.manifest.scales),
            "same_ratings": constant(same_ratings(tables)),
            **counting.columns(),
            "unreturned": constant(unreturned),
            "pairs_not_shown": constant(pairs_not_shown),
            "item_records": constant(items),
            "item_ids": constant(ids),
            "clusters": constant(sessions),
            "tags": constant(tags),
            "item": partial(np.array, [place for place, _ in places], dtype=np.int64),
            "trials": constant(len(trials)),
            "lacking": constant(_count_lacking(len(items) * len(trials), answers_of_run)),
            "ids": constant([ids[place] for place, _ in places]),
        }
        items_of_places = taken(items, (place for place, _ in places))
        answered = answers_of_run.take((ids[place], trial) for place, trial in places)
        parts.append(
            scorable_of_answers(items_of_places, answered, table, relevance=pooled, by=by, name=name, more=columns)
        )
    return parts, pooled


def _groups(items: Iterable[Item]) -> tuple[NDArray[np.int64], dict[str, Categorical]]:
    """Return the number of each item's session, and for each tag its value in each item ("" without one)."""
    sessions: list[str | None] = []
    tags: dict[str, list[str]] = {}
    for row, item in enumerate(items):
        sessions.append(item.session)
        for name in item.tags:
            if name not in tags:
                tags[name] = [""] * row
        for name, values in tags.items():
            values.append(str(item.tags.get(name, "")))
    return clusters_of(sessions), {name: Categorical.of(values) for name, values in tags.items()}


def _count_lacking(questions: int, answers: Answers) -> int:
    """Count the questions without an answer.  Failed answers count as empty ones, unless all answers failed."""
    replied = any(status in REPLIED for status in answers.statuses)
    return questions - len(answers) if replied else questions


def _check_known(by: str, tables: Sequence[VerdictTable]) -> None:
    """Raise `SpecError` if no source of this name wrote a verdict."""
    names = {name for table in tables for name in table.by.words}
    sources = names | set(map(source_of, names)) | set(map(judge_of, names))
    if by and by not in sources:
        from neraca.judges.judge import source_hint  # slow to import, and only needed for an error

        hint = source_hint(by) or nearest(by, sorted(sources))
        raise SpecError(f"nobody called {by!r} wrote a verdict in these runs; {hint}")


def check_same_questions(runs: Sequence[Run]) -> None:
    """Raise `InputError` if runs answer different questions."""
    first = runs[0]
    for run in runs[1:]:
        if run.manifest.fingerprint == first.manifest.fingerprint:
            continue
        # Runs of an earlier version may have recorded answers in their fingerprints.
        if Dataset(tuple(run.items)).fingerprint != Dataset(tuple(first.items)).fingerprint:
            raise InputError(
                f"{first.path} and {run.path} answer different questions: {_first_difference(first, run)}. Ask "
                "the newer questions of both (neraca ask); answers to questions that are asked as before are kept. If "
                "the answers were recorded, ask the questions of one file of both: neraca ask A --target replay:B"
            )


def _first_difference(first: Run, other: Run) -> str:
    """Name the first question in which two runs differ, and the values that differ."""
    pairs = zip(map(canonical, first.items), map(canonical, other.items), strict=False)
    for place, (item, other_item) in enumerate(pairs, 1):
        if item == other_item:
            continue
        fields = [name for name in item.__struct_fields__ if getattr(item, name) != getattr(other_item, name)]
        first_value, other_value = (repr(getattr(question, fields[0]))[:80] for question in (item, other_item))
        values = f"{first_value} in the one, {other_value} in the other"
        return f"question {place} ({item.id}) differs first, in its {fields[0]}: {values}"
    n, more = len(first.items), len(other.items)
    return f"they were asked different numbers of questions, {n:,} and {more:,}"


def _names(runs: Sequence[Run]) -> list[str]:
    """Return the names of the runs; equal names get a number."""
    runs_by_name = Counter(run.name for run in runs)
    occurrences: Counter[str] = Counter()
    names = []
    for run in runs:
        occurrences[run.name] += 1
        names.append(f"{run.name} {occurrences[run.name]}" if runs_by_name[run.name] > 1 else run.name)
    return names
