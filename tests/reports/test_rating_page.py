"""The rating page in a real browser: by keyboard alone, kept, undone, exported, taken in; inert and accessible."""

import csv
import json
import re
from base64 import b64encode
from hashlib import sha256

import pytest
from axe_playwright_python.sync_playwright import Axe
from builders import make_run
from playwright.sync_api import expect

from neraca import score
from neraca.errors import SpecError
from neraca.people.assignment import rate_answers
from neraca.people.import_ratings import add_ratings, read_saved, read_table
from neraca.people.pair_task import PairTask, PairTasks, Side
from neraca.people.rating_task import RatingTasks
from neraca.people.ratings_file import read_ratings
from neraca.people.review_task import Opinion, ReviewTask
from neraca.records import Answer, Hit, Item
from neraca.reports.formats.rating_html import SCRIPTS, RatingPage, languages, rating_page, rating_policy

HOSTILE = "</script><script>window.hurt=1</script><img src=x onerror=window.hurt=1><svg onload=window.hurt=1>"
ITEMS = [
    Item(id="q1", query="houses in Cemara?", session="s", tags={"category": "place"}),
    Item(id="q2", query=f"cheaper? {HOSTILE}", session="s", tags={"category": "price"}),
    Item(id="q3", query="a warehouse?"),
]
HITS = [
    Hit(
        id=f"d{n}",
        text=f"house {n} {HOSTILE}",
        fields={"price": n, "url": "javascript:window.hurt=1", HOSTILE: HOSTILE},
    )
    for n in range(3)
]


@pytest.fixture
def tasks(tmp_path):
    api = make_run(tmp_path / "api", ITEMS, [
        Answer(item="q1", text="two", hits=tuple(HITS[:2])), Answer(item="q2", hits=tuple(HITS)), Answer(item="q3"),
    ])  # fmt: skip
    vector = make_run(tmp_path / "vector", ITEMS, [
        Answer(item="q1", text="one", hits=(HITS[1],)), Answer(item="q2", hits=tuple(HITS)), Answer(item="q3"),
    ])  # fmt: skip
    return RatingTasks.of([api, vector])


@pytest.fixture
def opened(browser, tasks, tmp_path):
    """`opened(width, **options)`: the page of these tasks in a profile of its own; what it asked for must be itself."""
    contexts = []

    def open_page(width=1280, language="en", **options):
        file = tmp_path / "rating.html"
        made = RatingPage(set="set", runs=("run1", "run2"), language=language, guideline=f"Be fair. {HOSTILE}")
        file.write_text(rating_page(tasks.tasks, made), encoding="utf-8")
        context = browser.new_context(viewport={"width": width, "height": 900}, accept_downloads=True, **options)
        page = context.new_page()
        page.asked = []
        page.on("request", lambda request: page.asked.append(request.url))
        page.on("pageerror", lambda error: page.asked.append(str(error)))
        page.goto(file.as_uri())
        contexts.append((context, page, file.as_uri()))
        return page

    yield open_page
    for context, page, address in contexts:
        assert [url for url in page.asked if not url.startswith(("data:", "blob:")) and url != address] == []
        assert page.evaluate("window.hurt") is None
        context.close()


def reload(page, ratings):
    """Load the page again and wait for so many ratings.

    On a busy machine the browser may hand a new page its storage before the last words of the old one are in it.
    Nothing is lost then: the next load shows them.
    """
    chosen = page.locator('.choice[aria-pressed="true"]')
    for _ in range(5):
        page.reload()
        if chosen.count() == ratings:
            return
        page.wait_for_timeout(500)
    expect(chosen).to_have_count(ratings)


def saved(page, kind):
    with page.expect_download() as download:
        page.click(f"#{kind}")
    return download.value


def test_a_whole_session_by_keyboard_with_one_key_for_each_hit(opened, tasks, tmp_path):
    page = opened()
    page.fill("#rater", "ana")
    page.keyboard.press("Escape")
    keys = {"two": ["0", "1", "5", "Enter"], "one": ["4", "Enter"], "": [*"1112", "Enter"], None: ["n", "0"]}
    pressed = 0
    for task in tasks.tasks:
        assert page.locator("#query").inner_text() == task.query
        typed = keys[task.text if task.hits else None]
        for key in typed:
            page.keyboard.press(key)
            pressed += 1
    assert pressed == 3 + 1 + 4 + 2 + 3, "a hit that recurs is rated once; Enter keeps three qualities that do not fit"
    assert page.locator("#progress").inner_text() == "4 of 4 answers rated"
    assert "Everything is rated" in page.locator("#saved").inner_text()
    file = tmp_path / "ratings-ana.json"
    saved(page, "json").save_as(file)
    found, ratings = read_saved(file, rate_answers(tasks))
    assert (found.rater, found.rated, found.problems) == ("ana", 4, [])
    assert sum(written.changes for written in add_ratings(ratings, rate_answers(tasks), "ana")) == 9 + 8, (
        "hits, qualities and one rightly empty answer in each run"
    )
    assert sum(written.changes for written in add_ratings(ratings, rate_answers(tasks), "ana")) == 0, (
        "the same file again changes nothing"
    )
    rows = {(row["run"], row["metric"]): row["value"] for row in score(tasks.runs, "RR Success Rubric(quality)").rows()}
    assert rows["api", "RR"] == pytest.approx((1 / 2 + 1) / 2)
    assert rows["vector", "RR"] == 1
    assert rows["api", "Success"] == 1
    assert rows["api", "Rubric(quality)"] == pytest.approx((5 + 2 + 0) / 3)


def test_the_csv_says_the_same(opened, tasks, tmp_path):
    page = opened()
    page.fill("#rater", "ana")
    page.keyboard.press("Escape")
    for key in ("0", "1", "5", "Enter", "5"):
        page.keyboard.press(key)
    page.keyboard.press("t")
    page.keyboard.type("=1+1, really")
    page.keyboard.press("Escape")
    file = tmp_path / "ratings-ana.csv"
    download = saved(page, "csv")
    assert download.suggested_filename == "ratings-ana.csv"
    download.save_as(file)
    first = file.read_text(encoding="utf-8-sig").splitlines()[1].split(",")
    assert first[3:11] == ["2", "1", "2", "0.5000", "0.2000", "0.5000", "1", "5"]
    assert first[13:17] == ["0;1", "s", "ana", "run1 run2"], "the session, whose they are, and of which runs"
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first[17]), "when something was last said of it"
    found, ratings = read_table(file, tasks)
    assert found.problems == []
    assert first[17] in {rating.at for rating in ratings}
    assert {rating.value for rating in ratings if rating.on == "note"} == {"=1+1, really"}
    assert any(written.changes for written in add_ratings(ratings, rate_answers(tasks), "ana"))


def test_a_quality_that_contradicts_the_results_is_asked_about_once(opened, tasks):
    """The second answer's only result was rated in the first one: typing 1 1 1 there must not save quality 1."""
    page = opened()
    for key in "013":  # one of two results is relevant, which is 3 on the scale: no question
        page.keyboard.press(key)
    assert page.locator("#query").inner_text() == tasks.tasks[1].query
    assert "filled in from an earlier answer" in page.locator(".line").first.inner_text()
    assert page.locator(".line.active").get_attribute("data-on") == "quality"
    for key in "111":
        page.keyboard.press(key)
    asked = page.locator(".doubt")
    assert "1 of 1 results are relevant, which on this scale is 5 (all fit); 1 means: none fits." in asked.inner_text()
    assert Axe().run(page).violations_count == 0
    assert "1 of 4" in page.locator("#progress").inner_text(), "nothing was saved"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    assert asked.count() == 0
    page.keyboard.press("1")
    page.keyboard.press("5")  # fits, so it needs no question
    assert "2 of 4" in page.locator("#progress").inner_text()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("2")
    page.click(".doubt button")
    assert "2 of 4" in page.locator("#progress").inner_text()
    assert page.locator("#query").inner_text() == tasks.tasks[1].query, "a click stays, as it does for other ratings"
    pressed = page.locator('[data-on="quality"] .choice[aria-pressed="true"]')
    assert "under half fit" in pressed.inner_text()
    page.keyboard.press("2")
    assert asked.count() == 0, "it was asked once"
    assert page.locator("#query").inner_text() == tasks.tasks[2].query, "a key goes on"


def test_own_scale_references_and_words_for_texts(browser, tmp_path):
    items = [Item(id="q-7", query="How many rooms?", references=("Three rooms.",))]
    run = make_run(tmp_path / "run", items, [Answer(item="q-7", text="Two rooms.")])
    tasks = RatingTasks.of([run])
    file = tmp_path / "page.html"
    context = browser.new_context(viewport={"width": 1280, "height": 800}, accept_downloads=True)
    page = context.new_page()

    def opened_with(scale):
        file.write_text(rating_page(tasks.tasks, RatingPage(set=f"s{scale}", scale=scale, guideline="Be strict.")))
        page.goto(file.as_uri())
        return page.locator('[data-on="quality"] .choice').all_inner_texts()

    assert [words.split("\n")[-1] for words in opened_with("")][3] == "partly right", "no results: words for texts"
    assert [words.split() for words in opened_with("1=wrong;2=right")] == [["1", "wrong"], ["2", "right"]]
    assert page.locator(".reference").inner_text() == "Three rooms."
    assert page.locator(".guideline p").is_visible()
    page.keyboard.press("0")
    assert "0 of 1" in page.locator("#progress").inner_text()
    page.keyboard.press("2")
    assert "1 of 1" in page.locator("#progress").inner_text()
    chosen = page.locator('[data-on="quality"] [aria-pressed="true"] span')
    assert chosen.all_inner_texts() == ["right"], "the last task shows what was said of it, too"
    page.fill("#rater", "ana")
    page.locator("#csv").focus()
    saved(page, "csv").save_as(tmp_path / "r.csv")
    (row,) = csv.DictReader((tmp_path / "r.csv").read_text(encoding="utf-8-sig").splitlines())
    assert (row["query_id"], row["question"], row["scale"]) == ("q-7", "How many rooms?", "1=wrong;2=right")
    saved(page, "json").save_as(tmp_path / "r.json")
    assert read_ratings(tmp_path / "r.json").scale == "1=wrong;2=right"
    assert [words.split() for words in opened_with("1-3")] == [["1"], ["2"], ["3"]]
    context.close()


@pytest.mark.parametrize(
    "scale", ["5", "1-11", "3-1", "a-b", "1=x;1=y", "good=1", "0-10;11=x", "0-10;1=a;1=b", "1-2;3-4"]
)
def test_a_scale_that_cannot_be_used_is_refused(scale):
    with pytest.raises(SpecError, match="scale: "):
        RatingPage(set="s", scale=scale)


@pytest.mark.parametrize("scale", ["0-11", "1-100", "0=poor;12=good"])
def test_a_scale_beyond_ten_is_refused_with_what_to_do(scale):
    with pytest.raises(SpecError, match=r"from 0 to 10, .*neraca agree TABLE.*neraca text TABLE --human COLUMN"):
        RatingPage(set="s", scale=scale)


def test_what_was_said_is_still_there_after_the_page_was_closed_and_can_be_undone(opened, tasks):
    page = opened()
    page.keyboard.press("1")
    page.keyboard.press("0")
    pressed = page.locator('.choice[aria-pressed="true"]')
    expect(pressed, "both keys reached the page").to_have_count(2)
    reload(page, 2)
    page.keyboard.press("3")
    assert page.locator("#query").inner_text() == tasks.tasks[1].query
    page.keyboard.press("u")
    assert page.locator("#query").inner_text() == tasks.tasks[0].query
    assert pressed.count() == 2
    reload(page, 2)
    assert "0 of 4" in page.locator("#progress").inner_text()


def test_what_was_saved_before_a_reload_can_be_taken_back(opened):
    page = opened()
    pressed = page.locator('.choice[aria-pressed="true"]')
    assert page.locator("#undo").is_disabled(), "there is nothing to undo"
    page.keyboard.press("1")
    page.keyboard.press("0")
    reload(page, 2)
    page.keyboard.press("u")
    expect(pressed).to_have_count(1)
    reload(page, 1)
    page.click("#undo")
    expect(pressed).to_have_count(0)
    assert page.locator("#undo").is_disabled()
    page.keyboard.press("1")
    expect(pressed).to_have_count(1)
    reload(page, 1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Delete")
    expect(pressed).to_have_count(0)
    page.keyboard.press("u")
    expect(pressed, "undo brings back what was cleared").to_have_count(1)


@pytest.mark.parametrize("width", [1280, 390])
def test_after_the_last_answer_undo_takes_back_one_thing_at_a_time_and_says_what(opened, tasks, width):
    """A key that changes nothing is nothing to undo."""
    page = opened(width)
    for task, keys in zip(tasks.tasks, ("103", "1", "0001", "n5"), strict=True):
        assert page.locator("#query").inner_text() == task.query
        for key in keys:  # of the second answer the only hit is filled in
            page.keyboard.press(key)
    expect(page.locator("#progress")).to_have_text("4 of 4 answers rated")
    page.keyboard.press("5")
    told = page.locator(".undone p")
    for n, (words, query, done) in enumerate(
        [
            ("Taken back: Quality of the answer: right: nothing exists", "a warehouse?", 3),
            ("Taken back: Should something have been found?: Nothing exists", "a warehouse?", 3),
            ("Taken back: Quality of the answer: none fits", "cheaper?", 2),
            ("Taken back: Results 3: Not relevant", "cheaper?", 2),
        ]
    ):
        again = ".undone button" if n else "#undo"  # on a phone the card is below the buttons
        page.click(again) if n % 2 or width < 500 else page.keyboard.press("u")
        expect(told).to_have_text(words)
        expect(told).to_be_in_viewport(ratio=0.9)
        assert page.locator("#query").inner_text().startswith(query)
        expect(page.locator("#progress")).to_have_text(f"{done} of 4 answers rated")
    while page.locator("#undo").is_enabled():
        page.click("#undo")
    expect(page.locator("#progress")).to_have_text("0 of 4 answers rated")
    expect(page.locator('.choice[aria-pressed="true"]')).to_have_count(0)
    page.keyboard.press("u")
    expect(told).to_have_text("Nothing is left to take back.")


def test_undo_says_what_is_in_force_again_and_shows_what_a_filter_hides(opened):
    page = opened()
    told = page.locator(".undone p")
    page.keyboard.press("1")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("0")
    page.keyboard.press("u")
    expect(told).to_have_text("Taken back: Results 1: Not relevant. It is again: Results 1: Relevant")
    page.keyboard.press("Delete")
    page.keyboard.press("u")
    expect(told).to_have_text("Brought back: Results 1: Relevant")
    page.fill("#search", "cheaper")
    page.locator("#query").click()
    page.keyboard.press("u")
    expect(told).to_have_text("Taken back: Results 1: Relevant")
    assert (page.locator("#query").inner_text(), page.input_value("#search")) == ("houses in Cemara?", "")


def test_undo_first_takes_back_what_is_asked_about(opened):
    page = opened()
    for key in "105":  # one of two is relevant, so that 5 is asked about
        page.keyboard.press(key)
    expect(page.locator(".doubt")).to_have_count(1)
    page.keyboard.press("u")
    expect(page.locator(".undone p")).to_have_text("Taken back: Quality of the answer: all fit")
    expect(page.locator(".doubt")).to_have_count(0)
    expect(page.locator('.choice[aria-pressed="true"]'), "the results keep their ratings").to_have_count(2)


def test_the_keys_shown_are_those_of_the_page(tasks):
    pair = PairTask(id="1", number=1, query="?", left=Side(text="a"), right=Side(text="b"))
    review = ReviewTask(id="2", number=1, query="?", about="answer", aspect="polite", opinions=(Opinion(source="llm"),))
    keys = [
        re.findall(r"<dt><kbd>(.*?)</kbd>", rating_page(shown, RatingPage(set="set")))
        for shown in (tasks.tasks, [pair], [review])
    ]
    common = ["← →", "t", "Delete", "u", "?"]
    assert keys == [
        ["0 – 5", "n, s", "Enter", "↑ ↓", *common],
        ["1, 2, 3", *common],
        ["0 – 8", "9", *common],
    ]


def test_filter_search_list_and_help(opened):
    page = opened()
    page.fill("#search", "cheaper")
    assert page.locator("#query").inner_text().startswith("cheaper?")
    page.fill("#search", "warehouse")
    assert page.locator("#query").inner_text() == "a warehouse?"
    page.fill("#search", "nothing of the kind")
    assert page.locator("#card").inner_text() == "No answer matches."
    page.fill("#search", "")
    page.locator("#list summary").click()
    page.locator("#list-items button").nth(3).wait_for()
    assert page.locator("#list-items button").count() == 4
    page.locator("#list-items button").nth(3).click()
    assert page.locator("#query").inner_text() == "a warehouse?"
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator("#help").is_visible()


def test_a_name_is_asked_for_before_a_file_is_saved(opened):
    page = opened()
    page.click("#csv")
    assert "Write your name first" in page.locator("#saved").inner_text()
    assert page.evaluate("document.activeElement.id") == "rater"


@pytest.mark.parametrize(
    "language, scheme, width",
    [("en", "light", 1280), ("ar", "dark", 360), ("id", "light", 360), ("es", "dark", 1920)],
)
def test_accessible_and_within_its_width(opened, language, scheme, width):
    page = opened(width, language, color_scheme=scheme)
    page.keyboard.press("1")
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")


def test_every_language_has_every_word():
    from neraca.reports.formats.rating_html import _strings

    assert languages() == ("en", "id", "es", "ar")
    english = _strings()["en"]
    for words in _strings().values():
        assert words.keys() == english.keys()
        assert {name: len(value) for name, value in words.items() if isinstance(value, list)} == {
            name: len(value) for name, value in english.items() if isinstance(value, list)
        }


def test_the_page_names_no_system_and_is_small(tasks):
    made = rating_page(tasks.tasks, RatingPage(set="set"))
    data = json.loads(made.split('id="ratings">')[1].split("</script>")[0])
    assert not {"api", "vector", "d0", "d1"} & set(json.dumps(data["tasks"]).replace('"', " ").split())
    assert len(made) - len(json.dumps(data["tasks"])) < 72_000, "what is not data"


def test_only_the_scripts_of_the_page_may_run(tasks):
    """The policy names each script by its hash, as the W3C's Content Security Policy, section 6.7.3, computes it."""
    page = rating_page(tasks.tasks, RatingPage(set="set"))
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = {b64encode(sha256(script.encode()).digest()).decode() for script in scripts}
    assert len(hashes) == len(SCRIPTS)
    assert set(re.findall(r"'sha256-([^']*)'", rating_policy())) == hashes
    assert f'<meta http-equiv="Content-Security-Policy" content="{rating_policy()}">' in page


def test_in_a_user_study_an_empty_answer_is_right_or_wrong_before_anything_was_found(browser, tmp_path):
    run = make_run(tmp_path / "run", ITEMS[:1], [Answer(item="q1")])
    page = browser.new_page()
    file = tmp_path / "own.html"
    tasks = RatingTasks.of([run]).tasks
    file.write_text(rating_page(tasks, RatingPage(set="s", sync="/none", ask="/none", questions=3)))
    page.goto(file.as_uri())
    assert page.locator('[data-on="empty"] .choice').all_inner_texts() == [
        "n\nNothing exists",
        "s\nSomething should have come",
    ]
    page.close()


def test_the_page_does_not_say_what_the_data_set_expects_or_how_it_files_a_question(browser, tmp_path):
    """Whoever knows that nothing fits does not look for it; the import and the scores name what contradicts."""
    item = Item(id="q1", query="?", expects="results", tags={"category": "nothing fits"})
    run = make_run(tmp_path / "run", [item], [Answer(item="q1")])
    page, file = browser.new_page(), tmp_path / "own.html"
    file.write_text(rating_page(RatingTasks.of([run]).tasks, RatingPage(set="s", sync="/none", ask="/none")))
    page.goto(file.as_uri())
    page.keyboard.press("n")
    assert page.locator(".doubt").count() == 0
    assert "nothing fits" not in page.locator("body").inner_text()
    assert '"expected"' not in file.read_text()
    page.close()


def test_in_a_user_study_what_is_typed_after_a_rated_answer_is_the_next_question(browser, tmp_path):
    run = make_run(tmp_path / "run", ITEMS[:1], [Answer(item="q1")])
    page, file = browser.new_page(), tmp_path / "own.html"
    file.write_text(
        rating_page(RatingTasks.of([run]).tasks, RatingPage(set="s", sync="/none", ask="/none", questions=3))
    )
    page.goto(file.as_uri())
    page.keyboard.press("n")
    page.keyboard.press("5")
    page.keyboard.type("two bedrooms?")
    assert page.locator("#question").input_value() == "two bedrooms?"
    page.close()


@pytest.mark.parametrize(
    ("grades", "words", "stated"),
    [
        (2, ["0\nNot relevant", "1\nRelevant"], ""),
        (3, ["0\nNot relevant", "1\nSlightly relevant", "2\nRelevant"], "0;1;2"),
        (5, ["0\nNot relevant", "1\n1", "2\n2", "3\n3", "4\nExactly right"], "0;1;2;3;4"),
        ("0=no;1=partly;2=yes", ["0\nno", "1\npartly", "2\nyes"], "0=no;1=partly;2=yes"),
    ],
)
def test_hits_have_the_grades_and_words_that_were_chosen(browser, tmp_path, grades, words, stated):
    run = make_run(tmp_path / "run", ITEMS[:1], [Answer(item="q1", hits=(Hit(id="d", text="a house"),))])
    page, file = browser.new_page(), tmp_path / "own.html"
    file.write_text(rating_page(RatingTasks.of([run]).tasks, RatingPage(set="s", grades=grades)))
    page.goto(file.as_uri())
    assert page.locator('[data-on^="hit:"] .choice').all_inner_texts() == words
    page.fill("#rater", "ana")
    saved(page, "json").save_as(tmp_path / "r.json")
    assert read_ratings(tmp_path / "r.json").grades == stated
    page.close()


@pytest.mark.parametrize("grades", [1, 11, 0, "x", "1=a;2=b", "0-10", ""])
def test_grades_without_a_zero_or_out_of_range_are_refused(grades):
    with pytest.raises(SpecError, match=r"^grades: "):
        RatingPage(set="s", grades=grades)


def test_the_last_questions_of_a_conversation_are_in_sight_and_older_ones_are_folded(browser, tmp_path):
    """A follow-up such as “and with a pool?” means nothing without them; of thirty, only the last three are shown."""
    items = [Item(id=f"q{n}", query=f"question {n}", session="s") for n in range(1, 7)]
    run = make_run(tmp_path / "run", items, [Answer(item=item.id, text="yes") for item in items])
    page, file = browser.new_page(), tmp_path / "own.html"
    file.write_text(rating_page(RatingTasks.of([run]).tasks, RatingPage(set="s")))
    page.goto(file.as_uri())
    assert page.locator(".earlier").count() == 0
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    shown = page.locator(".earlier li")
    assert [shown.nth(n).is_visible() for n in range(5)] == [False, False, True, True, True]
    assert page.locator(".earlier > ol").get_attribute("start") == "3"
    assert page.locator(".earlier .reply").all_inner_texts()[-3:] == ["yes"] * 3, "what the same system answered"
    assert Axe().run(page).violations_count == 0
    page.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_each_side_of_a_pair_has_its_own_conversation_and_long_answers_are_folded(browser, tmp_path, width):
    items = [Item(id="q1", query="أين؟", session="s"), Item(id="q2", query="and cheaper?", session="s")]
    texts = {"kardelen": ("a house.\n" * 20, "this one"), "mimosa": ("لا أعرف.", "that one")}
    runs = [
        make_run(tmp_path / name, items, [Answer(item=item.id, text=t) for item, t in zip(items, both, strict=True)])
        for name, both in texts.items()
    ]
    page, file = browser.new_page(viewport={"width": width, "height": 900}), tmp_path / "pairs.html"
    (pair,) = [task for task in PairTasks.of(runs).tasks if task.before]
    file.write_text(rating_page([pair], RatingPage(set="s")), encoding="utf-8")
    assert not any(name in file.read_text(encoding="utf-8").partition('"tasks"')[2] for name in texts)
    page.goto(file.as_uri())
    for side in page.locator(".side").all():
        asked, replied = side.locator(".asked").inner_text(), side.locator(".reply").inner_text()
        long = "this one" in side.inner_text()
        assert (asked, replied[:3]) == ("أين؟", "a h" if long else "لا ")
        assert side.locator(".show-all").is_visible() == long
        assert side.locator(".asked").evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert Axe().run(page).violations_count == 0
    page.close()
