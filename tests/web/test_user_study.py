"""A user study: people ask the chosen system questions of their own, rate what comes back, and it is a run."""

import json
import re
import signal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import FLAGS, chromium_in
from playwright.sync_api import expect, sync_playwright
from web.live import data_of, rating, rating_command, request, send

import neraca
from neraca.errors import RunError, SpecError
from neraca.runs.run import Run
from neraca.study import run_study, system_for_users
from neraca.web.run_index import RunIndex

BOT = """
def good(query, history):
    if "broken" in query:
        raise OSError("the shop is closed")
    return {"text": f"answer {len(history) + 1} to {query}", "hits": [{"id": "a", "text": "one"}, {"id": "b"}]}

def poor(query):
    return {"text": "none"}
"""
STUDY = """
name = "Shop"
dataset.file = "q.csv"
targets.good = { kind = "python", function = "bot.py:good" }
targets.poor = { kind = "python", function = "bot.py:poor" }
score.metrics = ["TokenRecall"]
score.primary = "TokenRecall"
users = { questions = 3, raters = ["ana", "budi"], guideline = "Ask as at home." }
"""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    (tmp_path / "study.toml").write_text(STUDY)
    (tmp_path / "q.csv").write_text("id,question,reference\n1,rooms?,answer rooms\n2,price?,answer price\n")
    run_study(tmp_path / "study.toml")
    return tmp_path / "study.toml"


def ask(link, query, name="n1"):
    parts = urlsplit(link)
    body = json.dumps({"id": name, "query": query}).encode()
    origin = f"{parts.scheme}://{parts.netloc}"
    status, _, reply = request(f"{link}/questions", "POST", body, Content_Type="application/json", Origin=origin)
    return status, json.loads(reply)


def test_a_person_asks_and_rates_in_the_page_and_it_is_a_run(study, tmp_path_factory):
    with rating_command("--study", study) as server, sync_playwright() as playwright:
        found = chromium_in(tmp_path_factory.mktemp("chromium"))
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        page = browser.new_page(viewport={"width": 390, "height": 900})
        page.goto(server.links["ana"])
        page.fill("#question", "a house? <img src=x onerror=window.hurt=1>")
        page.reload()
        assert page.input_value("#question").startswith("a house?"), "what was typed is still there"
        page.keyboard.press("Tab")
        page.focus("#question")
        page.keyboard.press("Enter")
        expect(page.locator("#query")).to_have_text(re.compile("^a house"))
        for key in ("1", "0", "5", "Enter"):  # the first hit is relevant, the second is not, quality 5 all the same
            page.keyboard.press(key)
        expect(page.locator("#saved")).not_to_have_class("warning")
        page.fill("#question", "broken?")
        page.click("#ask-now")
        expect(page.locator("#asked")).to_contain_text("the shop is closed")
        assert page.input_value("#question") == "broken?", "it can be asked again"
        page.fill("#question", "cheaper?")
        page.click("#ask-now")
        expect(page.locator(".answer")).to_have_text("answer 2 to cheaper?")
        page.fill("textarea:not(#question)", "quick and friendly")
        page.keyboard.press("Escape")
        expect(page.locator("#saved")).not_to_have_class("warning")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert page.evaluate("window.hurt") is None
        browser.close()
        told = server.end(signal.SIGINT)
    path = study.parent / "results/study/users"
    assert f"{path}: 4 verdicts added" in told
    run = Run(path)
    assert [(item.id, item.session, item.tags) for item in run.items] == [
        ("ana-1", "ana", {"person": "ana"}),
        ("ana-2", "ana", {"person": "ana"}),
    ]
    scores = neraca.score(path, "RR Rubric(quality)")
    assert run.name == "good (users)", "reports name the system that users asked, and not the folder"
    assert scores["RR"] == {"good (users)": 1.0}, "an answer that nobody rated has no value"
    assert scores["Rubric(quality)"] == {"good (users)": 5.0}
    index = RunIndex(study.parent / "results")
    index.entries()
    place = index.place("study/users")
    assert (place.study.name, place.phase.title, place.phase.primary) == ("Shop", "User study", "P@5")
    assert place.phase.totals["users"].keys() >= {"RR"}, "by the name of the folder, as the record names runs"
    index.close()


def test_what_was_asked_and_said_survives_a_kill(study):
    with rating_command("--study", study) as server:
        ana = server.links["ana"]
        status, first = ask(ana, "rooms?")
        assert (status, first["task"]["text"]) == (200, "answer 1 to rooms?")
        assert send(ana, rating(first["task"], "quality", 4))[0] == 200
        server.end(signal.SIGKILL)
    with rating_command("--study", study) as server:
        assert server.links["ana"].rpartition("/")[2] == ana.rpartition("/")[2]
        ana, budi = server.links["ana"], server.links["budi"]
        assert [task["query"] for task in data_of(request(ana)[2])["tasks"]] == ["rooms?"]
        assert ask(ana, "rooms?")[1] == first, "the same question, sent again, is not asked again"
        assert ask(ana, "more?", "n2")[1]["task"]["text"] == "answer 2 to more?", "the conversation goes on"
        assert ask(budi, "rooms?")[1]["task"]["text"] == "answer 1 to rooms?", "each has a conversation of their own"
        assert ask(ana, "a third?", "n3")[0] == 200
        status, said = ask(ana, "a fourth?", "n4")
        assert (status, said["error"]) == (400, "all 3 questions are asked")
        assert ask(ana, " ", "n5")[0] == 400
        assert ask(ana[:-1] + ("x" if ana[-1] != "x" else "y"), "rooms?")[0] == 404
        server.end(signal.SIGINT)
    with rating_command("--study", study) as server:  # nothing new is written twice
        assert ": 0 verdicts added" in server.end(signal.SIGINT)
    run = Run(study.parent / "results/study/users")
    assert (len(run.items), run.missing()) == (4, 0)
    assert [(one.item, one.value) for one in run.verdicts()] == [("ana-1", 4.0)]


def test_the_system_is_the_one_that_was_chosen_or_named(study, tmp_path):
    assert system_for_users(study)[0] == "good"
    name, settings = system_for_users(study, "poor")
    assert (name, settings["function"]) == ("poor", "bot.py:poor")
    with pytest.raises(SpecError, match="no target is called 'por'; did you mean poor"):
        system_for_users(study, "por")
    (tmp_path / "new.toml").write_text(STUDY)
    with pytest.raises(RunError, match="was not run yet"):
        system_for_users(tmp_path / "new.toml")


def test_where_nothing_was_chosen_the_systems_are_named(study):
    study.write_text(STUDY.replace('score.primary = "TokenRecall"', ""))
    with pytest.raises(SpecError, match="no phase has chosen a system; name the one that users ask: good, poor"):
        system_for_users(study)
