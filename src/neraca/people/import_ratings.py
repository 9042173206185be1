"""Import ratings from files: saved by a page, changed in a spreadsheet, or filled in by hand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from neraca.counts_and_lists import count, form, listed
from neraca.errors import InputError, SpecError
from neraca.files import fingerprint
from neraca.people.assignment import Assignment, rate_answers
from neraca.people.contradictions import find_contradictions, repeated_ratings, withdrawn_ratings
from neraca.people.line_answers import answer_of_line, why_no_answer
from neraca.people.quality_scale import QUALITY, conflict_with, parse_grades, parse_scale
from neraca.people.rater_order import as_first, is_again
from neraca.people.rating import Rating, verdicts_of
from neraca.people.rating_table import RatedLine, one_message, read_rating_table, unread_columns
from neraca.people.rating_task import RatingTask, RatingTasks
from neraca.people.rating_time import iso_time, read_time
from neraca.people.ratings_file import is_table
from neraca.people.ratings_file import read_ratings as read_ratings_file
from neraca.people.write_verdicts import Written, write_verdicts
from neraca.runs.run import Run
from neraca.translation import say

#: Prefix of a file name before the name of the rater, and the suffix that a browser or file manager gives a copy.
_PREFIX = re.compile(r"^(?:ratings?|pairs|reviews)[-_ ]+", re.IGNORECASE)
_COPY = re.compile(r"\s*\(\d+\)$|\s+(?:-\s+)?copy$", re.IGNORECASE)
#: Aspects of the ratings that a table holds.
_IN_TABLES = ("relevance", QUALITY, "expects")
#: A grade in a table is one digit.
_LARGEST_DIGIT = 9
_COUNTS = ("relevant_count", "first_relevant_rank", "overall_precision", "precision_at_5", "mrr", "success")


@dataclass
class Imported:
    """The result of importing one file.

    Attributes
    ----------
    rater
        The name of the rater.
    rated
        The number of answers with ratings.
    problems
        What was not imported, and contradictions: one message for each line or rating.
    notes
        Notes on imported ratings, such as a time that the file lacks.
    """

    file: Path
    rater: str
    rated: int = 0
    notes: list[str] = field(default_factory=list)
    _problems: dict[str, list[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # one name typed in two ways is one rater
        self.rater = unicodedata.normalize("NFC", self.rater).strip()

    def add_problem(self, problem: str, place: str = "") -> None:
        """Add a problem of a line or rating; "": of the whole file."""
        problems = self._problems.setdefault(place, [])
        if problem not in problems:
            problems.append(problem)

    @property
    def problems(self) -> list[str]:
        """The messages; all that is wrong in one line stands in one."""
        of_file = [f"{self.file}: {problem}" for problem in self._problems.get("", ())]
        of_lines = [(place, problems) for place, problems in self._problems.items() if place]
        return [
            *of_file,
            *(f"{self.file} {place}: {one_message(problems)}" for place, problems in of_lines),
        ]


def kind_of(path: Path) -> str:
    """Return the kind of the tasks in a file of ratings, as in `Assignment`; a table always rates answers."""
    if is_table(path):
        return "answer"
    aspects = {rating.on for rating in read_ratings_file(path).ratings}
    return "pair" if "preferred" in aspects else "review" if "verdict" in aspects else "answer"


def read_saved(path: Path, work: Assignment, rater: str = "") -> tuple[Imported, list[Rating]]:
    """Read the ratings that a page saved; wrong ratings become problems, and the others are imported.

    Second ratings of a repeated task are left out: they measure the rater.

    Parameters
    ----------
    path
        The JSON file.
    work
        The assignment that was rated.
    rater
        The name of the rater; default: the name in the file, or in its file name (`ratings-ana.json` is ana's).

    Raises
    ------
    InputError
        If the file cannot be read, or names no rater and may be a second download (`ratings-ana (1).json`).
    """
    file = read_ratings_file(path)
    imported = Imported(path, rater or file.rater or _name_of(path))
    firsts = [(say("rating {n}", n=n), rating) for n, rating in enumerate(file.ratings, 1) if not is_again(rating)]
    ratings = _checked(_with_true_times(firsts, imported), work, imported)
    imported.notes += [f"{path}: {note}" for note in [withdrawn_ratings(ratings)] if note]
    return imported, ratings


def read_table(path: Path, tasks: RatingTasks, rater: str = "", *, top: int = 1) -> tuple[Imported, list[Rating]]:
    """Read a rater's table of answers (see `rating_table`), as `read_saved`; `top` is the highest grade of a hit."""
    lines = read_rating_table(path)
    imported = Imported(path, rater or _name_in(path, lines) or _name_of(path))
    imported.notes += [f"{path}: {remark}" for remark in unread_columns(path)]
    work = rate_answers(tasks, top, scale=_text_of(lines, "scale"))
    return imported, _checked(list(_of_lines(lines, tasks, imported)), work, imported)


def scales_in(path: Path) -> dict[str, str]:
    """Return `scale` and `grades` of a file of ratings, as in `RatingsFile`; "" for each that it does not name.

    Raises
    ------
    InputError
        If the file cannot be read, or one of the two is no scale.
    """
    if is_table(path):
        lines = read_rating_table(path)
        return {name: _text_of(lines, name) for name in ("scale", "grades")}
    file = read_ratings_file(path)
    try:
        parse_scale(file.scale)
        if file.grades:
            parse_grades(file.grades)
    except SpecError as error:
        raise InputError(f"{path}: {error}") from error
    return {"scale": file.scale, "grades": file.grades}


def _text_of(lines: Iterable[RatedLine], name: str) -> str:
    """Return the text that all lines of a table share, or ""."""
    return next((line.texts[name] for line in lines if name in line.texts), "")


def without_other_scales(ratings: Sequence[Rating], work: Assignment, imported: Imported) -> list[Rating]:
    """Leave out the quality, as a problem, if people rated it in one of the runs on another scale."""
    qualities = [rating for rating in ratings if rating.on == QUALITY]
    conflicts = (conflict_with(run, work.scale, run.verdicts()) for run in (work.runs if qualities else ()))
    if reason := next(filter(None, conflicts), ""):
        imported.add_problem(
            say(
                "{reason}; a mean of both means nothing, so {n:,} ratings of the quality are left "
                "out. Import them into a copy of the run, or rate on the first scale",
                reason=reason,
                n=len(qualities),
            )
        )
        return [rating for rating in ratings if rating.on != QUALITY]
    return list(ratings)


def _add_times(ratings: Sequence[tuple[str, Rating]], imported: Imported) -> list[tuple[str, Rating]]:
    """Give ratings without a time the time when the file was last changed, with a note."""
    undated = {place for place, rating in ratings if not rating.at}
    if not undated:
        return list(ratings)
    changed = datetime.fromtimestamp(imported.file.stat().st_mtime, UTC)
    time = iso_time(min(changed, datetime.now(UTC)))
    n = len(undated)
    template = (
        "all {n:,} lines or ratings" if n == len({place for place, _ in ratings}) else "{n:,} of its lines or ratings"
    )
    imported.notes.append(
        say(
            "{file}: {places} without a time of rating (rated_at) {counts} as said when the file was "
            "last changed, {time}",
            file=imported.file,
            places=say(template, n=n) if n > 1 else next(iter(undated)),
            counts=form(n, "counts", "count"),
            time=time,
        )
    )
    return [(place, rating if rating.at else replace(rating, at=time)) for place, rating in ratings]


def count_rated(path: Path, work: Assignment) -> int:
    """Count the ratings of a file, or the lines of a table, that rate these tasks."""
    if not is_table(path):
        return sum(as_first(rating).task in work.ids for rating in read_ratings_file(path).ratings)
    tasks = RatingTasks.of(work.runs)
    return sum(answer_of_line(line, tasks) is not None for line in read_rating_table(path))


def _with_true_times(ratings: Sequence[tuple[str, Rating]], imported: Imported) -> list[tuple[str, Rating]]:
    """Return the ratings without times that cannot be true, each of which becomes a problem."""
    places_by_problem: dict[str, list[str]] = {}
    timed = []
    for place, rating in ratings:
        time, problem = read_time("at", rating.at) if rating.at else ("", "")
        if problem:
            places_by_problem.setdefault(problem, []).append(place)
        timed.append((place, replace(rating, at=time)))
    for problem, places in places_by_problem.items():
        imported.add_problem(problem, listed(places))
    return timed


def _checked(ratings: Sequence[tuple[str, Rating]], work: Assignment, imported: Imported) -> list[Rating]:
    """Return the ratings in the order of time that nothing contradicts and the assignment allows.

    The others become problems.  Ratings of tables and of JSON files go through the same checks.
    """
    in_order = sorted(_add_times(ratings, imported), key=lambda pair: pair[1].at)
    if note := repeated_ratings([rating for _, rating in in_order]):
        imported.notes.append(f"{imported.file}: {note}")
    refused: set[int] = set()
    for number, (place, rating) in enumerate(in_order):
        try:
            work.check(rating)
        except InputError as error:
            refused.add(number)
            imported.add_problem(str(error), place)
    contradictory, contradictions = find_contradictions(in_order, work)
    for contradiction in contradictions:
        imported.add_problem(contradiction)
    left_out = refused | contradictory
    allowed = [rating for number, (_, rating) in enumerate(in_order) if number not in left_out]
    newest = {(rating.task, rating.on): rating.value for rating in allowed}
    imported.rated = len({task for (task, _), value in newest.items() if value is not None})  # None: taken back
    return allowed


def _name_in(path: Path, lines: Sequence[RatedLine]) -> str:
    """Return the rater that a table names, or ""; raise `InputError` if it names several."""
    names = sorted({line.texts["rater"] for line in lines if line.texts.get("rater")})
    if len(names) > 1:
        raise InputError(
            say(
                "{file}: its column rater names {names}; write a file for each person, or add --rater NAME",
                file=path,
                names=", ".join(names),
            )
        )
    return "".join(names)


def _name_of(path: Path) -> str:
    """Return the name of the rater in a file name; raise `InputError` if the file may be a second download."""
    if copy := _COPY.search(path.stem):
        name = _PREFIX.sub("", path.stem)
        original = _COPY.sub("", name)
        raise InputError(
            say(
                "{file}: it names no rater, and {mark!r} may be a browser's mark of a second download. Add "
                "--rater {original!r} if the ratings are this person's, or --rater {name!r} for another "
                "person",
                file=path,
                mark=copy[0].strip(),
                original=original,
                name=name,
            )
        )
    return _PREFIX.sub("", path.stem) or path.stem


def _of_lines(lines: Iterable[RatedLine], tasks: RatingTasks, imported: Imported) -> Iterator[tuple[str, Rating]]:
    """Yield the place and ratings of each line; lines without a known answer become problems."""
    for line in lines:
        task = answer_of_line(line, tasks)
        if task is None:
            if line.problems or line.numbers.keys() - {"results_count"} or line.texts.get("notes"):
                imported.add_problem(why_no_answer(line, tasks), line.place)
            continue
        for problem in _problems_of(line, task):
            imported.add_problem(problem, line.place)
        for on, value in _ratings_in(line, task):
            key = fingerprint((imported.rater, task.id, on, value))
            yield line.place, Rating(id=key, task=task.id, on=on, value=value, at=line.texts.get("rated_at", ""))


def _problems_of(line: RatedLine, task: RatingTask) -> list[str]:
    """Return what is wrong in a line that rates an answer; of grades that do not fit its results nothing is taken."""
    if not _grades_fit(line, task):
        ratings, results = count(len(line.grades or ()), "rating"), count(len(task.hits), "result")
        template = "{ratings} for {results}; only quality and note are taken"
        return [*line.problems, say(template, ratings=ratings, results=results)]
    return [*line.problems, *line.contradictions()]


def _grades_fit(line: RatedLine, task: RatingTask) -> bool:
    return line.grades is None or len(line.grades) == len(task.hits)


def _ratings_in(line: RatedLine, task: RatingTask) -> Iterator[tuple[str, float | str]]:
    """Yield subject and value of each rating in a line."""
    if not _grades_fit(line, task):
        pass  # see `_problems_of`
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


def count_emptied(ratings: Sequence[Rating], tasks: RatingTasks, rater: str, scale: str = "") -> int:
    """Count the earlier ratings of a person that stand although the table with these ratings leaves their cells empty.

    Only answers that the table rates count, and only what a table holds: grades, quality and right empty answers.
    `scale` is that of the quality, as in `parse_scale`.
    """
    rated_tasks = {rating.task for rating in ratings}
    emptied: set[tuple[str, int, str, str]] = set()
    decided = verdicts_of(ratings, tasks, rater, top=_LARGEST_DIGIT, scale=scale)
    for number, (run, verdicts) in enumerate(zip(tasks.runs, decided, strict=True)):
        places = [place for task in rated_tasks for place in tasks.places[task] if place.run == number]
        answers = {(place.item, place.trial) for place in places}
        rated = {(verdict.item, verdict.trial, verdict.about, verdict.aspect) for verdict in verdicts}
        for verdict in run.verdicts():
            place = verdict.item, verdict.trial, verdict.about, verdict.aspect
            by_rater = verdict.by == f"human:{rater}" and verdict.value is not None and place[:2] in answers
            if by_rater and verdict.aspect in _IN_TABLES and place not in rated:
                emptied.add(place)
    return len(emptied)


def similar_names(rater: str, runs: Iterable[Run]) -> list[str]:
    """Return the people who rated these runs under the name of this rater in other upper and lower case."""
    sources = {source for run in runs for source in run.verdicts().by.words if source.startswith("human:")}
    names = {source.removeprefix("human:") for source in sources}
    return sorted(name for name in names if name != rater and name.casefold() == rater.casefold())


def add_ratings(ratings: Sequence[Rating], work: Assignment, rater: str) -> list[Written]:
    """Write the verdicts that follow from ratings into the runs, and return the counts; see `write_verdicts`."""
    return write_verdicts(work.runs, work.verdicts_of(ratings, rater), work.scale, work.grades)
