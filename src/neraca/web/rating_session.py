"""Rating together, without the network: who may rate what, what a browser sent, and the verdicts at the end."""

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
from neraca.files import fingerprint, name_everywhere, write_atomic
from neraca.people.assignment import Assignment, Task, rate_answers
from neraca.people.rater_order import as_first, is_again, ordered
from neraca.people.rater_quality import RaterQuality, rater_quality
from neraca.people.rating import Rating
from neraca.people.rating_task import RatingTasks
from neraca.people.ratings_file import RatingsFile
from neraca.people.write_verdicts import write_verdicts
from neraca.records import Verdict
from neraca.web.own_questions import Asker, OwnQuestions
from neraca.web.rating_settings import OWN, RatingSettings, assign
from neraca.web.ratings_database import RatingsDatabase

#: Ratings that may come in one request, and characters of a note.
MOST_RATINGS, LONGEST = 1000, 20_000
_ID = re.compile(r"[\w.:-]{1,100}", re.ASCII)


@dataclass(frozen=True)
class Received:
    """What became of the ratings of one request.

    Attributes
    ----------
    stored
        Ids of those on disk.
    refused
        Ids of those that never will be, and why.
    tasks
        What comes next on the same questions, where that follows from what was said.
    """

    stored: list[str]
    refused: dict[str, str]
    tasks: Sequence[Task] = ()


@dataclass(frozen=True)
class Exported:
    """What an export found and wrote.

    Attributes
    ----------
    assignment
        What was rated.
    written
        How many verdicts were added to each run.
    quality
        Of each rater.
    left_out
        How many ratings are of answers that the runs no longer have.
    """

    assignment: Assignment
    written: list[int]
    quality: list[RaterQuality]
    left_out: int


@dataclass(frozen=True)
class RatingSession:
    """What is rated, by whom, and where it is kept.

    Attributes
    ----------
    assignment
        What is rated.
    settings
        What holds for it from its first start on.
    database
        Where ratings are kept.
    tokens
        Name of a rater → the token that lets the rater in.
    own
        Questions of the raters' own, where that is what is rated.
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
        """Whose token it is, found in a time that tells nothing of the others; None: nobody's."""
        given, found = token.encode(), None
        for name, known in self.tokens.items():
            if hmac.compare_digest(given, known.encode()):
                found = name
        return found

    def tasks(self, rater: str) -> list[Task]:
        """The tasks in this rater's order, some of them twice; those that come next where that follows from ratings."""
        how, work = self.settings, self.assignment
        if work.due:
            said = self.ratings(rater)
            due = {task.id: task for task in work.due(rater, said, ())}
            rated = {rating.task for rating in said} - due.keys()
            known = [task for task in work.tasks_of(rater) if task.id in rated]
            return [*known, *ordered(list(due.values()), rater, how.seed)]
        if work.keeps_order:
            return list(work.tasks_of(rater))
        if rater not in self._orders:
            self._orders[rater] = ordered(work.tasks_of(rater), rater, how.seed, how.repeat)
        return self._orders[rater]

    def ratings(self, rater: str) -> list[Rating]:
        """All that a rater said of these tasks, what was said last at the end."""
        known = self.assignment.ids
        return [r for r in self.database.ratings(self.assignment.set, rater) if as_first(r).task in known]

    def receive(self, rater: str, body: bytes) -> Received:
        """Keep what a browser sent; see `neraca.web` for its form.

        Raises
        ------
        InputError
            When it is no list of ratings; nothing of it is kept then.
        """
        now = datetime.now(UTC)
        good: list[Rating] = []
        refused: dict[str, str] = {}
        for one in _sent(body):
            name = one.get("id") if isinstance(one, dict) else None
            if not isinstance(name, str) or not _ID.fullmatch(name):
                continue
            try:
                rating = msgspec.convert(one | {"at": _time(one.get("at"), now)}, Rating)
                self._check(rating)
                good.append(rating)
            except (InputError, msgspec.ValidationError) as error:
                refused[name] = str(error)
        there = self.database.append(self.assignment.set, rater, good)
        refused |= {rating.id: "another rating has this id" for rating in good if rating not in there}
        work, tasks = self.assignment, {rating.task for rating in there}
        due = work.due(rater, self.ratings(rater), tasks) if work.due and tasks else ()
        return Received([rating.id for rating in there], refused, due)

    def _check(self, rating: Rating) -> None:
        if is_again(rating) and rating.on.startswith("hit:") and as_first(rating).on == rating.on:
            raise InputError(f"a rating of the hit {rating.on.removeprefix('hit:')!r}, which is not of this task")
        self.assignment.check(as_first(rating))
        if isinstance(rating.value, str) and len(rating.value) > LONGEST:
            raise InputError(f"{len(rating.value):,} characters; a note has at most {LONGEST:,}")

    def export(self, gold: Iterable[Rating] = ()) -> Exported:
        """Add all raters' verdicts to the runs, but for those that stand there already.

        What was said of a task that came again is kept in the log alone: it says how far a rater agrees with what the
        same rater said before, and is no second opinion.

        Raises
        ------
        RunError
            When another process writes to one of the runs; the log still holds everything.
        """
        work = self.assignment
        if self.own is not None:
            work = rate_answers(RatingTasks.of([self.own.write_run()]), self.settings.top)
        verdicts: list[list[Verdict]] = [[] for _ in work.runs]
        quality, left_out, known_right = [], 0, list(gold)
        for rater in self.tokens:
            everything = self.database.ratings(self.assignment.set, rater)
            ratings = [rating for rating in everything if as_first(rating).task in work.ids]
            left_out += len(everything) - len(ratings)
            firsts = [rating for rating in ratings if not is_again(rating)]
            for place, given in enumerate(work.verdicts_of(firsts, rater)):
                verdicts[place] += given
            quality.append(rater_quality(rater, ratings, known_right))
        written = [written.changes for written in write_verdicts(work.runs, verdicts)]
        return Exported(work, written, quality, left_out)

    def write_files(self, folder: Path) -> list[Path]:
        """Write everything that each rater said, that of tasks that came again too, to a file of the folder each."""
        files = []
        for rater in self.tokens:
            work = self.assignment
            content = RatingsFile(
                neraca="ratings", v=1, rater=rater, set=work.set, runs=work.run_keys, ratings=self.ratings(rater)
            )
            name = rater if name_everywhere(rater) else fingerprint(rater)
            files.append(folder / f"ratings-{self.assignment.set[:8]}-{name}.json")
            write_atomic(files[-1], msgspec.json.format(msgspec.json.encode(content)))
        return files


def open_session(
    database: RatingsDatabase, wanted: RatingSettings, raters: Sequence[str] = (), asker: Asker | None = None
) -> RatingSession:
    """Begin to rate, or go on.

    Parameters
    ----------
    database
        Where ratings are kept.
    wanted
        What is rated and how; from the second start on as in the first.
    raters
        Names; none: those who are known from an earlier start, or `rater`.
    asker
        Who puts questions of the raters' own to a system.

    Raises
    ------
    SpecError
        For other settings than those of the first start, or a name that cannot be one.
    InputError
        Where there is nothing to rate.
    """
    own = OwnQuestions(database, wanted, asker) if wanted.kind == OWN else None
    work = own.assignment if own else assign(wanted)
    names = list(dict.fromkeys(map(_name, raters)))
    settings = database.begin(work.set, wanted)
    for name in ("top", "seed", "repeat", "best"):
        then, asked = getattr(settings, name), getattr(wanted, name)
        if then != asked:
            raise SpecError(
                f"{database.shown}: these runs are being rated with {name} {then:g}, not {asked:g}; leave it as it is, "
                "or keep other ratings in another database (--db)"
            )
    names = names or list(database.raters(work.set)) or ["rater"]
    tokens = database.raters(work.set, names)
    return RatingSession(work, settings, database, {name: tokens[name] for name in names}, own)


def stored_sessions(database: RatingsDatabase, runs: Sequence[str] = ()) -> list[RatingSession]:
    """Everything that was rated, or what was rated in these runs together, by all raters.

    Raises
    ------
    InputError
        When the database holds nothing of it.
    """
    found = []
    for name, settings in database.sets().items():
        own = OwnQuestions(database, settings) if settings.kind == OWN and not runs else None
        if settings.kind == OWN and own is None:
            continue
        work = own.assignment if own else assign(replace(settings, runs=tuple(runs) or settings.runs))
        if work.set == name:
            found.append(RatingSession(work, settings, database, database.raters(name), own))
    if not found:
        what = f"these {len(runs)} runs together" if runs else "any runs"
        raise InputError(f"{database.shown}: holds no ratings of {what}; name all runs that were rated, or none")
    return found


def _name(name: str) -> str:
    short = " ".join(name.split())
    if not short or len(short) > 100 or not short.isprintable():
        raise SpecError(f"raters: {name!r} cannot be a rater's name; write --raters ana,budi")
    return short


def _sent(body: bytes) -> list[Any]:
    """The ratings of a body; half characters, which a keyboard can leave behind, become U+FFFD."""
    try:
        text = json.dumps(json.loads(body, parse_constant=_no_number), ensure_ascii=False)
        whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        sent = json.loads(whole)
    except (ValueError, RecursionError) as error:
        raise InputError("the body is no JSON") from error
    ratings = sent.get("ratings") if isinstance(sent, dict) else None
    if not isinstance(ratings, list) or len(ratings) > MOST_RATINGS:
        raise InputError(f'the body is not {{"ratings": […]}} with at most {MOST_RATINGS:,} ratings')
    return ratings


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no JSON")


def _time(given: object, now: datetime) -> str:
    """The time at which something was said, UTC to the millisecond; that of arrival where it cannot be."""
    try:
        said = datetime.fromisoformat(str(given))
        said = min(now, said.astimezone(UTC)) if said.tzinfo else now
    except (ValueError, OverflowError):
        said = now
    return f"{said:%Y-%m-%dT%H:%M:%S}.{said.microsecond // 1000:03}Z"
