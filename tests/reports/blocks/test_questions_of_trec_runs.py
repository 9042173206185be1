"""Opened questions of TREC runs: ranked lists beside each other, with grades, and what is not shown."""

from __future__ import annotations

from pathlib import Path

import openpyxl
import pytest
from drawn import to_html, to_markdown

from neraca.reports.formats.write import write_report
from neraca.reports.report import Report, report
from neraca.scores.scores import Scores
from neraca.scores.trec import trec

QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1}}
RUNS = {
    "old": {"q1": {f"d{n}": 20.0 - n for n in range(1, 13)}, "q2": {"d5": 1.0}},
    "new": {"q1": {"d9": 2.0, "d1": 1.0}},
}
TOPICS = [{"id": "q1", "query": "<b>houses</b>"}, {"id": "q2", "query": "شقة"}]
DOCUMENTS = [{"docno": "d1", "text": "<script>alert(1)</script>"}, {"docno": "d2", "text": "two " * 4000}]


def scores(topics: Path | None = None, **options: object) -> Scores:
    return trec(QRELS, RUNS, "AP", topics=topics, **options)  # type: ignore[arg-type]


@pytest.fixture
def topics(tmp_path: Path) -> Path:
    rows = ["id\tquery", *(f"{topic['id']}\t{topic['query']}" for topic in TOPICS)]
    (tmp_path / "topics.tsv").write_text("\n".join(rows))
    return tmp_path / "topics.tsv"


def test_each_run_has_its_list_with_grades_and_the_number_of_the_other_documents() -> None:
    first, second = report(scores()).questions
    old, new = (next(side for side in first.sides if side.run == name).replies[0] for name in ("old", "new"))
    assert [(hit.id, hit.relevance) for hit in old.hits[:4]] == [
        ("d1", "relevant (2)"),
        ("d2", "not relevant (0)"),
        ("d3", "relevant (1)"),
        ("d4", "not judged"),
    ]
    assert (len(old.hits), old.cut) == (10, 2)
    assert [hit.id for hit in new.hits] == ["d9", "d1"]
    assert [side.replies[0].returned for side in second.sides if side.run == "new"] == [0]
    assert (first.relevant_count, second.relevant_count) == (2, 1)


def test_the_smallest_relevant_grade_is_that_of_the_scores() -> None:
    first, _ = report(scores(relevant_from=2)).questions
    assert first.relevant_count == 1
    assert [hit.relevance for hit in first.sides[0].replies[0].hits if hit.id == "d3"] in ([], ["not relevant (1)"])


def test_texts_of_topics_and_documents_are_shown_cut_and_escaped_and_missing_ones_counted(topics: Path) -> None:
    made: Report = report(scores(topics, documents=DOCUMENTS))
    page = to_html(made)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert not any(text in page for text in ("<script>alert(1)", "<b>houses"))
    assert 'class="unj">not judged' in page
    assert max(len(hit.text) for side in made.questions[0].sides for hit in side.replies[0].hits) <= 160
    assert "The first 10 documents of each ranked list are shown." in page
    assert "8 of the 10 documents shown have no text in the table of documents." in page
    assert "## Questions and ranked lists" in to_markdown(made)


def test_a_workbook_has_the_text_of_each_topic_and_the_list_of_each_run(topics: Path, tmp_path: Path) -> None:
    write_report(tmp_path / "report.xlsx", report(scores(topics)))
    head, *rows = openpyxl.load_workbook(tmp_path / "report.xlsx")["Questions"].iter_rows(values_only=True)
    cells = {(row[0], row[head.index("Run")]): dict(zip(head, row, strict=True)) for row in rows}
    assert cells["q1", "new"]["Question"] == "<b>houses</b>"
    assert cells["q1", "new"]["Results"] == "1. d9 (not judged)\n2. d1 (grade 2)"
    assert cells["q1", "old"]["Results"].endswith("10. d10 (not judged)\n2 more hits not shown.")
    assert cells["q2", "new"]["Results"].startswith("The run has no line for this topic")


@pytest.mark.parametrize("only_answered", [False, True])
def test_a_topic_that_a_run_lacks_is_said_to_be_lacking_and_not_to_have_no_hits(
    tmp_path: Path, only_answered: bool
) -> None:
    """As trec_eval -c, the topic counts as 0; without those, it is left out of the means of this run."""
    words = "which is left out of its means" if only_answered else "which counts as 0, as with trec_eval -c"
    made = report(scores(only_answered=only_answered))
    write_report(tmp_path / "report.xlsx", made)
    sheet = openpyxl.load_workbook(tmp_path / "report.xlsx")["Questions"]
    cells = [str(cell) for row in sheet.iter_rows(values_only=True) for cell in row]
    for page in (to_html(made), to_markdown(made), "\n".join(cells)):
        assert page.count(f"The run has no line for this topic, {words}") == 1
        assert "0 hits" not in page
