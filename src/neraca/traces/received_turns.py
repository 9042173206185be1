"""Make turns of the exports that a receiver keeps, and write them to its run, perhaps in a process of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from neraca.errors import SpecError
from neraca.runs.run import MANIFEST
from neraca.targets.python import find_function
from neraca.traces.export_journal import ExportJournal, Place
from neraca.traces.growing_run import TAIL, GrowingRun
from neraca.traces.losses import Losses
from neraca.traces.otlp_export import spans_in
from neraca.traces.privacy import Privacy
from neraca.traces.spans import SpanStore
from neraca.traces.trace_counts import TraceCounts
from neraca.traces.trace_run import Pair, add_traces, check_settings, run_settings
from neraca.traces.turn_records import answer_of, item_of
from neraca.traces.turns import turns_of

_SOURCE = "OTLP/HTTP"


@dataclass(frozen=True, kw_only=True)
class ReceiverSettings:
    """Settings of a receiver.

    Attributes
    ----------
    quiet
        Seconds without a new span after which a trace closes.
    late
        Seconds without a new span after which the exports of a trace are removed.
    keep
        Whether no export is ever removed.
    redact
        The user's function that gets each text, as `module:function`; "": none.
    retrievers, masks
        See `read_traces`.
    """

    quiet: float = 30.0
    late: float = 600.0
    keep: bool = False
    retrievers: Sequence[str] = ()
    redact: str = ""
    masks: bool = True

    def __post_init__(self) -> None:
        if not 0 < self.quiet <= self.late:
            raise SpecError(
                f"quiet {self.quiet:g}, late {self.late:g}: a trace closes before it is removed; "
                "give --quiet more than 0 seconds, and --late at least as many"
            )


class ClosedTrace(NamedTuple):
    """Counts and losses of a trace whose turns are written."""

    counts: TraceCounts
    losses: Losses


class Closable(NamedTuple):
    """A trace that may be closed: the places of its exports, and whether the run may have turns of it already."""

    places: Sequence[Place]
    may_be_written: bool


class TurnWriter(NamedTuple):
    """All that a process must know to write turns.

    Attributes
    ----------
    out, exports
        The run folder, and the folder of the exports.
    settings
        Those of the receiver.
    salt
        The secret of the run's hashes of users.
    tail
        See `GrowingRun`.
    """

    out: Path
    exports: Path
    settings: ReceiverSettings
    salt: bytes
    tail: int = TAIL

    @property
    def privacy(self) -> Privacy:
        """The treatment of texts; raise `SpecError` if the user's function is not there."""
        redact = find_function(self.settings.redact) if self.settings.redact else None
        return Privacy(self.salt, self.settings.masks, redact)

    @property
    def run_settings(self) -> dict[str, Any]:
        """The settings that the run has in place of a target's."""
        return run_settings(self.settings.retrievers, self.privacy)


def write_received(writer: TurnWriter, closable: Mapping[str, Closable]) -> dict[str, ClosedTrace]:
    """Read the spans of traces, write their turns to the run, and return what was counted.

    Parameters
    ----------
    writer
        Where to read and to write, and how.
    closable
        Id of a trace → where its spans are.

    Raises
    ------
    NeracaError
        If the run cannot be written, as while another process writes to it.
    """
    stores = {name: SpanStore() for name in closable}
    places = (place for each in closable.values() for place in each.places)
    for _, export in ExportJournal(writer.exports).read(places):
        for record in spans_in(export, "an export", Losses()):
            if record.trace in stores:
                stores[record.trace].add(record)
    privacy = writer.privacy
    closed: dict[str, ClosedTrace] = {}
    pairs: dict[str, Sequence[Pair]] = {}
    for name, store in stores.items():
        pairs[name], closed[name] = _close(store, replace(privacy, masked=Counter()), writer.settings.retrievers)
    fresh = {name: each for name, each in pairs.items() if each and not closable[name].may_be_written}
    again = {name: each for name, each in pairs.items() if closable[name].may_be_written}
    new = [pair for each in fresh.values() for pair in each]
    if new and (writer.out / MANIFEST).is_file() and _growing(writer).add(new):
        fresh = {}
    if fresh or again:
        _GROWING.clear()
        add_traces(writer.out, writer.run_settings, _SOURCE, fresh | again, privacy)
    return closed


#: The run that this process adds to, by its folder: it is read once, and not at each call.
_GROWING: dict[Path, GrowingRun] = {}


def _growing(writer: TurnWriter) -> GrowingRun:
    if writer.out not in _GROWING:
        _GROWING.clear()
        check_settings(writer.out, writer.run_settings)
        _GROWING[writer.out] = GrowingRun(writer.out, writer.tail)
    return _GROWING[writer.out]


def _close(store: SpanStore, privacy: Privacy, retrievers: Sequence[str]) -> tuple[Sequence[Pair], ClosedTrace]:
    """Return the turns of one trace as questions and answers, and what was counted."""
    by_trace, losses = store.traces(), Losses()
    turns = [turn for spans in by_trace.values() for turn in turns_of(spans, losses, retrievers)]
    if store.lonely_logs:
        losses.add("lonely log", count=store.lonely_logs)
    pairs = [(item_of(turn, privacy), answer_of(turn, privacy)) for turn in turns]
    counts = TraceCounts.of(store, by_trace, turns)
    counts.masked = dict(privacy.masked)
    return pairs, ClosedTrace(counts, losses)
