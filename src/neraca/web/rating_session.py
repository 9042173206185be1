"""Sessions of rating together, without the network: each rater's tasks, the ratings received, the final verdicts."""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

import msgspec
from msgspec.structs import replace

from neraca.errors import InputError, SpecError
from neraca.files import fingerprint, is_portable_name, write_atomic
from neraca.people.assignment import Assignment, Task, rate_answers
from neraca.people.quality_scale import USUAL, check_grades, check_scale, scale_text, values_of
from neraca.people.rater_order import as_first, is_again, ordered
from neraca.people.rater_quality import RaterQuality, rater_quality
from neraca.people.rating import Rating
from neraca.people.rating_task import RatingTasks
from neraca.people.ratings_file import KIND_IN_FILE_NAME, RatingsFile
from neraca.people.write_verdicts import write_verdicts
from neraca.records import Verdict
from neraca.web.own_questions import Asker, OwnQuestions
from neraca.web.rating_settings import OWN, RatingSettings, assign
from neraca.web.ratings_database import RatingsDatabase

#: Most ratings in one request, and most characters of a note.
MOST_RATINGS, LONGEST = 1000, 20_000
_ID = re.compile(r"[\w.:-]{1,100}", re.ASCII)

#: Settings that stay as they were when the rating began, in words.
_FIXED = {
    "top": "grades of hits (--grades, or grades in [users]) from 0 to",
    "seed": "--seed",
    "repeat": "--repeat",
    "best": "--best",
}


@dataclass(frozen=True)
class Received:
    """The outcome for the ratings of one request.

    Attributes
    ----------
    stored
        Ids of the ratings that are on disk.
    refused
        Id of a rating that is never accepted → the reason.
    tasks
        The next tasks on the same questions, if they depend on the ratings so far.
    """

    stored: list[str]
    refused: dict[str, str]
    tasks: Sequence[Task] = ()


@dataclass(frozen=True)
class Exported:
    """The outcome of an export.

    Attributes
    ----------
    assignment
        The tasks that were rated.
    written
        Number of verdicts added to each run.
    quality
        The quality of each rater.
    left_out
        Number of ratings on answers that the runs no longer have.
    """

    assignment: Assignment
    written: list[int]
    quality: list[RaterQuality]
    left_out: int


@dataclass(frozen=True)
class RatingSession:
    """A set of tasks, its raters, and the database of their ratings.

    Attributes
    ----------
    assignment
        The tasks to rate.
    settings
        The settings of the first start, which later starts keep.
    database
        The database of ratings.
    tokens
        Name of a rater → the token in the rater's link.
    own
        The raters' own questions, if these are rated; else None.
    """

    assignment: Assignment
    settings: RatingSettings
    database: RatingsDatabase
    tokens: Mapping[str, str]
    own: OwnQuestions | None = None

    @cached_property
    def _orders(self) -> dict[str, list[Task]]:
        return {}

    def rater(self, token: str) -> str | None:
        """Return the rater with this token, or None; compare with all tokens in constant time."""
        rater = None
        for name, rater_token in self.tokens.items():
            if hmac.compare_digest(token.encode(), rater_token.encode()):
                rater = name
        return rater

    def tasks(self, rater: str) -> list[Task]:
        """Return the tasks in this rater's order, some of them twice.

        If the next tasks depend on earlier ratings, return the rated tasks and those that are due next.
        """
        settings, work = self.settings, self.assignment
        if work.due:
            ratings = self.ratings(rater)
            due = {task.id: task for task in work.due(rater, ratings, ())}
            rated_ids = {rating.task for rating in ratings} - due.keys()
            rated = [task for task in work.tasks_of(rater) if task.id in rated_ids]
            return [*rated, *ordered(list(due.values()), rater, settings.seed)]
        if work.keeps_order:
            return list(work.tasks_of(rater))
        if rater not in self._orders:
            self._orders[rater] = ordered(work.tasks_of(rater), rater, settings.seed, settings.repeat)
        return self._orders[rater]

    def ratings(self, rater: str) -> list[Rating]:
        """Return all ratings of these tasks by a rater, the newest last."""
        task_ids = self.assignment.ids
        return [r for r in self.database.ratings(self.assignment.set, rater) if as_first(r).task in task_ids]

    def receive(self, rater: str, body: bytes) -> Received:
        """Store the ratings that a browser sent; see `neraca.web` for their form.

        Raises
        ------
        InputError
            If the body is not a list of ratings; nothing is stored then.
        """
        now = datetime.now(UTC)
        valid: list[Rating] = []
        refused: dict[str, str] = {}
        for entry in _decode_ratings(body):
            name = entry.get("id") if isinstance(entry, dict) else None
            if not isinstance(name, str) or not _ID.fullmatch(name):
                continue
            try:
                rating = msgspec.convert(entry | {"at": _time(entry.get("at"), now)}, Rating)
                self._check(rating)
                valid.append(rating)
            except (InputError, msgspec.ValidationError) as error:
                refused[name] = str(error)
        stored = self.database.append(self.assignment.set, rater, valid)
        refused |= {rating.id: "another rating has this id" for rating in valid if rating not in stored}
        work, tasks = self.assignment, {rating.task for rating in stored}
        due = work.due(rater, self.ratings(rater), tasks) if work.due and tasks else ()
        return Received([rating.id for rating in stored], refused, due)

    def _check(self, rating: Rating) -> None:
        if is_again(rating) and rating.on.startswith("hit:") and as_first(rating).on == rating.on:
            raise InputError(f"the hit {rating.on.removeprefix('hit:')!r} is not part of this task")
        self.assignment.check(as_first(rating))
        if isinstance(rating.value, str) and len(rating.value) > LONGEST:
            raise InputError(f"the note has {len(rating.value):,} characters; at most {LONGEST:,} are allowed")

    def export(self, gold: Iterable[Rating] = ()) -> Exported:
        """Add all raters' new verdicts to the runs.

        Ratings of a repeated task stay in the database.  They measure how far a rater agrees with the same rater's
        first rating, and are not second votes.

        Parameters
        ----------
        gold
            Ratings known to be right, with which each rater is compared.

        Raises
        ------
        RunError
            If another process writes to one of the runs; the database still holds everything.
        """
        work = self.assignment
        if self.own is not None:
            tasks = RatingTasks.of([self.own.write_run()])
            work = rate_answers(tasks, self.settings.top, (), self.settings.scale, self.settings.grades)
        verdicts: list[list[Verdict]] = [[] for _ in work.runs]
        quality, left_out, gold_ratings = [], 0, list(gold)
        for rater in self.tokens:
            everything = self.database.ratings(self.assignment.set, rater)
            ratings = [rating for rating in everything if as_first(rating).task in work.ids]
            left_out += len(everything) - len(ratings)
            firsts = [rating for rating in ratings if not is_again(rating)]
            for index, of_run in enumerate(work.verdicts_of(firsts, rater)):
                verdicts[index] += of_run
            quality.append(rater_quality(rater, ratings, gold_ratings))
        written = [counts.changes for counts in write_verdicts(work.runs, verdicts, work.scale, work.grades)]
        return Exported(work, written, quality, left_out)

    def write_files(self, folder: Path) -> list[Path]:
        """Write all ratings of each rater, including those of repeated tasks, to a file each; return the files."""
        files = []
        for rater in self.tokens:
            work = self.assignment
            content = RatingsFile(
                neraca="ratings",
                v=1,
                rater=rater,
                set=work.set,
                runs=work.run_keys,
                scale=scale_text(self.settings.scale),
                grades=self.settings.grades,
                ratings=self.ratings(rater),
            )
            name = rater if is_portable_name(rater) else fingerprint(rater)
            kind = KIND_IN_FILE_NAME.get(work.kind, "ratings")
            files.append(folder / f"{kind}-{self.assignment.set[:8]}-{name}.json")
            write_atomic(files[-1], msgspec.json.format(msgspec.json.encode(content)))
        return files


def open_session(
    database: RatingsDatabase, settings: RatingSettings, raters: Sequence[str] = (), asker: Asker | None = None
) -> RatingSession:
    """Begin a rating session, or continue an earlier one.

    Parameters
    ----------
    database
        The database of ratings.
    settings
        The tasks and how they are rated; a later start must repeat those of the first.
    raters
        Names of the raters; empty: the raters of earlier starts, or else one called `rater`.
    asker
        Asks the raters' own questions.

    Raises
    ------
    SpecError
        If the settings differ from those of the first start, or a name is not valid.
    InputError
        If there is nothing to rate.
    """
    own = OwnQuestions(database, settings, asker) if settings.kind == OWN else None
    work = own.assignment if own else assign(settings)
    names = list(dict.fromkeys(map(_name, raters)))
    check_scale(work.runs, settings.scale)
    if settings.kind == "answer" and work.set not in database.sets():
        check_grades(work.runs, settings.grades or settings.top + 1)
    stored = database.begin(work.set, settings)
    _check_same_scale(stored, settings, database.shown)
    for name, words in _FIXED.items():
        before, now = getattr(stored, name), getattr(settings, name)
        if before != now:
            raise SpecError(
                f"{database.shown}: these runs are being rated with {words} {before:g}, not {now:g}; leave it so, "
                "or keep other ratings in another database (--db)"
            )
    names = names or list(database.raters(work.set)) or ["rater"]
    tokens = database.raters(work.set, names)
    return RatingSession(work, stored, database, {name: tokens[name] for name in names}, own)


def stored_sessions(database: RatingsDatabase, runs: Sequence[str] = ()) -> list[RatingSession]:
    """Return the sessions in a database with all raters: every session, or the one that rates exactly these runs.

    Raises
    ------
    InputError
        If the database holds no such session.
    """
    sessions = []
    for name, settings in database.sets().items():
        own = OwnQuestions(database, settings) if settings.kind == OWN and not runs else None
        if settings.kind == OWN and own is None:
            continue
        work = own.assignment if own else assign(replace(settings, runs=tuple(runs) or settings.runs))
        if work.set == name:
            sessions.append(RatingSession(work, settings, database, database.raters(name), own))
    if not sessions:
        rated = f"these {len(runs)} runs together" if runs else "any runs"
        raise InputError(f"{database.shown}: holds no ratings of {rated}; name all runs that were rated, or none")
    return sessions


def _check_same_scale(stored: RatingSettings, settings: RatingSettings, shown: str) -> None:
    """Raise `SpecError` for another scale than at the first start; early sessions kept none: it was within 0 to 5."""
    before, now = values_of(stored.scale), values_of(settings.scale)
    if before != now and (stored.scale or not set(now) <= set(USUAL)):
        raise SpecError(
            f"{shown}: the quality in these runs is being rated from {before[0]} to {before[-1]}, not from {now[0]} to "
            f"{now[-1]}; leave --scale as it was, or keep other ratings in another database (--db)"
        )


def _name(name: str) -> str:
    short = " ".join(name.split())
    if not short or len(short) > 100 or not short.isprintable():
        raise SpecError(f"raters: {name!r} cannot be a rater's name; write --raters ana,budi")
    return short


def _decode_ratings(body: bytes) -> list[Any]:
    """Return the ratings in a body; replace lone surrogates, which some keyboards produce, by U+FFFD."""
    try:
        text = json.dumps(json.loads(body, parse_constant=_refuse_constant), ensure_ascii=False)
        repaired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        content = json.loads(repaired)
    except (ValueError, RecursionError) as error:
        raise InputError("the body is not JSON") from error
    ratings = content.get("ratings") if isinstance(content, dict) else None
    if not isinstance(ratings, list) or len(ratings) > MOST_RATINGS:
        raise InputError(f'the body is not {{"ratings": […]}} with at most {MOST_RATINGS:,} ratings')
    return ratings


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")


def _time(text: object, now: datetime) -> str:
    """Return the time of a rating in UTC to the millisecond; `now`, its arrival, if it is missing or in the future."""
    try:
        time = datetime.fromisoformat(str(text))
        time = min(now, time.astimezone(UTC)) if time.tzinfo else now
    except (ValueError, OverflowError):
        time = now
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03}Z"
