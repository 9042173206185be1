"""A study in a running event loop, as in a notebook or a server."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from types import ModuleType

import pytest

from neraca.errors import RunError
from neraca.registry import load_file
from neraca.runs.run import Run
from neraca.study import run_study, run_study_async

BOT = """
import asyncio, threading

LOOPS, THREADS = [], []
BEGUN, GO = threading.Event(), threading.Event()

async def here(query):
    LOOPS.append(asyncio.get_running_loop())
    return query

def slow(query):
    BEGUN.set()
    return f"{query} {GO.wait(10)}"

async def stuck(query):
    if query == "second" and not GO.is_set():
        BEGUN.set()
        await asyncio.sleep(60)
    return query
"""
STUDY = """
name = "Echo"
dataset.file = "questions.csv"
asking.concurrency = 1
targets.echo = {{ kind = "python", function = "bot.py:{function}" }}
score.metrics = ["ExactMatch"]
"""


def study_of(folder: Path, function: str) -> tuple[Path, ModuleType]:
    (folder / "bot.py").write_text(BOT + f"# {folder}")  # a file of its own for each test
    (folder / "questions.csv").write_text("question,reference\nfirst,first\nsecond,second\n")
    (folder / "study.toml").write_text(STUDY.format(function=function))
    return folder / "study.toml", load_file(folder / "bot.py")


async def until(event: threading.Event) -> None:
    while not event.is_set():
        await asyncio.sleep(0.01)


async def test_targets_are_asked_in_the_loop_of_the_caller_with_the_results_of_run_study(tmp_path: Path) -> None:
    study, bot = study_of(tmp_path, "here")
    (result,) = await run_study_async(study)
    assert [asyncio.get_running_loop()] * 2 == bot.LOOPS
    assert result.scores is not None
    assert result.scores.overall()[0].value == 1
    assert run_study(study).rows() == [*result.rows()], "the answers are on disk"
    assert len(bot.LOOPS) == 2


async def test_an_event_loop_goes_on_while_a_study_runs_and_no_second_study_changes_its_folder(tmp_path: Path) -> None:
    study, bot = study_of(tmp_path, "slow")
    work = asyncio.create_task(run_study_async(study))
    await until(bot.BEGUN)
    with pytest.raises(RunError, match="another study is running in this process; run studies one after the other"):
        run_study(study)
    bot.GO.set()  # a blocked loop would not come here before the ten seconds are over
    (result,) = await work
    assert [answer.text for answer in result.runs[0].answers().values()] == ["first True", "second True"]


async def test_a_cancelled_study_keeps_its_answers_and_the_same_call_goes_on(tmp_path: Path) -> None:
    study, bot = study_of(tmp_path, "stuck")
    directory = Path.cwd()
    work = asyncio.create_task(run_study_async(study))
    await until(bot.BEGUN)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert Path.cwd() == directory
    assert [answer.text for answer in Run(tmp_path / "results/study/echo").answers().values()] == ["first"]
    bot.GO.set()
    (result,) = await run_study_async(study)
    assert [answer.text for answer in result.runs[0].answers().values()] == ["first", "second"]
