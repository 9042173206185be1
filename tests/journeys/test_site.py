"""The documentation as a site builds without a warning, asks no other host for anything, and leads nowhere wrong."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from neraca.cli import app
from neraca.metrics.metric import METRICS, Metric

ROOT = Path(__file__).parents[2]
#: Attributes by which a page loads something by itself; those of <a> are followed by a reader alone.
LOADS = {"src", "srcset", "data", "poster", "action"}


class Page(HTMLParser):
    """What a page loads, where it leads, and where in it one can be led."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.leads: list[str] = []
        self.ids: set[str] = set()
        self.words = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.ids.add(value)
            elif name == "href" and value and tag == "a":
                self.leads.append(value)
            elif name in LOADS or name == "href":
                self.loads.append(value or "")

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if importlib.util.find_spec("material") is None or importlib.util.find_spec("latex2mathml") is None:
        why = "the dependency group `docs` is not installed: make setup"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(why)
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    # a proxy where nobody listens: whatever is fetched from elsewhere fails
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")
    environment = {**os.environ, **nowhere, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path.resolve(): Page(path) for path in site.rglob("*.html") if path.name != "chat.html"}


@pytest.mark.slow
def test_no_page_and_no_style_asks_another_host(site: Path, pages: dict[Path, Page]) -> None:
    assert len(pages) > 25
    elsewhere = [(path.name, each) for path, page in pages.items() for each in page.loads if re.match(r"\w+:|//", each)]
    assert [each for each in elsewhere if not each[1].startswith("data:")] == []
    styles = [style.read_text(encoding="utf-8") for style in site.rglob("*.css")]
    assert styles
    assert [each for text in styles for each in re.findall(r"(?:url\(|@import)\s*['\"]?((?:\w+:)?//[^)]+)", text)] == []


@pytest.mark.slow
def test_every_link_leads_to_a_place_that_is_there(pages: dict[Path, Page]) -> None:
    broken = []
    for path, page in pages.items():
        if path.name == "404.html":  # its links are those of a server's root
            continue
        for link in (*page.leads, *page.loads):
            if not re.match(r"\w+:", link):
                name, _, anchor = link.partition("#")
                target = (path.parent / name).resolve() if name else path
                target = target / "index.html" if target.is_dir() else target
                there = target.exists() and (not anchor or target not in pages or anchor in pages[target].ids)
                broken += [] if there else [(path.name, link)]
    assert broken == []


@pytest.mark.slow
def test_every_metric_has_its_entry_with_range_and_example(site: Path, pages: dict[Path, Page]) -> None:
    """The formula of nDCG is drawn, not shown as its source."""
    app()
    ids = {each for path, page in pages.items() if path.parent.name == "reference" for each in page.ids}
    headings = "".join(path.read_text() for path in (site / "reference").glob("*.html"))
    shown = set(re.findall(r'<h2 id="[^"]+">([^<]+)<', headings))
    bundled = {name for name in METRICS.names() if METRICS.get(name).function.__module__.startswith("neraca.")}
    assert bundled - shown == {"HumanScore", "Value"}, "values that are ready have no formula of ours"
    assert {"ndcg", "rouge-l", "faithfulness"} <= ids
    ranking = pages[(site / "reference/ranking.html").resolve()].words
    assert "DCG divided by the DCG of all judged grades in the best order" in ranking
    assert "0.67973105" in ranking, "the example by hand"
    assert "$$" not in ranking
    assert "<math" in (site / "reference/ranking.html").read_text(encoding="utf-8")


def test_every_metric_that_is_advised_exists() -> None:
    rows = re.findall(r"^\| [^|]+\? \|(.+)\|$", (ROOT / "docs/choosing.md").read_text(encoding="utf-8"), re.MULTILINE)
    names = [name for row in rows for name in re.findall(r"`([^`]+)`", row)]
    assert len(names) >= 18
    assert all(str(Metric.of(name)) for name in names)
