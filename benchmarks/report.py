"""What a large report takes: CPU time, memory, size, and the time until Chromium shows it.

    python benchmarks/report.py [QUESTIONS [SYSTEMS [HITS]]]

Makes runs of so many questions (default 2,000 of 5 systems with 10 hits) with five constraints checked on every hit,
scores 20 metrics, compares all pairs, and writes the page.  Each step is timed by itself, in CPU seconds.
"""

from __future__ import annotations

import random
import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from playwright.sync_api import sync_playwright

import neraca
from neraca.datasets.dataset import Dataset
from neraca.judges.rules.rules_judge import RulesJudge
from neraca.records import Answer, Constraint, Hit, Item
from neraca.reports.formats.html import to_html
from neraca.runs.run import Run

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
METRICS = (
    "nDCG@10 P@5 P@10 RR AP SetP SetR Success Coverage PassRatio StrictPass QuerySuccess QueryF1 QueryPrecision "
    "QueryRecall nDCG@5 R@10 RBP(p=0.8)@10 DCG@10 ERR@10"
)
CONSTRAINTS = {
    "type": Constraint(equals="house"),
    "price": Constraint(max=2_000_000_000),
    "bedrooms": Constraint(exact=3),
    "floors": Constraint(about=2),
    "place": Constraint(contains_any=["Medan"]),
}
T = TypeVar("T")


def timed(what: str, step: Callable[[], T]) -> T:
    started = time.process_time()
    result = step()
    print(f"{what}: {time.process_time() - started:.2f} s CPU")
    return result


def house(rng: random.Random, quality: float, number: int) -> Hit:
    fields = {
        "type": "house" if rng.random() < quality else "shop",
        "price": rng.randrange(10**9, 19 * 10**8) if rng.random() < quality else 25 * 10**8,
        "bedrooms": 3 if rng.random() < quality else 2,
        "floors": 2 if rng.random() < quality else None,
        "place": "Medan" if rng.random() < quality else "Binjai",
        "facilities": ["garden", "carport", "generator"],
    }
    return Hit(id=f"L{number:06}", text=f"House number {number} with a garden and a view of the river", fields=fields)


def made(folder: Path, questions: int, systems: int, hits: int) -> list[Path]:
    items = [
        Item(id=f"q{n:04}", query=f"A house in Medan with three bedrooms, number {n}", session=f"s{n // 3}",
             constraints=CONSTRAINTS, tags={"category": ("simple", "price", "follow-up")[n % 3]})
        for n in range(questions)
    ]  # fmt: skip
    paths = []
    for place in range(systems):
        rng = random.Random(place)
        answers = [
            Answer(item=item.id, text=f"I found {hits} houses that fit, the first near the river. " * 5, seconds=0.3,
                   hits=tuple(house(rng, 0.6 + 0.07 * place, 100 * n + rank) for rank in range(hits)))
            for n, item in enumerate(items)
        ]  # fmt: skip
        run = Run.create(folder / f"system{place + 1}", Dataset(tuple(items), "questions.jsonl"), {"kind": "python"})
        with run.writing():
            run.answers_journal.append(*answers)
            run.verdicts_journal.append(*RulesJudge({}).judge(list(zip(items, answers, strict=True))))
        paths.append(run.path)
    return paths


def main(questions: int = 2000, systems: int = 5, hits: int = 10) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        runs = made(Path(folder), questions, systems, hits)
        print(f"{questions:,} questions x {systems} systems, {hits} hits each, {len(METRICS.split())} metrics")
        scores = timed("score", lambda: neraca.score(runs, METRICS))
        differences = timed("compare", lambda: neraca.compare(scores))
        report = timed("report", lambda: neraca.report(scores, differences))
        page = timed("page", lambda: to_html(report))
        print(f"page: {len(page.encode()) / 1e6:.2f} MB; peak memory "
              f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")  # fmt: skip
        file = Path(folder) / "report.html"
        file.write_text(page, encoding="utf-8")
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(file.as_uri())
        paint = tab.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
        loaded = tab.evaluate("performance.timing.loadEventEnd - performance.timing.navigationStart")
        print(f"Chromium: first paint after {paint:,.0f} ms, loaded after {loaded:,.0f} ms")
        for what, act, seen in (
            ("a category", lambda: tab.select_option("[data-tag]", index=1), "#shown"),
            ("a text in all answers", lambda: tab.fill("#filter", "L001000"), "#shown"),
        ):
            before, started = tab.inner_text(seen), time.perf_counter()
            act()
            tab.locator(seen).filter(has_not_text=before).wait_for()
            print(f"choosing {what}: {1000 * (time.perf_counter() - started):,.0f} ms")
        browser.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
