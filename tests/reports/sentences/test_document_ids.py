"""Notes on the ids of documents: plain ids count as documents, and ids that nobody judged are pointed out."""

from builders import make_answer, make_item, make_run

import neraca
from neraca.datasets.dataset import Dataset
from neraca.reports.report import report
from neraca.reports.sentences.document_ids import document_ids
from neraca.reports.sentences.notes import notes

QUESTIONS = [make_item(str(place), relevant={"d1": 1, "d2": 1}) for place in range(6)]


def run_of(path, docs):
    """A run that returns these documents to each question."""
    return make_run(path, QUESTIONS, [make_answer(docs, item.id) for item in QUESTIONS])


def test_plain_ids_score_as_the_same_hits_with_ids_do(tmp_path):
    questions = Dataset(tuple(QUESTIONS), "questions.csv")
    plain = neraca.ask(questions, lambda query: {"hits": ["d1", "d7"]}, tmp_path / "plain")
    tables = neraca.ask(questions, lambda query: {"hits": [{"id": "d1"}, {"id": "d7"}]}, tmp_path / "tables")
    scores = neraca.score([plain, tables], "P@2 RR")
    assert [score.value for score in scores.overall()] == [0.5, 0.5, 1, 1]
    assert list(document_ids(scores)) == [
        "plain: its hits are plain words, such as 'd1', and each is taken as the id of a document"
    ]


def test_a_run_of_which_no_hit_is_judged_is_pointed_out_with_ids_of_both_sides(tmp_path):
    scores = neraca.score([run_of(tmp_path / "a", "x1 x2 x3 x4"), run_of(tmp_path / "b", "x1 d1")], "P@3")
    (note,) = document_ids(scores)
    assert note.startswith(
        "a: of 24 hits that it returned, none is judged for its question "
        "(it returned 'x1', 'x2', 'x3'; judged are 'd1', 'd2'): are the ids of documents the same in both?"
    )
    assert next(iter(notes(scores))) == note
    assert f"{note}." in report(scores).notes


def test_a_trec_run_of_which_no_document_is_judged_is_pointed_out():
    qrels = {"1": {"d1": 1}, "2": {"d2": -1}}
    runs = {"none": {"1": {"x": 1.0}}, "one": {"1": {"d1": 1.0}}}
    (note,) = document_ids(neraca.trec(qrels, runs, "AP"))
    assert note.startswith("none: of 1 hit that it returned, none is judged for its question: are the ids")


def test_nothing_is_said_where_no_metric_looks_at_hits_or_nothing_is_judged_or_returned(tmp_path):
    questions = [make_item("1", references=("a",)), make_item("2", relevant={})]
    answers = [make_answer("x1 x2", name, text="a") for name in "12"]
    judged_none = make_run(tmp_path / "judged", questions, answers)
    assert list(document_ids(neraca.score([judged_none], "P@3 Success"))) == []
    assert list(document_ids(neraca.score([run_of(tmp_path / "a", "x1")], "Words"))) == []
    assert list(document_ids(neraca.score([run_of(tmp_path / "b", "")], "P@3"))) == []
