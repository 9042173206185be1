"""A result that is graded anew after the quality was said: the page asks once whether the quality still holds."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from builders import make_run
from playwright.sync_api import expect

from neraca.people.rating_task import RatingTasks
from neraca.records import Answer, Hit, Item
from neraca.reports.formats.rating_html import RatingPage, languages, rating_page

ITEMS = [Item(id=f"q{n}", query=query) for n, query in enumerate(("houses in Cemara?", "cheaper?", "a warehouse?"), 1)]
HITS = tuple(Hit(id=f"d{n}", text=f"house {n}") for n in range(3))


@pytest.fixture
def opened(browser, tmp_path):
    """`opened(answers, width, **settings)`: the page of one run with these answers, in a profile of its own."""
    contexts = []

    def open_page(answers, width=1280, **settings):
        tasks = RatingTasks.of([make_run(tmp_path / "run", ITEMS, answers)])
        file = tmp_path / "rating.html"
        file.write_text(rating_page(tasks.tasks, RatingPage(set="set", rater="ana", **settings)), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True)
        page = context.new_page()
        page.on("pageerror", lambda error: pytest.fail(str(error)))
        page.goto(file.as_uri())
        contexts.append(context)
        return page

    yield open_page
    for context in contexts:
        context.close()


THREE = [Answer(item="q1", hits=HITS), Answer(item="q2", hits=HITS[:2]), Answer(item="q3")]


def press(page, keys):
    for key in keys:
        page.keyboard.press(key)


def reload(page, n):
    """Load the page again, until its first answer shows n ratings; see `reload` in test_rating_page.py."""
    for _ in range(5):
        page.reload()
        press(page, ["ArrowLeft"])
        if page.locator('.choice[aria-pressed="true"]').count() == n:
            return
        page.wait_for_timeout(500)
    raise AssertionError(f"{n} ratings did not come back")


def ratings(page):
    """What was said, oldest first, as the JSON file holds it."""
    with page.expect_download() as download:
        page.click("#json")
    found = json.loads(download.value.path().read_text(encoding="utf-8"))["ratings"]
    return [(one["on"].partition(":")[0], one["value"]) for one in sorted(found, key=lambda one: one["at"])]


def test_the_question_waits_until_the_rater_reaches_the_quality(opened):
    page = opened(THREE)
    press(page, "1115")
    expect(page.locator("#query")).to_have_text("cheaper?")
    press(page, ["ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp"])
    asked = page.locator(".doubt")
    press(page, "0")
    assert asked.count() == 0, "the next key may grade the next result"
    press(page, "0")
    assert asked.count() == 0
    press(page, "1")
    expect(asked).to_contain_text("1 of 3 results are relevant, which on this scale is 2 (under half fit)")
    expect(asked).to_contain_text("5 means: all fit. Is 5 right?")
    assert page.locator(".line.active").get_attribute("data-on") == "quality"
    assert Axe().run(page).violations_count == 0
    press(page, "2")
    expect(page.locator("#query")).to_have_text("cheaper?")
    assert ratings(page)[-1] == ("quality", 2)


def test_the_question_waits_until_the_rater_leaves_the_answer_and_comes_once(opened):
    page = opened(THREE)
    press(page, ["1", "1", "1", "5", "ArrowLeft"])
    hit = page.locator(".line").first
    hit.locator(".choice").first.click()
    asked = page.locator(".doubt")
    assert asked.count() == 0
    page.click("#next")
    expect(asked).to_contain_text("2 of 3 results are relevant, which on this scale is 3")
    expect(page.locator("#query")).to_have_text("houses in Cemara?")
    page.click("#next")
    expect(page.locator("#query"), "whoever does not answer may go on").to_have_text("cheaper?")
    press(page, ["ArrowLeft", "ArrowUp", "ArrowDown"])
    assert asked.count() == 0, "it is asked once for each change"
    hit.locator(".choice").nth(1).click()
    hit.locator(".choice").first.click()
    press(page, ["ArrowRight"])
    expect(asked).to_have_count(1)


def test_a_quality_that_is_kept_is_recorded_after_the_change(opened):
    page = opened(THREE)
    press(page, ["1", "1", "1", "5", "ArrowLeft", "ArrowUp", "0"])
    expect(page.locator(".doubt")).to_have_count(1)
    reload(page, 4)
    expect(page.locator(".doubt"), "nobody has answered it, so the next visit asks again").to_have_count(1)
    press(page, ["Enter"])
    expect(page.locator("#query")).to_have_text("cheaper?")
    assert ratings(page)[-1] == ("quality", 5)
    press(page, ["ArrowLeft"])
    assert page.locator(".doubt").count() == 0
    reload(page, 4)
    assert page.locator(".doubt").count() == 0, "the quality is newer than the grades"


def test_the_same_quality_again_does_not_pass_by_the_question(opened):
    page = opened(THREE)
    press(page, ["1", "1", "1", "5", "ArrowLeft"])
    page.locator(".line").first.locator(".choice").first.click()
    best = page.locator('[data-on="quality"] .choice').last
    best.click()
    expect(page.locator(".doubt")).to_have_count(1)
    best.click()
    expect(page.locator(".doubt")).to_have_count(0)
    assert ratings(page)[-1] == ("quality", 5)


def test_undo_at_the_question_takes_back_the_change_and_not_the_quality(opened):
    page = opened(THREE)
    press(page, ["1", "1", "1", "5", "ArrowLeft", "ArrowUp", "0"])
    expect(page.locator(".doubt")).to_have_count(1)
    press(page, "u")
    expect(page.locator(".undone p")).to_contain_text("Results 3: Not relevant. It is again: Results 3: Relevant")
    assert page.locator(".doubt").count() == 0
    assert page.locator('[data-on="quality"] [aria-pressed="true"]').inner_text().endswith("all fit")


def test_a_change_that_leaves_the_quality_fitting_asks_nothing(opened):
    page = opened(THREE, grades=4)
    press(page, ["1", "1", "1", "5", "ArrowLeft", "ArrowUp", "ArrowUp", "ArrowUp", "3", "2", "3"])
    assert page.locator(".doubt").count() == 0
    press(page, ["3", "Enter"])  # all are relevant: 3 is asked about, and kept
    press(page, ["ArrowLeft", "ArrowUp", "1", "ArrowRight"])
    expect(page.locator("#query"), "the same quality goes with these results as before").to_have_text("cheaper?")


def test_a_shared_result_that_changes_elsewhere_is_asked_about_where_it_was_rated_before(opened, browser, tmp_path):
    """The same document in two answers to one question: graded anew in the second, it contradicts the first."""
    item = [Item(id="q1", query="houses?")]
    runs = [
        make_run(tmp_path / name, item, [Answer(item="q1", text=name, hits=HITS[:n])])
        for name, n in (("a", 2), ("b", 1))
    ]
    file = tmp_path / "two.html"
    file.write_text(rating_page(RatingTasks.of(runs).tasks, RatingPage(set="two", rater="ana")), encoding="utf-8")
    context = browser.new_context()
    page = context.new_page()
    page.goto(file.as_uri())
    press(page, "115")
    expect(page.locator(".answer")).to_have_text("b")
    press(page, ["ArrowUp", "0", "1"])
    expect(page.locator(".answer"), "after the last answer it goes back to the one that changed").to_have_text("a")
    expect(page.locator(".doubt")).to_contain_text("1 of 2 results are relevant, which on this scale is 3")
    press(page, "3")
    assert ratings(page)[-1] == ("quality", 3)
    context.close()


def test_a_file_is_saved_after_the_question_was_asked(opened):
    page = opened(THREE)
    press(page, ["1", "1", "1", "5", "ArrowLeft"])
    page.locator(".line").first.locator(".choice").first.click()
    page.click("#json")
    expect(page.locator(".doubt")).to_have_count(1)
    assert ratings(page)[-1] == ("hit", 0)


@pytest.mark.parametrize(
    "keys, why",
    [("n5", ""), ("n0", ""), ("n3", ""), ("s2", ""), ("n1", "wrong: much exists"), ("s4", "right: nothing")],
)
def test_the_quality_of_an_answer_without_results_has_words_of_its_own(opened, keys, why):
    page = opened([Answer(item="q1", hits=HITS), Answer(item="q2", text="No."), Answer(item="q3")])
    words = []
    for _ in range(2):
        press(page, ["ArrowRight"])
        words.append(page.locator('[data-on="quality"] .choice span').all_inner_texts())
    assert words[0] == words[1]
    assert words[0][5] == "right: nothing exists"
    assert not any("fit" in text for text in words[0])
    press(page, keys)
    asked = page.locator(".doubt")
    expect(asked).to_have_count(1 if why else 0)
    if why:
        expect(asked).to_contain_text(why)
        assert Axe().run(page).violations_count == 0
        press(page, ["Enter"])
        expect(page.locator("#progress")).to_have_text("1 of 3 answers rated")


def test_a_late_change_of_what_exists_is_asked_about_too(opened):
    page = opened(THREE)
    press(page, ["ArrowRight", "ArrowRight", "n", "5", "ArrowUp", "s"])
    expect(page.locator(".doubt")).to_contain_text("You said “Something should have come”; 5 means: right: nothing")
    press(page, "1")
    assert page.locator(".doubt").count() == 0
    assert ratings(page) == [("empty", "results"), ("quality", 1)]


@pytest.mark.parametrize("language", languages())
def test_every_language_words_each_quality_of_an_empty_answer(opened, language):
    page = opened(THREE, language=language)
    forwards = "ArrowLeft" if language == "ar" else "ArrowRight"
    press(page, [forwards, forwards])
    words = page.locator('[data-on="quality"] .choice span').all_inner_texts()
    assert len(set(words)) == 6
    assert "70" not in " ".join(words)
    press(page, ["n", "1"])
    expect(page.locator(".doubt")).to_contain_text(words[1])
