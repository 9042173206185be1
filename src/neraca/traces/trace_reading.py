"""Read exported traces as turns, and write them as a run, which every other command works on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, SpecError
from neraca.number_format import integer
from neraca.records import Answer, Item
from neraca.result import Table, Tabular
from neraca.runs.run import MANIFEST, Run
from neraca.traces.exports import read_spans
from neraca.traces.losses import Losses
from neraca.traces.otlp_export import EXPORT_KEYS, Export, spans_in
from neraca.traces.privacy import Privacy, read_salt
from neraca.traces.probe import TraceProbe
from neraca.traces.span_tree import names_of
from neraca.traces.spans import LogRecord, Span, SpanStore
from neraca.traces.trace_counts import TraceCounts
from neraca.traces.trace_files import files_in, read_records
from neraca.traces.trace_run import run_settings, write_run
from neraca.traces.turn_records import answer_of, item_of
from neraca.traces.turns import Turn, turns_of
from neraca.translation import say

#: Most names of spans beside a retriever that no span has.
_MOST_NAMES = 8


@dataclass(frozen=True, kw_only=True, repr=False)
class TraceReading(Tabular):
    """The turns of exported traces, and what was lost.

    Attributes
    ----------
    turns
        What the traces say, by time.
    pairs
        The same as items and answers, with personal data masked.
    losses
        What the traces did not say, with its remedy.
    files
        The number of files.
    counts
        Numbers of spans, traces, turns and dialects.
    by_trace
        Id of a trace → its spans.
    retrievers
        Names of spans and tools that retrieve, given by the user.
    privacy
        What was done to users' ids and to texts.
    run
        The run that was written; None: none was.
    """

    turns: Sequence[Turn]
    pairs: Sequence[tuple[Item, Answer]]
    losses: Losses
    files: int
    counts: TraceCounts
    by_trace: Mapping[str, Sequence[Span]]
    retrievers: Sequence[str]
    privacy: Privacy
    run: Run | None = None

    def __len__(self) -> int:
        return len(self.turns)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each turn: ids, question, answer, hits, tokens and times; users are hashed."""
        rows = []
        for turn, (item, answer) in zip(self.turns, self.pairs, strict=True):
            rows.append(
                {"item": item.id, "query": item.query, "session": item.session, "text": answer.text}
                | {"status": answer.status, "hits": None if turn.hits is None else [hit.id for hit in answer.hits]}
                | {
                    "calls": len(answer.calls),
                    "seconds": answer.seconds,
                    "at": answer.at,
                    "user": item.extra.get("user"),
                }
                | {name: answer.usage.get(name) for name in ("input_tokens", "output_tokens", "cost")}
            )
        return rows

    def probe(self, trace: str = "") -> TraceProbe:
        """Return what was understood of one turn, and from which attributes; default: of the fullest trace.

        Raise `SpecError` if there is no such trace, and `InputError` if no trace holds a turn.
        """
        if trace and trace not in self.by_trace:
            raise SpecError(
                say(
                    "trace {trace}: not among the {n} traces; give the id of one of them",
                    trace=trace,
                    n=integer(self.counts.traces),
                )
            )
        places = [place for place, turn in enumerate(self.turns) if trace in ("", turn.trace)]
        if not places:
            reasons = " ".join(map(str, self.losses)) or "there are no spans."
            raise InputError(say("no turn was understood. {reasons}", reasons=reasons))
        place = max(places, key=lambda place: (len(self.turns[place].origins), -place))
        spans, losses = self.by_trace[self.turns[place].trace], Losses()
        turns_of(spans, losses, self.retrievers)
        return TraceProbe(self.turns[place], spans, losses, *self.pairs[place])

    def _tables(self) -> Iterator[Table]:
        yield self.counts.table("files", self.files)

    def _sentences(self) -> Iterator[str]:
        yield from self.counts.sentences(self.losses, self.run)


def read_traces(
    paths: str | Path | Sequence[str | Path],
    out: str | Path | None = None,
    *,
    retrievers: Sequence[str] = (),
    redact: Callable[[str], str] | None = None,
    masks: bool = True,
    anew: bool = False,
    most: int = 0,
) -> TraceReading:
    """Read the traces that a system in production recorded, and write them as a run if `out` is given.

    Files of OTLP/JSON (spans and logs), Langfuse, LangSmith, MLflow, Phoenix, Logfire, the SDK of OpenTelemetry and
    `neraca receive` are understood by their keys.  Copies of spans count once; the order and number of the files do not
    matter.

    Parameters
    ----------
    paths
        Files or folders: .json, .jsonl, .csv, .parquet; also packed (.gz, .zst).
    out
        The run folder to write; its ids of users are hashed with a salt of its own.
    retrievers
        Names of spans or tools that retrieve documents, where nothing else says so.
    redact
        A function that gets each text and returns what may be written.
    masks
        Whether e-mail addresses, telephone numbers and numbers of cards are masked.
    anew
        Move an existing folder aside and write a new one.
    most
        Stop after so many spans; 0: read all.

    Returns
    -------
    TraceReading
        The turns, the run, and what the traces did not say.

    Raises
    ------
    NeracaError
        If a file cannot be read, holds no turn, or the folder holds another run.
    """
    losses = Losses()
    store, files = SpanStore(), files_in([paths] if isinstance(paths, str | Path) else paths, losses)
    for path in files:
        for record in _spans_in(path, losses):
            store.add(record)
            if most and len(store) >= most:
                break
    by_trace = store.traces()
    if store.lonely_logs:
        losses.add("lonely log", count=store.lonely_logs)
    turns = [turn for spans in by_trace.values() for turn in turns_of(spans, losses, retrievers)]
    turns.sort(key=lambda turn: (turn.start, turn.id))
    if not most or len(store) < most:  # a part of the spans does not show which names there are
        _count_unmatched(retrievers, by_trace, losses)
    folder = Path(out) if out is not None else None
    privacy = Privacy(read_salt(None if anew else folder), masks, redact)
    counts = TraceCounts.of(store, by_trace, turns)
    pairs = [(item_of(turn, privacy), answer_of(turn, privacy)) for turn in turns]
    counts.masked = privacy.masked
    reading = TraceReading(
        turns=turns,
        pairs=pairs,
        losses=losses,
        files=len(files),
        counts=counts,
        by_trace=by_trace,
        retrievers=tuple(retrievers),
        privacy=privacy,
    )
    if folder is None:
        return reading
    if not turns:
        raise InputError(
            say("no turn was understood, and no run is written. {losses}", losses=" ".join(map(str, losses)))
        )
    dataset = Dataset(tuple(item for item, _ in pairs), ", ".join(map(str, _named(paths))))
    is_new = anew or not (folder / MANIFEST).is_file()
    run = Run.create(folder, dataset, run_settings(retrievers, privacy), anew=anew)
    run = write_run(dataset, [answer for _, answer in pairs], run, privacy, is_new=is_new)
    return replace(reading, run=run)


def _count_unmatched(retrievers: Sequence[str], by_trace: Mapping[str, Sequence[Span]], losses: Losses) -> None:
    """Count the names of retrievers that no span and no tool has, each of which is perhaps misspelt."""
    if not retrievers:
        return
    spans = [span for spans in by_trace.values() for span in spans]
    names = {name for span in spans for name in names_of(span)}
    if missing := [name for name in dict.fromkeys(retrievers) if name not in names]:
        commonest = Counter(span.name for span in spans if span.name).most_common(_MOST_NAMES)
        detail = ", ".join(name for name, _ in commonest) or "none"
        losses.add("no such retriever", missing[0], detail, len(missing))


def _spans_in(path: Path, losses: Losses) -> Iterator[Span | LogRecord]:
    """Yield the spans and log records of a file, which may be one of the exports that a receiver keeps."""
    for record in read_records(path, losses):
        if record.value.keys() >= EXPORT_KEYS:
            try:
                export = msgspec.convert(record.value, Export)
            except msgspec.ValidationError as error:
                raise InputError(
                    say("{where}: not an export as a receiver keeps it: {error}", where=record.where, error=error)
                ) from error
            yield from spans_in(export, record.where, losses)
        else:
            yield from read_spans([record], losses)


def _named(paths: str | Path | Sequence[str | Path]) -> Iterable[str | Path]:
    return [paths] if isinstance(paths, str | Path) else paths
