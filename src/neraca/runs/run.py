"""A run: the folder that holds one target's answers to one dataset, and the verdicts on them.

manifest.json     what was asked of whom, with which settings and versions, and how it ended
items.jsonl       the questions, so that every score can be computed again from this folder alone
answers.jsonl     journal of answers; the newest of one (item, trial) counts
verdicts.jsonl    journal of verdicts; the newest of one (item, trial, about, aspect, by) counts
scores.parquet    derived
"""

from __future__ import annotations

import contextlib
import io
import platform
import re
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, RunError
from neraca.files import Lock, fingerprint, write_atomic
from neraca.journal import Journal
from neraca.records import FAILED, Answer, Item, Verdict, VerdictStatus
from neraca.result import Table, Tabular
from neraca.runs.answers import Answers
from neraca.runs.stored_records import StoredRecords, is_large
from neraca.runs.work_folder import SCORED

if TYPE_CHECKING:  # columns need numpy, which asking does not
    from neraca.runs.earlier_verdicts import EarlierVerdicts
    from neraca.runs.verdict_table import VerdictTable

VERSION = 1
MANIFEST = "manifest.json"
_WORD = r"(?:auth|authori[sz]ation|cookie|token|secret|passwd|password|credential|subscription|api[-_ ]?key|key)"
_SECRET = re.compile(rf"(?<![a-z]){_WORD}s?(?![a-z])", re.IGNORECASE)
_ARGUMENT = re.compile(rf"([?&][\w.-]*{_WORD}=|--[\w-]*{_WORD}[ =])[^&\s]+", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)[^/@\s]+@")


class _ItemKey(msgspec.Struct, frozen=True, gc=False):
    """The key of an item."""

    id: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Description of a run, as `manifest.json` holds it.

    Attributes
    ----------
    v
        Version of this file's schema.
    run
        A unique name, so that a run that was begun anew is not taken for the old one.
    dataset, fingerprint, items
        Source of the questions, hash of their content, and their number.
    target
        The settings of the system under test; secrets are hidden.
    started, ended
        UTC, ISO 8601; `ended` is "" while answers are missing.
    statuses
        Number of answers for each status.
    replayed
        Questions that were asked again only to rebuild an interrupted conversation.
    """

    v: int = VERSION
    run: str = ""
    dataset: str
    fingerprint: str
    items: int
    target: Mapping[str, Any]
    trials: int = 1
    started: str = ""
    ended: str = ""
    statuses: Mapping[str, int] = {}
    replayed: int = 0
    versions: Mapping[str, str] = {}


class Run(Tabular):
    """A run folder, opened for reading; `writing()` makes this process its one writer.

    Parameters
    ----------
    path
        The folder; must hold a manifest (see `Run.create`).

    Raises
    ------
    RunError
        When it is not a run folder.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.name = self.path.resolve().name
        self.answers_journal = Journal(self.path / "answers.jsonl", Answer)
        self.verdicts_journal = Journal(self.path / "verdicts.jsonl", Verdict, 2, {1: _with_status})
        file = self.path / MANIFEST
        if not file.is_file():
            remedy = "make one with `neraca ask`"
            if (self.path / SCORED).is_file():
                remedy = "`neraca score --out` wrote it: `neraca compare` compares it with another of the same rows"
            raise RunError(f"{self.path}: not a run folder (it has no {MANIFEST}); {remedy}")
        try:
            self.manifest = msgspec.json.decode(file.read_bytes(), type=Manifest)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise RunError(f"{file}: cannot be read: {error}") from error
        if self.manifest.v > VERSION:
            raise RunError(f"{file}: written by a newer Neraca (version {self.manifest.v}); update yours")

    @classmethod
    def create(
        cls,
        path: str | Path,
        dataset: Dataset,
        settings: Mapping[str, Any],
        *,
        trials: int = 1,
        anew: bool = False,
    ) -> Run:
        """Make a run folder, or open the one that is there for the same dataset and target.

        A folder made with another configuration is refused with the difference shown; with `anew` it is moved
        aside (its name gets the time) and a new one is made.
        """
        path = Path(path)
        if trials < 1:
            raise RunError(f"{path}: each question is asked at least once, not {trials} times")
        manifest = Manifest(
            run=uuid.uuid4().hex,
            dataset=dataset.source,
            fingerprint=dataset.fingerprint,
            items=len(dataset),
            target=hide_secrets(settings),
            trials=trials,
            started=now(),
            versions={"neraca": version("neraca"), "python": platform.python_version()},
        )
        if path.exists() and not path.is_dir():
            raise RunError(f"{path}: a file; a run is a folder, choose another name")
        if path.exists() and not (path / MANIFEST).exists() and not all(map(_left_by_a_kill, path.iterdir())):
            raise RunError(f"{path}: not empty and not a run folder; choose another folder")
        with Lock(path) as lock:
            if (path / MANIFEST).exists() and not anew:
                return cls(path)._continue(dataset, manifest)
            if (path / MANIFEST).exists():
                lock.move_folder(path.with_name(f"{path.name}~{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"))
            _write_items(path, dataset)
            write_atomic(path / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        run = cls(path)
        run.items = dataset.items
        return run

    def _continue(self, dataset: Dataset, manifest: Manifest) -> Run:
        """Go on with this run, if it was made for the same questions and target; else raise `RunError`."""
        if different := _differences(self, dataset, manifest):
            raise RunError(
                f"{self.path} was made with another configuration: {'; '.join(different)}. "
                "Choose another folder, or start anew with --anew (the old one is kept beside it)"
            )
        if manifest.trials > self.manifest.trials:
            self.update(trials=manifest.trials, ended="")
        if manifest.fingerprint != self.manifest.fingerprint:  # only what is a good answer was changed
            _write_items(self.path, dataset)
            self.update(fingerprint=manifest.fingerprint)
        self.items = dataset.items
        return self

    def extend(self, dataset: Dataset) -> None:
        """Take in questions that came after those that are there.  Only while `writing()`."""
        _write_items(self.path, dataset)
        self.update(items=len(dataset), fingerprint=dataset.fingerprint, ended="")
        self.items = dataset.items

    @contextlib.contextmanager
    def writing(self) -> Iterator[Run]:
        """Hold the folder's lock and keep its journals open; a second writer gets a `RunError`."""
        with Lock(self.path), self.answers_journal, self.verdicts_journal:
            now_there = Run(self.path).manifest
            if (now_there.run, now_there.started) != (self.manifest.run, self.manifest.started):
                raise RunError(f"{self.path}: somebody began this run anew in the meantime; open it again")
            yield self

    @cached_property
    def items(self) -> Sequence[Item]:
        """The questions, in file order; those of a large run are read when they are asked for."""
        journal = Journal(self.path / "items.jsonl", Item)
        items: Sequence[Item] = StoredRecords.of(journal) if is_large(journal.path) else tuple(journal)
        if len(items) != self.manifest.items:
            raise InputError(
                f"{self.path}/items.jsonl holds {len(items)} items, the manifest says {self.manifest.items}"
            )
        return items

    @cached_property
    def item_ids(self) -> Sequence[str]:
        """The ids of the questions, in file order."""
        return [key.id for _, key in Journal(self.path / "items.jsonl", Item).places(_ItemKey)]

    def answers(self) -> Answers:
        """(item, trial) → the answer that counts; those of a large run are read when they are asked for."""
        return Answers.of(self.answers_journal)

    def verdicts(self) -> VerdictTable:
        """The newest verdict of each (item, trial, about, aspect, by), oldest first."""
        from neraca.runs.verdict_table import VerdictTable

        return VerdictTable.made(self.verdicts_journal).newest()

    def add_verdicts(self, verdicts: Iterable[Verdict], earlier: EarlierVerdicts | None = None) -> int:
        """Append the verdicts that say something new; returns how many.  Only while `writing()`.

        They are written as they come, a thousand at a time; when their source breaks off, what came before is kept.
        A person's word is always new: who says the same again may have changed her mind in between.
        `earlier` are those of the run, if they are at hand.
        """
        from neraca.runs.earlier_verdicts import EarlierVerdicts

        known = earlier or EarlierVerdicts(self.verdicts())
        at, written = now(), 0
        waiting: list[Verdict] = []
        try:
            for verdict in verdicts:
                before = None if verdict.by.startswith("human") else known.before(verdict)
                if before is None or _said(before) != _said(verdict):
                    waiting.append(verdict if verdict.at else msgspec.structs.replace(verdict, at=at))
                if len(waiting) >= 1000:
                    self.verdicts_journal.append(*waiting)
                    written += len(waiting)
                    waiting.clear()
        finally:
            self.verdicts_journal.append(*waiting)
        return written + len(waiting)

    def _tables(self) -> Iterator[Table]:
        known = self.manifest
        missing = known.items * known.trials - sum(known.statuses.values())
        counts = {"questions": known.items, "trials": known.trials, **known.statuses, "missing": missing}
        yield Table(["run", *counts], [[self.name, *(f"{count:,}" for count in counts.values())]])

    def _sentences(self) -> Iterator[str]:
        yield f"questions: {self.manifest.dataset}; folder: {self.path}"

    def rows(self) -> list[dict[str, Any]]:
        """A row for each answer in the order of the questions: what was asked, what came back, how long it took."""
        answers, trials = self.answers(), range(self.manifest.trials)
        asked = ((item, answers.get((item.id, trial)), trial) for item in self.items for trial in trials)
        return [_row(item, answer, trial) for item, answer, trial in asked]

    def write_scores(self, parts: Iterable[Mapping[str, Any]]) -> None:
        """Write `scores.parquet`, a row for each value: of each metric the columns run, item, metric, value, why."""
        import polars as pl

        schema = {"run": pl.String, "item": pl.String, "metric": pl.String, "value": pl.Float64, "why": pl.String}
        buffer = io.BytesIO()
        tables = [pl.DataFrame(columns, schema=schema, nan_to_null=True) for columns in parts]
        pl.concat([pl.DataFrame(schema=schema), *tables]).write_parquet(buffer)
        write_atomic(self.path / "scores.parquet", buffer.getvalue())

    def update(self, **changes: Any) -> None:
        """Write the manifest with these fields changed."""
        self.manifest = msgspec.structs.replace(self.manifest, **changes)
        write_atomic(self.path / MANIFEST, msgspec.json.format(msgspec.json.encode(self.manifest)))

    def statuses(self) -> dict[tuple[str, int], str]:
        """(item, trial) → the status of the answer that counts; the answers themselves are not kept in memory."""
        return {(answer.item, answer.trial): answer.status for answer in self.answers_journal}

    def missing(self) -> int:
        """Return the number of questions that were not asked yet."""
        return self.manifest.items * self.manifest.trials - len(self.statuses())

    def unanswered(self) -> int:
        """Return the number of questions without an answer: not asked yet, or failed."""
        return self.missing() + sum(status in FAILED for status in self.statuses().values())

    def close_books(self, replayed: int = 0) -> int:
        """Count the answers by status, note the end when none is missing, and return how many are."""
        statuses = Counter(self.statuses().values())
        missing = self.manifest.items * self.manifest.trials - statuses.total()
        ended = "" if missing > 0 else now()
        self.update(statuses=dict(statuses), ended=ended, replayed=replayed + self.manifest.replayed)
        return missing


def _row(item: Item, answer: Answer | None, trial: int) -> dict[str, Any]:
    asked = {"item": item.id, "trial": trial, "query": item.query, "session": item.session, **item.tags}
    if answer is None:
        return {**asked, "status": "missing"}
    hits = [hit.id for hit in answer.hits]
    told = {"status": answer.status, "text": answer.text, "hits": hits, "seconds": answer.seconds}
    return {**asked, **told, "error": answer.error}


def run_folders(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the run folders among paths, and what is passed over because it is there and is none, such as a report.

    A path where nothing is stays among the run folders, as do all where none is a run folder: opening it says so.
    """
    folders = [path for path in paths if (path / MANIFEST).is_file()]
    passed_over = [path for path in paths if folders and path not in folders and path.exists()]
    return [path for path in paths if path not in passed_over], passed_over


def _with_status(old: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a verdict of version 1, whose `why` began with the kind of reason where it had no value."""
    status, colon, why = str(old.get("why", "")).partition(":")
    status = status.replace(" ", "_")
    known = colon and status in get_args(VerdictStatus)
    if old.get("value") is not None or "status" in old or not known:
        return old
    return old | {"status": status, "why": why.strip()}


def _said(verdict: Verdict) -> tuple[float | None, str, str, str]:
    return verdict.value, verdict.status, verdict.why, verdict.of


def content_of(answer: Answer) -> str:
    """A hash of what a target returned: its text, hits and calls."""
    return fingerprint((answer.text, answer.hits, answer.calls))


def now() -> str:
    """UTC, to the second, ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _left_by_a_kill(file: Path) -> bool:
    """Whether a file can be what is left of a run that was killed before its manifest was written."""
    return file.name in ("items.jsonl", ".lock") or file.name.startswith((".items.jsonl.", ".manifest.json."))


def hide_secrets(settings: Any, name: str = "") -> Any:
    """The same settings with the values of secret-looking keys and of user names in addresses hidden.

    A value that only names an environment variable is no secret.  Six letters of its hash stand for a hidden value,
    so that a change is noticed.

    >>> hide_secrets({"headers": {"Authorization": "Bearer abc", "X-Api-Key": "${SHOP_KEY}"}})
    {'headers': {'Authorization': '(hidden 1013a8)', 'X-Api-Key': '${SHOP_KEY}'}}
    """
    if isinstance(settings, Mapping):
        return {key: hide_secrets(value, str(key)) for key, value in settings.items()}
    if isinstance(settings, list | tuple):
        return [hide_secrets(value, name) for value in settings]
    if isinstance(settings, str):
        if _SECRET.search(name) and not re.search(r"\$\{\w+\}", settings):
            return f"(hidden {fingerprint(settings)[:6]})"
        if re.search(r"\$\{\w+\}", settings):
            return settings
        return _ARGUMENT.sub(r"\1(hidden)", _USERINFO.sub("(hidden)@", settings))
    return settings


def _write_items(path: Path, dataset: Dataset) -> None:
    lines = (b'{"v":1,' + msgspec.json.encode(item)[1:] + b"\n" for item in dataset.items)
    write_atomic(path / "items.jsonl", b"".join(lines))


def _asked(item: Item) -> tuple[Any, ...]:
    """Return the fields of an item that a target may see; the others describe a good answer and may change later."""
    return item.id, item.query, item.session, item.tags, item.extra


def _differences(run: Run, dataset: Dataset, new: Manifest) -> list[str]:
    old, differences = run.manifest, []
    if old.fingerprint != new.fingerprint:
        pairs = zip_longest(run.items, dataset.items)
        first = next((a or b for a, b in pairs if a is None or b is None or _asked(a) != _asked(b)), None)
        if first is not None:
            counts = f"{old.items} of {old.dataset} then, {new.items} of {new.dataset} now"
            differences.append(f"the questions differ ({counts}; first at item {first.id})")
    then, now_ = _flat(old.target), _flat(new.target)
    for key in sorted(then.keys() | now_.keys()):
        if then.get(key) != now_.get(key):
            differences.append(f"target.{key} was {then.get(key, 'not set')!r}, is {now_.get(key, 'not set')!r}")
    return differences


def _flat(settings: Any, prefix: str = "") -> dict[str, Any]:
    if not isinstance(settings, Mapping):
        return {prefix: settings}
    return {
        name: v for key, value in settings.items() for name, v in _flat(value, f"{prefix}.{key}".lstrip(".")).items()
    }
