"""How fast `neraca serve` answers: a list of many runs, and the questions of large ones.

    python benchmarks/explorer.py [RUNS [QUESTIONS [REQUESTS]]]

Makes so many small runs (default 500) and three large ones (default 100,000 questions each) in a new folder, serves it
on loopback, waits until the list is scored, and prints the time of each kind of page, first and again (so late that the
server looks at the files anew), the memory of the server, with the processes that it starts, before and after so many
random pages (default 2,000), and the first pages of a second server, which finds what the first one kept.
"""

from __future__ import annotations

import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

from neraca.datasets.dataset import Dataset
from neraca.records import Answer, Hit, Item, Verdict
from neraca.runs.run import Run


def made(folder: Path, name: str, questions: int, quality: float) -> None:
    rng = random.Random(name)
    items = [
        Item(id=f"q{n}", query=f"where is house {n} of the town?", tags={"category": f"c{n % 7}"})
        for n in range(questions)
    ]
    answers = [
        Answer(item=item.id, text=f"house {n} is near the river, {rng.randrange(99)} metres from the market",
               seconds=rng.random(), hits=(Hit(id=f"h{n}", text="a house"),))
        for n, item in enumerate(items)
    ]  # fmt: skip
    verdicts = [
        Verdict(item=item.id, about=f"hit:h{n}", aspect="relevance", by="rules", value=float(rng.random() < quality))
        for n, item in enumerate(items)
    ]
    run = Run.create(folder / name, Dataset(tuple(items), "questions.jsonl"), {"kind": "python", "name": name})
    with run.writing():
        run.answers_journal.append(*answers)
        run.verdicts_journal.append(*verdicts)
    run.update(started="2026-01-01T00:00:00Z", ended="2026-01-01T01:00:00Z")


def memory(pid: int) -> float:
    """Of a process and those that it started, in MB."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    for task in Path(f"/proc/{pid}/task").iterdir():
        children += (task / "children").read_text().split() if task.name != str(pid) else []
    return own_memory(pid) + sum(memory(int(child)) for child in children)


def own_memory(pid: int) -> float:
    held = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(held[1]) / 1024 if held else 0.0  # of a process that has ended nothing is left


@contextmanager
def served(folder: Path) -> Iterator[tuple[subprocess.Popen[str], Callable[[str], tuple[float, str]]]]:
    """A server of a folder, and a function that gets a page: its seconds and its text."""
    command = [sys.executable, "-m", "neraca", "serve", str(folder), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server, ExitStack() as at_the_end:
        at_the_end.callback(server.terminate)
        assert server.stdout is not None
        link = re.search(r"http://\S+", next(line for line in server.stdout if "http://" in line))[0].rstrip("/")  # type: ignore[index]

        def get(path: str) -> tuple[float, str]:
            started = time.perf_counter()
            with urlopen(link + path) as answer:
                text = answer.read().decode()
            return time.perf_counter() - started, text

        yield server, get


def main(runs: int = 500, questions: int = 100_000, requests: int = 2000) -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for n in range(runs):
            made(folder, f"small/run{n:04}", 20, 0.5 + n / runs / 2)
        for name in ("one", "two", "three"):
            made(folder, f"large/{name}", questions, 0.7)
        with served(folder) as (server, get):
            print(f"{runs} runs of 20 questions, 3 of {questions:,}")
            print(f"first page, before anything is scored: {get('/')[0]:.2f} s")
            started = time.perf_counter()
            while "still to be scored" in get("/")[1] and time.perf_counter() - started < 900:
                time.sleep(1)
            print(f"all scored after {time.perf_counter() - started:.0f} s")
            large = "run=large/one&run=large/two&run=large/three"
            for what, path in (
                ("first page", "/"),
                ("search in the list", "/?q=run0042"),
                ("a question", f"/question?{large}&item=q{questions // 2}"),
                ("questions, before they are scored", f"/questions?{large}"),
                ("order: differs most", f"/questions?{large}&sort=-difference"),
                ("order: seconds of a run", f"/questions?{large}&sort=-seconds%7C1&column=seconds"),
                ("charts", f"/history?{large}"),
                ("filter: words", f"/questions?{large}&q={quote('house 777')}"),
                ("filter: tag", f"/questions?{large}&tag=category%3Dc3"),
                ("filter: all 0", f"/questions?{large}&best=-zero"),
                ("filter: difference", f"/questions?{large}&difference=0.1"),
                ("filter: verdict", f"/questions?{large}&verdict=judge"),
                ("filter: all of them", f"/questions?{large}&best=-zero&verdict=judge&tag=category%3Dc3&q=777"),
            ):
                took, began = [], time.perf_counter()
                for _ in range(6):
                    took.append(get(path)[0])
                    time.sleep(0.6)
                if what.startswith("questions"):
                    started = time.perf_counter()
                    while "renews itself" in get(path)[1] and time.perf_counter() - started < 900:
                        time.sleep(0.5)
                    print(f"filters by scores are there after {time.perf_counter() - began:.0f} s")
                again = sorted(took[1:])
                print(f"{what}: first {took[0]:.2f} s, again median {again[2]:.2f} s, longest {again[-1]:.2f} s")
            rng, before = random.Random(1), memory(server.pid)
            for _ in range(requests):
                get(rng.choice((f"/question?{large}&item=q{rng.randrange(questions)}", f"/?page={rng.randrange(1, 6)}",
                                f"/questions?{large}&q={rng.randrange(999)}")))  # fmt: skip
            print(f"memory: {before:.0f} MB, after {requests:,} random pages {memory(server.pid):.0f} MB")
            print(f"of the server alone: {own_memory(server.pid):.0f} MB")
        with served(folder) as (_, get):
            seconds = [get(path)[0] for path in ("/", f"/questions?{large}", f"/questions?{large}&q=house+777")]
            print("a second server: list {:.2f} s, questions {:.2f} s, by words {:.2f} s".format(*seconds))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
