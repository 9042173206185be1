"""The page in a real browser: no request, no accessibility violation, no sideways scrolling, and its controls work."""

import contextlib
import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from neraca.comparisons.compare import compare
from neraca.number_format import number
from neraca.records import Answer, Item, Verdict
from neraca.reports.blocks import questions
from neraca.reports.formats import html
from neraca.reports.formats.write import write_report
from neraca.reports.report import report
from neraca.scores.score import score

TOKENS = ("space", "char", "google", "sklearn", "13a", "split")
METRICS = "nDCG@10 QuerySuccess P@5 PassRatio QueryF1 Cost"


@pytest.fixture(scope="module")
def demo(search_runs, tmp_path_factory):
    file = tmp_path_factory.mktemp("demo") / "demo.html"
    scores = score(search_runs(12, hits=3), METRICS)
    write_report(file, report(scores, compare(scores, primary="nDCG@10"), primary="nDCG@10"))
    return file


@pytest.fixture(scope="module")
def hostile(hostile_scores, tmp_path_factory):
    file = tmp_path_factory.mktemp("hostile") / "hostile.html"
    write_report(file, report(*hostile_scores))
    return file


@contextlib.contextmanager
def opened(browser, path, width=1280, **options):
    """The page, and what it asked for or complained about."""
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    seen = []
    page.on("request", lambda request: seen.append(request.url))
    page.on("console", lambda message: seen.append(message.text))
    page.on("pageerror", lambda error: seen.append(str(error)))
    page.on("dialog", lambda dialog: (seen.append(dialog.message), dialog.dismiss()))
    page.goto(path.as_uri())
    yield page
    assert [url for url in seen if not url.startswith("data:,")] == [path.as_uri()]
    context.close()


def open_all(page):
    page.eval_on_selector_all("details", "all => all.forEach(one => { one.open = true; })")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_accessible_and_within_its_width(browser, demo, scheme, width):
    with opened(browser, demo, width, color_scheme=scheme) as page:
        for _ in range(2):
            found = Axe().run(page)
            assert found.violations_count == 0, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth") == width
            open_all(page)


@pytest.fixture(scope="module")
def correlated(new_folder, tmp_path_factory):
    """Metrics of texts, more than fit into the table of correlations, beside two kinds of people's scores."""
    text = "the house has two bedrooms three floors a garden and a view of the river near the market"
    words = text.split()
    items = [Item(id=f"q{n}", query="?", references=(" ".join(words[n % 5 : n + 3]),)) for n in range(15)]
    answers = [Answer(item=f"q{n}", text=" ".join(words[: 1 + n * 7 % 15])) for n in range(15)]
    said = [
        Verdict(item=f"q{n}", about="answer", aspect=aspect, by="human:Ana", value=float(n * n % step))
        for n in range(15)
        for aspect, step in (("quality", 5), ("tone", 7))
    ]
    families = ("ROUGE-1", "ROUGE-2", "ROUGE-L", "TokenF1", "TER", "Words")
    metrics = [f"{name}(tokens={tokens})" for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L") for tokens in TOKENS]
    scores = score([new_folder()("texts", items, answers, said)], [*families, *metrics])
    file = tmp_path_factory.mktemp("correlated") / "texts.html"
    write_report(file, report(scores))
    return file


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 360])
def test_correlations_are_accessible_and_within_the_width(browser, correlated, scheme, width):
    with opened(browser, correlated, width, color_scheme=scheme) as page:
        assert page.locator(".heat td.deepest").count() > 9
        assert page.locator(".sides .wanted").count() == 15
        open_all(page)
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        assert page.evaluate("document.documentElement.scrollWidth") == width


SYSTEMS = (
    "hybrid-retrieval-with-cross-encoder-reranking-v2",
    "never gave a value of its own",
    "استرجاع هجين مع إعادة ترتيب النتائج بنموذج عصبي",
    "w" * 60,
    "baseline",
    "BM25 (k1=0.9, b=0.4) over paragraphs, titles and captions",
    "hybrid-retrieval-with-cross-encoder-reranking-v3",
    "new",
)
LONG = "Average(TokenRecall,TokenF1,ROUGE-L,ExactMatch)"


@pytest.fixture(scope="module")
def many(new_folder, tmp_path_factory):
    """Reports of so many runs with long names: some values are large, some unscored, one run has none of its own."""
    folder, place = new_folder(), tmp_path_factory.mktemp("many")
    items = [
        Item(id=f"q{n}", query="?", references=("two floors",), tags={"group": "مجموعة الأسئلة" if n % 2 else "b"})
        for n in range(8)
    ]
    runs = []
    for k, name in enumerate(SYSTEMS):
        usage = [{} if k == 1 or n < k // 2 else {"v": 1_000_000.0 * (n + k)} for n in range(8)]
        answers = [Answer(item=f"q{n}", text="two", usage=told) for n, told in enumerate(usage)]
        runs.append(folder(name, items, answers))

    def make(count):
        scores = score(runs[:count], ["Cost", "TokenRecall", LONG])
        made = report(scores, compare(scores))
        write_report(place / f"{count}.html", made)
        return place / f"{count}.html", made

    return make


CUT = """all => all.flatMap(table => {
  const texts = document.createTreeWalker(table, NodeFilter.SHOW_TEXT);
  const box = (table.closest(".scroll") ?? document.documentElement).getBoundingClientRect();
  const [left, right] = [Math.max(0, box.left) - 1, Math.min(innerWidth, box.right) + 1];
  const cut = [];
  while (texts.nextNode()) {
    const text = texts.currentNode;
    const head = text.parentElement.closest("thead");
    if (!text.data.trim() || head && getComputedStyle(head).position === "absolute") continue;
    if (text.parentElement.closest(".hidden") || !text.parentElement.getClientRects().length) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    if ([...range.getClientRects()].some(one => one.left < left || one.right > right)) cut.push(text.data);
  }
  return cut;
})"""


@pytest.mark.parametrize("count", [2, 3, 8])
def test_every_value_of_every_run_is_inside_the_page(browser, many, count):
    file, made = many(count)
    section = "section:has(> #metrics) "
    with opened(browser, file) as page:
        open_all(page)
        for width in (1280, 800, 390):
            page.set_viewport_size({"width": width, "height": 900})
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                assert page.eval_on_selector_all("table.turn, .said", CUT) == [], (width, scheme)
                assert page.evaluate("document.documentElement.scrollWidth") == width
            shown = page.locator(section + "td").all_inner_texts()
            values = [(cell.score.run, cell.score) for row in made.metrics for cell in row.cells]
            assert len(shown) == len(values) == 3 * count
            turned = page.locator(section + "thead").bounding_box()["width"] < 2
            assert turned is (width < (900 if count == 8 else 500))
            for text, (run, value) in zip(shown, values, strict=True):
                words = text.split("\n")
                assert words[0] == run if turned else run not in text
                assert any(word.startswith(number(value.value)) for word in words)
                assert (f"{value.unscored} unscored" in text) is (value.unscored > 0)
        foot = page.locator("section:has(> #metrics) > .said > li").all_inner_texts()
        notes = [words for words in foot if not words.startswith(("No letters in", "No interval:"))]
        assert f"{SYSTEMS[1]}: 8 of 8 questions are unscored in Cost." in notes
        assert len(notes) == count - 1


def test_a_long_name_stays_in_its_column(browser, folder, tmp_path):
    items = [Item(id=f"q{n}", query="?", references=("two floors",)) for n in range(4)]
    texts = {"old": ["two", "floors", "none", "two"], "new": ["two floors", "two", "two floors", "one"]}
    runs = [
        folder(name, items, [Answer(item=f"q{n}", text=text) for n, text in enumerate(texts[name])]) for name in texts
    ]
    names = ["TokenRecall", "TokenF1", "ROUGE-L", "METEOR", "TFIDF", "ExactMatch"]
    scores = score(runs, [*names, f"Average({','.join(names)})"])
    write_report(tmp_path / "long.html", report(scores, compare(scores)))
    over = "all => all.filter(one => one.scrollWidth > one.clientWidth + 1).map(one => one.textContent)"
    with opened(browser, tmp_path / "long.html", 1100) as page:
        assert page.eval_on_selector_all("tbody th", over) == []


def test_the_table_of_correlations_fits_on_paper(browser, correlated):
    with opened(browser, correlated, 720) as page:  # 190 mm, what A4 leaves
        page.emulate_media(media="print")
        assert page.locator(".heat").bounding_box()["width"] <= 720
        shade = page.locator(".heat td.deepest").first
        assert shade.evaluate("one => getComputedStyle(one).printColorAdjust") == "exact"


def test_dark_is_dark(browser, demo):
    shades = []
    for scheme in ("light", "dark"):
        with opened(browser, demo, color_scheme=scheme) as page:
            shades.append(page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert shades == ["rgb(252, 252, 250)", "rgb(19, 22, 25)"]


@pytest.mark.parametrize("width", [1280, 360])
def test_hostile_texts_do_nothing(browser, hostile, width):
    with opened(browser, hostile, width) as page:
        open_all(page)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.locator("h1").count() == 1
        assert page.locator("script").count() == 1
        assert page.locator("main > section").count() >= 6
        assert page.locator("a").evaluate_all("all => all.every(a => a.getAttribute('href').startsWith('#'))")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_filter_order_and_buttons(browser, demo):
    with opened(browser, demo) as page:
        visible = page.locator("#list > details:visible")
        assert page.locator("#shown").inner_text() == "12 of 12 questions"
        page.fill("#filter", "q007")
        assert visible.count() == 1
        assert page.locator("#shown").inner_text() == "1 of 12 questions"
        page.fill("#filter", "FOLLOW-UP number")
        assert visible.count() == 3
        page.fill("#filter", "")
        page.select_option("#order", "s")
        spread = page.eval_on_selector_all("#list > details", "all => all.map(q => Number(q.dataset.s))")
        assert spread == sorted(spread, reverse=True)
        page.select_option("#order", "v")
        low = page.eval_on_selector_all(
            "#list > details", "all => all.map(q => q.dataset.v).filter(Boolean).map(Number)"
        )
        assert low == sorted(low)
        page.select_option("#order", "n")
        assert page.locator("#list > details").first.get_attribute("id") == "q-1"
        page.click("#open")
        assert page.locator("#list > details[open]").count() == 12
        page.click("#close")
        assert page.locator("#list > details[open]").count() == 0


def test_questions_are_chosen_by_category_outcome_and_winner_and_the_choice_is_a_link(browser, demo):
    with opened(browser, demo) as page:
        visible = page.locator("#list > details:visible")
        page.select_option("[data-tag=category]", "price")
        assert visible.count() == 3
        assert page.evaluate("location.hash") == "#?tag.category=price"
        page.select_option("#best", label="no run alone")
        chosen = {one.get_attribute("id") for one in visible.all()}
        assert all(page.locator(f"#{name}").get_attribute("data-b") == "-" for name in chosen)
        link = page.evaluate("location.href")
        page.select_option("[data-tag=category]", "")
        page.select_option("#best", "")
        page.select_option("#outcome", "timeout")
        assert [one.get_attribute("id") for one in visible.all()] == ["q-5", "q-10"]
        page.evaluate("link => { location.href = link; }", link)
        expect(page.locator("#outcome")).to_have_value("")
        assert {one.get_attribute("id") for one in visible.all()} == chosen
        page.select_option("[data-tag=category]", "")
        page.select_option("#best", "")
        page.locator("section:has(> #by_question) .said a").first.click()
        expect(page.locator("#list > details[open] .hits").first).to_be_visible()


def test_packed_answers_are_there_when_asked_for(browser, search_runs, tmp_path, monkeypatch):
    monkeypatch.setattr(html, "IN_PLACE", 1000)
    scores = score(search_runs(45, hits=1), "nDCG@10")
    write_report(tmp_path / "packed.html", report(scores, compare(scores)))
    with opened(browser, tmp_path / "packed.html") as page:
        assert page.locator("#shown").inner_text() == "20 of 45 questions"
        packed = page.locator("#list > details:not([data-m])")
        assert packed.first.locator("h4").count() == 0
        packed.first.locator("summary").click()
        expect(packed.first.locator("h4")).to_have_text(["hybrid", "vector", "lexical"])
        page.fill("#filter", "L0100")  # the id of a hit
        expect(page.locator("#shown")).to_have_text("1 of 45 questions")
        assert page.locator("#q-11").is_visible()
        page.fill("#filter", "")
        page.click("#more")
        assert page.locator("#list > details:visible").count() == 45
        page.evaluate("location.hash = '#q-45'")
        expect(page.locator("#q-45 h4").first).to_be_visible()


def test_packed_answers_are_found_by_the_text_that_is_read_not_by_how_html_writes_it(
    browser, folder, tmp_path, monkeypatch
):
    monkeypatch.setattr(html, "IN_PLACE", 1)
    monkeypatch.setattr(questions, "FIRST", 0)
    texts = ("They don't know of R&D", "five < six", "nothing")
    items = [Item(id=f"q{n}", query="?", references=("none",)) for n in range(3)]
    answers = [Answer(item=f"q{n}", text=text) for n, text in enumerate(texts)]
    write_report(tmp_path / "packed.html", report(score([folder("a", items, answers)], "TokenF1")))
    with opened(browser, tmp_path / "packed.html") as page:
        for typed, found in (("don't", 1), ("r&d", 1), ("five <", 1), ("&lt;", 0), ("blockquote", 0)):
            page.fill("#filter", typed)
            expect(page.locator("#shown")).to_have_text(f"{found} of 3 questions")
    with opened(browser, tmp_path / "packed.html") as page:
        page.evaluate("""() => {
          const field = document.getElementById("filter");
          for (const typed of ["nothing", ""]) { field.value = typed; field.dispatchEvent(new Event("input")); }
        }""")
        page.wait_for_function("() => new Promise((resolve) => setTimeout(() => resolve(true), 300))")
        assert page.locator("#shown").inner_text() == "3 of 3 questions"  # not what was typed first


def test_hostile_texts_do_nothing_in_packed_answers(browser, hostile_scores, tmp_path, monkeypatch):
    monkeypatch.setattr(html, "IN_PLACE", 1000)
    monkeypatch.setattr(questions, "FIRST", 0)
    write_report(tmp_path / "hostile.html", report(*hostile_scores))
    with opened(browser, tmp_path / "hostile.html") as page:
        open_all(page)
        expect(page.locator("#list > details[open] .sides").last).to_be_attached()
        page.fill("#filter", "alert")
        expect(page.locator("#shown")).not_to_have_text(re.compile("^13"))
        assert page.locator("img, iframe, #list script").count() == 0


def test_keyboard(browser, demo):
    with opened(browser, demo, 360) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        assert page.locator(".skip").bounding_box()["x"] >= 0
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        region = page.locator(".scroll:has(> table.effects)")
        region.focus()
        assert region.evaluate("one => one === document.activeElement && one.scrollWidth > one.clientWidth")
        page.locator("#q-1 summary").focus()
        page.keyboard.press("Enter")
        assert page.locator("#q-1").get_attribute("open") is not None


def test_without_javascript_everything_can_be_read(browser, demo):
    with opened(browser, demo, java_script_enabled=False) as page:
        assert not page.locator(".tools").is_visible()
        page.click("#q-1 summary")
        assert page.locator("#q-1 .hits").first.is_visible()


def test_printing_opens_what_differs_most(browser, demo, tmp_path):
    with opened(browser, demo) as page:
        marked = page.locator("#list > details[data-m]").count()
        assert 0 < marked <= 10
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.locator("#list > details[open]").count() == marked
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.locator("#list > details[open]").count() == 0
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        assert len(page.pdf()) > 10_000


@pytest.mark.parametrize("count", [2, 3, 8])
def test_the_decision_is_on_the_first_screen(browser, many, count):
    with opened(browser, many(count)[0]) as page:
        box = page.locator(".finding").bounding_box()
        assert box["y"] + box["height"] <= 800
        assert page.locator(".finding svg circle").count() >= count - 1
        folded = page.locator(".finding details:has(> summary:text('What the tests say')) li").first
        assert not folded.is_visible()
        page.locator(".finding summary", has_text="What the tests say").click()
        assert folded.is_visible()
