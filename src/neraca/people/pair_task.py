"""Pairs of answers, or of lists of results, of which a rater chooses the better one."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Literal, NamedTuple, Self

import msgspec

from neraca.counts_and_lists import listed
from neraca.errors import InputError, SpecError
from neraca.files import fingerprint
from neraca.nearest import nearest
from neraca.number_format import integer
from neraca.people.rating_task import RatedHit, RatingTask, RatingTasks, hit_key
from neraca.people.tournament import Preference
from neraca.people.transcript import earlier_replies
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.translation import say

Show = Literal["answers", "results"]
SHOWN: tuple[Show, ...] = ("answers", "results")


class Side(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One side of a pair: the text of an answer, or a list of results; `replies` as in `RatingTask`."""

    text: str = ""
    hits: tuple[RatedHit, ...] = ()
    replies: tuple[tuple[str, ...], ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing came back."""
        return not self.text and not self.hits


class PairTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="pair"):
    """Two answers to a question as a rater sees them.

    Attributes
    ----------
    id
        Hash of the question and both sides in their order; with the sides swapped the id is another one.
    number, query, tags, before
        As in `RatingTask`.
    left, right
        The two sides.
    both
        Keys of the hits on both sides.
    """

    id: str
    number: int
    query: str
    tags: Mapping[str, str] = {}
    before: tuple[str, ...] = ()
    left: Side
    right: Side
    both: tuple[str, ...] = ()


@dataclass(frozen=True)
class Contest:
    """The different answers of several runs to one question in one trial.

    Attributes
    ----------
    question
        As in `RatingTask`.
    item, trial
        Id of the question, and number of the trial.
    sides
        The different answers as they are shown.
    runs
        For each answer the numbers of the runs that returned it.
    replies
        For each answer the earlier answers of these runs, as in `RatingTask`; they are no part of what is compared.
    """

    question: RatingTask
    item: str
    trial: int
    sides: tuple[Side, ...]
    runs: tuple[tuple[int, ...], ...]
    replies: tuple[tuple[tuple[str, ...], ...], ...] = ()

    def shown(self, side: int) -> Side:
        """Return an answer with the earlier answers, as it is shown."""
        return msgspec.structs.replace(self.sides[side], replies=self.replies[side] if self.replies else ())

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield the pairs of answers that raters must compare."""
        yield from (pair for pair in combinations(range(len(self.sides)), 2) if not self._plain(*pair))

    def plain(self) -> Iterator[Preference]:
        """Yield the preferences that are known without asking: an answer with a text beats one without."""
        for a, b in combinations(range(len(self.sides)), 2):
            if self._plain(a, b):
                yield Preference(a, b, float(bool(self.sides[a].text)), free=True)

    def _plain(self, a: int, b: int) -> bool:
        return bool(self.sides[a].text) != bool(self.sides[b].text)


class Shown(NamedTuple):
    """The contest of a pair, and the numbers of its left and right answer."""

    contest: int
    left: int
    right: int

    @property
    def turned(self) -> Shown:
        """The same pair with the sides swapped."""
        return Shown(self.contest, self.right, self.left)


@dataclass(frozen=True)
class PairTasks:
    """All pairs of answers of some runs, and their origin.

    Attributes
    ----------
    runs
        The runs to compare.
    show
        `answers`: show the texts.  `results`: show the hits, as on a search page.
    contests
        A contest for each question and trial that two runs answered, in the order of the questions.
    seed
        Seed of the choice of the left side.
    single
        The number of questions, once for each trial, that fewer than two runs answered; they are left out.
    failed
        The number of failed answers in the contests; they count as empty.
    """

    runs: tuple[Run, ...]
    show: Show
    contests: tuple[Contest, ...]
    seed: int | str = 0
    single: int = 0
    failed: int = 0

    @classmethod
    def of(cls, runs: Iterable[Run], show: Show | Literal["auto"] = "auto", seed: int | str = 0) -> Self:
        """Pair the answers of several runs, question by question.

        A failed answer counts as empty.  Answers that may be incomplete are left out, and so are questions that fewer
        than two runs answered.

        Parameters
        ----------
        runs
            Two runs or more, of different names.
        show
            `answers`, `results`, or `auto`: the answers if any has a text.
        seed
            Seed of the choice of the left side; give each rater another one, such as the name of the rater.

        Raises
        ------
        SpecError
            For two runs of the same name, or another value of `show`.
        InputError
            If no question has two answers.
        """
        rated = RatingTasks.of(runs)
        names = [run.name for run in rated.runs]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise SpecError(same_name(twice, [run.path for run in rated.runs if run.name == twice]))
        if show == "auto":
            show = "answers" if any(task.text.strip() for task in rated.tasks) else "results"
        if show not in SHOWN:
            raise SpecError(
                say("a pair shows answers or results, not {show!r}; {advice}", show=show, advice=nearest(show, SHOWN))
            )
        contests = tuple(_contests(rated, show))
        if not contests:
            raise InputError(say("{names}: no two of these runs answered the same question", names=", ".join(names)))
        asked = {(item.id, trial) for run in rated.runs for item in run.items for trial in range(run.manifest.trials)}
        in_contest = {(contest.item, contest.trial) for contest in contests}
        failed = sum(answer.failed for run in rated.runs for key, answer in run.answers().items() if key in in_contest)
        return cls(rated.runs, show, contests, seed, len(asked) - len(contests), failed)

    @cached_property
    def tasks(self) -> tuple[PairTask, ...]:
        """Every pair that raters must compare, in the order of the questions; the seed decides the left side."""
        pairs = ((place, a, b) for place, contest in enumerate(self.contests) for a, b in contest.pairs())
        return tuple({task.id: task for task in (self.task(*pair) for pair in pairs)}.values())

    def task(self, contest: int, a: int, b: int) -> PairTask:
        """Return the task to compare answers a and b of a contest; the seed decides the left side."""
        orders = sorted((Shown(contest, a, b), Shown(contest, b, a)), key=self.id_of)
        return self._task(random.Random(f"{self.seed}:{self.id_of(orders[0])}").choice(orders))

    @cached_property
    def shown(self) -> Mapping[str, Sequence[Shown]]:
        """Id of a task, in either order → its pairs; several pairs if two trials returned the same."""
        pairs_by_id: defaultdict[str, list[Shown]] = defaultdict(list)
        for place, contest in enumerate(self.contests):
            for a, b in contest.pairs():
                for order in (Shown(place, a, b), Shown(place, b, a)):
                    pairs_by_id[self.id_of(order)].append(order)
        return dict(pairs_by_id)

    @cached_property
    def by_id(self) -> Mapping[str, PairTask]:
        """Id → task, of both orders of each pair."""
        return {key: self._task(places[0]) for key, places in self.shown.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks on pairs that are not shown, empty sides and failed answers, and questions that are left out."""
        empty = sum(task.left.empty or task.right.empty for task in self.tasks)
        plain = sum(1 for contest in self.contests for _ in contest.plain())
        sides = (
            (side, len(group))
            for contest in self.contests
            for side, group in zip(contest.sides, contest.runs, strict=True)
        )
        identical = sum(n * (n - 1) // 2 for side, n in sides if side != Side())
        remarks = {
            "pairs of identical answers, which are even by construction and are not shown": identical,
            "pairs with one empty side, of which the page says that nothing was found": empty,
            "pairs with a text on one side only, which is better by construction and is not shown": plain,
            "failed answers, which count as empty": self.failed,
            "questions left out, because fewer than two runs answered them": self.single,
        }
        return tuple(f"{say(words)}: {integer(times)}" for words, times in remarks.items() if times)

    def id_of(self, shown: Shown) -> str:
        """Return the id of the task that shows this pair."""
        contest = self.contests[shown.contest]
        content = contest.sides[shown.left], contest.sides[shown.right]
        return fingerprint((contest.item, contest.question.query, *content))

    def _task(self, shown: Shown) -> PairTask:
        contest = self.contests[shown.contest]
        left, right = contest.shown(shown.left), contest.shown(shown.right)
        right_keys = {hit.key for hit in right.hits}
        return PairTask(
            id=self.id_of(shown),
            number=contest.question.number,
            query=contest.question.query,
            tags=contest.question.tags,
            before=contest.question.before,
            left=left,
            right=right,
            both=tuple(dict.fromkeys(hit.key for hit in left.hits if hit.key in right_keys)),
        )


def same_name(name: str, folders: Sequence[Path]) -> str:
    """Say which folders hold runs of the same name, and what to do."""
    return say(
        "two runs are called {name!r}: {places}; verdicts name runs, so only one of them can take part. If one is a "
        "copy, name the others alone (with rate import: --run RUN for each), or move the copy elsewhere; if not, "
        "rename its folder",
        name=name,
        places=listed(list(map(str, folders))),
    )


def _contests(rated: RatingTasks, show: Show) -> Iterator[Contest]:
    """Yield the contests.  Skip questions that every system failed to answer."""
    sides_by_question: dict[tuple[str, str, int], dict[str, tuple[Side, list[int]]]] = {}
    questions = {(place.item, task.query): task for task in rated.tasks for place in rated.places[task.id]}
    earlier = [earlier_replies(run.items, run.answers(), run.manifest.trials) for run in rated.runs]
    for number, run in enumerate(rated.runs):
        answers = run.answers()
        for item in run.items:
            for trial in range(run.manifest.trials):
                answer = answers.get((item.id, trial))
                if answer is not None and not answer.left_out and (item.id, item.query) in questions:
                    side = _side(item, answer, show)
                    side_by_hash = sides_by_question.setdefault((item.id, item.query, trial), {})
                    side_by_hash.setdefault(fingerprint(side), (side, []))[1].append(number)
    in_order = sorted(sides_by_question.items(), key=lambda pair: questions[pair[0][:2]].number)
    for (item_id, query, trial), side_by_hash in in_order:
        sides, numbers = zip(*side_by_hash.values(), strict=True)
        if sum(map(len, numbers)) > 1:
            replies = ((earlier[number].get((item_id, trial), ()) for number in of_side) for of_side in numbers)
            distinct = tuple(tuple(dict.fromkeys(filter(None, of_side))) for of_side in replies)
            yield Contest(questions[item_id, query], item_id, trial, sides, tuple(map(tuple, numbers)), distinct)


def _side(item: Item, answer: Answer, show: Show) -> Side:
    if answer.failed:
        return Side()
    if show == "answers":
        return Side(text=answer.text.strip())
    return Side(hits=tuple(RatedHit(key=hit_key(item, hit), text=hit.text, fields=hit.fields) for hit in answer.hits))
