"""The templates: every format has the same sections, and their order is written once."""

import pytest

from neraca.comparisons.compare import compare
from neraca.errors import SpecError
from neraca.reports.blocks.sections import SECTIONS
from neraca.reports.formats.html import to_html
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.formats.render import TEMPLATES
from neraca.reports.report import report
from neraca.scores.score import score


@pytest.mark.parametrize(("folder", "suffix"), [("html", ".html"), ("markdown", ".md")])
def test_every_format_has_each_section(folder, suffix):
    names = {path.stem for path in (TEMPLATES / folder).iterdir() if path.suffix == suffix}
    others = {"experiment", "gate", "layout", "question", "said", "study"}
    assert names - others == {"page", *(section.name for section in SECTIONS)}


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
    folded = page[page.index('<section class="nothing" aria-labelledby="differences">') :]
    assert "There is one run. Name two or more" in folded[: folded.index("</section>")]
    assert '<a href="#differences">' not in page


def test_an_unknown_section_is_refused_with_those_that_there_are(weighed):
    with pytest.raises(SpecError, match="called tables; there are: runs, metrics, differences"):
        report(*weighed({"a": [1, 2]}), sections=["metrics", "tables"])
