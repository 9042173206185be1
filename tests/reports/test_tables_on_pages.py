"""Tables and sentences of a page at every width: no number breaks, narrow pages have cards, English stays English."""

import pytest
from chromium import chromium_in
from online.log_files import CLICK, SEARCH, write_log
from playwright.sync_api import sync_playwright

from neraca.comparisons.compare import compare
from neraca.online.ab import ab
from neraca.online.experiment import AbOptions
from neraca.online.search_log import search_log
from neraca.reports.formats.write import write_report
from neraca.reports.online.ab import ab_document
from neraca.reports.report import report
from neraca.scores.score import score

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
#: The texts of the cells with numbers that stand on more than one line.
BROKEN = """all => all.flatMap(cell => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top)));
    if (texts.currentNode.data.trim() && lines.size > 1) broken.push(texts.currentNode.data);
  }
  return broken;
})"""
ARABIC = "نظام البحث"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    program = chromium_in(tmp_path_factory.mktemp("browser"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield browser.new_page()
        browser.close()


def open_at(page, file, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(file.as_uri())
    page.eval_on_selector_all("details.fold", "all => all.forEach(part => { part.open = true; })")


@pytest.fixture(scope="module")
def compared(search_runs, tmp_path_factory):
    file = tmp_path_factory.mktemp("compared") / "report.html"
    scores = score(search_runs(12, hits=3), "nDCG@10 P@5")
    write_report(file, report(scores, compare(scores, primary="nDCG@10"), primary="nDCG@10"))
    return file


@pytest.mark.parametrize("width", [390, 800, 1280, 1920])
def test_no_number_of_a_table_breaks_over_two_lines(page, compared, width):
    open_at(page, compared, width)
    assert page.eval_on_selector_all("table.lines td:not(.words)", BROKEN) == []
    assert page.locator("section:has(> #differences) th[scope=col]", has_text="Statistic").count() == 1
    is_table = page.locator("section:has(> #differences) thead").first.bounding_box()["width"] > 2
    assert is_table is (width >= 1280)


def test_an_ab_test_has_cards_on_a_phone(page, tmp_path):
    rows = []
    for arm, clicks in (("A", 60), ("B", 120)):
        users = [{"user": f"{arm}{u}", "session": f"{arm}{u}", "search": f"{arm}{u}"} for u in range(200)]
        rows += [SEARCH | user | {"variant": arm, "time": 1_767_261_600} for user in users]
        rows += [CLICK | user | {"time": 1_767_261_605, "rank": 1} for user in users[:clicks]]
    log = search_log(write_log(tmp_path / "log.csv", rows, [*{name: 0 for row in rows for name in row}]))
    ab_document(ab(log, ["click_through"], AbOptions(looks="once", checks=0))).save(tmp_path / "ab.html")
    open_at(page, tmp_path / "ab.html", 390)
    wide = "all => all.filter(part => part.scrollWidth > part.clientWidth + 1).map(part => part.textContent)"
    assert page.eval_on_selector_all(".scroll", wide) == []
    card = page.locator("section:has(> #effects) tbody tr").first
    assert card.locator("th").inner_text() == "metric click_through"
    words = [" ".join(text.split()) for text in card.locator("td").all_inner_texts()]
    assert words[:3] == ["A 0.300", "B 0.600", "difference +0.300"]  # 60 and 120 of 200 users
    assert [text.split(" ")[0] for text in words[3:]] == ["95", "relative", "p", "verdict"]
    assert words[-1] == "verdict B better"
    inside = "all => all.every(cell => cell.getBoundingClientRect().right <= innerWidth)"
    assert card.locator("td").evaluate_all(inside)


def test_a_sentence_that_begins_with_an_arabic_name_runs_from_left_to_right(page, weighed, tmp_path):
    scores, differences = weighed({ARABIC: [0.9, 0.8, 0.9, 0.7], "old": [0.1, 0.2, 0.1, 0.1]})
    write_report(tmp_path / "report.html", report(scores, differences))
    open_at(page, tmp_path / "report.html", 800)
    lead = page.locator(".lead")
    assert lead.inner_text().startswith(ARABIC)
    assert lead.evaluate("part => getComputedStyle(part).direction") == "ltr"
    head = page.locator("th", has_text=ARABIC).first
    assert head.evaluate("part => getComputedStyle(part).direction") == "rtl"


def test_every_drawing_names_its_axes_and_no_line_crosses_a_label(page, compared):
    open_at(page, compared, 1280)
    for drawing in page.locator("figure svg").all():
        assert drawing.locator("text.axis").count() >= 1
        assert drawing.locator("text.tick").count() >= 3
    crossed = """all => all.flatMap(drawing => {
      const labels = [...drawing.querySelectorAll(".label, .value")].map(one => one.getBoundingClientRect());
      return [...drawing.querySelectorAll(".rows")].flatMap(one => {
        const box = one.getBoundingClientRect();
        const [on, off] = getComputedStyle(one).strokeDasharray.split(",").map(parseFloat);
        return labels.filter(label => {
          if (box.right < label.left || box.left > label.right) return false;
          const middle = (label.top + label.bottom) / 2 - box.top;
          return middle > 0 && middle % (on + off) < on;
        });
      });
    })"""
    assert page.eval_on_selector_all("figure svg:has(.rows)", crossed) == []
