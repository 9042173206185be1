"""The table of questions and systems: six questions with known values of P@5, and what a reader sees and sorts."""

import os
import re
import time
from dataclasses import replace

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from chromium import FLAGS, chromium_in
from playwright.sync_api import expect, sync_playwright
from web.test_explorer_app import get
from web.test_question_filters import BOTH, FOUND, PATHS, figures, ids, scored_together, six_questions

from neraca.records import Verdict
from neraca.web.facts_file import UNREADABLE, read_facts, write_facts
from neraca.web.kept_files import KeptFiles
from neraca.web.matrix import column_groups, difference_text, row_cells
from neraca.web.measures import Measures
from neraca.web.question_facts import question_facts
from neraca.web.table_layout import Layout
from neraca.web.verdict_sentences import verdict_sentences

#: Sorted by the largest difference in P@5: 0.4 in q6, 0.2 in q1 and q2, else 0.
BY_DIFFERENCE = ["q6", "q1", "q2", "q3", "q4", "q5"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return six_questions(tmp_path_factory.mktemp("table"))


@pytest.fixture(scope="module")
def facts(folder):
    return question_facts([folder / run for run in PATHS])


@pytest.fixture(scope="module")
def link(folder):
    with scored_together(folder) as started:
        yield started


def in_order(facts, sort):
    return [list(FOUND)[index] for index in Layout(sort=sort).by_scores(facts, np.arange(len(FOUND))).tolist()]


def test_questions_are_sorted_by_difference_and_by_each_run(facts):
    assert in_order(facts, "-difference") == BY_DIFFERENCE
    assert in_order(facts, "-P@5|0")[:2] == ["q6", "q1"], "0.4, then 0.2"
    assert in_order(facts, "P@5|1") == ["q1", "q4", "q5", "q6", "q2", "q3"], "equal values in the order of the dataset"
    assert in_order(facts, "-nonsense|0") == list(FOUND)
    assert in_order(facts, "P@5|7") == list(FOUND)


def test_a_cell_shows_its_value_the_best_and_what_failed(facts):
    old, new = row_cells(facts, "P@5", [0])[0]
    assert (old.text, old.best, old.css, old.fill) == ("0.200", True, "plain", "20%")
    assert (new.text, new.best, new.css, new.fill) == ("0.000", False, "worst", "0%")
    failed = row_cells(facts, "P@5", [list(FOUND).index("q5")])[0]
    assert [cell.css for cell in failed] == ["failed", "failed"]
    assert all(cell.text.startswith("failed") and not cell.best for cell in failed)
    assert [difference_text(facts, index) for index in (0, 1, 2)] == [
        ("+0.200", "up"),
        ("−0.200", "down"),
        ("0.000", ""),
    ]


def test_a_level_is_coloured_only_if_no_other_could_be_worse(facts):
    """Worst are 0 of P@5 and 1 of an error rate that ends there; a rate without an end, or a diagnostic, has none."""
    values = np.array([[0.01, 0.2, 0.5, 1.0, 0.0, 0.0]])
    plain = np.zeros((1, 6), np.int8)
    ends = {"WER": (0.0, 1.0)}
    for name, worst, limits in (("P@5", 4, {}), ("WER", 3, ends), ("WER", -1, {}), ("Judged@10", -1, {})):
        one = replace(facts, runs=["a"], columns={name: values}, states=plain, limits=limits)
        css = [row_cells(one, name, [place])[0][0].css for place in range(5)]
        assert css == ["worst" if place == worst else "plain" for place in range(5)], name


def test_a_header_has_n_and_mean_of_all_or_of_the_chosen_questions(facts):
    heads = column_groups(facts, Layout(), None, lambda layout: layout.sort)[0].heads
    assert [(head.value, head.n) for head in heads] == [("0.133", 6), ("0.067", 6)], "0.8 / 6 and 0.4 / 6"
    assert [head.link for head in heads] == ["-P@5|0", "-P@5|1"]
    chosen = column_groups(facts, Layout(sort="-P@5|0"), np.array([0, 5]), lambda layout: layout.sort)[0].heads
    assert [(head.value, head.n, head.interval) for head in chosen] == [("0.300", 2, ""), ("0.000", 2, "")]
    assert (chosen[0].link, chosen[0].sorted) == ("P@5|0", "descending"), "a second click turns the order around"


def test_the_page_is_sorted_and_has_the_columns_asked_for(link):
    page = get(link, f"/questions?{BOTH}&sort=-difference&column=RR&column=tag:kind")[2]
    assert ids(page) == BY_DIFFERENCE
    assert figures(page)[:4] == ["▲ best: 0.400", "0.000", "▲ best: 1.000", "0.000"], "P@5, then RR of q6"
    assert page.count("</span> a</td>") == 6, "the tag"
    assert re.search(r'aria-sort="descending"><a href="[^"]*sort=difference', page)
    assert 'value="-difference" selected' in page
    other = get(link, f"/questions?{BOTH}&metric=RR")[2]
    assert '<option value="RR" selected>' in other
    assert get(link, f"/questions?{BOTH}&metric=nonsense")[0] == 400
    assert other.count('<option value="AP">AP<') == 1, "what relevance allows is offered too"


def test_metrics_have_short_labels_and_the_canonical_name_in_the_title_and_below(link):
    address, until = f"/questions?{BOTH}&metric=RBP(p=0.5)@10&column=P@5", time.monotonic() + 30
    while "renews itself" in (page := get(link, address)[2]) and time.monotonic() < until:
        time.sleep(0.1)
    assert '<span title="RBP(p=0.5)@10">RBP@10</span>' in page
    assert '<option value="RBP(p=0.5)@10" selected>RBP@10<' in page
    assert '<span title="P@5">Precision@5</span>' in page
    assert "Best in RBP@10 <select" in page
    assert page.count("With all parameters: RBP(p=0.5)@10.") == 1
    charts = get(link, f"/history?{BOTH}&metric=RBP(p=0.5)@10")[2]
    assert '<h2 id="versions"><span title="RBP(p=0.5)@10">RBP@10</span> over versions' in charts
    assert charts.count("(p=0.5)") == charts.count('title="RBP(p=0.5)@10"') + 2, "its choice, and below"


def test_the_table_is_saved_with_the_values_that_are_shown(link):
    lines = get(link, f"/questions.csv?{BOTH}&q=q1&column=RR")[2].splitlines()
    assert lines == ["item,query,tags,P@5 old,P@5 new,RR old,RR new", "q1,question q1,kind=a,0.2,0.0,1.0,0.0"]
    page = get(link, f"/questions?{BOTH}&sort=xyz")[2]
    assert "No order is called xyz: the questions stand in the order of the dataset." in page
    assert "No order" not in get(link, f"/questions?{BOTH}&sort=-RR%7C1")[2]
    by_difference = get(link, f"/questions.csv?{BOTH}&sort=-difference")[2].splitlines()[1:]
    assert [line.partition(",")[0] for line in by_difference] == BY_DIFFERENCE


def test_facts_come_back_from_their_file_and_a_broken_file_is_an_error(facts, folder, tmp_path):
    file = write_facts(tmp_path / "facts.npz", [folder / run for run in PATHS], Measures())
    again = read_facts(file)
    assert (again.metric, again.runs) == (facts.metric, facts.runs)
    for name, totals in facts.totals.items():
        np.testing.assert_array_equal(again.totals[name], totals)
    for name, values in facts.columns.items():
        np.testing.assert_array_equal(again.columns[name], values)
    assert again.why("P@5", 0, 4) == facts.why("P@5", 0, 4)
    assert again.states.tolist() == facts.states.tolist()
    file.write_bytes(file.read_bytes()[:200])
    with pytest.raises(UNREADABLE):
        read_facts(file)


def test_a_further_metric_is_scored_beside_the_default_ones(folder):
    scores = Measures(primary="P@1").score([folder / run for run in PATHS])
    assert Measures(primary="P@1").primary_of(scores) == "P@1"
    assert {"P@1", "P@5"} <= set(map(str, scores.metrics))


def test_the_oldest_kept_files_go_when_there_are_too_many(tmp_path):
    kept = KeptFiles(tmp_path, most=150)
    paths = [kept.path("report", number, ".html") for number in range(3)]
    for age, path in enumerate(reversed(paths)):
        path.write_bytes(b"x" * 70)
        os.utime(path, (1_000_000 - age, 1_000_000 - age))
    kept.path("report", 4, ".html")
    assert [path.is_file() for path in paths] == [False, True, True]
    assert len({*paths, kept.path("facts", 0, ".html"), kept.path("report", 0, ".csv")}) == 5


def test_many_verdicts_are_one_sentence_with_those_that_failed_first():
    by = "llm:openai:judge-a#b06b36"
    verdicts = [Verdict(item="q", about="answer", aspect="claims", by=by, value=2)]
    for number, (text, value) in enumerate((("It is red", 1), ("It is old", 0)), 1):
        verdicts.append(Verdict(item="q", about=f"claim:{number}", aspect="claim", by=by, value=1, why=text))
        verdicts.append(
            Verdict(item="q", about=f"claim:{number}", aspect="supported", by=by, value=value, why="overlap")
        )
    verdicts.append(Verdict(item="q", about="answer", aspect="declines", by=by, value=0))
    verdicts.append(Verdict(item="q", about="answer", aspect="quality", by="human:ana", value=2, why="vague"))
    claims, declines, quality = verdict_sentences(verdicts)
    assert (claims.text, claims.by) == ("1 of 2 claims supported by a context", "judge-a")
    assert [(one.mark, one.text) for one in claims.verdicts] == [
        ("no", "“It is old”: not supported by any context"),
        ("yes", "“It is red”: supported by a context"),
    ]
    assert (declines.mark, declines.text) == ("plain", "does not say that it cannot answer")
    assert (quality.text, quality.by, quality.why) == ("quality: 2", "ana (person)", "vague")


def test_keys_move_and_a_drawer_shows_the_answers(link, tmp_path):
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_in(tmp_path), args=FLAGS)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        page.goto(f"{link}/questions?{BOTH}")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        expect(page.locator("tr.now .id")).to_have_text("q1")
        page.keyboard.press("Enter")
        drawer = page.locator("#drawer")
        expect(drawer.locator("h2").first).to_have_text("question q1")
        expect(drawer.locator("article")).to_have_count(2)
        page.keyboard.press("j")
        expect(drawer.locator("h2").first).to_have_text("question q2")
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        page.keyboard.press("Escape")
        expect(drawer).not_to_be_visible()
        assert page.evaluate("document.activeElement.closest('tr').querySelector('.id').textContent") == "q2"
        page.keyboard.press("/")
        assert page.evaluate("document.activeElement.name") == "q"
        browser.close()
