"""A run: the folder that holds one target's answers to one dataset, and the verdicts on them.

manifest.json     the dataset, the target with its settings, versions, times, and the number of answers by status
items.jsonl       the questions, so that every score can be computed again from this folder alone
answers.jsonl     journal of answers; for each (item, trial) the newest one counts
verdicts.jsonl    journal of verdicts; for each (item, trial, about, aspect, by) the newest one counts
scores.parquet    scores, which can be computed again
"""

from __future__ import annotations

import contextlib
import io
import platform
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, get_args

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, RunError
from neraca.files import Lock, fingerprint, write_atomic
from neraca.journal import Journal
from neraca.records import FAILED, Answer, Item, Verdict, VerdictStatus
from neraca.result import Table, Tabular
from neraca.runs.answers import Answers
from neraca.runs.configuration_changes import configuration_changes
from neraca.runs.hidden_secrets import hide_secrets
from neraca.runs.judge_draw import DrawRecord
from neraca.runs.stored_records import StoredRecords, is_large
from neraca.runs.work_folder import SCORED
from neraca.translation import say

if TYPE_CHECKING:  # both import numpy, which asking does not need
    from neraca.runs.earlier_verdicts import EarlierVerdicts
    from neraca.runs.verdict_table import VerdictTable

VERSION = 1
MANIFEST = "manifest.json"
#: The file of generated questions that failed a check; its folder is no run.
REFUSED = "refused.jsonl"


class _ItemKey(msgspec.Struct, frozen=True, gc=False):
    """The key of an item."""

    id: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """Description of a run, stored as `manifest.json`.

    Attributes
    ----------
    v
        Version of this file's schema.
    run, name
        A unique key, which tells a run from one that was started anew; the name in reports, by default the folder's.
    dataset, fingerprint, items
        Source of the questions, hash of their content, and their number.
    columns
        Part of a question, such as `expects` → the column of the file of questions that says it; {}: not known.
    target
        The settings of the system under test; secrets are hidden.
    started, ended
        Times in UTC, ISO 8601; `ended` is "" while answers are missing.
    statuses
        Number of answers for each status.
    replayed
        Number of questions that were asked again only to rebuild an interrupted conversation.
    judging
        Source of verdicts (`llm:MODEL#HASH`) → US dollars of its calls for this run; None: not known.
    criteria, draws
        Source of verdicts → the user's own words by which it judged, if there are any; and the random part of the
        answers that it judged, if it did not judge all.
    served
        Source of verdicts → the ids of the models that a server of the user's own had behind its name.
    scales
        Aspect that people or a judge graded → the ends of its scale, such as `0-10`, if they are not the usual ones.
    scale_words
        Aspect that was graded on a scale of its own → its values as text → their words, "" without words.
    """

    v: int = VERSION
    run: str = ""
    name: str = ""
    dataset: str
    fingerprint: str
    items: int
    columns: Mapping[str, str] = {}
    target: Mapping[str, Any]
    trials: int = 1
    started: str = ""
    ended: str = ""
    statuses: Mapping[str, int] = {}
    replayed: int = 0
    versions: Mapping[str, str] = {}
    judging: Mapping[str, float | None] = {}
    criteria: Mapping[str, str] = {}
    draws: Mapping[str, DrawRecord] = {}
    served: Mapping[str, tuple[str, ...]] = {}
    scales: Mapping[str, str] = {}
    scale_words: Mapping[str, Mapping[str, str]] = {}


class Run(Tabular):
    """A run folder, opened for reading; `writing()` makes this process its only writer.

    Parameters
    ----------
    path
        The folder, with a manifest (see `Run.create`); raises `RunError` if it is no run folder.
    """

    #: Parts of an answer that a reviewer of a verdict about its question sees; usually none.
    parts_of_item: ClassVar[tuple[str, ...]] = ()

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.answers_journal = Journal(self.path / "answers.jsonl", Answer)
        self.verdicts_journal = Journal(self.path / "verdicts.jsonl", Verdict, 2, {1: _with_status})
        self.manifest = self._read_manifest()
        self.name = self.manifest.name or self.path.resolve().name

    def _read_manifest(self) -> Manifest:
        """Return the manifest; raise `RunError` if there is none, or one that cannot be read."""
        file = self.path / MANIFEST
        if not file.is_file():
            remedy = say("make one with `neraca ask`")
            if (self.path / REFUSED).is_file():
                remedy = say(
                    "it holds questions: `neraca ask` asks them, `neraca rate --kind review` lets people check them"
                )
            if (self.path / SCORED).is_file():
                remedy = say(
                    "`neraca score --out` wrote it: `neraca compare` compares it with another of the same rows"
                )
            template = "{run}: not a run folder (it has no {manifest}); {remedy}"
            raise RunError(say(template, run=self.path, manifest=MANIFEST, remedy=remedy))
        try:
            manifest = msgspec.json.decode(file.read_bytes(), type=Manifest)
        except (msgspec.DecodeError, msgspec.ValidationError) as error:
            raise RunError(say("{file}: cannot be read: {error}", file=file, error=error)) from error
        if manifest.v > VERSION:
            raise RunError(
                say(
                    "{file}: written by a newer Neraca (version {version}); update yours", file=file, version=manifest.v
                )
            )
        return manifest

    @classmethod
    def create(
        cls,
        path: str | Path,
        dataset: Dataset,
        settings: Mapping[str, Any],
        *,
        trials: int = 1,
        anew: bool = False,
        remedy: str = "Choose another folder, or start anew with --anew (the old one is kept beside it)",
    ) -> Run:
        """Make a run folder, or open an existing one for the same dataset and target.

        Raise `RunError` with the differences and the remedy if the folder was made with another configuration.  With
        `anew`, an existing folder is renamed (its name gets the time), and a new one is made.
        """
        path = Path(path)
        if trials < 1:
            raise RunError(
                say("{file}: each question is asked at least once, not {trials} times", file=path, trials=trials)
            )
        manifest = Manifest(
            run=uuid.uuid4().hex,
            dataset=dataset.source,
            fingerprint=dataset.fingerprint,
            items=len(dataset),
            columns=dataset.columns,
            target=hide_secrets(settings),
            trials=trials,
            started=now(),
            versions={"neraca": version("neraca"), "python": platform.python_version()},
        )
        if path.exists() and not path.is_dir():
            raise RunError(say("{file}: a file; a run is a folder, choose another name", file=path))
        if path.exists() and not (path / MANIFEST).exists() and not all(map(_left_by_a_kill, path.iterdir())):
            raise RunError(say("{file}: not empty and not a run folder; choose another folder", file=path))
        with Lock(path) as lock:
            if (path / MANIFEST).exists() and not anew:
                return cls(path)._continue(dataset, manifest, remedy)
            if (path / MANIFEST).exists():
                lock.move_folder(path.with_name(f"{path.name}~{datetime.now(UTC):%Y%m%d-%H%M%S-%f}"))
            _write_items(path, dataset)
            write_atomic(path / MANIFEST, msgspec.json.format(msgspec.json.encode(manifest)))
        run = cls(path)
        run.items = dataset.items
        return run

    def _continue(self, dataset: Dataset, manifest: Manifest, remedy: str) -> Run:
        """Continue this run; raise `RunError` if it was made for other questions or another target."""
        if differences := configuration_changes(self.manifest, self.items, manifest, dataset):
            template = "{run} was made with another configuration: {differences}. {remedy}"
            raise RunError(say(template, run=self.path, differences="; ".join(differences), remedy=say(remedy)))
        if manifest.trials > self.manifest.trials:
            self.update(trials=manifest.trials, ended="")
        if any(old != new for old, new in zip(self.items, dataset.items, strict=True)):  # only what a good answer is
            _write_items(self.path, dataset)
            self.update(fingerprint=manifest.fingerprint)
        if dataset.columns and dataset.columns != self.manifest.columns:
            self.update(columns=dataset.columns)
        self.items = dataset.items
        return self

    def extend(self, dataset: Dataset) -> None:
        """Replace the questions by a dataset with more questions at the end.  Only while `writing()`."""
        _write_items(self.path, dataset)
        self.update(items=len(dataset), fingerprint=dataset.fingerprint, ended="")
        self.items = dataset.items

    @contextlib.contextmanager
    def writing(self) -> Iterator[Run]:
        """Hold the folder's lock and keep its journals open; raise `RunError` for a second writer.

        If questions were added since this run was opened, as by `neraca receive`, they are read again.
        """
        with Lock(self.path), self.answers_journal, self.verdicts_journal:
            on_disk = type(self)(self.path).manifest
            if (on_disk.run, on_disk.started) != (self.manifest.run, self.manifest.started):
                raise RunError(say("{run}: somebody began this run anew in the meantime; open it again", run=self.path))
            if on_disk.fingerprint != self.manifest.fingerprint:
                self.__dict__.pop("items", None)
                self.__dict__.pop("item_ids", None)
            self.manifest = on_disk
            yield self

    @cached_property
    def items(self) -> Sequence[Item]:
        """The questions, in file order; of a large run, each is read from the file when used."""
        journal = Journal(self.path / "items.jsonl", Item)
        items: Sequence[Item] = StoredRecords.of(journal) if is_large(journal.path) else tuple(journal)
        if len(items) != self.manifest.items:
            raise InputError(
                say(
                    "{run}/items.jsonl holds {n} items, the manifest says {stated}",
                    run=self.path,
                    n=len(items),
                    stated=self.manifest.items,
                )
            )
        return items

    @cached_property
    def item_ids(self) -> Sequence[str]:
        """The ids of the questions, in file order."""
        return [key.id for _, key in Journal(self.path / "items.jsonl", Item).with_offsets(_ItemKey)]

    def answers(self) -> Answers:
        """Return (item, trial) → the answer that counts; of a large run, each is read from the file when used."""
        return Answers.of(self.answers_journal)

    def verdicts(self) -> VerdictTable:
        """Return the newest verdict of each (item, trial, about, aspect, by), in the order of the journal."""
        from neraca.runs.verdict_table import VerdictTable

        return VerdictTable.made(self.verdicts_journal).newest()

    def add_verdicts(self, verdicts: Iterable[Verdict], earlier: EarlierVerdicts | None = None) -> int:
        """Append the verdicts that differ from earlier ones, and return their number.  Only while `writing()`.

        They are written a thousand at a time.  If their source raises an error, the verdicts before it are kept.  A
        person's verdict is always written, because the person may have changed their mind and changed it back.
        `earlier` are the verdicts of the run, if they have been read already.
        """
        from neraca.runs.earlier_verdicts import EarlierVerdicts

        earlier = earlier or EarlierVerdicts(self.verdicts())
        at, written = now(), 0
        pending: list[Verdict] = []
        try:
            for verdict in verdicts:
                before = None if verdict.by.startswith("human") else earlier.before(verdict)
                if before is None or _decision(before) != _decision(verdict):
                    pending.append(verdict if verdict.at else msgspec.structs.replace(verdict, at=at))
                if len(pending) >= 1000:
                    self.verdicts_journal.append(*pending)
                    written += len(pending)
                    pending.clear()
        finally:
            self.verdicts_journal.append(*pending)
        return written + len(pending)

    def _tables(self) -> Iterator[Table]:
        manifest = self.manifest
        missing = manifest.items * manifest.trials - sum(manifest.statuses.values())
        counts = {"questions": manifest.items, "trials": manifest.trials, **manifest.statuses, "missing": missing}
        yield Table(["run", *counts], [[self.name, *(f"{count:,}" for count in counts.values())]])

    def _sentences(self) -> Iterator[str]:
        yield f"questions: {self.manifest.dataset}; folder: {self.path}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question and trial, in the order of the questions: question, answer and time."""
        answers, trials = self.answers(), range(self.manifest.trials)
        return [_row(item, answers.get((item.id, trial)), trial) for item in self.items for trial in trials]

    def write_scores(self, parts: Iterable[Mapping[str, Any]]) -> None:
        """Write `scores.parquet`; each part holds the columns run, item, metric, value and why of one metric."""
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
        """Return (item, trial) → the status of the answer that counts, without keeping the answers in memory."""
        return {(answer.item, answer.trial): answer.status for answer in self.answers_journal}

    def missing(self) -> int:
        """Return the number of questions (times trials) that the next start asks."""
        asked = sum(status != "not_asked" for status in self.statuses().values())
        return self.manifest.items * self.manifest.trials - asked

    def unanswered(self) -> int:
        """Return the number of questions (times trials) that have not been asked, or whose answer failed."""
        return self.missing() + sum(status in FAILED for status in self.statuses().values())

    def record_end(self, replayed: int = 0) -> int:
        """Write the number of answers by status, and the end if none is missing; return how many are missing."""
        statuses = Counter(self.statuses().values())
        missing = self.manifest.items * self.manifest.trials - statuses.total() + statuses["not_asked"]
        ended = "" if missing > 0 else now()
        self.update(statuses=dict(statuses), ended=ended, replayed=replayed + self.manifest.replayed)
        return missing


def _row(item: Item, answer: Answer | None, trial: int) -> dict[str, Any]:
    question = {"item": item.id, "trial": trial, "query": item.query, "session": item.session, **item.tags}
    if answer is None:
        return {**question, "status": "missing"}
    reply = {"status": answer.status, "text": answer.text, "hits": [hit.id for hit in answer.hits]}
    return {**question, **reply, "seconds": answer.seconds, "error": answer.error}


def run_folders(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Return the run folders among paths, and existing paths that are not run folders, such as reports.

    A path that does not exist stays among the run folders, as do all paths if none is one; opening them is an error.
    """
    folders = [path for path in paths if (path / MANIFEST).is_file()]
    passed_over = [path for path in paths if folders and path not in folders and path.exists()]
    return [path for path in paths if path not in passed_over], passed_over


def _with_status(old: dict[str, Any]) -> dict[str, Any]:
    """Upgrade a verdict of version 1: without a value, its `why` began with the status."""
    status, colon, why = str(old.get("why", "")).partition(":")
    status = status.replace(" ", "_")
    is_status = colon and status in get_args(VerdictStatus)
    if old.get("value") is not None or "status" in old or not is_status:
        return old
    return old | {"status": status, "why": why.strip()}


def _decision(verdict: Verdict) -> tuple[float | None, str, str, str, str]:
    return verdict.value, verdict.status, verdict.why, verdict.caution, verdict.of


def content_of(answer: Answer) -> str:
    """Return the hash of the text, the hits and the calls of an answer."""
    return fingerprint((answer.text, answer.hits, answer.calls))


def now() -> str:
    """Return the time in UTC, to the second, ISO 8601."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _left_by_a_kill(file: Path) -> bool:
    """Return whether a file may come from a run that was killed before it wrote its manifest."""
    return file.name in ("items.jsonl", ".lock") or file.name.startswith((".items.jsonl.", ".manifest.json."))


def _write_items(path: Path, dataset: Dataset) -> None:
    lines = (b'{"v":1,' + msgspec.json.encode(item)[1:] + b"\n" for item in dataset.items)
    write_atomic(path / "items.jsonl", b"".join(lines))
