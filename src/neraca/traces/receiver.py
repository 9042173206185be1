"""Receive exports of traces: keep each on disk before it is acknowledged, and write the turns of traces that closed.

A trace closes when none of its spans came for a while (`quiet`); a later span opens it again.  When none came for much
longer (`late`), its exports are removed from disk, and spans that come after that are rejected.

All methods must be called from one thread.  `write_received`, which makes the turns, may run in another process.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Self

import msgspec

from neraca.errors import InputError, NeracaError
from neraca.result import Table, Tabular
from neraca.runs.run import MANIFEST, Run
from neraca.traces.export_journal import ExportJournal, Place, Totals
from neraca.traces.losses import Loss, Losses
from neraca.traces.otlp_export import Export, spans_in
from neraca.traces.privacy import read_salt
from neraca.traces.received_turns import Closable, ClosedTrace, ReceiverSettings, TurnWriter
from neraca.traces.trace_counts import TraceCounts
from neraca.traces.trace_run import check_settings, mend_run, trace_of

#: Most traces that are closed at once: all their spans are in memory.
_MOST_AT_ONCE = 10_000


class Accepted(NamedTuple):
    """An export that is on disk, with the number of its spans that were rejected, and why."""

    rejected: int = 0
    message: str = ""


@dataclass
class _Trace:
    """The exports that hold spans of a trace; `last` is when the last one came; see `Closable`."""

    places: list[Place]
    last: float
    may_be_written: bool = False
    is_closed: bool = False
    result: ClosedTrace | None = None

    @property
    def files(self) -> set[int]:
        return {place.file for place in self.places}


class _Prepared(NamedTuple):
    """An export that was read: the traces to which it adds something, and its losses."""

    export: Export
    traces: Sequence[str]
    losses: Losses
    accepted: Accepted


@dataclass
class _Sum:
    """Counts of many traces and exports."""

    requests: int = 0
    counts: TraceCounts = field(default_factory=TraceCounts)
    losses: Losses = field(default_factory=Losses)


class ReceivedTraces(Tabular):
    """All that a receiver counted, and the run that it wrote.

    Parameters
    ----------
    requests
        The number of exports.
    counts, losses
        What the traces hold, and what they do not say.
    run
        The run; None: no turn was understood.
    left
        The folder of exports that are kept; None: they were removed.
    """

    def __init__(self, requests: int, counts: TraceCounts, losses: Losses, run: Run | None, left: Path | None) -> None:
        self.requests, self.counts, self.losses, self.run, self.left = requests, counts, losses, run, left

    def _tables(self) -> Iterator[Table]:
        yield self.counts.table("requests", self.requests)

    def _sentences(self) -> Iterator[str]:
        yield from self.counts.sentences(self.losses, self.run)
        if self.run is None:
            yield f"{'No turn was understood' if self.requests else 'Nothing was received'}, and no run is written."
        if self.left is not None:
            yield f"{self.left}: the exports as they came, with personal data; remove them when they have served."


class Receiver:
    """Accepts exports of traces, and writes their turns to a run.

    Parameters
    ----------
    out
        The run folder.  The exports are kept beside it, in a folder with `.received` after its name.
    settings
        See `ReceiverSettings`.
    clock
        Returns the seconds from any fixed moment.

    Raises
    ------
    RunError
        If the folder holds a run that was made with other settings, or another receiver writes to it.
    """

    def __init__(
        self,
        out: Path,
        settings: ReceiverSettings,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.out, self.settings = out, settings
        self._clock = clock
        self._journal = ExportJournal(out.with_name(f"{out.name}.received"))
        self.writer = TurnWriter(out, self._journal.folder, settings, read_salt(out))
        check_settings(out, self.writer.run_settings)
        self._traces: dict[str, _Trace] = {}
        self._written: set[str] = set()
        self._past = _Sum()
        self._requests: Counter[int] = Counter()
        self._losses: dict[int, Losses] = {}
        self._metrics = 0

    def __enter__(self) -> Self:
        """Lock the folder of exports; `restore` must follow."""
        self._journal.__enter__()
        return self

    def __exit__(self, *raised: object) -> None:
        self._journal.__exit__()

    def restore(self) -> int:
        """Read the exports that an earlier receiver left, as after a kill, and return their number."""
        totals = self._journal.totals
        self._past.requests = totals.requests
        self._past.counts = msgspec.convert(totals.counts, TraceCounts)
        self._past.losses.update(msgspec.convert(totals.losses, list[Loss]))
        for place, export in self._journal.replay():
            prepared = self._read(export, self._past.requests + self._requests.total() + 1)
            self._add(prepared, place)
        for trace in totals.forgotten:
            self._traces.pop(trace, None)
        if (self.out / MANIFEST).is_file():
            mend_run(self.out)
            for item in Run(self.out).items:
                name = trace_of(item)
                if name in self._traces:
                    self._traces[name].may_be_written = True
                else:
                    self._written.add(name)
        self._written |= totals.forgotten.keys()
        return self._requests.total()

    def take(self, exports: Sequence[Export]) -> list[Accepted | NeracaError]:
        """Write exports to disk at once, and return for each what became of it.

        Raise `OSError` or `RunError` if they cannot be written; then none is acknowledged.
        """
        results: list[_Prepared | NeracaError] = []
        for export in exports:
            try:
                results.append(self._prepare(export))
            except NeracaError as error:
                results.append(error)
        full = [each for each in results if isinstance(each, _Prepared) and (each.traces or len(each.losses))]
        if full:
            for prepared, place in zip(
                full, self._journal.append([each.export for each in full], self._clock()), strict=True
            ):
                self._add(prepared, place)
        return [each.accepted if isinstance(each, _Prepared) else each for each in results]

    def count_metrics(self) -> None:
        """Count an export of metrics, which is dropped."""
        self._metrics += 1

    def _prepare(self, export: Export) -> _Prepared:
        """Read an export that came just now; spans of traces that were removed are rejected."""
        prepared = self._read(export, 0)
        late = sorted(trace for trace in prepared.traces if trace in self._written and trace not in self._traces)
        return self._read(msgspec.structs.replace(export, late=tuple(late)), 0) if late else prepared

    def _read(self, export: Export, number: int) -> _Prepared:
        """Read an export: which traces it adds to, and what of it is rejected."""
        where, losses = f"request {number}" if number else "the request", Losses()
        traces: Counter[str] = Counter()
        for record in spans_in(msgspec.structs.replace(export, late=()), where, losses):
            traces[record.trace] += 1
        late = sum(traces.pop(trace, 0) for trace in export.late)
        malformed = losses.by_name.get("malformed")
        if malformed and not traces and not late:
            raise InputError(f"{where}: no span of it is whole. The first: {malformed.detail}; mend the exporter")
        messages = []
        if malformed:
            messages.append(f"{malformed.count} without usable ids: {malformed.detail}")
        if late:
            losses.add("late", f"trace {export.late[0]}", count=late)
            messages.append(f"{late} of traces that closed long ago, such as {export.late[0]}")
        rejected = (malformed.count if malformed else 0) + late
        return _Prepared(export, list(traces), losses, Accepted(rejected, "; ".join(messages)))

    def _add(self, prepared: _Prepared, place: Place) -> None:
        self._requests[place.file] += 1
        self._losses.setdefault(place.file, Losses()).update(prepared.losses)
        now = self._clock()
        for name in prepared.traces:
            trace = self._traces.setdefault(name, _Trace([], now))
            trace.places.append(place)
            trace.last, trace.is_closed = now, False

    def closable(self, *, at_once: bool = False) -> dict[str, Closable]:
        """Return traces that are quiet, or any open ones if `at_once`, and where their spans are."""
        before = self._clock() - self.settings.quiet
        due = (
            (name, trace)
            for name, trace in self._traces.items()
            if not trace.is_closed and (at_once or trace.last <= before)
        )
        chosen = {}
        for name, trace in islice(due, _MOST_AT_ONCE):
            chosen[name] = Closable(tuple(trace.places), trace.may_be_written)
            trace.may_be_written = True  # from now on, whether or not we hear of it
        return chosen

    def settle(self, closable: Mapping[str, Closable], closed: Mapping[str, ClosedTrace]) -> None:
        """Note that the turns of these traces are written; a trace that got a span in the meantime stays open."""
        for name, (places, _) in closable.items():
            trace = self._traces[name]
            trace.result = closed[name]
            trace.is_closed = len(trace.places) == len(places)

    def forget(self) -> None:
        """Remove the exports of which every trace has been quiet for so long that no late span is expected."""
        self._journal.end_file(self._clock())
        before = self._clock() - self.settings.late
        blocked = {self._journal.open_file}
        for trace in self._traces.values():
            if not trace.is_closed or trace.last > before:
                blocked |= trace.files
        removable = set(self._requests) - blocked
        if self.settings.keep or not removable:
            return
        forgotten = {name: set(files) - removable for name, files in self._journal.totals.forgotten.items()}
        for name in [name for name, trace in self._traces.items() if trace.files & removable]:
            trace = self._traces.pop(name)
            forgotten[name] = trace.files - removable
            self._written.add(name)
            if trace.result is not None:
                self._past.counts.add(trace.result.counts)
                self._past.losses.update(trace.result.losses)
        for number in removable:
            self._past.requests += self._requests.pop(number)
            self._past.losses.update(self._losses.pop(number))
        self._journal.remove(
            Totals(
                removed=tuple(sorted(removable)),
                forgotten={name: tuple(sorted(files)) for name, files in forgotten.items() if files},
                requests=self._past.requests,
                counts=msgspec.to_builtins(self._past.counts),
                losses=[asdict(loss) for loss in self._past.losses],
            )
        )

    def finish(self) -> ReceivedTraces:
        """Remove the exports, of which all turns are written, and return all counts.

        They are kept with `keep`, and if no turn was understood: then nothing else holds what they say.
        """
        total = _Sum(self._past.requests + self._requests.total())
        results = [trace.result for trace in self._traces.values() if trace.result]
        for counts, losses in [(self._past.counts, self._past.losses), *results]:
            total.counts.add(counts)
            total.losses.update(losses)
        for losses in self._losses.values():
            total.losses.update(losses)
        if self._metrics:
            total.losses.add("metrics", count=self._metrics)
        run = Run(self.out) if (self.out / MANIFEST).is_file() else None
        left = self._journal.folder if total.requests and (self.settings.keep or run is None) else None
        if left is None:
            self._journal.clear()
        return ReceivedTraces(total.requests, total.counts, total.losses, run, left)
