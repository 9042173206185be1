"""The examples in the help of each command: every one runs on the files that it names, or is at least read."""

import json
import shlex
from datetime import datetime, timedelta

import pytest
import typer

from neraca.cli import COMMANDS, app
from neraca.cli.examples import EXAMPLES

#: Commands that serve until Ctrl-C, open a browser, or need what people said, and lines that need a server or a log of
#: a live system: their words are read, and other tests run them.
READ_ONLY = {"demo", "receive", "serve", "browser", "agree", "prefer"}
READ_LINES = {EXAMPLES["ask"].lines[1], EXAMPLES["interleave"].lines[1]}
LINES = [(name, line) for name, examples in EXAMPLES.items() for line in examples.lines]


@pytest.fixture(scope="module")
def studied(tmp_path_factory):
    """The files of the thesis's starter, whose study has run; other starters need no study."""
    import subprocess
    import sys

    folder = tmp_path_factory.mktemp("studied") / "files"
    for words in (["init", "--for", "thesis", folder], ["run", folder / "study.toml"]):
        subprocess.run([sys.executable, "-m", "neraca", *words], check=True, capture_output=True)
    return folder


def export(path):
    """Traces of six weeks, ten questions a day."""
    with path.open("w", encoding="utf-8") as file:
        for n in range(420):
            start = datetime(2026, 8, 31) + timedelta(hours=2.4 * n)
            end = start + timedelta(seconds=2)
            shared = {"trace_id": f"t{n}", "session_id": f"s{n}", "start_time": str(start), "end_time": str(end)}
            hits = [{"id": f"k{n}", "text": "A room."}] if n % 9 else []
            answered = {"input": {"question": f"Is there a room {n}?"}, "output": {"answer": "Yes."}}
            for row in (
                {"id": f"a{n}", "name": "turn", "parent_observation_id": "", "type": "CHAIN", **answered},
                {
                    "id": f"b{n}",
                    "name": "search",
                    "parent_observation_id": f"a{n}",
                    "type": "RETRIEVER",
                    "output": hits,
                },
            ):
                print(json.dumps(shared | row), file=file)


def test_every_command_has_examples_and_shows_them(cli):
    assert EXAMPLES.keys() == set(COMMANDS)
    for name, examples in EXAMPLES.items():
        assert all(line.split()[:2] == ["neraca", name] for line in examples.lines)
        shown = cli(name, "--help").out.replace("\\\n", " ")
        assert all(" ".join(line.split()) in " ".join(shown.split()) for line in examples.lines), name
        assert max(map(len, cli(name, "--help").out.splitlines())) <= 80


@pytest.mark.parametrize(("name", "line"), LINES, ids=[line for _, line in LINES])
def test_an_example_runs(name, line, cli, tmp_path, monkeypatch, studied):
    words = shlex.split(line)[1:]
    if name in READ_ONLY or line in READ_LINES:
        typer.main.get_command(app([name])).commands[name].make_context(name, words[1:])
        return
    monkeypatch.chdir(tmp_path)
    if EXAMPLES[name].after_study:
        monkeypatch.chdir(studied)
    elif EXAMPLES[name].starter:
        assert cli("init", "--for", EXAMPLES[name].starter, "files").code == 0
        monkeypatch.chdir("files")
    if name in {"traces", "drift"}:
        export(tmp_path / "export.jsonl")
    if name == "drift":
        assert cli("traces", "export.jsonl", "--out", "runs/november").code == 0
    ended = cli(*words)
    assert ended.code == 0, ended.err
