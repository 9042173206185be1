"""Ratings from files into runs: what a page saved, what a spreadsheet made of it, what was filled in by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from neraca.errors import InputError
from neraca.files import fingerprint
from neraca.people.assignment import write_verdicts
from neraca.people.rating import Rating, check, verdicts_of
from neraca.people.rating_table import RatedLine, read_rating_table
from neraca.people.rating_task import RatingTask, RatingTasks
from neraca.people.ratings_file import read_ratings as read_ratings_file

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
    new
        How many verdicts are new; 0 where the same file came in before.
    problems
        What was not taken, line by line, and what contradicts what.
    """

    file: Path
    rater: str
    rated: int = 0
    new: int = 0
    problems: list[str] = field(default_factory=list)


def read_ratings(
    path: Path | str, tasks: RatingTasks, rater: str = "", *, top: int = 1
) -> tuple[Imported, list[Rating]]:
    """Read the ratings of a file; what is wrong in it is told, and the rest is taken.

    Parameters
    ----------
    path
        JSON as the page saves it, or a rater's table (see `rating_table`).
    tasks
        What was rated.
    rater
        The rater's name; default the file's own, or what its name says (`ratings-ana.csv` is ana's).
    top
        The highest grade of a hit.

    Raises
    ------
    InputError
        Where the file cannot be read at all.
    """
    path = Path(path)
    if path.suffix.lower() == ".json":
        file = read_ratings_file(path)
        found = Imported(path, rater or file.rater or _name_of(path))
        ratings: Iterable[tuple[str, Rating]] = ((f"rating {n}", one) for n, one in enumerate(file.ratings, 1))
    else:
        found = Imported(path, rater or _name_of(path))
        ratings = _of_table(path, tasks, found, top)
    taken = []
    for place, rating in ratings:
        try:
            check(rating, tasks, top)
            taken.append(rating)
        except InputError as error:
            found.problems.append(f"{path} {place}: {error}")
    found.rated = len({rating.task for rating in taken})
    return found, taken


def _name_of(path: Path) -> str:
    return re.sub(r"^(ratings?|rating)[-_ ]+", "", path.stem, flags=re.IGNORECASE) or path.stem


def _of_table(path: Path, tasks: RatingTasks, found: Imported, top: int) -> Iterator[tuple[str, Rating]]:
    for line in read_rating_table(path):
        found.problems += [f"{path} {line.place}: {problem}" for problem in line.problems]
        task = _task_of(line, tasks)
        if task is None:
            if line.numbers.keys() - {"results_count"} or line.texts.get("notes"):
                which = line.texts.get("question") or line.texts.get("query_id") or "?"
                found.problems.append(
                    f"{path} {line.place}: {which!r} is no answer of these runs; name the run with --run"
                )
            continue
        for on, value in _said(line, task, found, top):
            key = fingerprint((found.rater, task.id, on, value))
            yield line.place, Rating(id=key, task=task.id, on=on, value=value)


def _task_of(line: RatedLine, tasks: RatingTasks) -> RatingTask | None:
    """The answer of a line: by its opaque id, else the only one of its question."""
    if (key := line.texts.get("answer", "")) in tasks.by_id:
        return tasks.by_id[key]
    number, query = line.texts.get("query_id", "").removesuffix(".0"), line.texts.get("question", "")
    of_question = [
        task
        for task in tasks.tasks
        if (task.query == query if query else number in (str(task.number), tasks.places[task.id][0].item))
    ]
    return of_question[0] if len(of_question) == 1 and not key else None


def _said(line: RatedLine, task: RatingTask, found: Imported, top: int) -> Iterator[tuple[str, float | str]]:
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


def add_ratings(ratings: Sequence[Rating], tasks: RatingTasks, rater: str, *, top: int = 1) -> int:
    """Write what follows from ratings into the runs; returns how many verdicts are new.

    What the rater's verdict in a place says already, and what is older than it, is not written again.
    """
    return sum(write_verdicts(tasks.runs, verdicts_of(ratings, tasks, rater, top=top)))
