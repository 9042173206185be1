"""What it costs to ask, judge, score, compare and report two runs of many questions.

    .venv/bin/python benchmarks/large_runs.py [--questions 10000 30000 100000]

Each question has two constraints, each answer a sentence and five hits.  The answers of the first run are asked from a
real HTTP server of this machine, those of the second are written by a process of their own.  A process does each
command, of which the system counts CPU time (user and system) and peak memory.  A child starts with the peak memory of
its parent, so this one imports the standard library only.  The results stand in benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

PLACES = ("Bandung", "Jakarta", "Surabaya", "Medan", "Malang")
HITS = 5
#: The share of hits that fit: the second run finds more of them.
QUALITY = {"old": 0.6, "new": 0.7}


def questions(count: int) -> Iterator[dict[str, Any]]:
    """Questions as lines of a JSONL file."""
    for number in range(count):
        yield {
            "id": f"q{number}",
            "query": f"house {number} in {PLACES[number % 5]} for less than {100 + number % 900} million",
            "expects": "results",
            "constraints": {"place": {"equals": PLACES[number % 5]}, "price": {"max": 100.0 + number % 900}},
            "category": "abc"[number % 3],
        }


def answer(name: str, number: int) -> dict[str, Any]:
    """What a system answers to a question."""
    rng = random.Random(f"{name} {number}")
    hits = []
    for _ in range(HITS):
        fits = rng.random() < QUALITY[name]
        hits.append(
            {
                "id": f"h{rng.randrange(10**6)}",
                "text": "A house with a garden, near a school.",
                "place": PLACES[(number + (not fits)) % 5],
                "price": 50.0 + (0 if fits else 2000),
            }
        )
    return {"answer": "Here is what I found for you.", "results": hits}


def serve(name: str, ready: Connection) -> None:
    """Answer over HTTP, and say at which port."""
    import asyncio

    from aiohttp import web

    async def reply(request: web.Request) -> web.Response:
        asked = await request.json()
        return web.json_response(answer(name, int(asked["query"].split()[1])))

    async def main() -> None:
        app = web.Application()
        app.router.add_post("/", reply)
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        ready.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


def write_run(folder: Path, file: Path, name: str) -> None:
    """A run with the answers of a system, as asking would leave it."""
    from neraca.datasets.read_dataset import read_dataset
    from neraca.records import Answer, Hit
    from neraca.runs.run import Run

    dataset = read_dataset(file)
    run = Run.create(folder / name, dataset, {"kind": "python", "name": name})
    with run.writing():
        for number, item in enumerate(dataset.items):
            said = answer(name, number)
            hits = tuple(
                Hit(id=hit["id"], text=hit["text"], fields={"place": hit["place"], "price": hit["price"]})
                for hit in said["results"]
            )
            run.answers_journal.append(Answer(item=item.id, text=said["answer"], hits=hits))
    run.record_end()


def measured(words: list[str]) -> tuple[float, float]:
    """CPU seconds and peak memory in MB of a command."""
    run = [sys.executable, "-c", "from neraca.cli import main; main()", *words]
    quiet = os.open(os.devnull, os.O_WRONLY)
    silence = [(os.POSIX_SPAWN_DUP2, quiet, 1), (os.POSIX_SPAWN_DUP2, quiet, 2)]
    child = os.posix_spawn(sys.executable, run, os.environ, file_actions=silence)
    _, status, usage = os.wait4(child, 0)
    os.close(quiet)
    if status:
        raise SystemExit(f"neraca {' '.join(words)} ended with {os.waitstatus_to_exitcode(status)}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def main() -> None:
    """Measure each command on runs of each size."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--questions", type=int, nargs="+", default=[10_000, 30_000, 100_000])
    spawn = multiprocessing.get_context("spawn")
    print("| questions | command | CPU s | peak MB |\n|---|---|---|---|")
    for count in parser.parse_args().questions:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            file = place / "questions.jsonl"
            with file.open("w", encoding="utf-8") as lines:
                lines.writelines(f"{json.dumps(question)}\n" for question in questions(count))
            writer = spawn.Process(target=write_run, args=(place, file, "new"))
            writer.start()
            writer.join()
            here, there = spawn.Pipe()
            server = spawn.Process(target=serve, args=("old", there), daemon=True)
            server.start()
            runs = [str(place / "old"), str(place / "new")]
            target = ["--target", f"http://127.0.0.1:{here.recv()}/", "--concurrency", "16"]
            commands = {
                "ask": ["ask", str(file), *target, "--out", runs[0]],
                "judge": ["judge", *runs, "--judge", "rules"],
                "score": ["score", *runs],
                "compare": ["compare", *runs],
                "report": ["report", *runs, "--to", str(place / "report.html")],
            }
            for name, words in commands.items():
                cpu, memory = measured(words)
                print(f"| {count:,} | {name} | {cpu:.1f} | {memory:,.0f} |", flush=True)
            server.terminate()


if __name__ == "__main__":
    main()
