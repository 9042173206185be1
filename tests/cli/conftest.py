from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from chromium import chromium_in


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
