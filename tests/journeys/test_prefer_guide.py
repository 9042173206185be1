"""The blocks of docs/prefer.md run one after the other, and show what stands there; its commands and options exist."""

import re
import sys
from pathlib import Path

import pytest
from journeys.test_python_guide import cell

GUIDE = (Path(__file__).parents[2] / "docs/prefer.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```(?:\n\n```\n(.*?)```)?", GUIDE, re.DOTALL)


def test_what_stands_there_is_what_comes_out(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    known = {}
    shown = [str(cell(code, known)) for code, _ in BLOCKS]
    assert [below.rstrip("\n") for _, below in BLOCKS] == shown
    from neraca.cli import main

    for words in re.findall(r"`neraca (prefer [^`]*)`", GUIDE):
        monkeypatch.setattr(sys, "argv", ["neraca", *words.split(), "--by", "human:Ana"])
        with pytest.raises(SystemExit, match=r"^0$"):
            main()
        told = capsys.readouterr().out
        assert "The answer of full is preferred to that of price with a chance of 57 %" in " ".join(told.split())


@pytest.mark.parametrize("option", sorted(set(re.findall(r"`(--[a-z]+)", GUIDE))))
def test_options_that_it_names_exist(option, monkeypatch, capsys):
    from neraca.cli import main

    monkeypatch.setattr(sys, "argv", ["neraca", "prefer", "--help"])
    with pytest.raises(SystemExit):
        main()
    assert option in capsys.readouterr().out
