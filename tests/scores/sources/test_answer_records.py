"""The answers behind scores that hold none: of TREC runs and of tables, read again from their files."""

from __future__ import annotations

from pathlib import Path

import pytest

from neraca.scores.scores import Scores
from neraca.scores.sources.answer_records import answers_of, judgments_of
from neraca.scores.text import text
from neraca.scores.trec import trec

QRELS = {"q1": {"d1": 2, "d2": 0}, "q2": {"d3": 1}}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """Run a ranks three documents for q1 by score, b one for q2; both rank a query that nobody judged."""
    (tmp_path / "a.run").write_text("q1 Q0 d9 1 0.1 a\nq1 Q0 d2 2 0.2 a\nq1 Q0 d1 3 0.3 a\nq9 Q0 d1 1 1 a\n")
    (tmp_path / "b.run").write_text("q9 Q0 d1 1 1 b\nq2 Q0 d3 1 1.0 b\n")
    return [tmp_path / "a.run", tmp_path / "b.run"]


def hits_of(scores: Scores, place: tuple[int, int], **options: int) -> tuple[list[str], int]:
    [record] = answers_of(scores, [place], **options)[place]
    return [hit.id for hit in record.answer.hits], record.returned


def test_a_ranking_is_read_to_its_depth_and_the_number_of_all_documents_is_known(runs: list[Path]) -> None:
    scores = trec(QRELS, runs, "AP")
    assert hits_of(scores, (0, 0), depth=2) == (["d1", "d2"], 3)
    assert hits_of(scores, (1, 1)) == (["d3"], 1)
    assert hits_of(scores, (1, 0)) == ([], 0), "a run without the query has an empty list"
    assert judgments_of(scores)["q1"] == {"d1": 2, "d2": 0}


def test_only_rankings_that_are_asked_for_are_read(runs: list[Path]) -> None:
    records = answers_of(trec(QRELS, runs, "AP"), [(0, 0), (1, 1)], ranked=[1])
    assert [len(records[place][0].answer.hits) for place in ((0, 0), (1, 1))] == [0, 1]
    assert records[0, 0][0].returned == 3


@pytest.mark.parametrize("single, first", [(False, "a"), (True, "b")])
def test_the_order_is_the_one_that_was_scored(tmp_path: Path, single: bool, first: str) -> None:
    """In single precision both scores are 1, so that the falling id decides."""
    (tmp_path / "a.run").write_text("q Q0 a 1 1.00000001 t\nq Q0 b 2 1 t\n")
    scores = trec({"q": {first: 1}}, [tmp_path / "a.run"], "RR", single=single)
    assert scores.mean("RR") == 1
    assert hits_of(scores, (0, 0))[0][0] == first
    in_memory = trec({"q": {first: 1}}, {"q": {"a": 1.00000001, "b": 1.0}}, "RR", single=single)
    assert hits_of(in_memory, (0, 0))[0][0] == first


@pytest.mark.parametrize(
    "name, content",
    [
        ("docs.csv", "docno,text\nd1,about one\nd2,two\n"),
        ("collection.tsv", "d1\tabout one\nd2\ttwo\n"),
        (
            "docs.sgml",
            "<DOC>\n<DOCNO> d1 </DOCNO>\n<TEXT>about\n<b>one</b></TEXT>\n</DOC>\n<DOC><DOCNO>d2</DOCNO>two</DOC>\n",
        ),
        ("disk/LA010189", "<DOC>\n<DOCNO>d1</DOCNO>about one</DOC>\n<DOC>\n<DOCNO>d2</DOCNO>\ntwo</DOC>\n"),
        ("corpus.jsonl", '{"_id": "d1", "text": "about one"}\n{"_id": "d2", "text": "two"}\n'),
    ],
)
def test_documents_come_as_tables_and_in_the_forms_of_collections(
    runs: list[Path], tmp_path: Path, name: str, content: str
) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)
    source = file.parent if name in ("corpus.jsonl", "disk/LA010189") else file
    scores = trec(QRELS, runs, "AP", documents=source)
    [record] = answers_of(scores, [(0, 0)])[0, 0]
    assert [hit.text for hit in record.answer.hits] == ["about one", "two", ""]


def test_a_row_of_a_table_has_its_question_and_its_response() -> None:
    scores = text(["red", "blue"], {"x": ["a", "b"], "y": ["c", "d"]}, "TokenF1", queries=["first?", "second?"])
    records = answers_of(scores, [(1, 1), (0, 0)])
    assert {place: (r.item.query, r.item.references, r.answer.text) for place, [r] in records.items()} == {
        (1, 1): ("second?", ("blue",), "d"),
        (0, 0): ("first?", ("red",), "a"),
    }
