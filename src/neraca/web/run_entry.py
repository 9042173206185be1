"""One run in the index: its state, scores, cost and tags."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
from msgspec.structs import replace

from neraca.errors import NeracaError
from neraca.records import FAILED
from neraca.reports.blocks.run_summary import cost_of_judges, summarise_run
from neraca.runs.run import Run
from neraca.runs.study_record import RunTotal
from neraca.scores.export import run_totals
from neraca.web.measures import Measures, score_for_list, stated_limits

#: Seconds after its last change in which an unfinished run counts as being asked now.
RECENT = 120.0


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One run of the index.

    Attributes
    ----------
    path
        Its folder, relative to that of the index, with `/`.
    stamp
        Time and size of each of its files; if it changes, the run is read again.
    answers, asked
        Number of answers so far, and when the run is complete.
    metrics
        Canonical name → the value of the run alone, in the order of a report; {} if it is not scored yet.
    limits
        Canonical name → the ends of its range, if the run states another than the usual one.
    primary
        The primary metric; "" if it is not scored yet.
    measures
        The metrics that were asked for; if others are, the run is scored again.
    fingerprint
        Hash of the questions.
    cost
        Dollars that the target reports, over all answers; None if no answer has a cost.
    costless
        The number of answers without a cost beside some with one.
    judging
        Dollars for the calls of judges; None if a judge asks a model and its cost is not known.
    seconds
        Median seconds of an answer; None if not known.
    tags
        The kind of target, and its settings with short texts, as `name=value`.
    problem
        The reason why it cannot be read or scored; "" if it can.
    scored
        Whether scores were computed, or could not be.
    """

    path: str
    stamp: str
    name: str = ""
    dataset: str = ""
    answers: int = 0
    asked: int = 0
    failed: int = 0
    started: str = ""
    ended: str = ""
    metrics: dict[str, RunTotal] = {}
    limits: dict[str, tuple[float, float]] = {}
    primary: str = ""
    measures: str = ""
    fingerprint: str = ""
    cost: float | None = None
    costless: int = 0
    judging: float | None = 0.0
    seconds: float | None = None
    tags: tuple[str, ...] = ()
    problem: str = ""
    scored: bool = False

    @property
    def folder(self) -> str:
        """The parent folder, such as the phase of a study; "" is the folder of the index."""
        return self.path.rpartition("/")[0]

    @property
    def changed(self) -> float:
        """Time of the last change of its files, in seconds since 1970."""
        return max((int(part.split(":")[0]) for part in self.stamp.split() if ":" in part), default=0) / 1e9

    @property
    def finished(self) -> bool:
        """Whether it has ended, and all its answers are still there."""
        return bool(self.ended) and self.answers >= self.asked

    @property
    def waits(self) -> bool:
        """Whether it is still to be scored."""
        return self.finished and not self.scored

    @property
    def live(self) -> bool:
        """Whether it is being asked now."""
        return not self.ended and not self.problem and time.time() - self.changed < RECENT


def read_entry(folder: Path, path: str, stamp: str, measures: str) -> Entry:
    """Return the entry of a run, without scores; it will be scored by these measures."""
    try:
        run = Run(folder)
        manifest = run.manifest
        answers = _lines(folder / "answers.jsonl")
        if manifest.ended and answers != sum(manifest.statuses.values()):
            answers = len(run.statuses())  # lines were lost, or added, such as a second answer to the same question
    except (NeracaError, OSError) as error:
        return Entry(path=path, stamp=stamp, measures=measures, name=folder.name, problem=str(error), scored=True)
    asked = manifest.items * manifest.trials
    failed = sum(n for status, n in manifest.statuses.items() if status in FAILED)
    tags = [str(manifest.target.get("kind", ""))]
    tags += [f"{key}={value}" for key, value in manifest.target.items() if key != "kind" and _is_word(value)]
    return Entry(
        path=path,
        stamp=stamp,
        measures=measures,
        name=run.name,
        dataset=manifest.dataset,
        fingerprint=manifest.fingerprint,
        answers=min(answers, asked),
        asked=asked,
        failed=failed,
        started=manifest.started,
        ended=manifest.ended,
        tags=tuple(filter(None, tags)),
    )


def _is_word(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 40 and "(hidden" not in value


def _lines(file: Path) -> int:
    if not file.is_file():
        return 0
    with file.open("rb") as opened:
        return sum(piece.count(b"\n") for piece in iter(lambda: opened.read(1 << 20), b""))


def scored_entry(folder: Path, entry: Entry, measures: Measures) -> Entry:
    """Return the entry with the metrics of the run alone, and its cost."""
    entry = replace(entry, scored=True)
    try:
        scores = score_for_list(measures, [folder])
        summary = summarise_run(scores.runs[0])
        judging = cost_of_judges(scores.runs[0])
    except (NeracaError, OSError) as error:
        return replace(entry, problem=str(error))
    return replace(
        entry,
        metrics=next(iter(run_totals(scores).values()), {}),
        limits=stated_limits(scores),
        primary=measures.primary_of(scores),
        cost=summary.cost.total if summary.cost else None,
        costless=summary.answers - summary.cost.answers if summary.cost else 0,
        judging=judging,
        seconds=summary.median,
    )
