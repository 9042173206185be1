"""docs/prefer.md: the options that it names exist."""

import re
import sys
from pathlib import Path

import pytest

GUIDE = (Path(__file__).parents[2] / "docs/prefer.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z]+)", GUIDE))))
def test_options_that_it_names_exist(option, monkeypatch, capsys):
    from neraca.cli import main

    monkeypatch.setattr(sys, "argv", ["neraca", "prefer", "--help"])
    with pytest.raises(SystemExit):
        main()
    assert option in capsys.readouterr().out
