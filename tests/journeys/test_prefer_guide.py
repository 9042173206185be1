"""docs/prefer.md: the options that it names exist."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[2] / "docs/prefer.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def help_texts():
    """What the commands of the guide say of themselves."""
    helps = [[sys.executable, "-m", "neraca", command, "--help"] for command in ("prefer", "rate")]
    return "".join(subprocess.run(words, capture_output=True, text=True, check=True).stdout for words in helps)


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z]+)", GUIDE))))
def test_options_that_it_names_exist(option, help_texts):
    assert option in help_texts
