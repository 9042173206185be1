"""What holds for every test: which examples are drawn, which tests are run, and how the command line is called."""

from __future__ import annotations

import ast
import faulthandler
import functools
import gc
import hashlib
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from chromium import FLAGS, chromium_in
from hypothesis import is_hypothesis_test, settings
from promises import counts, is_promised

settings.register_profile("fixed", max_examples=50, derandomize=True, deadline=None, database=None)
settings.register_profile("soak", max_examples=100, deadline=None, database=None, print_blob=True)
#: "fixed" draws the same examples each time, half of the stated number; "soak" draws others each time, and
#: `SOAK_FACTOR` times the stated number.
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fixed")
settings.load_profile(PROFILE)
SOAK_FACTOR, TEST_FACTOR, QUICK_FACTOR = 10, 1 / 2, 1 / 5

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


#: The folder of a file for each process of tests, which holds its stacks if it crashes.
CRASHES = Path("build/crashes")
#: The number of lines of these stacks that are printed: the innermost calls come first.
STACK_LINES = 16

#: Rooms whose tests `make quick` runs: pure code, which needs no browser, server or network.
QUICK_ROOMS = ("comparisons", "metrics", "stats", "verdicts", "reports/blocks", "reports/sentences")

#: Rooms whose tests `make test` measures: they alone must reach each of their lines.  Measuring doubles their time.
MEASURED_ROOMS = ("metrics", "stats")
#: Rooms whose tests `make coverage` does not measure: other tests reach the same lines.
UNMEASURED_ROOMS = ("house", "journeys", "laws")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `make quick` and `make coverage`."""
    parser.addoption("--quick", action="store_true", help="only fast tests of pure rooms that need no further package")
    parser.addoption("--measure-all", action="store_true", help="with --cov, measure the tests of nearly all rooms")


@pytest.hookimpl(trylast=True)  # pytest itself writes the stacks of a crash into the middle of the output
def pytest_configure(config: pytest.Config) -> None:
    """Register the choice of `make quick`, and let a process that crashes write its stacks into a file of its own."""
    if config.getoption("--quick"):
        config.pluginmanager.register(QuickChoice())
    if worker := getattr(config, "workerinput", None):
        folder = config.rootpath / CRASHES
        folder.mkdir(parents=True, exist_ok=True)
        faulthandler.enable((folder / f"{worker['workerid']}.txt").open("w", encoding="utf-8"))


class QuickChoice:
    """The files of `make quick`: a plugin, because hooks of this file are not asked about files of `src`."""

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        """Pass over files of other rooms, and test files that import a package that is not installed."""
        if collection_path.suffix != ".py":
            return None
        parts = collection_path.parts
        top = "neraca" if "src" in parts else "tests"
        room = "/".join(parts[len(parts) - parts[::-1].index(top) : -1])
        if not room.startswith(QUICK_ROOMS):
            return True
        return None if installed(collection_path) else True


@cache
def installed(path: Path) -> bool:
    """Return whether every package that a file imports at its top is there."""
    imports = [
        node for node in ast.parse(path.read_text("utf-8")).body if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    names = {alias.name for node in imports if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in imports if isinstance(node, ast.ImportFrom) and node.module and not node.level}
    return all(find_spec(name.partition(".")[0]) is not None for name in names)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests of the profile.

    `make test` leaves tests marked `soak` out.  `make soak` runs these, the tests that draw examples and those of the
    promises, and no others.
    `make quick` leaves those marked `slow` out too, and draws fewer examples.
    """
    if config.getoption("--quick"):
        slow = [item for item in items if item.get_closest_marker("slow")]
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if not item.get_closest_marker("slow")]
    drawing = set()
    chosen, others = [], []
    for item in items:
        function = getattr(item, "obj", None)
        if is_hypothesis_test(function):
            drawing.add(function)
        if not _is_measured(item.path, measure_all=config.getoption("--measure-all")):
            item.add_marker("no_cover")
        long = item.get_closest_marker("soak") is not None
        belongs = long or function in drawing or is_promised(item.nodeid) if PROFILE == "soak" else not long
        (chosen if belongs else others).append(item)
    factor = SOAK_FACTOR if PROFILE == "soak" else QUICK_FACTOR if config.getoption("--quick") else TEST_FACTOR
    for function in drawing:  # once for each function, however many parameters it is run with
        stated = function._hypothesis_internal_use_settings
        examples = max(1, round(factor * stated.max_examples))
        function._hypothesis_internal_use_settings = settings(stated, max_examples=examples)
    config.hook.pytest_deselected(items=others)
    items[:] = _mixed(chosen) if hasattr(config, "workerinput") else chosen


def pytest_sessionstart(session: pytest.Session) -> None:
    """Forget the crashes of an earlier start."""
    if not hasattr(session.config, "workerinput"):
        shutil.rmtree(session.config.rootpath / CRASHES, ignore_errors=True)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print where processes crashed; at the end of `make soak` also how many tests of each promise passed."""
    for file in sorted((terminalreporter.config.rootpath / CRASHES).glob("*.txt")):
        if stacks := file.read_text("utf-8"):
            terminalreporter.section(f"{file.stem} crashed")
            terminalreporter.write_line("\n".join(stacks.splitlines()[:STACK_LINES]))
    if PROFILE == "soak":
        ended = terminalreporter.stats.items()
        print(f"\n{counts({outcome: [report.nodeid for report in reports] for outcome, reports in ended if outcome})}")


def _mixed(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests with their files in an order that looks random and is always the same.

    Neighbouring files resemble each other: those with browsers wait, those of `stats/` compute.  Each process is given
    a stretch of the list, so a mixed list keeps all cores busy until the end.  Tests of one file stay together.
    """
    return sorted(items, key=lambda item: hashlib.sha256(item.nodeid.partition("::")[0].encode()).digest())


def _is_measured(path: Path, *, measure_all: bool) -> bool:
    """Return whether the tests of a file count for coverage."""
    if measure_all:
        return path.parent.name not in UNMEASURED_ROOMS
    return not {*path.parts}.isdisjoint(MEASURED_ROOMS)


def pytest_collection() -> None:
    """Look for no garbage while tests are collected: all of them stay, and each search would look at all of them."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Let no search for garbage look at what was collected, and take pytest's own stream away from absl.

    rouge_score imports absl, which would close the stream with its handler.
    """
    gc.freeze()
    gc.enable()
    if absl := sys.modules.get("absl.logging"):
        absl.get_absl_handler().python_handler.setStream(sys.__stderr__)


@pytest.fixture(scope="module", autouse=True)
def _nothing_remembered(request: pytest.FixtureRequest) -> None:
    """Let a measured file begin without values that tests of other files, which are not measured, left in caches."""
    if not _is_measured(request.path, measure_all=False):
        return
    for name, module in [*sys.modules.items()]:
        if name.startswith(tuple(f"neraca.{room}." for room in MEASURED_ROOMS)):
            for value in [*vars(module).values()]:
                if isinstance(value, functools._lru_cache_wrapper):
                    value.cache_clear()


@dataclass
class Told:
    code: int
    out: str
    err: str


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A Chromium of the tests of one module."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        program = chromium_in(tmp_path_factory.mktemp("chromium"))
        launched = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Told]:
    """`cli("score", folder, "-m", "P@5")`: what the command line does with these words."""
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*words: object) -> Told:
        from neraca.cli import main

        monkeypatch.setattr(sys, "argv", ["neraca", *map(str, words)])
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        told = capsys.readouterr()
        return Told(code, told.out, told.err)

    return call


@pytest.fixture
def chromium(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> str:
    """The program that commands start as their browser; without one, tests are skipped."""
    program = chromium_in(tmp_path_factory.mktemp("browser"))
    monkeypatch.setenv("NERACA_BROWSER", program)
    return program
