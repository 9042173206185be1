"""What several journeys begin with: the demonstration, as its user has it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

NERACA = [sys.executable, "-c", "from neraca.cli import main; main()"]


def run_neraca(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*NERACA, *map(str, words)], capture_output=True, text=True, check=False, **options)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """The folder that `neraca demo` wrote, and what it printed."""
    folder = tmp_path_factory.mktemp("demo") / "out"
    told = run_neraca("demo", "--out", folder)
    assert told.returncode == 0, told.stderr
    return folder, told.stdout
