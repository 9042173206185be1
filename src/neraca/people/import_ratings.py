"""Ratings from files into runs: what a page saved, what a spreadsheet made of it, what was filled in by hand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.people.assignment import Assignment, rate_answers
from neraca.people.rater_order import as_first, is_again
from neraca.people.rating import Rating
from neraca.people.rating_table import RatedLine, read_rating_table
from neraca.people.rating_task import RatingTask, RatingTasks
from neraca.people.ratings_file import is_table
from neraca.people.ratings_file import read_ratings as read_ratings_file
from neraca.people.write_verdicts import Written, write_verdicts

#: What a file's name has before the rater's, and what a browser or an explorer puts behind it for a copy.
_PREFIX = re.compile(r"^ratings?[-_ ]+", re.IGNORECASE)
_COPY = re.compile(r"\s*\(\d+\)$|\s+(?:-\s+)?copy$", re.IGNORECASE)
_COUNTS = ("relevant_count", "first_relevant_rank", "overall_precision", "precision_at_5", "mrr", "success")


@dataclass
class Imported:
    """What came in from one file.

    Attributes
    ----------
    rater
        Whose ratings they are.
    rated
        How many answers have ratings in it.
    problems
        What was not taken, line by line, and what contradicts what.
    notes
        What a reader must know of what was taken, such as a time that the file does not say.
    """

    file: Path
    rater: str
    rated: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        # one name typed in two ways is one rater
        self.rater = unicodedata.normalize("NFC", self.rater).strip()


def kind_of(path: Path) -> str:
    """Of which kind the tasks of a file of ratings are, as in `Assignment`; a table is always of answers."""
    if is_table(path):
        return "answer"
    said = {rating.on for rating in read_ratings_file(path).ratings}
    return "pair" if "preferred" in said else "review" if "verdict" in said else "answer"


def read_saved(path: Path, work: Assignment, rater: str = "") -> tuple[Imported, list[Rating]]:
    """Read what the page saved; what is wrong in it is told, and the rest is taken.

    What was said of a task that came twice is left out: it measures the rater.

    Parameters
    ----------
    path
        JSON.
    work
        What was rated.
    rater
        The rater's name; default the file's own, or what its name says (`ratings-ana.json` is ana's).

    Raises
    ------
    InputError
        Where the file cannot be read at all, or names no rater and may be a second download (`ratings-ana (1).json`).
    """
    file = read_ratings_file(path)
    found = Imported(path, rater or file.rater or _name_of(path))
    firsts = ((f"rating {n}", one) for n, one in enumerate(file.ratings, 1) if not is_again(one))
    return found, _allowed(_timed(list(firsts), found), work, found)


def read_table(path: Path, tasks: RatingTasks, rater: str = "", *, top: int = 1) -> tuple[Imported, list[Rating]]:
    """Read a rater's table of answers (see `rating_table`), as `read_saved`; `top` is the highest grade of a hit."""
    lines = read_rating_table(path)
    found = Imported(path, rater or _name_in(path, lines) or _name_of(path))
    said = sorted(_timed(list(_of_lines(lines, tasks, found)), found), key=lambda pair: pair[1].at)
    return found, _allowed(_without_contradictions(said, found), rate_answers(tasks, top), found)


def _timed(ratings: Sequence[tuple[str, Rating]], found: Imported) -> list[tuple[str, Rating]]:
    """Date what does not say when it was said by the time when the file was last changed, and say so."""
    silent = {place for place, rating in ratings if not rating.at}
    if not silent:
        return list(ratings)
    changed = datetime.fromtimestamp(found.file.stat().st_mtime, UTC)
    time = min(changed, datetime.now(UTC)).replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"
    places = f"all {len(silent)} lines or ratings" if len(silent) > 1 else next(iter(silent))
    if len(silent) < len({place for place, _ in ratings}):
        places = f"{len(silent)} of its lines or ratings" if len(silent) > 1 else next(iter(silent))
    found.notes.append(
        f"{found.file}: {places} without a time of rating (rated_at) {'count' if len(silent) > 1 else 'counts'} as "
        f"said when the file was last changed, {time}"
    )
    return [(place, rating if rating.at else replace(rating, at=time)) for place, rating in ratings]


def count_rated(path: Path, work: Assignment) -> int:
    """Count the ratings of a file, or the lines of a table, that are of these tasks."""
    if not is_table(path):
        return sum(as_first(rating).task in work.ids for rating in read_ratings_file(path).ratings)
    tasks = RatingTasks.of(work.runs)
    return sum(_task_of(line, tasks) is not None for line in read_rating_table(path))


def _allowed(ratings: Iterable[tuple[str, Rating]], work: Assignment, found: Imported) -> list[Rating]:
    taken = []
    for place, rating in ratings:
        try:
            work.check(rating)
            taken.append(rating)
        except InputError as error:
            found.problems.append(f"{found.file} {place}: {error}")
    found.rated = len({rating.task for rating in taken})
    return taken


def _name_in(path: Path, lines: Sequence[RatedLine]) -> str:
    """The rater whom a table names, or ""; raises `InputError` where it names several."""
    names = sorted({line.texts["rater"] for line in lines if line.texts.get("rater")})
    if len(names) > 1:
        raise InputError(
            f"{path}: its column rater names {', '.join(names)}; write a file for each person, or say --rater NAME"
        )
    return "".join(names)


def _name_of(path: Path) -> str:
    """The rater's name as a file's name says it; raises `InputError` where that may be a second download."""
    if copy := _COPY.search(path.stem):
        name = _PREFIX.sub("", path.stem)
        own = _COPY.sub("", name)
        raise InputError(
            f"{path}: whose ratings are these?  It names no rater, and {copy[0].strip()!r} may be a browser's mark of "
            f"a second download.  Say --rater {own!r} if they are this person's, or --rater {name!r} for another person"
        )
    return _PREFIX.sub("", path.stem) or path.stem


def _of_lines(lines: Iterable[RatedLine], tasks: RatingTasks, found: Imported) -> Iterator[tuple[str, Rating]]:
    path = found.file
    for line in lines:
        found.problems += [f"{path} {line.place}: {problem}" for problem in line.problems]
        task = _task_of(line, tasks)
        if task is None:
            if line.numbers.keys() - {"results_count"} or line.texts.get("notes"):
                found.problems.append(f"{path} {line.place}: {_why_no_answer(line, tasks)}")
            continue
        for on, value in _said(line, task, found):
            key = fingerprint((found.rater, task.id, on, value))
            yield line.place, Rating(id=key, task=task.id, on=on, value=value, at=line.texts.get("rated_at", ""))


def _without_contradictions(ratings: Sequence[tuple[str, Rating]], found: Imported) -> Iterator[tuple[str, Rating]]:
    """Leave out what a table says in two ways at the same time: the order of its lines decides nothing."""
    values: dict[tuple[str, str, str], dict[float | str | None, str]] = {}
    for place, rating in ratings:
        values.setdefault(_thing(rating), {}).setdefault(rating.value, place)
    for (_, on, _), places in values.items():
        if len(places) > 1:
            both = " and ".join(f"{value} ({place})" for value, place in sorted(places.items(), key=lambda one: one[1]))
            what = "result of the same question" if on.startswith("hit:") else f"answer ({on.removeprefix('count:')})"
            found.problems.append(
                f"{found.file}: of the same {what} it says {both} at the same time; neither is taken.  Correct one of "
                "the lines, or leave it out"
            )
    yield from ((place, one) for place, one in ratings if len(values[_thing(one)]) == 1)


def _thing(rating: Rating) -> tuple[str, str, str]:
    """What a rating is of, and when it was given; a result is one thing in all answers to its question."""
    return "" if rating.on.startswith("hit:") else rating.task, rating.on, rating.at


def _why_no_answer(line: RatedLine, tasks: RatingTasks) -> str:
    """Why a line is of no answer of these runs, and what to do."""
    which = line.texts.get("question") or line.texts.get("query_id") or "?"
    runs = ", ".join(str(run.path) for run in tasks.runs)
    of_question = _answers_to(line, tasks)
    if not of_question:
        return f"{which!r} is no answer of these runs: {runs} were not asked this question; name the runs that were"
    if line.texts.get("answer"):
        return (
            f"{which!r} was answered otherwise by {runs}, so the rating is of another run, or of an answer that has "
            "changed since; name the run that gave it, or rate anew"
        )
    return f"{which!r} has {len(of_question)} answers in {runs}; say which in a column answer, as a template does"


def _answers_to(line: RatedLine, tasks: RatingTasks) -> list[RatingTask]:
    """The answers to the question of a line."""
    number, query = line.texts.get("query_id", "").removesuffix(".0"), line.texts.get("question", "")
    return [
        task
        for task in tasks.tasks
        if (task.query == query if query else number in (str(task.number), tasks.places[task.id][0].item))
    ]


def _task_of(line: RatedLine, tasks: RatingTasks) -> RatingTask | None:
    """The answer of a line: by its opaque id, else the only one of its question."""
    if (key := line.texts.get("answer", "")) in tasks.by_id:
        return tasks.by_id[key]
    of_question = _answers_to(line, tasks)
    return of_question[0] if len(of_question) == 1 and not key else None


def _said(line: RatedLine, task: RatingTask, found: Imported) -> Iterator[tuple[str, float | str]]:
    """What a line says of its answer."""
    if line.grades is not None and len(line.grades) != len(task.hits):
        many = f"{len(line.grades)} ratings for {len(task.hits)} results"
        found.problems.append(f"{found.file} {line.place}: {many}; only quality and note are taken")
    elif line.grades is not None:
        yield from (
            (f"hit:{hit.key}", grade) for hit, grade in zip(task.hits, line.grades, strict=True) if grade is not None
        )
    elif task.hits:
        measures = line.numbers | line.measures()
        yield from ((f"count:{name}", measures[name]) for name in _COUNTS if name in measures)
    if line.empty and not task.hits:
        yield "empty", line.empty
    if "response_quality" in line.numbers:
        yield "quality", line.numbers["response_quality"]
    if line.note:
        yield "note", line.note


def add_ratings(ratings: Sequence[Rating], work: Assignment, rater: str) -> list[Written]:
    """Write what follows from ratings into the runs, and return what was done in each; see `write_verdicts`."""
    return write_verdicts(work.runs, work.verdicts_of(ratings, rater))
