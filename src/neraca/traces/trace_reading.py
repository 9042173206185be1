"""Read exported traces as turns, and write them as a run, which every other command works on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, SpecError
from neraca.number_format import integer
from neraca.records import Answer, Item
from neraca.result import Table, Tabular
from neraca.runs.run import MANIFEST, Run
from neraca.traces.conventions import dialects_of
from neraca.traces.exports import read_spans
from neraca.traces.losses import Losses
from neraca.traces.privacy import Privacy, read_salt, write_salt
from neraca.traces.probe import TraceProbe
from neraca.traces.spans import Span, SpanStore
from neraca.traces.trace_files import files_in, read_records
from neraca.traces.turn_records import answer_of, item_of
from neraca.traces.turns import Turn, turns_of


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
    files, spans, repeated, logs
        Numbers of files, of distinct spans, of further copies of them, and of log records.
    traces
        The number of traces.
    dialects
        Name of a dialect → the number of spans that speak it.
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
    spans: int
    repeated: int
    logs: int
    traces: int
    dialects: Mapping[str, int]
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
            raise SpecError(f"trace {trace}: not among the {integer(self.traces)} traces; give the id of one of them")
        places = [place for place, turn in enumerate(self.turns) if trace in ("", turn.trace)]
        if not places:
            found = " ".join(map(str, self.losses)) or "there are no spans."
            raise InputError(f"no turn was understood. {found}")
        place = max(places, key=lambda place: (len(self.turns[place].origins), -place))
        spans, losses = self.by_trace[self.turns[place].trace], Losses()
        turns_of(spans, losses, self.retrievers)
        return TraceProbe(self.turns[place], spans, losses, *self.pairs[place])

    def _tables(self) -> Iterator[Table]:
        answered = sum(bool(turn.text) for turn in self.turns)
        failed = sum(bool(turn.error) for turn in self.turns)
        facts = {
            "files": self.files,
            "spans": self.spans,
            "copies of spans, left out": self.repeated,
            "log records": self.logs,
            "traces": self.traces,
            "turns": len(self.turns),
            "with an answer": answered,
            "with hits": sum(turn.hits is not None for turn in self.turns),
            "failed": failed,
            "sessions": len({turn.session for turn in self.turns if turn.session}),
        }
        rows = [[name, integer(value)] for name, value in facts.items() if value or name in ("turns", "with hits")]
        rows += [[f"spans in {name}", integer(count)] for name, count in self.dialects.items()]
        yield Table(["read", "number"], rows)

    def _sentences(self) -> Iterator[str]:
        yield from map(str, self.losses)
        if self.privacy.masked:
            kinds = ", ".join(f"{kind} {count:,}" for kind, count in sorted(self.privacy.masked.items()))
            yield f"Masked before anything was written: {kinds}."
        if self.run is not None:
            yield f"{self.run.path}: questions and answers written, {len(self.turns):,}; `neraca judge` is next."


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

    Files of OTLP/JSON (spans and logs), Langfuse, LangSmith, MLflow, Phoenix, Logfire and the SDK of OpenTelemetry are
    understood by their keys.  Copies of spans count once; the order and number of the files do not matter.

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
        for record in read_spans(read_records(path, losses), losses):
            store.add(record)
            if most and len(store) >= most:
                break
    by_trace = store.traces()
    if store.lonely_logs:
        losses.add("lonely log", count=store.lonely_logs)
    turns = [turn for spans in by_trace.values() for turn in turns_of(spans, losses, retrievers)]
    turns.sort(key=lambda turn: (turn.start, turn.id))
    spoken = Counter(name for spans in by_trace.values() for span in spans for name in dialects_of(span.attributes))
    folder = Path(out) if out is not None else None
    privacy = Privacy(read_salt(None if anew else folder), masks, redact)
    reading = TraceReading(
        turns=turns,
        pairs=[(item_of(turn, privacy), answer_of(turn, privacy)) for turn in turns],
        losses=losses,
        files=len(files),
        spans=len(store),
        repeated=store.repeated,
        logs=store.logs,
        traces=len(by_trace),
        dialects=dict(spoken.most_common()),
        by_trace=by_trace,
        retrievers=tuple(retrievers),
        privacy=privacy,
    )
    if folder is None:
        return reading
    if not turns:
        raise InputError(f"no turn was understood, and no run is written. {' '.join(map(str, losses))}")
    settings = {"kind": "traces", "retrievers": list(retrievers), "masks": masks, "redacted": redact is not None}
    run = _write_run(folder, ", ".join(map(str, _named(paths))), settings, reading, anew)
    return replace(reading, run=run)


def _named(paths: str | Path | Sequence[str | Path]) -> Iterable[str | Path]:
    return [paths] if isinstance(paths, str | Path) else paths


def _write_run(folder: Path, source: str, settings: Mapping[str, Any], reading: TraceReading, anew: bool) -> Run:
    """Write the questions and answers; an existing folder of the same traces keeps its verdicts."""
    items = tuple(item for item, _ in reading.pairs)
    is_new = anew or not (folder / MANIFEST).is_file()
    run = Run.create(folder, Dataset(items, source), settings, anew=anew)
    if is_new:
        write_salt(folder, reading.privacy.salt)
    with run.writing():
        earlier = run.answers()
        new = (answer for _, answer in reading.pairs if earlier.get((answer.item, 0)) != answer)
        run.answers_journal.append(*new)
        run.record_end()
    return run
