"""The list of the questions of a run: its tags, its file, and its first page while all others are being read."""

from concurrent.futures import Future

import pytest
from builders import make_run
from chromium import FLAGS, chromium_in
from playwright.sync_api import expect, sync_playwright
from web.test_explorer_app import explorer

from neraca.records import Answer, Item
from neraca.web.question_filters import Filters
from neraca.web.question_list import QuestionEntry, QuestionList, QuestionLists, write_list
from neraca.web.run_index import RunIndex
from neraca.web.run_questions import RunQuestions
from neraca.web.table_layout import Layout

TAGS = [{"kind": "b", "place": "x"}, {}, {"kind": "a"}, {"kind": "b"}]
ITEMS = [Item(id=f"q{n}", query=f"Ärger {n}?", tags=tags) for n, tags in enumerate(TAGS)]
#: Sixty questions of 20 kB: more than is read at once.
LONG = [Item(id=f"q{n}", query=f"house {n} " + "x" * 20_000, tags={"kind": "ab"[n % 2]}) for n in range(60)]


def run_of(folder, items):
    make_run(folder / "run", items, [Answer(item=item.id, text="red") for item in items])
    return folder / "run"


@pytest.fixture(params=["read", "kept"])
def questions(request, tmp_path):
    folder = run_of(tmp_path, ITEMS)
    if request.param == "read":
        return QuestionList.read(folder)
    return QuestionList.load(write_list(tmp_path / "questions.msgpack", folder))


def test_a_list_has_ids_words_and_tags(questions):
    assert len(questions) == 4
    assert questions[0] == QuestionEntry("q0", "Ärger 0?", ("kind=b", "place=x"))
    assert questions[1].tags == ()
    assert questions.folded[3] == "ärger 3?"
    assert questions.tag_counts == {"kind=b": 2, "place=x": 1, "kind=a": 1}
    assert questions.tag_names == ["kind", "place"]
    assert questions.with_tag("kind=b").tolist() == [True, False, False, True]
    assert not questions.with_tag("kind=c").any()
    values = questions.values_of("kind")
    assert [values[index] for index in range(4)] == ["b", "", "a", "b"]
    assert not questions.values_of("nothing").codes.any()


@pytest.mark.parametrize(
    "sort, ids",
    [
        ("tag:kind", ["q1", "q2", "q0", "q3"]),
        ("-tag:kind", ["q0", "q3", "q2", "q1"]),
        ("-question", ["q3", "q2", "q1", "q0"]),
    ],
)
def test_questions_are_sorted_by_a_tag_and_by_their_words(tmp_path, monkeypatch, sort, ids):
    run_of(tmp_path, ITEMS)
    index = RunIndex(tmp_path)
    monkeypatch.setattr(index, "begin", lambda *call: Future())
    rows = RunQuestions(index).list_view(["run"], Filters(), 1, Layout(sort=sort))["questions"]
    assert [row[1].id for row in rows] == ids
    index.close()


def test_questions_without_tags_have_none(tmp_path):
    of_run = QuestionList.read(run_of(tmp_path, [Item(id="q", query="?")]))
    assert (of_run.tag_names, of_run.with_tag("kind=a").tolist(), of_run.values_of("kind").codes.tolist()) == (
        [],
        [False],
        [0],
    )


def test_while_a_long_list_is_read_its_first_page_is_shown_and_no_filter_is_guessed(tmp_path, monkeypatch):
    run_of(tmp_path, LONG)
    index = RunIndex(tmp_path)
    monkeypatch.setattr(index, "begin", lambda *call: Future())  # it never ends
    runs = RunQuestions(index)
    view = runs.list_view(["run"], Filters(), 1)
    assert (len(view["questions"]), view["total"], view["reading"], view["hidden"]) == (50, 60, True, False)
    assert view["tag"] is None
    for filters, page, layout in (
        (Filters(q="house"), 1, Layout()),
        (Filters(tag="kind=a"), 1, Layout()),
        (Filters(), 2, Layout()),
        (Filters(), 1, Layout(sort="question")),
    ):
        view = runs.list_view(["run"], filters, page, layout)
        assert (view["questions"], view["hidden"], view["live"]) == ([], True, True)
    assert ("tag", "kind=a") in runs.list_view(["run"], Filters(tag="kind=a"), 1)["kept"], "the form keeps it"
    index.close()


def test_a_long_list_is_read_beside_the_server_and_kept(tmp_path):
    run_of(tmp_path, LONG)
    index = RunIndex(tmp_path)
    of_run = QuestionLists(index).of(["run"])
    assert (len(of_run), of_run.missing, of_run.tag_counts["kind=b"]) == (60, 0, 30)
    assert len(list(index.kept.folder.glob("questions-*.msgpack"))) == 1
    again = QuestionLists(index).of(["run"], 0)
    assert again[59] == of_run[59]
    index.close()


def test_filters_are_folded_on_a_telephone_and_a_question_is_on_the_first_screen(tmp_path):
    run_of(tmp_path / "runs", ITEMS)
    with explorer(tmp_path / "runs") as link, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_in(tmp_path), args=FLAGS)
        page = browser.new_page(viewport={"width": 390, "height": 844})
        page.goto(f"{link.rstrip('/')}/questions?run=run")
        expect(page.locator("#news")).to_have_text("", timeout=20_000)
        assert page.locator(".matrix tbody td.cell").first.bounding_box()["y"] < 844
        assert not page.locator("select[name=tag]").is_visible()
        page.check("#unfold")
        assert page.locator("select[name=tag]").is_visible()
        page.set_viewport_size({"width": 800, "height": 844})
        assert not page.locator("#unfold").is_visible()
        assert page.locator("select[name=tag]").is_visible()
        page.goto(link)
        assert page.evaluate("[...document.querySelectorAll('.scroll')].every(e => e.scrollWidth <= e.clientWidth)")
        browser.close()
