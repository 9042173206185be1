"""The cards of pairs and reviews in a real browser: what they show, what they say, and what stays inert."""

import json
from pathlib import Path

import msgspec
import pytest
from axe_playwright_python.sync_playwright import Axe

import neraca
from neraca.people.pair_task import PairTask, Side
from neraca.people.rating_task import RatedHit
from neraca.people.review_task import Opinion, ReviewTask

FOLDER = Path(neraca.__file__).parent / "reports" / "formats" / "rating_page"
SCRIPTS = ("cards_hit.js", "cards_pair.js", "cards_review.js")
STRINGS = json.loads((FOLDER / "strings.json").read_text(encoding="utf-8"))
HOSTILE = "<img src=x onerror=window.hurt=1><svg onload=window.hurt=1><script>window.hurt=1</script>"
H1 = RatedHit(key="k1", text=f"A house {HOSTILE}", fields={"price": 400, "page": "https://example.org/1", HOSTILE: "x"})
H2 = RatedHit(key="k2", text="Another house", fields={"link": "javascript:window.hurt=1", "near": {"km": 2}})
LISTS = PairTask(
    id="1", number=1, query="?", left=Side(hits=(H1, H2)), right=Side(hits=(H2,)), both=("k2",)
)  # fmt: skip
TEXTS = PairTask(id="2", number=1, query="?", left=Side(text=f"Two. {HOSTILE}"), right=Side())
CLAIM = ReviewTask(
    id="3",
    number=1,
    query="?",
    text=f"Two houses. {HOSTILE}",
    hits=(H1, H2),
    about="claim",
    aspect="supported",
    statement=f"There are two. {HOSTILE}",
    supports=("k1",),
    references=("Two.",),
    opinions=(Opinion(source="llm", value=0.0, why=HOSTILE), Opinion(source="rules", value=1.0)),
)
GRADE = ReviewTask(
    id="4", number=1, query="?", hits=(H1,), about="hit", aspect=HOSTILE, constraint={"max": 500},
    opinions=(Opinion(source="rules"),), scale=(0.0, 1.0, 2.0, 3.0),
)  # fmt: skip


@pytest.fixture
def drawn(browser):
    """`drawn(task, ratings, language, width)`: a page with the card; what it says is in `window.said`."""
    pages = []

    def draw(task, ratings=None, language="en", width=1000):
        page = browser.new_page(viewport={"width": width, "height": 700})
        pages.append(page)
        style = (FOLDER / "cards.css").read_text(encoding="utf-8")
        page.set_content(
            f"<!doctype html><html lang={language} dir={'rtl' if language == 'ar' else 'ltr'}><title>t</title>"
            f"<style>{style}</style><main><h1>?</h1><h2>?</h2></main></html>"
        )
        for name in SCRIPTS:
            page.add_script_tag(content=(FOLDER / name).read_text(encoding="utf-8"))
        page.evaluate(
            """([task, ratings, strings]) => {
                window.said = [];
                const card = cards[task.kind];
                const data = { language: document.documentElement.lang };
                document.querySelector("main").append(card.draw(task, ratings, strings, (one) => said.push(one), data));
                window.keys = card.keys(task, strings);
            }""",
            [msgspec.to_builtins(task), ratings or {}, STRINGS[language]],
        )
        return page

    yield draw
    for page in pages:
        page.close()


@pytest.mark.parametrize("task", [LISTS, TEXTS, CLAIM, GRADE], ids=["lists", "texts", "claim", "grade"])
def test_what_a_system_wrote_stays_words(drawn, task):
    page = drawn(task)
    page.wait_for_timeout(50)
    assert page.evaluate("window.hurt") is None
    assert page.locator("main img, main svg, main script, main iframe").count() == 0
    assert set(page.locator("main a").evaluate_all("all => all.map((a) => a.protocol)")) <= {"https:"}
    assert HOSTILE in page.locator("main").text_content()


@pytest.mark.parametrize(
    "language, constraint, words",
    [
        ("en", {"max": 1_000_000_000}, "price at most 1,000,000,000"),
        ("id", {"max": 1_000_000_000}, "price paling banyak 1.000.000.000"),
        (
            "es",
            {"min": 250_000.5, "tolerance": 0.05},
            "price: al menos 250.000,5; los límites pueden excederse en un 5 %",
        ),
        ("en", {"equals": "dijual", "synonyms": ["jual"]}, "price is dijual; also accepted: jual"),
        ("en", {"equals": [True, "yes", 3000]}, "price is yes or yes or 3,000"),
        ("en", {"about": 1200, "fields": ["cost"]}, "price about 1,200, up to 10 % more or less; looked for in: cost"),
        ("id", {"exact": 3}, "price tepat 3"),
        (
            "en",
            {"contains_any": ["USU"], "near": {"lat": 3.56, "lng": 98.65, "radius_km": 2.5, "name": "USU"}},
            "price mentions USU or within 2.5 km of USU",
        ),
    ],
)
def test_a_constraint_is_shown_in_words_with_numbers_as_the_language_writes_them(drawn, language, constraint, words):
    hit = RatedHit(key="k", text="A house", fields={"price": 2_125_000_000, "complex": None, "id": 20154321})
    task = ReviewTask(id="9", number=1, query="?", hits=(hit,), about="hit", aspect="price", constraint=constraint)
    text = drawn(task, language=language).locator("main").inner_text()
    assert words in text
    price = {"en": "2,125,000,000", "id": "2.125.000.000", "es": "2.125.000.000"}[language]
    assert price in text
    assert "20154321" in text, "only what the constraint is about is written in groups"
    assert "null" not in text
    assert STRINGS[language]["not_stated"] in text


def test_two_lists_stand_beside_each_other_with_what_both_have(drawn):
    page = drawn(LISTS)
    left, right = (page.get_by_role("region", name=name).bounding_box() for name in "AB")
    assert left["y"] == right["y"]
    assert left["x"] + left["width"] <= right["x"]
    assert page.get_by_text("On both sides").count() == 2
    assert page.locator("li.in-both").all_text_contents()[0].startswith("Another house")
    narrow = drawn(LISTS, width=360)
    assert narrow.evaluate("document.documentElement.scrollWidth") <= 360
    above, below = (narrow.get_by_role("region", name=name).bounding_box() for name in "AB")
    assert above["y"] + above["height"] <= below["y"]


def test_long_documents_are_folded_so_that_the_second_ones_fit_on_the_screen(drawn):
    long = [RatedHit(key=f"l{n}", text=f"{n} " + "a long document. " * 2000 + f"end {n}") for n in range(4)]
    bare = RatedHit(key="bare", fields={"id": "d3"})
    sides = (Side(hits=(long[0], long[1], H2)), Side(hits=(long[2], long[3], bare)))
    page = drawn(PairTask(id="1", number=1, query="?", left=sides[0], right=sides[1]))
    buttons = page.get_by_role("button", name="Show all")
    buttons.nth(3).wait_for()
    assert buttons.count() == 4, "a short text has no button"
    seconds = [page.locator(f".side:nth-child({n}) li:nth-child(2)").bounding_box() for n in (1, 2)]
    assert all(box["y"] + box["height"] < 700 for box in seconds), "rank 2 of A and B are on one screen"
    assert page.get_by_text("no text").count() == 1, "beside the field with the id"
    first = page.locator(".side").first.locator("li").first
    before = first.bounding_box()["height"]
    buttons.first.press("Enter")
    assert first.bounding_box()["height"] > 5 * before
    assert buttons.count() == 3
    assert Axe().run(page).violations_count == 0


def test_a_preference_and_its_reason_are_said_once(drawn):
    page = drawn(TEXTS, {"preferred": "tie", "note": "hm"})
    assert page.get_by_text("Nothing was found.").count() == 1
    tie = page.get_by_role("button", name="Equally good")
    assert tie.get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="A", exact=False).first.click()
    assert tie.get_attribute("aria-pressed") == "false"
    field = page.get_by_label("Why?")
    assert field.input_value() == "hm"
    field.fill("it names both")
    field.blur()
    page.wait_for_timeout(500)
    assert page.evaluate("said") == [
        {"on": "preferred", "value": "left"},
        {"on": "note", "value": "it names both"},
    ]
    assert [(one["key"], one["value"]) for one in page.evaluate("keys")] == [
        ("1", "left"),
        ("2", "tie"),
        ("3", "right"),
    ]


def test_a_claim_stands_beside_its_contexts_and_can_be_overruled(drawn):
    page = drawn(CLAIM)
    assert page.locator("li.supports").count() == 1
    assert page.get_by_text("A model: Fail").count() == 1
    choices = [one["label"] for one in page.evaluate("keys")]
    assert choices == ["Pass", "Fail (as said)", "Does not apply"]
    page.get_by_role("button", name="Pass").click()
    page.get_by_role("button", name="Does not apply").click()
    assert page.evaluate("said") == [
        {"on": "verdict", "value": 1},
        {"on": "verdict", "value": "not_applicable"},
    ]


def test_a_blind_review_names_the_criterion_and_confirms_nothing(drawn):
    page = drawn(msgspec.structs.replace(CLAIM, opinions=(), supports=()))
    assert page.get_by_text("Criterion").count() == 1
    assert page.get_by_text("Is it met?").count() == 1
    assert page.get_by_text("At least one of the texts below says it.").count() == 1
    assert page.locator(".opinion, li.supports").count() == 0
    assert [one["label"] for one in page.evaluate("keys")] == ["Pass", "Fail", "Does not apply"]


def test_a_criterion_of_the_users_own_is_shown_in_its_words(drawn):
    page = drawn(
        ReviewTask(id="5", number=1, query="?", text="Two.", about="answer", aspect="polite", criterion=HOSTILE)
    )
    assert page.get_by_text("polite").count() == 1
    assert page.get_by_text(HOSTILE).count() == 1
    assert page.evaluate("window.hurt") is None


def test_grades_have_their_own_keys(drawn):
    page = drawn(GRADE)
    assert [(one["key"], one["value"]) for one in page.evaluate("keys")] == [
        *((str(grade), grade) for grade in (3, 2, 1, 0)),
        ("9", "not_applicable"),
    ]
    assert page.get_by_text("A rule: Does not apply").count() == 1


@pytest.mark.parametrize("task", [LISTS, CLAIM], ids=["lists", "claim"])
@pytest.mark.parametrize("language", ["en", "ar"])
def test_axe_finds_nothing(drawn, task, language):
    violations = Axe().run(drawn(task, language=language)).response["violations"]
    assert [(one["id"], [node["html"] for node in one["nodes"]]) for one in violations] == []


def test_every_language_has_every_word():
    assert {name: set(words) for name, words in STRINGS.items()} == {name: set(STRINGS["en"]) for name in STRINGS}


def test_a_review_from_zero_to_ten_has_a_key_for_each_grade(drawn):
    page = drawn(msgspec.structs.replace(GRADE, scale=tuple(map(float, range(11)))))
    assert [one["key"] for one in page.evaluate("keys")] == ["x", *map(str, range(9, -1, -1)), "n"]
    assert page.evaluate("keys.map((one) => one.value)") == [*range(10, -1, -1), "not_applicable"]
    assert page.locator(".choice").first.inner_text().split() == ["x", "10"]
    assert Axe().run(page).violations_count == 0


def test_grades_above_ten_have_buttons_and_no_keys(drawn):
    page = drawn(msgspec.structs.replace(GRADE, scale=tuple(map(float, range(0, 101, 10)))))
    assert page.evaluate("keys.map((one) => one.key)") == [*[""] * 9, "x", "0", "9"]
    page.get_by_role("button", name="90").click()
    assert page.evaluate("said") == [{"on": "verdict", "value": 90}]
