"""What it costs to judge, score, compare and report two runs of many questions.

    .venv/bin/python benchmarks/large_runs.py [--questions 10000 30000 100000]

Each question has two constraints, each answer a sentence and five hits.  Runs are made in a process of their own; a
process does each command, of which the system counts CPU time (user and system) and peak memory.  A child starts with
the peak memory of its parent, so this one imports the standard library only.  The results stand in
benchmarks/README.md.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import tempfile
from pathlib import Path

PLACES = ("Bandung", "Jakarta", "Surabaya", "Medan", "Malang")
HITS = 5


def make_runs(folder: Path, questions: int) -> None:
    """Two runs, of which the second finds more that fits."""
    from neraca.datasets.dataset import Dataset
    from neraca.records import Answer, Constraint, Hit, Item
    from neraca.runs.run import Run

    rng = random.Random(1)
    items = [
        Item(
            id=f"q{number}",
            query=f"house in {PLACES[number % 5]} for less than {100 + number % 900} million",
            expects="results",
            constraints={
                "place": Constraint(equals=PLACES[number % 5]),
                "price": Constraint(max=100.0 + number % 900),
            },
            tags={"category": "abc"[number % 3]},
        )
        for number in range(questions)
    ]
    for name, quality in (("old", 0.6), ("new", 0.7)):
        run = Run.create(folder / name, Dataset(tuple(items), "questions.jsonl"), {"kind": "python", "name": name})
        with run.writing():
            for number, item in enumerate(items):
                fits = [rng.random() < quality for _ in range(HITS)]
                hits = tuple(
                    Hit(
                        id=f"h{rng.randrange(10**6)}",
                        text="A house with a garden, near a school.",
                        fields={"place": PLACES[(number + (not fit)) % 5], "price": 50.0 + (0 if fit else 2000)},
                    )
                    for fit in fits
                )
                run.answers_journal.append(Answer(item=item.id, text="Here is what I found for you.", hits=hits))
        run.close_books()


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
    print("| questions | command | CPU s | peak MB |\n|---|---|---|---|")
    for questions in parser.parse_args().questions:
        with tempfile.TemporaryDirectory() as place:
            maker = multiprocessing.get_context("spawn").Process(target=make_runs, args=(Path(place), questions))
            maker.start()
            maker.join()
            runs = [f"{place}/old", f"{place}/new"]
            for name, more in (("judge", ["--judge", "rules"]), ("score", []), ("compare", []), ("report", [])):
                to = ["--to", f"{place}/report.html"] if name == "report" else []
                cpu, memory = measured([name, *runs, *more, *to])
                print(f"| {questions:,} | {name} | {cpu:.1f} | {memory:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
