"""The sections: every format has the same ones, and their order is written once."""

import re

import pytest
from drawn import to_html, to_markdown

from neraca.comparisons.compare import compare
from neraca.errors import SpecError
from neraca.reports.blocks.sections import SECTIONS
from neraca.reports.comparison_blocks import SECTION_BLOCKS
from neraca.reports.report import report
from neraca.scores.score import score


def test_every_section_has_blocks():
    assert set(SECTION_BLOCKS) == {section.name for section in SECTIONS}


def test_sections_are_chosen_by_name_and_keep_their_order(search_runs):
    scores = score(search_runs(12), "nDCG@10 P@5")
    made = report(scores, compare(scores), sections="method, metrics differences")
    markdown, page = to_markdown(made), to_html(made)
    assert [line for line in markdown.splitlines() if line.startswith("## ")] == [
        "## Metrics",
        "## Differences between runs",
        "## How these numbers were made",
    ]
    assert '<h2 id="runs">' not in page
    assert page.index('<h2 id="metrics">') < page.index('<h2 id="differences">') < page.index('<h2 id="method">')


def test_a_section_without_content_says_why_and_what_to_do(weighed):
    made = report(*weighed({"a": [1, 2, 3, 4]}))
    assert "- Differences between runs: There is one run. Name two or more, and they are compared." in to_markdown(made)
    page = to_html(made)
    nothing = page[page.index('<section aria-labelledby="nothing">') :]
    assert "There is one run. Name two or more" in nothing[: nothing.index("</section>")]
    assert '<a href="#differences">' not in page


def test_a_metric_has_its_short_label_everywhere_after_it_was_introduced(search_runs):
    """The canonical name stands only where it is introduced, in the method, and in the command to make it again."""
    scores = score(search_runs(12), "nDCG(empty=correct)@10 RR(empty=correct) P@5")
    markdown = to_markdown(report(scores, compare(scores)))
    method = markdown.index("## How these numbers were made")
    others = [line for line in markdown[:method].splitlines() if re.search(r"(?<!\w)P@5|empty=correct\)", line)]
    introduced = [line for line in others if "not the usual nDCG@10" in line or "(nDCG(empty" in line]
    introduced += [line for line in others if line.startswith(("| RR (RR(empty", "| Precision@5 (P@5"))]
    assert len(introduced) >= 4
    assert set(others) == set(introduced)
    assert "-m 'nDCG(empty=correct)@10 RR(empty=correct) P@5'" in markdown[method:]
    assert "Precision@5 0." in markdown[:method], "questions have the labels too"


def test_a_name_of_a_run_that_reads_like_a_metric_stays(weighed):
    markdown = to_markdown(report(*weighed({"P@5": [1, 2, 3, 4], "b": [2, 2, 3, 4]})))
    assert "Precision" not in markdown
    assert "P@5" in markdown


def test_an_unknown_section_is_refused_with_those_that_there_are(weighed):
    with pytest.raises(SpecError, match="called tables; there are: runs, metrics, differences"):
        report(*weighed({"a": [1, 2]}), sections=["metrics", "tables"])
