"""What holds for every test: which examples are drawn, which tests are run, and how the command line is called."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from chromium import chromium_in
from hypothesis import is_hypothesis_test, settings

settings.register_profile("fixed", derandomize=True, deadline=None, database=None)
settings.register_profile("soak", deadline=None, database=None, print_blob=True)
#: "fixed" draws the same examples each time; "soak" draws others each time, and `SOAK_FACTOR` times as many.
PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "fixed")
settings.load_profile(PROFILE)
SOAK_FACTOR = 10

# A shell that starts the tests in the background lets them ignore Ctrl-C, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Choose the tests of the profile.

    `make test` leaves tests marked `soak` out; `make soak` runs these and the tests that draw examples, and no others.
    """
    drawing = set()
    chosen, others = [], []
    for item in items:
        function = getattr(item, "obj", None)
        if is_hypothesis_test(function):
            drawing.add(function)
        long = item.get_closest_marker("soak") is not None
        belongs = long or function in drawing if PROFILE == "soak" else not long
        (chosen if belongs else others).append(item)
    if PROFILE == "soak":
        for function in drawing:  # once for each function, however many parameters it is run with
            stated = function._hypothesis_internal_use_settings
            more = settings(stated, max_examples=SOAK_FACTOR * stated.max_examples)
            function._hypothesis_internal_use_settings = more
    config.hook.pytest_deselected(items=others)
    items[:] = chosen


def pytest_collection_finish() -> None:
    """Take pytest's own stream away from absl, which rouge_score imports: it would close it with its handler."""
    if absl := sys.modules.get("absl.logging"):
        absl.get_absl_handler().python_handler.setStream(sys.__stderr__)


@dataclass
class Told:
    code: int
    out: str
    err: str


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
