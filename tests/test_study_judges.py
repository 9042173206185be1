"""Judges in a study: settings beside it, a jury, one budget for all phases, and what is left to pay."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from models.llm_server import LlmServer

from neraca.concurrency import silent
from neraca.errors import BudgetReached, SpecError
from neraca.study import run_study
from neraca.study_file import read_study

STUDY = """
name = "judged"
[dataset]
file = "questions.csv"
[target]
kind = "python"
[[phase]]
name = "one"
targets.plain.function = "bot.py:plain"
[[phase]]
name = "two"
targets.loud.function = "bot.py:loud"
[judges.polite]
kind = "aspect"
name = "polite"
criterion = "It is polite."
MODEL
[judges.second]
kind = "aspect"
name = "polite"
criterion = "It is polite."
model = "openai:second"
url = "URL"
price = [1, 10]
[judges.rules]
[models]
cache = "models.sqlite"
BUDGET
[score]
metrics = ["Aspect(polite,by=llm:openai:judge)"]
"""
BOT = """
def plain(query):
    return "Yes."

def loud(query):
    return f"YES, {query}!"
"""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with LlmServer() as running:
        yield running


def write(folder: Path, server: LlmServer, more: str = "", budget: str = "") -> Path:
    model = f'model = "openai:judge"\nurl = "{server.url}"\nprice = [1, 10]\n{more}'
    text = STUDY.replace("MODEL", model).replace("URL", server.url).replace("BUDGET", budget)
    (folder / "study.toml").write_text(text)
    (folder / "bot.py").write_text(BOT)
    (folder / "questions.csv").write_text("id,query\n" + "".join(f"q{n},Question {n}?\n" for n in range(5)))
    return folder / "study.toml"


def test_two_models_judge_and_nothing_is_paid_twice(tmp_path: Path, server: LlmServer) -> None:
    study = write(tmp_path, server)
    titles: list[str] = []

    def begin(title: str) -> object:
        titles.append(title)
        return silent

    first, second = run_study(study, progress=begin)
    assert server.count == 20
    assert first.scores is not None
    assert [score.n for score in first.scores.overall()] == [5]
    assert {v.by.partition("#")[0] for v in second.runs[0].verdicts()} == {"llm:openai:judge", "llm:openai:second"}
    assert any("polite (openai:judge) on plain (to pay for about 5 calls, $0." in title for title in titles)
    assert (tmp_path / "models.sqlite").exists()
    titles.clear()
    run_study(study, progress=begin)
    assert server.count == 20
    assert any("polite (openai:judge) on plain (to pay for nothing: all 5 replies" in title for title in titles)


def test_one_budget_holds_for_all_phases_and_a_new_start_goes_on(tmp_path: Path, server: LlmServer) -> None:
    run_study(write(tmp_path, server))
    (tmp_path / "other").mkdir()
    whole = sum(call.prompt_tokens for call in server.calls) / 1e6
    server.count = 0
    study = write(tmp_path / "other", server, budget=f"budget = {whole * 0.9:.8f}")
    with pytest.raises(BudgetReached, match="the same command with a higher budget"):
        run_study(study)
    assert 5 < server.count < 20
    run_study(study)
    assert server.count == 20


def test_what_a_judge_reads_stands_beside_the_study(
    tmp_path: Path, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine").mkdir()
    monkeypatch.chdir(tmp_path)
    assert read_study(write(tmp_path / "study", server, 'prompts = "mine"')).judges["polite"]["prompts"] == "mine"


@pytest.mark.parametrize(
    ("more", "budget", "told"),
    [
        ("modle = 3", "", "judges.polite: .*no setting 'modle'"),
        ("", "budgte = 3", "no setting 'budgte' in models"),
        ("", "budget = -1", "a budget must be at least 0"),
        ("repeats = 2", "", "repeats is an odd number"),
    ],
)
def test_a_mistake_is_told_before_anybody_is_asked(
    tmp_path: Path, server: LlmServer, more: str, budget: str, told: str
) -> None:
    with pytest.raises(SpecError, match=told):
        run_study(write(tmp_path, server, more, budget))
    assert not (tmp_path / "results").exists()
