"""SIGKILL while programs export: every span that was acknowledged is in the run, and every turn is there once."""

from __future__ import annotations

import itertools
import random
import signal
import socket
import threading
import time
from http.client import HTTPException
from pathlib import Path

import pytest
from traces.exports import body, in_protobuf, request, span, turn
from web.receiving import JSON, PROTOBUF, Reply, post, receiving

from neraca.runs.run import Run


class Program(threading.Thread):
    """A program whose exporter sends each request until it is acknowledged; it knows nothing of kills."""

    def __init__(self, port: int, numbers: itertools.count[int], seed: int) -> None:
        super().__init__(daemon=True)
        self._port, self._numbers, self._random = port, numbers, random.Random(seed)
        self.acknowledged: set[tuple[int, int]] = set()
        self.failures = 0
        self.stops = False

    def run(self) -> None:
        while not self.stops:
            traces = [next(self._numbers) for _ in range(self._random.randint(1, 20))]
            parts = [(trace, 1) for trace in traces] + [(trace, 2) for trace in traces]
            self._random.shuffle(parts)
            middle = self._random.randint(0, len(parts))
            for part in (parts[:middle], parts[middle:]):
                if part:
                    self._send(part)

    def _send(self, part: list[tuple[int, int]]) -> None:
        spans = [
            turn(trace) if number == 1 else span(trace, 2, 1, 1, openinference_span_kind="TOOL", tool_name="f")
            for trace, number in part
        ]
        media = self._random.choice([JSON, PROTOBUF])
        data = body(*spans) if media == JSON else in_protobuf(request(*spans))
        while True:
            try:
                reply: Reply = post(self._port, data, media=media)
            except (OSError, HTTPException):
                self.failures += 1
                time.sleep(0.05)
                continue
            if reply.status == 200:
                assert reply.body in (b"", b"{}"), reply
                self.acknowledged |= set(part)
                return
            assert reply.status in (429, 503), reply
            time.sleep(0.05)


@pytest.mark.parametrize("kills", [3, pytest.param(30, marks=pytest.mark.soak)])
def test_no_acknowledged_span_is_lost_and_no_turn_is_there_twice(tmp_path: Path, kills: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words, numbers, moments = (
        ("--port", str(port), "--quiet", "0.3", "--late", "500"),
        itertools.count(1),
        random.Random(7),
    )
    programs = [Program(port, numbers, seed) for seed in range(3)]
    counts = []
    for number in range(kills + 1):
        with receiving(tmp_path / "run", *words) as started:
            if not number:
                for program in programs:
                    program.start()
            time.sleep(0.3 + moments.random() * 0.9)
            ends = time.monotonic() + 60
            while (
                number == kills - 1 and not (tmp_path / "run" / "manifest.json").is_file() and time.monotonic() < ends
            ):
                time.sleep(0.05)
            if number < kills:
                started.process.send_signal(signal.SIGKILL)
                started.process.wait(30)
                counts.append(len(Run(tmp_path / "run").items) if (tmp_path / "run" / "manifest.json").is_file() else 0)
                continue
            for program in programs:
                program.stops = True
            for program in programs:
                program.join(60)
                assert not program.is_alive()
            code, out, err = started.end()
            assert (code, "Traceback" in err) == (0, False), err
    acknowledged = set().union(*(program.acknowledged for program in programs))
    traces = {trace for trace, _ in acknowledged}
    run = Run(tmp_path / "run")
    assert sorted(item.id for item in run.items) == sorted(f"{trace:032x}" for trace in traces)
    assert all(len(answer.calls) == 1 for answer in run.answers().values())
    assert len(acknowledged) == 2 * len(traces)
    assert dict(run.manifest.statuses) == {"complete": len(traces)}
    assert f"turns {len(traces):>31,}".replace(" ", "") in out.replace(" ", "")
    assert counts[-1] > 0, "traces were written between the kills"
    assert sum(program.failures for program in programs) > 0
