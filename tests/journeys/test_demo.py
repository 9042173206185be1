"""The main job, as a user does it: `neraca demo`, and its second phase with models on three protocols."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from chromium import FLAGS, chromium_in
from demo.model_servers import model_server, search_once
from journeys.conftest import NERACA, run_neraca
from playwright.sync_api import sync_playwright

import neraca
from neraca.comparisons.compare import compare
from neraca.records import Verdict
from neraca.reports.report import report
from neraca.runs.run import Run
from neraca.scores.score import score
from neraca.verdicts.ratings import unrated


def test_the_demo_tells_its_three_methods_apart_and_says_where_the_report_is(demo: tuple[Path, str]) -> None:
    folder, told = demo
    assert "Chosen by nDCG(empty=correct)@10: hybrid (" in told, "with a doubt"
    assert "hybrid has the highest nDCG(empty=correct)@10 (0.876) and is better than vector, but" in told
    assert "Not told apart: hybrid and api (p = 0.102" in told
    assert "; api and vector (p = 0.061" in told
    for line in re.findall(r"Report: (.*)", told):
        assert Path(line).stat().st_size > 10_000
    assert (folder / "results/study/search/report.html").stat().st_size < 1_000_000


def test_every_question_of_every_method_has_an_answer_and_verdicts(demo: tuple[Path, str]) -> None:
    for method in ("api", "vector", "hybrid"):
        run = Run(demo[0] / "results/study/search" / method)
        answers = run.answers()
        assert len(answers) == 30
        assert {answer.status for answer in answers.values()} == {"complete"}
        judged = {(verdict.item, verdict.about) for verdict in run.verdicts()}
        for answer in answers.values():
            assert {(answer.item, f"hit:{hit.id}") for hit in answer.hits} <= judged
        assert all(verdict.why for verdict in run.verdicts())


def test_other_options_never_repeat_a_listing_of_their_session(demo: tuple[Path, str]) -> None:
    run = Run(demo[0] / "results/study/search/api")
    answers = run.answers()
    asked_for_more = [item for item in run.items if item.tags["category"] == "context_followup"]
    assert len(asked_for_more) == 3
    for item in asked_for_more:
        place = run.items.index(item)
        before = [other for other in run.items[:place] if other.session == item.session]
        assert before, "a follow-up stands after the question that it refers to"
        shown = {hit.id for other in before for hit in answers[other.id, 0].hits}
        assert not shown & {hit.id for hit in answers[item.id, 0].hits}


def test_results_of_the_demo_print_in_short(demo: tuple[Path, str]) -> None:
    runs = [Run(demo[0] / "results/study/search" / method) for method in ("api", "vector", "hybrid")]
    scores = score(runs)
    differences = compare(scores)
    results = [*runs, scores, differences, report(scores, differences), scores["nDCG@10"].by_item()]
    assert [len(str(result)) for result in results if not 100 < len(str(result)) < 4000] == []


def test_a_second_demo_in_the_same_folder_asks_nothing_again(demo: tuple[Path, str]) -> None:
    folder, first = demo
    journals = sorted(folder.glob("results/study/search/*/answers.jsonl"))
    before = [journal.read_bytes() for journal in journals]
    again = run_neraca("demo", "--out", folder)
    assert again.returncode == 0, again.stderr
    assert [journal.read_bytes() for journal in journals] == before
    assert again.stdout == first


def test_a_person_rates_the_demo_by_one_key_for_each_thing(demo: tuple[Path, str], tmp_path: Path) -> None:
    """What was rated so far is reported as a last phase; when all is, the same command asks nobody any more."""
    folder = tmp_path / "out"
    shutil.copytree(demo[0], folder)
    words = [*NERACA, "demo", "--out", str(folder), "--rate"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            link = next(line.split()[-1] for line in process.stdout if "http://" in line)
            pressed = _rate_by_keyboard(link, tmp_path, 60)
            process.send_signal(signal.SIGTERM)
            told = process.stdout.read()
        finally:
            process.kill()
    assert process.returncode == 0
    runs = [Run(folder / "results/study/search" / name) for name in ("api", "vector", "hybrid")]
    rated = [verdict for run in runs for verdict in run.verdicts() if verdict.by == "human:rater"]
    assert pressed <= len(rated) < 3 * pressed, (
        "one key for each hit and answer; what several methods gave counts in each"
    )
    assert sum(map(int, re.findall(r"(\d+) verdicts added", told))) == len(rated)
    assert "Phase people" in told
    for name in ("search/report.html", "people/report.html", "report.html"):
        assert (folder / "results/study" / name).stat().st_size > 10_000
    for run in runs:
        with run.writing():
            run.verdicts_journal.append(
                *(
                    Verdict(item=item, about="answer", aspect="quality", by="human:ana", value=4)
                    for item, _ in unrated(run)
                )
            )
    again = run_neraca("demo", "--out", folder, "--rate", timeout=60)
    assert again.returncode == 0, again.stderr
    assert "http://127.0.0.1" not in again.stdout
    assert "Chosen by Rubric(quality): " in again.stdout


def _rate_by_keyboard(link: str, folder: Path, most: int) -> int:
    """Rate so many things on the page, one key for each; return their number."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_in(folder), args=FLAGS)
        page = browser.new_page()
        page.goto(link)
        for _ in range(most):
            on = page.evaluate("document.querySelector('.line.active').dataset.on")
            page.keyboard.press("n" if on == "empty" else "1")
            if page.locator(".doubt").count():  # a quality of 1 beside hits that fit is asked about
                page.keyboard.press("Enter")
        page.get_by_text("Saved", exact=False).first.wait_for()
        browser.close()
    return most


def test_a_killed_demo_leaves_no_server_behind_and_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    process = subprocess.Popen(
        [*NERACA, "demo", "--out", str(folder)],
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    journal = folder / "results/study/search/vector/answers.jsonl"
    deadline = time.monotonic() + 60
    while not (journal.exists() and journal.read_bytes().count(b"\n") >= 5) and time.monotonic() < deadline:
        assert process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = journal.read_bytes()
    kept = kept[: kept.rfind(b"\n") + 1]
    done = run_neraca("demo", "--out", folder)
    assert done.returncode == 0, done.stderr
    assert journal.read_bytes().startswith(kept)
    assert len(Run(journal.parent).answers()) == 30
    orphans = [
        path.parent.name
        for path in Path("/proc").glob("[0-9]*/cmdline")
        if b"neraca.demo" in _read(path) and str(process.pid).encode() in _parent(path.parent)
    ]
    assert orphans == []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _parent(process: Path) -> bytes:
    return _read(process / "stat").rpartition(b")")[2].split()[1:2][0] if _read(process / "stat") else b""


def test_the_winner_of_the_first_phase_is_asked_with_three_models_in_the_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = {"openai": "openai:gpt-test", "anthropic": "anthropic:claude-test", "google": "google:gemini-test"}
    with ExitStack() as stack:
        servers = {
            provider: stack.enter_context(
                model_server(
                    provider, search_once({"query": "rumah", "property_types": [kind]}, f"ditulis oleh {provider}")
                )
            )
            for provider, kind in zip(names, ("rumah", "apartemen", "ruko"), strict=True)
        }
        for server in servers.values():
            for key, value in server.environment.items():
                monkeypatch.setenv(key, value)
        words = [word for name in names.values() for word in ("--llm", name)]
        told = run_neraca("demo", "--out", tmp_path / "out", *words)
        asked = {provider: len(server.requests) for provider, server in servers.items()}
    assert told.returncode == 0, told.stderr
    assert "Phase model" in told.stdout
    for provider, name in names.items():
        run = Run(tmp_path / "out/results/study/model" / name.replace(":", " "))
        assert run.manifest.target["body"] == {
            "message": "{query}",
            "session_id": "{session}",
            "method": "hybrid",
            "llm": name,
        }
        assert {answer.text for answer in run.answers().values()} == {f"ditulis oleh {provider}"}
        assert asked[provider] == 60, "a search and a reply for each question"
    folders = [tmp_path / "out/results/study/model" / name.replace(":", " ") for name in names.values()]
    scores = neraca.score(folders, ["nDCG@10"])
    assert len({scores.mean("nDCG@10", run.name) for run in scores.runs}) == 3, "a model changes what is found"
