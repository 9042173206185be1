"""Notes on what qrels do to values, with numbers counted by hand."""

import pytest
from builders import make_answer, make_item, make_run

from neraca.reports.sentences.notes import notes
from neraca.scores.score import score
from neraca.scores.trec import trec
from neraca.translation import written_in

#: Two queries without a judged document, one without a relevant one, one with grade 1 at most, one with grade 2.
QRELS = {
    "q1": {"d1": -1, "d2": -1},
    "q2": {"d1": -1},
    "q3": {"d1": 0, "d2": -2, "d3": -1},
    "q4": {"d1": 1, "d2": 0},
    "q5": {"d1": 2, "d2": -1},
}
RUNS = {name: {query: {"d1": 2.0, "d2": 1.0} for query in QRELS} for name in ("a", "b")}
UNJUDGED = "no document is judged for 2 of 5 queries (each grade is -1): counted as 0"
NO_RELEVANT = "no judged document is relevant for 1 of 5 queries: counted as 0"


def of_qrels(metrics, qrels=QRELS, runs=RUNS, **options):
    all_notes = notes(trec(qrels, runs, metrics, **options))
    return [note for note in all_notes if "judged" in note.split(":")[0] and not note.startswith("Judged@")]


def test_each_kind_of_query_is_counted_with_what_to_do():
    unjudged, no_relevant = of_qrels("nDCG@10 AP RR P@2")
    assert unjudged == f"{UNJUDGED}, as by trec_eval -c; to leave these out, delete their lines from the qrels"
    assert no_relevant.startswith(f"{NO_RELEVANT} in every run, as by trec_eval -c; ")


def test_the_remedy_works_and_the_notes_are_gone():
    scores = trec(QRELS, RUNS, "RR")
    shorter = trec({query: QRELS[query] for query in ("q4", "q5")}, RUNS, "RR")
    assert (scores.mean("RR", "a"), shorter.mean("RR", "a")) == (2 / 5, 1.0)
    assert of_qrels("RR", {query: QRELS[query] for query in ("q4", "q5")}) == []


def test_a_higher_smallest_grade_leaves_more_queries_without_a_relevant_document():
    (_, two, one) = of_qrels("P(rel=2)@2 RR")
    assert two.startswith("no judged document is relevant for 2 of 5 queries: counted as 0 in P(rel=2)@2 in every run")
    assert one.startswith(f"{NO_RELEVANT} in RR in every run")
    assert of_qrels("P@2", relevant_from=2)[1].startswith("no judged document is relevant for 2 of 5 queries")


def test_only_queries_that_count_and_are_0_are_counted():
    """Judged@10 is a diagnosis; without a document, a query is left out of the means of `only_answered`."""
    assert of_qrels("Judged@10") == []
    runs = {"a": {query: {"d1": 1.0} for query in ("q2", "q4", "q5")}}
    assert [note[:42] for note in of_qrels("AP", runs=runs, only_answered=True)] == [
        "no document is judged for 1 of 5 queries ("
    ]


def test_a_run_folder_with_the_same_grades_leaves_out_what_nobody_judged(tmp_path):
    """Of a folder nothing is said of q3: its question may well expect nothing."""
    items = [make_item(query, relevant={doc: float(g) for doc, g in docs.items()}) for query, docs in QRELS.items()]
    run = make_run(tmp_path / "a", items, [make_answer("d1 d2", query) for query in QRELS])
    about_judgments = [
        note for note in notes(score(run, "nDCG@10")) if "document is judged" in note or "relevant for" in note
    ]
    assert len(about_judgments) == 1
    assert about_judgments[0] == f"{UNJUDGED.split(' queries')[0]} questions (each grade is -1): left out, " + (
        "like questions without judgments"
    )


@pytest.mark.parametrize("metrics", ["nDCG(empty=correct)@10", "Condensed(RR(empty=correct))"])
def test_the_parameter_for_empty_answers_does_nothing_with_qrels_and_this_is_said(metrics):
    (note,) = [note for note in notes(trec(QRELS, RUNS, metrics)) if note.startswith("empty=correct")]
    assert f"({metrics}): qrels do not say which queries expect no document" in note
    assert not [note for note in notes(trec(QRELS, RUNS, "nDCG@10 RR")) if note.startswith("empty=correct")]


def test_in_a_run_folder_the_parameter_works_and_nothing_is_said(tmp_path):
    items = [make_item("q", relevant={}), make_item("r", relevant={"d": 1.0})]
    run = make_run(tmp_path / "a", items, [make_answer("", "q"), make_answer("d", "r")])
    scores = score(run, "nDCG(empty=correct)@10")
    assert scores.mean("nDCG(empty=correct)@10") == 1
    assert not [note for note in notes(scores) if note.startswith("empty=correct")]


def test_they_are_said_in_the_language_of_the_report():
    with written_in("id"):
        assert of_qrels("AP") == []
        translated = [*notes(trec(QRELS, RUNS, "AP"))]
    told = [
        text.startswith("tidak ada dokumen yang dinilai untuk 2 dari 5 kueri (setiap nilainya -1)")
        for text in translated
    ]
    assert any(told), translated
