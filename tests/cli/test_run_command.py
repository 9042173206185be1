"""`neraca run`, as a user types it, with a model endpoint on loopback."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from models.llm_server import LlmServer

Cli = Callable[..., Any]
STUDY = """
name = "judged"
[dataset]
file = "questions.csv"
[targets.loud]
kind = "python"
function = "bot.py:loud"
[judges.valid]
model = "openai:judge"
url = "URL"
price = [1, 10]
retries = 0
[models]
cache = "models.sqlite"
[score]
metrics = ["Valid"]
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LlmServer() as running:
        yield running


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "bot.py").write_text('def loud(query):\n    return f"YES, {query}!"\n')
    (tmp_path / "questions.csv").write_text("id,query\n" + "".join(f"q{n},Question {n}?\n" for n in range(5)))
    return tmp_path


def test_what_a_judge_left_undecided_is_said_and_the_exit_code_says_so(
    cli: Cli, server: LlmServer, folder: Path
) -> None:
    study = folder / "study.toml"
    study.write_text(STUDY.replace("URL", server.url))
    server.fail = lambda call: "cut" if "Question 3" in call.user else None
    told = cli("run", study)
    assert told.code == 3
    assert "not everything could be decided on 1 of 5 answers: q3" in told.err
    assert "  1 × the reply was cut off at max_tokens = 8000; raise max_tokens (such as q3: valid)" in told.err
    assert "valid (openai:judge): more than 10 % of the answers stay undecided" in told.err
    assert cli("run", study, "--allow-undecided").code == 0
    server.fail = lambda call: None
    before = server.count
    assert cli("run", study, "--retry-undecided").code == 0
    assert ["Question 3" in call.user for call in server.calls[before:]] == [True]
