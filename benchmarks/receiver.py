"""Load on `neraca receive`: how soon is an export acknowledged, and does every turn reach the run?

    .venv/bin/python benchmarks/receiver.py [--spans 2000] [--seconds 60] [--quiet 5]

One process receives on loopback.  Another sends exports of 100 spans at fixed moments, so that spans a second are as
stated, whether or not the replies are late; a reply that is late delays no other, and its time counts from the moment
at which the export was due.  An empty export goes first, because the first one in protobuf imports it.  A trace has
ten spans, in OTLP/JSON 2.7 kB each, which come in up to four exports.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import aiohttp
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

#: Spans of a trace and of an export.
PER_TRACE, PER_EXPORT = 10, 100
WORDS = (
    "the",
    "room",
    "has",
    "two",
    "windows",
    "and",
    "a",
    "bath",
    "near",
    "market",
    "of",
    "old",
    "town",
    "bus",
    "port",
)


def text(rng: random.Random, letters: int) -> str:
    """Words of about so many letters."""
    return " ".join(rng.choice(WORDS) for _ in range(letters // 5))


def span(rng: random.Random, trace: int, number: int) -> dict[str, Any]:
    """One of the ten spans of a turn: the turn itself, two retrievals, two calls of a model, and steps."""
    attributes: dict[str, str] = {"service.step": str(number), "code.function": "answer", "thread.name": "main"}
    if number == 0:
        attributes |= {
            "openinference.span.kind": "CHAIN",
            "input.value": f"Question {trace}?",
            "session.id": str(trace // 5),
        }
        attributes |= {"output.value": text(rng, 1200), "user.id": f"user{trace % 1000}"}
    elif number in (1, 2):
        attributes["openinference.span.kind"] = "RETRIEVER"
        for hit in range(5):
            attributes[f"retrieval.documents.{hit}.document.id"] = f"d{rng.randrange(10**6)}"
            attributes[f"retrieval.documents.{hit}.document.content"] = text(rng, 400)
    elif number in (3, 4):
        attributes |= {"openinference.span.kind": "LLM", "llm.model_name": "m-2026", "llm.token_count.prompt": "900"}
        attributes |= {
            "llm.input_messages.0.message.role": "user",
            "llm.input_messages.0.message.content": text(rng, 1500),
        }
        attributes |= {
            "llm.output_messages.0.message.role": "assistant",
            "llm.output_messages.0.message.content": text(rng, 600),
        }
    else:
        attributes |= {f"app.detail.{n}": text(rng, 240) for n in range(8)}
    start = 1_764_000_000_000_000_000 + trace * 10**7 + number * 10**5
    return {
        "traceId": f"{trace + 1:032x}",
        "spanId": f"{number + 1:016x}",
        "parentSpanId": "" if number == 0 else f"{1:016x}",
        "name": f"step {number}",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + (10**7 if number == 0 else 10**5)),
        "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
    }


def in_protobuf(spans: list[dict[str, Any]]) -> bytes:
    message = ExportTraceServiceRequest()
    scope = message.resource_spans.add().scope_spans.add()
    for each in spans:
        target = scope.spans.add(
            trace_id=bytes.fromhex(each["traceId"]),
            span_id=bytes.fromhex(each["spanId"]),
            parent_span_id=bytes.fromhex(each["parentSpanId"]),
            name=each["name"],
            start_time_unix_nano=int(each["startTimeUnixNano"]),
            end_time_unix_nano=int(each["endTimeUnixNano"]),
        )
        for attribute in each["attributes"]:
            target.attributes.add(key=attribute["key"]).value.string_value = attribute["value"]["stringValue"]
    return message.SerializeToString()


def exports(total: int, form: str, packed: bool) -> tuple[list[bytes], int, float]:
    """Bodies with so many spans in all, in which each trace is spread over three; the number of traces, kB a span."""
    rng = random.Random(1)
    traces = total // PER_TRACE
    order = sorted(
        ((trace + rng.random() * 30, trace, number) for trace in range(traces) for number in range(PER_TRACE)),
    )
    bodies, plain = [], 0
    for start in range(0, len(order), PER_EXPORT):
        spans = [span(rng, trace, number) for _, trace, number in order[start : start + PER_EXPORT]]
        data = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()
        plain += len(data)
        data = in_protobuf(spans) if form == "protobuf" else data
        bodies.append(gzip.compress(data, 1) if packed else data)
    return bodies, traces, plain / len(order) / 1000


async def send(port: int, bodies: list[bytes], rate: float, headers: dict[str, str]) -> tuple[list[float], int]:
    """Send each body when it is due; the seconds from then to its reply, and how many times the server said "wait"."""
    seconds, refused = [], 0

    async def one(session: aiohttp.ClientSession, number: int, body: bytes) -> None:
        nonlocal refused
        due = began + number / rate
        await asyncio.sleep(due - time.monotonic())
        while True:
            async with session.post(f"http://127.0.0.1:{port}/v1/traces", data=body, headers=headers) as reply:
                await reply.read()
                if reply.status == 200:
                    break
                assert reply.status in (429, 503), reply.status
                refused += 1
            await asyncio.sleep(1)
        seconds.append(time.monotonic() - due)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        empty = b"" if "protobuf" in headers["Content-Type"] else b"{}"  # the first one imports protobuf
        plain = {"Content-Type": headers["Content-Type"]}
        async with session.post(f"http://127.0.0.1:{port}/v1/traces", data=empty, headers=plain) as reply:
            assert reply.status == 200
        began = time.monotonic() + 0.5
        await asyncio.gather(*(one(session, number, body) for number, body in enumerate(bodies)))
    return seconds, refused


def used(pid: int) -> tuple[float, float, float]:
    """CPU seconds of a process and its children, and the peak memory of each kind in MB."""
    seconds, memory = 0.0, {True: 0.0, False: 0.0}
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            status = (folder / "status").read_text().splitlines()
        except OSError:
            continue
        is_receiver = int(folder.name) == pid
        if is_receiver or int(fields[1]) == pid:
            ticks = map(int, fields[11:15] if is_receiver else fields[11:13])  # those of children that have ended, too
            seconds += sum(ticks) / os.sysconf("SC_CLK_TCK")
            peak = next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM"))
            memory[is_receiver] = max(memory[is_receiver], peak)
    return seconds, memory[True], memory[False]


def trial(options: argparse.Namespace, form: str, packed: bool) -> str:
    """Send for some time, stop, and return a row of the table."""
    bodies, traces, size = exports(options.spans * options.seconds, form, packed)
    media = "application/x-protobuf" if form == "protobuf" else "application/json"
    headers = {"Content-Type": media, **({"Content-Encoding": "gzip"} if packed else {})}
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        words = [sys.executable, "-m", "neraca", "receive", "--out", f"{folder}/run", "--port", "0"]
        process = subprocess.Popen(
            [*words, "--quiet", str(options.quiet)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert process.stdout
        port = 0
        for line in process.stdout:
            if "ENDPOINT=" in line:
                port = int(line.rpartition(":")[2])
            if line.startswith("Ctrl-C"):
                break
        seconds, refused = asyncio.run(send(port, bodies, options.spans / PER_EXPORT, headers))
        cpu, memory, memory_of_turns = used(process.pid)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=600)
        stopping = time.monotonic() - began
        assert process.returncode == 0, err
        items = sum(1 for _ in (Path(folder) / "run" / "items.jsonl").open("rb"))
        assert items == traces, (items, traces, out)
    seconds.sort()
    middle, high, last = (seconds[min(len(seconds) - 1, int(len(seconds) * share))] for share in (0.5, 0.99, 1))
    name = f"{form}{', gzip' if packed else ''}"
    rate = f"{options.spans:,}"
    times = " | ".join(f"{1000 * each:.0f} ms" for each in (middle, high, last))
    return (
        f"| {name} | {rate} | {size:.1f} kB | {times} | "
        f"{refused} | {cpu / options.seconds:.2f} | "
        f"{memory:.0f} + {memory_of_turns:.0f} MB | {traces:,} of {traces:,} | {stopping:.1f} s |"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--spans", type=int, default=2000, help="spans a second")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--quiet", type=float, default=5.0)
    parser.add_argument(
        "--folder", default=None, help="where the run is written; default: the folder of temporary files"
    )
    parser.add_argument("--forms", default="protobuf protobuf+gzip json")
    options = parser.parse_args()
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    print(
        "| form | spans a second | a span | median | 99 % | longest | told to wait | cores | peak memory | "
        "turns in the run | to stop |\n|---|---|---|---|---|---|---|---|---|---|---|"
    )
    for form in options.forms.split():
        print(trial(options, form.partition("+")[0], form.endswith("+gzip")), flush=True)


if __name__ == "__main__":
    main()
