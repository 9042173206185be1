"""Two answers beside each other, of which a rater says the better one: answers in words, or two lists of results."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Literal, NamedTuple, Self

import msgspec

from neraca.errors import InputError, SpecError, nearest
from neraca.files import fingerprint
from neraca.people.rating_task import RatedHit, RatingTask, RatingTasks, hit_key
from neraca.people.tournament import Preference
from neraca.records import Answer, Item
from neraca.runs.run import Run

Show = Literal["answers", "results"]
SHOWN: tuple[Show, ...] = ("answers", "results")


class Side(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What stands on one side: the text of an answer, or a list of results."""

    text: str = ""
    hits: tuple[RatedHit, ...] = ()


class PairTask(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="kind", tag="pair"):
    """Two answers to a question as a rater sees them.

    Attributes
    ----------
    id
        Stands for the question, what is shown, and on which side: with the sides changed it is another one.
    number, query, tags, before
        As in `RatingTask`.
    left, right
        What stands there.
    both
        Keys of the hits that stand on both sides.
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
    """What several runs returned for one question in one trial, each different answer once.

    Attributes
    ----------
    question
        As in `RatingTask`.
    item, trial
        Which question it is in the runs.
    sides
        The different answers as they are shown.
    runs
        For each of them the numbers of the runs that returned it.
    """

    question: RatingTask
    item: str
    trial: int
    sides: tuple[Side, ...]
    runs: tuple[tuple[int, ...], ...]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield every two different answers that must be asked about."""
        yield from (pair for pair in combinations(range(len(self.sides)), 2) if not self._plain(*pair))

    def plain(self) -> Iterator[Preference]:
        """Yield what need not be asked: an answer with a text is better than one without."""
        for a, b in combinations(range(len(self.sides)), 2):
            if self._plain(a, b):
                yield Preference(a, b, float(bool(self.sides[a].text)), free=True)

    def _plain(self, a: int, b: int) -> bool:
        return bool(self.sides[a].text) != bool(self.sides[b].text)


class Shown(NamedTuple):
    """Which two answers of which contest stand left and right."""

    contest: int
    left: int
    right: int

    @property
    def turned(self) -> Shown:
        """The same two with the sides changed."""
        return Shown(self.contest, self.right, self.left)


@dataclass(frozen=True)
class PairTasks:
    """All pairs of answers of some runs, and where they came from.

    Attributes
    ----------
    runs
        Those that are compared.
    show
        `answers`: their texts.  `results`: their hits, as a search page lists them.
    contests
        One for each question and trial that two runs answered, in the order of the questions.
    seed
        Of the sides.
    """

    runs: tuple[Run, ...]
    show: Show
    contests: tuple[Contest, ...]
    seed: int | str = 0

    @classmethod
    def of(cls, runs: Iterable[Run], show: Show | Literal["auto"] = "auto", seed: int | str = 0) -> Self:
        """Put the answers of several runs beside each other, question by question.

        A failed answer counts as an empty one; one that may not be whole is left out, as is a question that fewer than
        two runs answered.

        Parameters
        ----------
        runs
            Two at least, of different names.
        show
            `answers`, `results`, or `auto`: the answers where any of them has a text.
        seed
            Of the sides; give each rater another one, such as the rater's name.

        Raises
        ------
        SpecError
            For runs of the same name, or something else to show.
        InputError
            Where there are not two answers to any question.
        """
        rated = RatingTasks.of(runs)
        names = [run.name for run in rated.runs]
        if twice := next((name for name in names if names.count(name) > 1), ""):
            raise SpecError(f"two runs are called {twice!r}; rename one, so that verdicts tell which")
        if show == "auto":
            show = "answers" if any(task.text.strip() for task in rated.tasks) else "results"
        if show not in SHOWN:
            raise SpecError(f"a pair shows answers or results, not {show!r}; {nearest(show, SHOWN)}")
        contests = tuple(_contests(rated, show))
        if not contests:
            raise InputError(f"{', '.join(names)}: no two of these runs answered the same question")
        return cls(rated.runs, show, contests, seed)

    @cached_property
    def tasks(self) -> tuple[PairTask, ...]:
        """Every pair that must be asked, once, in the order of the questions; the seed says who stands left."""
        pairs = ((place, a, b) for place, contest in enumerate(self.contests) for a, b in contest.pairs())
        return tuple({task.id: task for task in (self.task(*pair) for pair in pairs)}.values())

    def task(self, contest: int, a: int, b: int) -> PairTask:
        """Return the task to compare answers a and b of a contest; the seed says which of them stands left."""
        one, two = sorted((Shown(contest, a, b), Shown(contest, b, a)), key=self.id_of)
        return self._task(random.Random(f"{self.seed}:{self.id_of(one)}").choice((one, two)))

    @cached_property
    def shown(self) -> Mapping[str, Sequence[Shown]]:
        """Id of a task, in either order → what it shows; several where two trials returned the same."""
        found: defaultdict[str, list[Shown]] = defaultdict(list)
        for place, contest in enumerate(self.contests):
            for a, b in contest.pairs():
                for order in (Shown(place, a, b), Shown(place, b, a)):
                    found[self.id_of(order)].append(order)
        return dict(found)

    @cached_property
    def by_id(self) -> Mapping[str, PairTask]:
        """Id → task, of both orders of each pair."""
        return {key: self._task(places[0]) for key, places in self.shown.items()}

    def id_of(self, shown: Shown) -> str:
        """Return the id of the task that shows this."""
        contest = self.contests[shown.contest]
        content = contest.sides[shown.left], contest.sides[shown.right]
        return fingerprint((contest.item, contest.question.query, *content))

    def _task(self, shown: Shown) -> PairTask:
        contest = self.contests[shown.contest]
        left, right = contest.sides[shown.left], contest.sides[shown.right]
        of_right = {hit.key for hit in right.hits}
        return PairTask(
            id=self.id_of(shown),
            number=contest.question.number,
            query=contest.question.query,
            tags=contest.question.tags,
            before=contest.question.before,
            left=left,
            right=right,
            both=tuple(dict.fromkeys(hit.key for hit in left.hits if hit.key in of_right)),
        )


def _contests(rated: RatingTasks, show: Show) -> Iterator[Contest]:
    """Yield what is compared; of questions to which nobody gave an answer that did not fail nothing is."""
    places: dict[tuple[str, str, int], dict[str, tuple[Side, list[int]]]] = {}
    questions = {(place.item, task.query): task for task in rated.tasks for place in rated.places[task.id]}
    for number, run in enumerate(rated.runs):
        answers = run.answers()
        for item in run.items:
            for trial in range(run.manifest.trials):
                answer = answers.get((item.id, trial))
                if answer is not None and answer.status != "suspect" and (item.id, item.query) in questions:
                    side = _side(item, answer, show)
                    different = places.setdefault((item.id, item.query, trial), {})
                    different.setdefault(fingerprint(side), (side, []))[1].append(number)
    for (item_id, query, trial), different in sorted(places.items(), key=lambda one: questions[one[0][:2]].number):
        sides, numbers = zip(*different.values(), strict=True)
        if sum(map(len, numbers)) > 1:
            yield Contest(questions[item_id, query], item_id, trial, sides, tuple(map(tuple, numbers)))


def _side(item: Item, answer: Answer, show: Show) -> Side:
    if answer.failed:
        return Side()
    if show == "answers":
        return Side(text=answer.text.strip())
    return Side(hits=tuple(RatedHit(key=hit_key(item, hit), text=hit.text, fields=hit.fields) for hit in answer.hits))
