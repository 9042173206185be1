"""Ratings of pairs: check them, choose the next pair, and derive verdicts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations

from neraca.people.pair_task import Contest, PairTask, PairTasks, Shown
from neraca.people.rating import Rating, check_choice, newest_ratings
from neraca.people.tournament import Preference, Tournament
from neraca.records import Verdict
from neraca.runs.preferred import preferred_first, preferred_over
from neraca.runs.run import content_of

#: Value of a rating → value of the left answer.
PREFERRED = {"left": 1.0, "tie": 0.5, "right": 0.0}
#: Subjects of a rating of a pair.
KINDS = ("preferred", "note")
_EQUAL = "even: the answers are equal"
_WITHOUT_TEXT = {1.0: "better: the other answer has no text", 0.0: "worse: the answer has no text"}
#: Number of a run, aspect, value, why.
_Decision = tuple[int, str, float | None, str]


def check_pair(rating: Rating, tasks: PairTasks) -> None:
    """Raise `InputError` for a rating of an unknown pair, or a value that is not on the scale."""
    unknown = "a rating of {task!r}, which is no pair of these runs; name the runs that were rated"
    check_choice(rating, tasks.shown, unknown, KINDS, tuple(PREFERRED))


def tournaments(tasks: PairTasks, *raters: Iterable[Rating], best: int = 1) -> list[Tournament]:
    """Return a tournament of the answers of each contest.

    Parameters
    ----------
    tasks
        The tasks that were rated.
    raters
        The ratings of each rater in the order in which they were given; the mean of several raters counts.
    best
        Number of best answers to each question to find.
    """
    preferences: defaultdict[int, list[Preference]] = defaultdict(list)
    for ratings in raters:
        for rating in _newest(ratings, tasks).values():
            if rating.on == "preferred" and rating.value is not None:
                for contest, left, right in tasks.shown[rating.task]:
                    preferences[contest].append(Preference(left, right, PREFERRED[str(rating.value)]))
    return [
        Tournament(len(contest.sides), (*contest.plain(), *preferences[place]), best, f"{tasks.seed}:{contest.item}")
        for place, contest in enumerate(tasks.contests)
    ]


def next_tasks(
    tasks: PairTasks, *raters: Iterable[Rating], best: int = 1, being_asked: Iterable[str] = ()
) -> list[PairTask]:
    """Return the next pair for each question that is not finished; parameters as of `tournaments`.

    `being_asked` are ids of tasks that another rater has open; their pairs are skipped.
    """
    open_pairs: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for key in being_asked:
        for contest, left, right in tasks.shown.get(key, ()):
            open_pairs[contest].append((left, right))
    games = enumerate(tournaments(tasks, *raters, best=best))
    pairs = ((place, tournament.next(open_pairs[place])) for place, tournament in games)
    return list({task.id: task for task in (tasks.task(place, *pair) for place, pair in pairs if pair)}.values())


def verdicts_of_pairs(ratings: Iterable[Rating], tasks: PairTasks, rater: str) -> list[list[Verdict]]:
    """Return for each run the verdicts `by human:RATER` that follow from the ratings of a rater.

    They are about `answer`, aspect `preferred:OTHER`, in the folders of both runs: 1 better, 0.5 even, 0 worse, with
    the note of the rater as the reason.  The run on the left also gets `preferred_first:OTHER` with the same value.  If
    a rater sees a pair in both orders and decides differently, the pair is even.

    Two verdicts need no rating: equal answers are even unless they are empty, and an answer with a text is better than
    one without.  They are no opinion of the rater, and have no `preferred_first` beside them
    (`neraca.verdicts.pairs_not_shown`).  They are
    written for each question on which the rater compared a pair.  When all of these are rated, they are also written
    for questions without a pair to compare.

    Raises
    ------
    InputError
        For a rating of an unknown pair, or a value that is not on the scale.
    """
    newest, by = _newest(ratings, tasks), f"human:{rater}"
    contents = [{key: content_of(answer) for key, answer in run.answers().items()} for run in tasks.runs]
    verdicts: list[dict[tuple[str, int, str], Verdict]] = [{} for _ in tasks.runs]

    def write(place: int, decisions: Iterable[_Decision], at: str) -> None:
        contest = tasks.contests[place]
        for run, aspect, value, why in decisions:
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
            key = verdict.item, verdict.trial, verdict.aspect
            verdicts[run].pop(key, None)  # the newest rating decides a pair that was seen in both orders
            verdicts[run][key] = verdict

    time_by_contest: dict[int, str] = {}
    for rating in newest.values():
        for pair in tasks.shown[rating.task] if rating.on == "preferred" else ():
            time_by_contest[pair.contest] = rating.at
            write(pair.contest, _decisions(rating, pair, tasks, newest), rating.at)
    with_pairs = {place for place, contest in enumerate(tasks.contests) if any(contest.pairs())}
    if time_by_contest and time_by_contest.keys() >= with_pairs:
        last = max(time_by_contest.values())
        time_by_contest |= {place: last for place in range(len(tasks.contests)) if place not in time_by_contest}
    for place, at in time_by_contest.items():
        write(place, _plain_decisions(tasks.contests[place], tasks), at)
    return [list(of_run.values()) for of_run in verdicts]


def _newest(ratings: Iterable[Rating], tasks: PairTasks) -> dict[tuple[str, str], Rating]:
    """Return the newest ratings; raise `InputError` for a wrong rating."""
    checked = list(ratings)
    for rating in checked:
        check_pair(rating, tasks)
    return newest_ratings(checked)


def _decisions(
    rating: Rating, pair: Shown, tasks: PairTasks, newest: Mapping[tuple[str, str], Rating]
) -> Iterator[_Decision]:
    """Yield the decisions for each run that follow from one rating."""
    contest = tasks.contests[pair.contest]
    note = newest.get((rating.task, "note"))
    turned = newest.get((tasks.id_of(pair.turned), "preferred"))
    why = str(note.value) if note and note.value else ""
    value = None if rating.value is None else PREFERRED[str(rating.value)]
    combined = value
    if turned is not None and turned.value is not None:
        turned_value = 1 - PREFERRED[str(turned.value)]
        combined = turned_value if value in (None, turned_value) else 0.5
    for left in contest.runs[pair.left]:
        for right in contest.runs[pair.right]:
            left_name, right_name = tasks.runs[left].name, tasks.runs[right].name
            yield left, preferred_over(right_name), combined, why
            yield left, preferred_first(right_name), value, why
            yield right, preferred_over(left_name), None if combined is None else 1 - combined, why


def _plain_decisions(contest: Contest, tasks: PairTasks) -> Iterator[_Decision]:
    """Yield the decisions for each run that need no rating."""
    names = [run.name for run in tasks.runs]
    for side, group in zip(contest.sides, contest.runs, strict=True):
        for run_a, run_b in combinations(group, 2) if side.text or side.hits else ():
            yield run_a, preferred_over(names[run_b]), 0.5, _EQUAL
            yield run_b, preferred_over(names[run_a]), 0.5, _EQUAL
    for a, b, value, _ in contest.plain():
        for run_a in contest.runs[a]:
            for run_b in contest.runs[b]:
                yield run_a, preferred_over(names[run_b]), value, _WITHOUT_TEXT[value]
                yield run_b, preferred_over(names[run_a]), 1 - value, _WITHOUT_TEXT[1 - value]
