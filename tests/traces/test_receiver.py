"""A receiver writes the run that `neraca traces` writes, whatever the order of spans, and after every kill."""

from __future__ import annotations

import os
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from traces.exports import export, in_protobuf, request, span, turn
from traces.test_order import PIECES

import neraca
from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, NeracaError, RunError, SpecError
from neraca.runs.run import Run
from neraca.traces.export_journal import ExportJournal
from neraca.traces.growing_run import TAIL
from neraca.traces.otlp_export import Export
from neraca.traces.received_turns import ReceiverSettings, write_received
from neraca.traces.receiver import Accepted, ReceivedTraces, Receiver

SHORT = ReceiverSettings(quiet=10, late=100)


class Clock:
    """A clock that stands still until it is moved."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def contents(folder: Path) -> tuple[list[Any], dict[Any, Any]]:
    """Questions and answers of a run; users are left out, because their hashes differ from run to run."""
    run = Run(folder)
    items = []
    for item in run.items:
        recorded = {name: value for name, value in item.extra["from_trace"].items() if name != "user"}
        items.append(msgspec.structs.replace(item, extra={"from_trace": recorded}))
    return items, dict(run.answers().items())


def queries(folder: Path) -> list[str]:
    return [item.query for item in Run(folder).items]


def as_export(piece: dict[str, Any], media: str) -> Export:
    signal: Any = "traces" if "resourceSpans" in piece else "logs"
    data = in_protobuf(piece) if media == "protobuf" else msgspec.json.encode(piece)
    return Export(signal=signal, media=media, data=data)  # type: ignore[arg-type]


def expected() -> tuple[Any, Any, dict[str, int], Any]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "all.jsonl").write_bytes(b"".join(msgspec.json.encode(piece) + b"\n" for piece in PIECES))
        reading = neraca.read_traces(Path(folder) / "all.jsonl", Path(folder) / "run")
        losses = {loss.name: loss.count for loss in reading.losses}
        return *contents(Path(folder) / "run"), losses, reading.counts


ITEMS, ANSWERS, LOSSES, COUNTS = expected()


class Restarted:
    """A receiver that can be killed and started again at the same place."""

    def __init__(self, out: Path, options: ReceiverSettings = SHORT, tail: int = TAIL) -> None:
        self.out, self.options, self.clock, self.tail = out, options, Clock(), tail
        self.receiver = self._begin()

    def _begin(self) -> Receiver:
        receiver = Receiver(self.out, self.options, self.clock).__enter__()
        receiver.restore()
        receiver.writer = receiver.writer._replace(tail=self.tail)
        return receiver

    def kill(self) -> None:
        """Forget all that is in memory, and start again."""
        self.receiver.__exit__()
        self.receiver = self._begin()

    def __enter__(self) -> Restarted:
        return self

    def __exit__(self, *raised: object) -> None:
        self.receiver.__exit__()

    def take(self, *exports: Export) -> list[Accepted | NeracaError]:
        return self.receiver.take(exports)

    def close(self, *, at_once: bool = False) -> int:
        """Write the turns of traces that are quiet; the number of these traces."""
        closable = self.receiver.closable(at_once=at_once)
        if closable:
            self.receiver.settle(closable, write_received(self.receiver.writer, closable))
        self.receiver.forget()
        return len(closable)

    def finish(self) -> ReceivedTraces:
        while self.close(at_once=True):
            pass
        return self.receiver.finish()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_order_splitting_closing_and_restart_gives_the_run_of_the_files(data: st.DataObject) -> None:
    order = data.draw(st.permutations([*range(len(PIECES)), *data.draw(st.lists(st.integers(0, 9), max_size=3))]))
    cuts = [0, *sorted(data.draw(st.lists(st.integers(0, len(order)), max_size=5))), len(order)]
    tail = data.draw(st.sampled_from([1, 2, TAIL]))
    with tempfile.TemporaryDirectory() as place, Restarted(Path(place) / "run", tail=tail) as server:
        for start, end in pairwise(cuts):
            media = data.draw(st.sampled_from(["json", "protobuf"]))
            results = server.take(*(as_export(PIECES[number], media) for number in order[start:end]))
            assert results == [Accepted()] * (end - start)
            event = data.draw(st.sampled_from(["go on", "close", "close all", "kill"]))
            if event == "close":
                server.clock.now += data.draw(st.sampled_from([5, 12]))
                server.close()
            elif event == "close all":
                server.close(at_once=True)
            elif event == "kill":
                server.kill()
        received = server.finish()
        assert contents(server.out) == (ITEMS, ANSWERS)
        manifest, items = Run(server.out).manifest, tuple(Run(server.out).items)
        assert (manifest.fingerprint, manifest.items) == (Dataset(items).fingerprint, len(items))
        assert sum(manifest.statuses.values()) == len(items)
        assert {loss.name: loss.count for loss in received.losses} == LOSSES
        spans, counts = sum("resourceSpans" in PIECES[number] for number in order), received.counts
        assert (received.requests, counts.spans, counts.repeated) == (len(order), COUNTS.spans, spans - COUNTS.spans)
        assert (counts.traces, counts.turns, counts.sessions) == (COUNTS.traces, COUNTS.turns, COUNTS.sessions)
        assert [path.name for path in (Path(place) / "run.received").iterdir()] == [".lock"]


def test_exports_are_kept_where_only_their_owner_can_read_them(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1)))
        folder = tmp_path / "run.received"
        assert [folder.stat().st_mode & 0o777, *(path.stat().st_mode & 0o777 for path in folder.glob("exports*"))] == [
            0o700,
            0o600,
        ]


def test_an_acknowledged_export_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real call, watched: once for all exports that are taken together."""
    synced: list[int] = []

    def watched(file: int) -> None:
        os.fsync(file)
        synced.append(os.fstat(file).st_size)

    monkeypatch.setattr("neraca.journal.sync", watched)
    with Restarted(tmp_path / "run") as server:
        del synced[:]
        server.take(export(turn(1)), export(turn(2)), export(turn(3), packed=True))
        assert synced == [(tmp_path / "run.received" / "exports-000001.jsonl").stat().st_size]


def test_a_trace_closes_after_a_quiet_time_and_a_late_span_opens_it_again(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1)))
        server.clock.now = 9
        server.take(export(turn(2)))
        assert server.close() == 0
        server.clock.now = 10
        assert server.close() == 1
        assert queries(server.out) == ["Question 1?"]
        assert Run(server.out).manifest.ended
        server.clock.now = 40
        documents = '[{"document.id": "d1", "document.content": "Two floors."}]'
        server.take(export(span(1, 2, 1, 10, openinference_span_kind="RETRIEVER", retrieval_documents=documents)))
        server.clock.now = 51
        assert server.close() == 2
        assert queries(server.out) == ["Question 1?", "Question 2?"]
        answers = Run(server.out).answers()
        assert [hit.id for hit in answers[f"{1:032x}", 0].hits] == ["d1"]
        assert dict(Run(server.out).manifest.statuses) == {"complete": 2}


def test_a_span_that_comes_while_its_trace_is_written_keeps_it_open(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1)))
        closable = server.receiver.closable(at_once=True)
        server.take(export(span(1, 2, 1, openinference_span_kind="TOOL", tool_name="f")))
        server.receiver.settle(closable, write_received(server.receiver.writer, closable))
        assert server.close(at_once=True) == 1
        assert server.close(at_once=True) == 0
        (answer,) = Run(server.out).answers().values()
        assert [call["name"] for call in answer.calls] == ["f"]


def test_a_trace_that_becomes_two_turns_leaves_no_third_one(tmp_path: Path) -> None:
    first, second = (
        span(1, n, 9, n, openinference_span_kind="CHAIN", input_value=f"Question {n}?", output_value="Two.")
        for n in (1, 2)
    )
    with Restarted(tmp_path / "run") as server:
        server.take(export(first))
        server.close(at_once=True)
        assert [item.id for item in Run(server.out).items] == [f"{1:032x}"]
        server.take(export(second))
        received = server.finish()
        run = Run(server.out)
        assert [item.id for item in run.items] == [f"{1:032x}.{n:016x}" for n in (1, 2)]
        assert {item for item, _ in run.answers()} == set(run.item_ids)
        assert (dict(run.manifest.statuses), received.counts.turns) == ({"complete": 2}, 2)


def test_exports_are_removed_when_all_their_traces_are_written_for_good(tmp_path: Path) -> None:
    folder = tmp_path / "run.received"
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1), turn(2)))
        server.clock.now = 70  # the next export begins a new file
        server.take(export(span(2, 2, 1, name="x")))
        server.clock.now = 120
        server.take(export(turn(3)))
        server.clock.now = 150
        server.close()
        assert len(list(folder.glob("exports*"))) == 2, "trace 2 may still get spans"
        server.clock.now = 171
        server.close()
        assert [path.name for path in folder.glob("exports*")] == ["exports-000002.jsonl"]
        late = span(1, 2, 1, name="y")
        (accepted,) = server.take(export(late, turn(4)))
        assert accepted == Accepted(1, f"1 of traces that closed long ago, such as {1:032x}")
        server.kill()
        assert server.take(export(span(2, 3, 1), turn(5)))[0].rejected == 1  # type: ignore[union-attr]
        received = server.finish()
        assert queries(server.out) == [f"Question {n}?" for n in (1, 2, 3, 4, 5)]
        assert (received.requests, received.counts.traces, received.counts.spans) == (5, 5, 6)
        assert received.losses.by_name["late"].count == 2
        assert [path.name for path in folder.iterdir()] == [".lock"]


def test_the_last_exports_are_removed_though_no_others_come(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1)))
        server.clock.now = 99
        server.close()
        assert len(list((tmp_path / "run.received").glob("exports*"))) == 1
        server.clock.now = 101
        server.close()
        assert list((tmp_path / "run.received").glob("exports*")) == []
        assert server.finish().counts.turns == 1
    assert queries(tmp_path / "run") == ["Question 1?"]


def test_after_a_stop_the_run_grows_and_late_spans_of_its_traces_are_rejected(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(2)))
        server.finish()
    with Restarted(tmp_path / "run") as server:
        assert server.take(export(span(2, 7, 1), turn(1)))[0].rejected == 1  # type: ignore[union-attr]
        received = server.finish()
    assert queries(tmp_path / "run") == ["Question 1?", "Question 2?"]
    assert (received.counts.turns, received.losses.by_name["late"].count) == (1, 1)


def test_kept_exports_stay_and_their_traces_can_always_be_opened_again(tmp_path: Path) -> None:
    options = ReceiverSettings(quiet=10, late=10, keep=True)
    with Restarted(tmp_path / "run", options) as server:
        server.take(export(turn(1)))
        server.clock.now = 100
        server.close()
        received = server.finish()
        assert str(received.left) == f"{tmp_path}/run.received"
        assert "remove them when they have served" in str(received)
    with Restarted(tmp_path / "run", options) as server:
        assert server.take(export(span(1, 2, 1, openinference_span_kind="TOOL", tool_name="f"))) == [Accepted()]
        server.finish()
    (answer,) = Run(tmp_path / "run").answers().values()
    assert [call["name"] for call in answer.calls] == ["f"]


def test_without_a_turn_no_run_is_written_and_the_exports_are_kept(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(span(1, http_method="GET")))
        received = server.finish()
        assert (received.run, received.left) == (None, tmp_path / "run.received")
        assert "No turn was understood, and no run is written." in str(received)
        assert "Traces in no known dialect: 1" in str(received)
    with Restarted(tmp_path / "other") as server:
        assert "Nothing was received, and no run is written." in str(server.finish())


def test_kept_exports_are_read_like_any_other_file_of_traces(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run", ReceiverSettings(keep=True)) as server:
        server.take(export(turn(1), turn(2)), export(turn(3), packed=True), as_export(request(turn(4)), "protobuf"))
        server.finish()
    neraca.read_traces(tmp_path / "run.received", tmp_path / "again")
    assert contents(tmp_path / "again") == contents(tmp_path / "run")
    (tmp_path / "x.jsonl").write_text('{"signal": "traces", "media": "xml", "data": ""}', encoding="utf-8")
    with pytest.raises(InputError, match=r"x\.jsonl line 1: not an export as a receiver keeps it: Invalid enum value"):
        neraca.read_traces(tmp_path / "x.jsonl")


def test_a_line_torn_by_a_crash_is_left_out(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1)), export(turn(2)))
        path = tmp_path / "run.received" / "exports-000001.jsonl"
        path.write_bytes(path.read_bytes()[:-40])
        server.kill()
        server.take(export(turn(3)))
        server.finish()
    assert queries(tmp_path / "run") == ["Question 1?", "Question 3?"]


def test_a_function_that_fails_on_a_text_loses_nothing(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def hide(text):\n    return text.replace('Two', 7)\n", encoding="utf-8")
    with Restarted(tmp_path / "run", ReceiverSettings(redact=f"{file}:hide")) as server:
        server.take(export(turn(1)))
        with pytest.raises(SpecError, match=r"the function that redacts failed on a text \(TypeError\)"):
            server.finish()
        file.write_text("def hide(text):\n    return text.replace('Two', 'Many')\n", encoding="utf-8")
        server.finish()
    assert [answer.text for answer in Run(tmp_path / "run").answers().values()] == ["Many."]
    with pytest.raises(SpecError, match="has no 'show'"):
        Receiver(tmp_path / "other", ReceiverSettings(redact=f"{file}:show"))


def test_personal_data_do_not_reach_the_run(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1, "Who is ana@example.com?", "Call +62 812-3456-7890.")))
        received = server.finish()
    assert received.counts.masked == {"e-mail": 1, "phone": 1}
    everything = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert (b"ana@example.com" in everything, b"812-3456" in everything) == (False, False)


def test_malformed_spans_are_rejected_and_an_export_without_a_whole_one_is_refused(tmp_path: Path) -> None:
    none = {**turn(1), "traceId": "0" * 32}
    with Restarted(tmp_path / "run") as server:
        accepted, refused = server.take(export(none, turn(2)), export(none))
        assert accepted == Accepted(1, "1 without usable ids: it has no trace id")
        assert isinstance(refused, InputError)
        assert "no span of it is whole. The first: it has no trace id" in str(refused)
        received = server.finish()
    assert (received.losses.by_name["malformed"].count, queries(tmp_path / "run")) == (1, ["Question 2?"])


@pytest.mark.parametrize("growth", [-1, 1])
def test_a_kill_between_the_questions_and_the_manifest_is_mended(tmp_path: Path, growth: int) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1), turn(2)))
        server.close(at_once=True)
        run = Run(server.out)
        run.update(items=2 + growth, fingerprint="0" * 16)
        server.kill()
        server.finish()
    run = Run(tmp_path / "run")
    assert (run.manifest.items, run.manifest.fingerprint) == (2, Dataset(tuple(run.items)).fingerprint)


def test_two_receivers_and_other_settings_are_refused(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1)))
        server.close(at_once=True)
        with pytest.raises(RunError, match="another process"):
            Receiver(tmp_path / "run", SHORT).__enter__()
        with pytest.raises(RunError, match=r"other settings: masks was True, is False\. Choose another folder"):
            Receiver(tmp_path / "run", ReceiverSettings(masks=False))
    with pytest.raises(SpecError, match="give --quiet more than 0 seconds, and --late at least as many"):
        ReceiverSettings(quiet=60, late=30)


def test_while_somebody_judges_the_run_the_turns_wait(tmp_path: Path) -> None:
    with Restarted(tmp_path / "run") as server:
        server.take(export(turn(1)))
        server.close(at_once=True)
        judging = Run(tmp_path / "run")
        assert [item.query for item in judging.items] == ["Question 1?"]
        server.take(export(turn(2)))
        with judging.writing(), pytest.raises(RunError, match="another process"):
            server.close(at_once=True)
        server.close(at_once=True)
        with judging.writing() as run:  # opened before the run grew
            assert [item.query for item in run.items] == ["Question 1?", "Question 2?"]
            run.update(judging={"x": 1.0})
        assert (len(Run(tmp_path / "run").items), Run(tmp_path / "run").manifest.items) == (2, 2)


def test_a_removal_that_a_kill_interrupts_is_finished(tmp_path: Path) -> None:
    with ExportJournal(tmp_path / "x") as journal:
        for now in (0, 70):
            journal.append([export(turn(1))], now)
        (first, second) = journal.numbers()
        data = (tmp_path / "x" / "exports-000001.jsonl").read_bytes()
        journal.remove(msgspec.structs.replace(journal.totals, removed=(first,), requests=1))
        (tmp_path / "x" / "exports-000001.jsonl").write_bytes(data)
    with ExportJournal(tmp_path / "x") as journal:
        assert (journal.numbers(), journal.totals.requests) == ([second], 1)
        journal.append([export(turn(2))], 0)
        assert journal.numbers() == [2, 3], "no number is used twice"
        journal.clear()
    with ExportJournal(tmp_path / "x") as journal:
        assert (journal.numbers(), journal.totals.requests) == ([], 0)
