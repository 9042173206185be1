"""An error advises only options that the command has: `--encoding`, `--delimiter`, `--column`, settings of a study."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Cli = Callable[..., Any]
BAD_BYTE = ("query,response,reference\n¿año?,uno,dos\n", "line 2: byte 1 (0xbf) is not UTF-8; save the file as UTF-8")
CELLS = ("id,query\n1,one\n2,two,three\n", 'put text that contains it in quotes ("), or save the file with commas')
NO_QUESTION = ("id,frage\n1,one\n", "no column for the question (found: id, frage); call it query or question")
STUDY = """
name = "words"
[dataset]
file = "q.csv"
[target]
kind = "replay"
file = "answers.jsonl"
[[phase]]
name = "a"
targets.a = {}
choose = "P@5"
"""
ASK = ("ask", "q.csv", "--target", "python:bot.py:answer", "--out", "run")
TREC = ("trec", "q.qrels", "a.run", "b.run", "--topics", "q.csv", "--to", "report.html")


@pytest.mark.parametrize(
    ("words", "table", "advice"),
    [
        (TREC, BAD_BYTE, ", or pass --encoding cp1252"),
        (TREC, CELLS, ""),
        (TREC, NO_QUESTION, ""),
        (ASK, BAD_BYTE, ", or pass --encoding cp1252"),
        (ASK, CELLS, ', or pass --delimiter ";"'),
        (ASK, NO_QUESTION, ", or name its column with --column query=NAME"),
        (("text", "q.csv"), BAD_BYTE, ", or pass --encoding cp1252"),
        (("score", "q.csv", "-m", "TokenF1"), BAD_BYTE, ", or pass --encoding cp1252"),
        (("run", "study.toml"), BAD_BYTE, ', or write encoding = "cp1252" where the study names the file'),
        (("run", "study.toml"), NO_QUESTION, ', or name its column in the study: columns = { "query" = "NAME" }'),
    ],
)
def test_advice_fits_the_command(
    cli: Cli,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: tuple[str, ...],
    table: tuple[str, str],
    advice: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.csv").write_bytes(table[0].encode("cp1252"))
    Path("q.qrels").write_text("1 0 d1 1\n")
    Path("study.toml").write_text(STUDY)
    for run in ("a.run", "b.run"):
        Path(run).write_text("1 Q0 d1 1 9 x\n")
    done = cli(*words)
    assert done.code == 2
    assert done.err.rstrip("\n").endswith(f"{table[1]}{advice}"), done.err
