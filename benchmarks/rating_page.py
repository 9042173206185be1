"""How fast the rating page is with many questions: opened, rated by keys, searched, scrolled, in a real Chromium.

    python benchmarks/rating_page.py [QUESTIONS [HITS]]

Prints milliseconds from a key, or a letter typed into the search, until the browser has painted what follows.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from neraca.people.rating_task import RatedHit, RatingTask
from neraca.reports.formats.rating_html import RatingPage, rating_page

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
#: Resolves with the milliseconds from an action until the frame after it is painted.
PAINTED = """async () => {
  const from = performance.now();
  %s;
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now() - from;
}"""
KEY = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '1', bubbles: true}))"
SEARCH = "const f = document.getElementById('search'); f.value = '%s'; f.dispatchEvent(new Event('input'))"
SCROLL = "scrollBy(0, 400)"


def page_of(questions: int, hits: int) -> str:
    tasks = [
        RatingTask(
            id=f"t{n}",
            number=n,
            query=f"question {n} about a house in the north of the town?",
            text=f"answer {n} " + "of some words " * 20,
            hits=tuple(
                RatedHit(key=f"h{n}-{k}", text="a house " * 15, fields={"price": 1000 + k, "place": "Medan"})
                for k in range(hits)
            ),
        )
        for n in range(1, questions + 1)
    ]
    return rating_page(tasks, RatingPage(set="benchmark"))


def main(questions: int = 2000, hits: int = 10) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "rating.html"
        started = time.process_time()
        file.write_text(page_of(questions, hits), encoding="utf-8")
        print(f"{questions:,} questions of {hits} hits: {file.stat().st_size / 1e6:.1f} MB, written in "
              f"{time.process_time() - started:.2f} s CPU")  # fmt: skip
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(file.as_uri())
        paint = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
        print(f"first paint after {page.evaluate(paint):,.0f} ms")
        for name, acts in (
            ("a key that rates", [KEY] * 200),
            ("a scroll", [SCROLL] * 40),
            ("a letter in the search", [SEARCH % f"question {n}" for n in range(1, 21)]),
        ):
            took = sorted(page.evaluate(PAINTED % act) for act in acts)
            print(f"{name}: median {statistics.median(took):.0f} ms, longest of {len(took)} {took[-1]:.0f} ms")
            if name == "a key that rates":
                print(f"  {page.inner_text('#progress')}")
        browser.close()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
