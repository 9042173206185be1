"""One question in several runs on the explorer's pages: what differs, whose verdicts, also after a broken line."""

import re
import time
from contextlib import closing
from html import unescape
from urllib.parse import unquote

import pytest
from axe_playwright_python.sync_playwright import Axe
from builders import make_run
from chromium import FLAGS, chromium_in
from playwright.sync_api import expect, sync_playwright
from web.test_explorer_app import HOSTILE, explorer, get, runs_in, scored

from neraca.records import Answer, Item, Verdict
from neraca.reports.formats.explorer import word_changes
from neraca.runs.run import Run, content_of
from neraca.runs.session_contents import session_contents
from neraca.web.one_question import OneQuestion, shown_answers
from neraca.web.question_records import QuestionRecords
from neraca.web.run_index import RunIndex

BOTH = "run=shop/old&run=shop/new"


@pytest.fixture(scope="module")
def link(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served") / "runs"
    runs_in(folder)
    with explorer(folder) as started:
        yield started.rstrip("/")


def test_questions_are_listed_and_searched(link):
    page = get(link, f"/questions?{BOTH}")[2]
    assert "2 questions." in page
    assert get(link, f"/questions?{BOTH}&q=2%3f")[2].count("/question?") == 1
    nothing = get(link, f"/questions?{BOTH}&q=nowhere&sort=-question")[2]
    assert "0 questions." in nothing
    cleared = unescape(re.search(r'<a href="([^"]+)">Clear the filters</a>', nothing)[1])
    assert (f"{BOTH}&sort=-question" in unquote(cleared), "q=" in cleared) == (True, False)
    everything = get(link, cleared)[2]
    assert ("2 questions." in everything, "Clear the filters" in everything) == (True, False)
    assert '<a href="/">Clear the filters</a>' in get(link, "/?q=nowhere")[2]


def test_questions_are_chosen_by_tag(tmp_path):
    items = [Item(id=f"q{n}", query=f"question {n}?", tags={"kind": "a b" if n % 3 else "<c>"}) for n in range(200)]
    make_run(tmp_path / "runs/tagged", items, [Answer(item=item.id, text="x") for item in items], [])
    with explorer(tmp_path / "runs") as started:
        link = started.rstrip("/")
        page = get(link, "/questions?run=tagged&tag=kind%3Da+b")[2]
        assert "133 questions, of which 50 are shown" in page
        assert '<option value="kind=a b" selected>kind=a b (133)' in page
        assert "kind=&lt;c&gt; (67)" in page
        later = unescape(re.search(r'<a href="([^"]+)" rel="next">', page)[1])
        assert "question 76?" in get(link, later)[2]  # the first page ends with 74, two of each three
        assert "0 questions." in get(link, "/questions?run=tagged&tag=kind%3Dd")[2]
        saved = get(link, "/questions.csv?run=tagged&tag=kind%3D%3Cc%3E&q=0%3F")[2].splitlines()
        assert [line.split(",")[:3] for line in saved[:2]] == [
            ["item", "query", "tags"],
            ["q0", "question 0?", "kind=<c>"],
        ]
        assert len(saved) == 1 + len([n for n in range(0, 200, 10) if n % 3 == 0])


def test_a_question_shows_what_differs_and_who_said_what(link):
    status, _, page = get(link, f"/question?{BOTH}&item=q1")
    assert status == 200
    assert "<del>blue</del>" in page
    assert "<ins>red " in page
    assert page.count('kind: 0</span> <i title="human:x" dir="auto">x (person)</i>') == 2
    assert "A good answer: <bdi>red</bdi>" in page
    assert "<script>" not in page
    assert "\x1b" not in page
    status, _, page = get(link, f"/question?{BOTH}&item=q9")
    assert (status, "has no question" in page) == (400, True)


def test_a_metric_over_versions_begins_with_the_oldest(link):
    until = time.monotonic() + 60
    while "renews itself" in (page := get(link, f"/history?{BOTH}&metric=TokenRecall")[2]) and time.monotonic() < until:
        time.sleep(0.1)
    assert page.index("<bdi>old<") < page.index("<bdi>new<"), "old was made first"
    assert "</span> 0.000</td>" in page, "blue has nothing of red"
    assert "</span> 1.000</td>" in page
    assert page.count("<svg") == 3, "over versions, against cost, and differences"
    status, _, page = get(link, f"/history?{BOTH}&metric=TokenRecal")
    assert status == 400
    assert "did you mean TokenRecall" in page


def test_every_page_is_accessible_and_inside_a_telephone(link, tmp_path):
    scored(link)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_in(tmp_path), args=FLAGS)
        page = browser.new_page(viewport={"width": 390, "height": 800})
        for path in ("/", f"/questions?{BOTH}", f"/question?{BOTH}&item=q1", f"/history?{BOTH}"):
            page.goto(f"{link}{path}")
            for scheme in ("dark", "light"):
                page.emulate_media(color_scheme=scheme)
                found = Axe().run(page)
                assert found.violations_count == 0, f"{path}, {scheme}: {found.generate_report()}"
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        browser.close()


def test_the_list_renews_itself_and_ticks_stay(tmp_path):
    runs_in(tmp_path / "runs")
    asked = Run(tmp_path / "runs/asked")
    with explorer(tmp_path / "runs") as started, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_in(tmp_path), args=FLAGS)
        page = browser.new_page()
        page.goto(started)
        expect(page.get_by_text("being asked: 1 of 2")).to_be_visible()
        page.check("input[value='shop/old']")
        page.locator("h1").click()  # whoever works in the list is not disturbed
        with asked.writing():
            asked.answers_journal.append(Answer(item="q2", text="red"))
            asked.record_end()
        page.evaluate("document.activeElement.blur()")
        expect(page.get_by_text("being asked: 1 of 2")).to_have_count(0, timeout=20_000)
        assert page.is_checked("input[value='shop/old']")
        browser.close()


def test_changes_of_long_texts_are_not_worked_out():
    assert word_changes("a b", "a c " + HOSTILE, most=2) == [("ins", "a c " + HOSTILE)]
    assert word_changes("the same", "the same") == [("same", "the same")]


def test_an_answer_without_text_is_neither_compared_nor_what_others_are_compared_with(tmp_path):
    item, runs = Item(id="q", query="?"), []
    for name, text in (("empty", ""), ("red", "a red shoe"), ("blue", "a blue shoe")):
        answers = [Answer(item="q", text=text)]
        runs.append(OneQuestion(make_run(tmp_path / name, [item], answers).path, item, answers, ()))
    parts = [answers[0].parts for answers in shown_answers(runs)]
    assert parts[:2] == [[], [("same", "a red shoe")]]
    assert parts[2] == [("same", "a "), ("del", "red "), ("ins", "blue "), ("same", "shoe")]


def test_a_turn_is_marked_by_the_verdicts_on_its_conversation(tmp_path):
    items = [Item(id=f"t{n}", query=f"question {n}", session="a") for n in (1, 2, 3)]
    answers = [Answer(item=item.id, text="Yes.") for item in items]
    contents = session_contents(items, {(answer.item, 0): content_of(answer) for answer in answers})
    verdicts = [
        Verdict(item="t3", about=about, aspect="remembers", by="llm:m", value=value, of=contents["t3", 0])
        for about, value in (("session", 0), ("turn:2", 0), ("turn:3", 1))
    ]
    run = make_run(tmp_path / "run", items, answers, verdicts)

    def said(name):
        with closing(RunIndex(tmp_path)) as index:
            ((shown,),) = shown_answers(QuestionRecords(index).of([index.entries()[0].path], name))
        return [sentence.text for sentence in shown.verdicts]

    assert said("t1") == []
    assert said("t2") == ["turn 2: not in keeping with what the user said"]
    assert said("t3") == [
        "the conversation: does not keep to what the user said",
        "1 of 2 turns in keeping with what the user said",
    ]
    with run.writing():
        run.answers_journal.append(Answer(item="t1", text="Another answer."))
    assert said("t2") == said("t3") == []


def test_a_later_turn_shows_what_was_asked_before_in_its_session(tmp_path):
    items = [Item(id=f"t{n}", query=f"question {n}", session="s") for n in (1, 2, 3)]
    make_run(tmp_path / "run", items, [Answer(item=item.id, text="Yes.") for item in items])
    with explorer(tmp_path) as started:
        page = get(started.rstrip("/"), "/question?run=run&item=t3")[2]
        first = get(started.rstrip("/"), "/question?run=run&item=t1")[2]
    assert "Asked before in session s" in page
    assert '<a href="/question?run=run&amp;item=t1" dir="auto">question 1</a>' in page
    assert "item=t3" not in page
    assert "Asked before" not in first
