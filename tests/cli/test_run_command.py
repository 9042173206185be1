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


RATED = """
name = "rated"
[dataset]
file = "questions.csv"
[target]
kind = "python"
[[phase]]
name = "people"
rate = true
targets.loud.function = "bot.py:loud"
[[phase]]
name = "again"
rate = true
[score]
metrics = ["Aspect(quality)"]
"""


def rate(run: Path, *items: str) -> None:
    lines = [
        f'{{"item": "{item}", "about": "answer", "aspect": "quality", "by": "human:Ana", "value": 1}}\n'
        for item in items
    ]
    with (run / "verdicts.jsonl").open("a") as file:
        file.writelines(lines)


@pytest.mark.parametrize("words", [(), ("--json",)])
def test_a_phase_of_ratings_asks_its_targets_and_says_which_ratings_are_missing(
    cli: Cli, folder: Path, words: tuple[str, ...]
) -> None:
    (folder / "study.toml").write_text(RATED)
    told = cli("run", folder / "study.toml", *words)
    run = folder / "results" / "study" / "people" / "loud"
    assert told.code == 3
    assert len((run / "answers.jsonl").read_text().splitlines()) == 5
    text = told.err if words else told.out
    assert "5 of 5 answers not rated yet: q0, q1, q2, q3, q4" in text
    assert "neraca rate import" in text
    assert "Question 1" in (run.parent / "rating.html").read_text(encoding="utf-8")
    assert "Phase again" not in told.out
    rate(run, "q0", "q2", "q3", "q4")
    told = cli("run", folder / "study.toml", *words)
    assert told.code == 3
    assert "1 of 5 answers not rated yet: q1" in (told.err if words else told.out)
    assert not (run.parent / "report.html").exists()


def test_a_study_is_scored_by_the_ratings_so_far_if_there_are_any(cli: Cli, folder: Path) -> None:
    (folder / "study.toml").write_text(RATED)
    told = cli("run", folder / "study.toml", "--so-far")
    assert told.code == 3
    assert "5 of 5 answers not rated yet" in told.out
    run = folder / "results" / "study" / "people" / "loud"
    rate(run, "q0", "q2")
    told = cli("run", folder / "study.toml", "--so-far")
    assert told.code == 0, told.err
    assert "1.000 (2)" in told.out, "two of five have a value"
    assert "unscored on 3 of 5 questions" in (run.parent / "report.md").read_text(encoding="utf-8")


def test_with_all_ratings_a_study_goes_on(cli: Cli, folder: Path) -> None:
    (folder / "study.toml").write_text(RATED)
    cli("run", folder / "study.toml")
    rate(folder / "results" / "study" / "people" / "loud", *(f"q{n}" for n in range(5)))
    told = cli("run", folder / "study.toml")
    assert told.code == 0, told.err
    assert "1.000 (5)" in told.out
    assert told.out.count("1.000 (5)") == 2
    assert (folder / "results/study/again/report.html").exists(), "people's word on the answers of the phase before"


def test_there_must_be_something_to_rate(cli: Cli, folder: Path) -> None:
    (folder / "study.toml").write_text(RATED.replace('targets.loud.function = "bot.py:loud"\n', ""))
    told = cli("run", folder / "study.toml")
    assert (told.code, "rates the answers of an earlier phase, but comes first" in told.err) == (2, True)


def test_a_study_prints_its_scores_in_the_language_of_its_report(cli: Cli, folder: Path) -> None:
    study = """
name = "kata"
[dataset]
file = "questions.csv"
[target]
kind = "python"
[[phase]]
name = "gaya"
choose = "Words"
[phase.targets.keras]
function = "bot.py:loud"
[phase.targets.pelan]
function = "bot.py:quiet"
[score]
metrics = ["Words"]
[report]
language = "id"
"""
    (folder / "study.toml").write_text(study)
    (folder / "bot.py").write_text(
        "def loud(query):\n    return 'YES, ' + query\n"
        "def quiet(query):\n    if '3' in query: raise ValueError\n    return query\n"
    )
    lines = cli("run", folder / "study.toml").out.splitlines()
    assert lines[1:3] == ["Fase gaya", "nilai (pertanyaan dinilai)"]
    assert "1 pertanyaan tanpa jawaban; --retry-failed bertanya lagi" in lines
    assert lines[-1].startswith("Laporan: ")
    english = {"the", "is", "of", "has", "have", "question", "questions", "report", "value", "answer", "and", "run:"}
    assert english.isdisjoint(" ".join(lines).lower().split())
