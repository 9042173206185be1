"""The pictures of the guides are made of the product, and show what it shows today.

With `NERACA_STORE=1` (`make stored`) they are made anew.  The text that was in each is kept: the test holds the product
to that, so that a picture cannot grow old in silence; pixels differ with every font.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from chromium import FLAGS, chromium_in
from journeys.conftest import run_neraca
from playwright.sync_api import Page, sync_playwright
from web.test_explorer_app import explorer

ROOT = Path(__file__).parents[2]
TEXTS = Path(__file__).with_name("pictures.json")
WIDTH, AIR = 1000, 24


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Page:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium_in(tmp_path_factory.mktemp("browser")), args=FLAGS
        )
        yield browser.new_page(viewport={"width": WIDTH, "height": 900}, color_scheme="light")
        browser.close()


def check_picture(page: Page, name: str, last: str) -> None:
    """What stands on a page from its top to the end of an element is what stands in the picture."""
    end = page.locator(last).first
    box = end.bounding_box()
    assert box is not None
    bottom = round(box["y"] + box["height"])
    visible = page.evaluate(
        """bottom => {
            const texts = [];
            const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
            for (let node = walk.nextNode(); node; node = walk.nextNode()) {
                const box = document.createRange();
                box.selectNodeContents(node);
                const place = box.getBoundingClientRect();
                const text = node.textContent.trim();
                const seen = node.parentElement.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
                const inside = place.left >= 0 && place.top >= 0 && place.bottom <= bottom;
                if (text && seen && inside && place.width > 1) texts.push(text);
            }
            return texts.join(" ");
        }""",
        bottom,
    )
    visible = re.sub(r"\d[\d.]* m?s\b", "… s", " ".join(visible.split()))
    stored = json.loads(TEXTS.read_text(encoding="utf-8")) if TEXTS.exists() else {}
    if os.environ.get("NERACA_STORE"):
        page.screenshot(path=ROOT / "docs" / name, clip={"x": 0, "y": 0, "width": WIDTH, "height": bottom + AIR})
        stored[name] = visible
        TEXTS.write_text(json.dumps(stored, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert visible == stored.get(name), f"docs/{name} shows something else: see what changed, then `make stored`"
    assert 5_000 < (ROOT / "docs" / name).stat().st_size < 150_000


def test_the_first_screen_of_the_report(page: Page, demo: tuple[Path, str]) -> None:
    page.goto((demo[0] / "results/study/search/report.html").as_uri())
    check_picture(page, "report.png", ".finding")


def test_a_page_on_which_people_rate(page: Page, demo: tuple[Path, str], tmp_path: Path) -> None:
    runs = [demo[0] / "results/study/search" / name for name in ("api", "hybrid")]
    made = run_neraca("rate", *runs, "--page", tmp_path / "rating.html", "--guideline", "Relevant: what was asked for.")
    assert made.returncode == 0, made.stderr
    page.goto((tmp_path / "rating.html").as_uri())
    check_picture(page, "rate.png", "#card .line >> nth=0")


def test_questions_of_two_runs_in_the_explorer(page: Page, demo: tuple[Path, str]) -> None:
    runs = "run=study/search/api&run=study/search/hybrid"
    with explorer(demo[0] / "results") as link:
        page.goto(f"{link}questions?{runs}&best=study/search/hybrid")
        page.get_by_text("hybrid alone (").wait_for(state="attached", timeout=60_000)
        check_picture(page, "serve.png", "#live tbody tr >> nth=4")


def test_every_picture_of_the_guides_is_made_here() -> None:
    pages = [ROOT / "README.md", *ROOT.glob("docs/**/*.md")]
    named = {name for path in pages for name in re.findall(r"!\[[^]]*\]\(([^)]+\.png)\)", path.read_text("utf-8"))}
    assert {Path(name).name for name in named} == {*json.loads(TEXTS.read_text(encoding="utf-8"))}
