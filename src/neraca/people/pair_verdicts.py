"""What raters say of pairs: which comes next, and the verdicts that follow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from neraca.errors import InputError
from neraca.people.pair_task import Contest, PairTask, PairTasks, Shown
from neraca.people.rating import Rating
from neraca.people.tournament import Preference, Tournament
from neraca.records import Verdict
from neraca.runs.preferred import preferred_first, preferred_over
from neraca.runs.run import content_of

#: What a rater can say → the value of the one on the left.
PREFERRED = {"left": 1.0, "tie": 0.5, "right": 0.0}
#: What a rating of a pair can be on.
KINDS = ("preferred", "note")
_EQUAL = "even: the answers are equal"
_WITHOUT_TEXT = {1.0: "better: the other answer has no text", 0.0: "worse: the answer has no text"}
#: Number of a run, aspect, value, why.
_Said = tuple[int, str, float | None, str]


def check_pair(rating: Rating, tasks: PairTasks) -> None:
    """Raise `InputError` for a rating of what is no pair of these, or a value that is not on its scale."""
    if rating.task not in tasks.shown:
        raise InputError(f"a rating of {rating.task!r}, which is no pair of these runs; name the runs that were rated")
    if rating.on not in KINDS:
        raise InputError(f"a rating on {rating.on!r}; of a pair it is {' or '.join(KINDS)}")
    right = rating.value in PREFERRED if rating.on == "preferred" else isinstance(rating.value, str)
    if not right and rating.value is not None:
        allowed = ", ".join(PREFERRED) if rating.on == "preferred" else "text"
        raise InputError(f"{rating.value!r} is no value of {rating.on}; it is one of {allowed}")


def tournaments(tasks: PairTasks, *raters: Iterable[Rating], best: int = 1) -> list[Tournament]:
    """Return for each contest what is known of its answers.

    Parameters
    ----------
    tasks
        What is rated.
    raters
        What each rater said, in the order in which it was given; of several raters the mean counts.
    best
        So many of the best answers to each question are looked for.
    """
    said: defaultdict[int, list[Preference]] = defaultdict(list)
    for ratings in raters:
        for rating in _newest(ratings, tasks).values():
            if rating.on == "preferred" and rating.value is not None:
                for contest, left, right in tasks.shown[rating.task]:
                    said[contest].append(Preference(left, right, PREFERRED[str(rating.value)]))
    return [
        Tournament(len(contest.sides), (*contest.plain(), *said[place]), best, f"{tasks.seed}:{contest.item}")
        for place, contest in enumerate(tasks.contests)
    ]


def next_tasks(
    tasks: PairTasks, *raters: Iterable[Rating], best: int = 1, being_asked: Iterable[str] = ()
) -> list[PairTask]:
    """Return for each question on which something is left to ask the pair that comes next; as `tournaments`.

    `being_asked` are ids of tasks that somebody else looks at now; their pairs do not come.
    """
    taken: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for key in being_asked:
        for contest, left, right in tasks.shown.get(key, ()):
            taken[contest].append((left, right))
    pairs = ((place, one.next(taken[place])) for place, one in enumerate(tournaments(tasks, *raters, best=best)))
    return list({task.id: task for task in (tasks.task(place, *pair) for place, pair in pairs if pair)}.values())


def verdicts_of_pairs(ratings: Iterable[Rating], tasks: PairTasks, rater: str) -> list[list[Verdict]]:
    """Return for each run the verdicts `by human:RATER` that follow from what a rater said.

    They are about `answer`, aspect `preferred:OTHER`, in the folders of both runs: 1 better, 0.5 even, 0 worse, with
    the rater's note as the reason; and for the run that stood left `preferred_first:OTHER` with the same value.  Who
    saw a pair in both orders and decided otherwise finds it even.

    Two things follow without being asked: equal answers are even, and one with a text is better than one without.  They
    are written for each question on which the rater compared some pair; and, when there is no other question left, for
    those on which there is nothing to ask.

    Raises
    ------
    InputError
        For a rating of what is no pair of these, or a value that is not on its scale.
    """
    newest, by = _newest(ratings, tasks), f"human:{rater}"
    contents = [{key: content_of(answer) for key, answer in run.answers().items()} for run in tasks.runs]
    found: list[dict[tuple[str, int, str], Verdict]] = [{} for _ in tasks.runs]

    def write(place: int, said: Iterable[_Said], at: str) -> None:
        contest = tasks.contests[place]
        for run, aspect, value, why in said:
            verdict = Verdict(
                item=contest.item,
                trial=contest.trial,
                about="answer",
                aspect=aspect,
                value=value,
                status="withdrawn" if value is None else "decided",
                by=by,
                why=why,
                of=contents[run][contest.item, contest.trial],
                at=at,
            )
            place_of_verdict = verdict.item, verdict.trial, verdict.aspect
            found[run].pop(place_of_verdict, None)  # a pair that was seen in both orders is decided once, by the newest
            found[run][place_of_verdict] = verdict

    rated: dict[int, str] = {}
    for rating in newest.values():
        for shown in tasks.shown[rating.task] if rating.on == "preferred" else ():
            rated[shown.contest] = rating.at
            write(shown.contest, _said(rating, shown, tasks, newest), rating.at)
    asked = {place for place, contest in enumerate(tasks.contests) if any(contest.pairs())}
    if rated and rated.keys() >= asked:
        rated |= {place: max(rated.values()) for place in range(len(tasks.contests)) if place not in rated}
    for place, at in rated.items():
        write(place, _plain(tasks.contests[place], tasks), at)
    return [list(of_run.values()) for of_run in found]


def _newest(ratings: Iterable[Rating], tasks: PairTasks) -> dict[tuple[str, str], Rating]:
    """Task and kind → the newest rating, the oldest of them first."""
    newest: dict[tuple[str, str], Rating] = {}
    for rating in ratings:
        check_pair(rating, tasks)
        newest.pop((rating.task, rating.on), None)
        newest[rating.task, rating.on] = rating
    return newest


def _said(rating: Rating, shown: Shown, tasks: PairTasks, newest: Mapping[tuple[str, str], Rating]) -> Iterator[_Said]:
    """Yield what follows for each run from one rating."""
    contest = tasks.contests[shown.contest]
    note = newest.get((rating.task, "note"))
    turned = newest.get((tasks.id_of(shown.turned), "preferred"))
    why = str(note.value) if note and note.value else ""
    value = None if rating.value is None else PREFERRED[str(rating.value)]
    both = value
    if turned is not None and turned.value is not None:
        other_way = 1 - PREFERRED[str(turned.value)]
        both = other_way if value in (None, other_way) else 0.5
    for left in contest.runs[shown.left]:
        for right in contest.runs[shown.right]:
            name, other = tasks.runs[left].name, tasks.runs[right].name
            yield left, preferred_over(other), both, why
            yield left, preferred_first(other), value, why
            yield right, preferred_over(name), None if both is None else 1 - both, why


def _plain(contest: Contest, tasks: PairTasks) -> Iterator[_Said]:
    """Yield what follows for each run without being asked."""
    names = [run.name for run in tasks.runs]
    for side, group in zip(contest.sides, contest.runs, strict=True):
        for one, two in combinations(group, 2) if side.text or tasks.show == "results" else ():
            yield one, preferred_over(names[two]), 0.5, _EQUAL
            yield two, preferred_over(names[one]), 0.5, _EQUAL
    for a, b, value, _ in contest.plain():
        for one in contest.runs[a]:
            for two in contest.runs[b]:
                yield one, preferred_over(names[two]), value, _WITHOUT_TEXT[value]
                yield two, preferred_over(names[one]), 1 - value, _WITHOUT_TEXT[1 - value]
