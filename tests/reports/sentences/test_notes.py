import pytest

from neraca.reports.sentences.notes import notes
from neraca.scores.trec import trec
from neraca.translation import written_in

TEN = [f"d{place}" for place in range(10)]


def run_of(judged, of=10):
    """Ten documents, of which the first ones are judged."""
    return {"1": {doc if place < judged else f"x{place}": float(-place) for place, doc in enumerate(TEN[:of])}}


def judged_notes(names, **judged):
    qrels = {"1": {doc: place % 2 for place, doc in enumerate(TEN)}}
    runs = {name: run_of(n) for name, n in judged.items()}
    return [note for note in notes(trec(qrels, runs, names)) if note.startswith("Judged@")]


@pytest.mark.parametrize(
    "names, judged, values",
    [
        ("nDCG@10", {"a": 7, "b": 7}, "Judged@10 is 0.700 (a) and 0.700 (b): "),
        ("nDCG@10", {"a": 10, "b": 8}, "Judged@10 is 1.000 (a) and 0.800 (b): "),
        ("AP", {"a": 10, "b": 4}, "Judged@10 is 1.000 (a) and 0.400 (b): "),
        ("Condensed(P@5)", {"a": 5, "b": 3}, "Judged@5 is 1.000 (a) and 0.600 (b): "),
        ("alpha_nDCG@5", {"a": 5, "b": 3}, "Judged@5 is 1.000 (a) and 0.600 (b): "),
    ],
)
def test_a_comparison_says_where_little_is_judged(names, judged, values):
    (note,) = judged_notes(names, **judged)
    assert note.startswith(values)
    assert "unjudged documents count as not relevant" in note


@pytest.mark.parametrize(
    "names, judged",
    [
        ("nDCG@10", {"a": 9, "b": 8}),
        ("P@3", {"a": 10, "b": 3}),
        ("nDCG@10", {"a": 2}),
        ("Judged@10", {"a": 2, "b": 9}),
    ],
)
def test_nothing_is_said_where_enough_is_judged_or_nothing_is_compared(names, judged):
    assert judged_notes(names, **judged) == []


def test_it_is_said_in_the_language_of_the_report():
    with written_in("es"):
        (note,) = judged_notes("nDCG@10", a=10, b=4)
    assert "los documentos sin juzgar cuentan como no relevantes" in note


def test_several_cutoffs_are_one_sentence():
    (note,) = judged_notes("AP nDCG@3", a=10, b=2)
    assert note.startswith("Judged@3 is 1.000 (a) and 0.667 (b); Judged@10 is 1.000 (a) and 0.200 (b): unjudged")


#: Of ten documents of one query, every second of which is relevant.
RELEVANT = {"q": {doc: place % 2 for place, doc in enumerate(TEN)}}


def about_ties(run, names="P@5 RR", **options):
    return [note for note in notes(trec(RELEVANT, {"run": run}, names), **options) if "the score of another" in note]


@pytest.mark.parametrize("unscored", [True, False])
def test_tied_lines_are_said_with_what_they_can_change(unscored):
    """By falling id d9, d8, d7, d6, d5: the first is relevant; at best five are, at worst none and then the sixth."""
    (note,) = about_ties({"q": dict.fromkeys(TEN, 1.0)}, unscored=unscored)
    assert note == (
        "run: 100 % of its lines have the score of another line of the same query and are ranked by document id; in "
        "the worst and the best order of these, P@5 is 0.000 to 1.000 and RR is 0.167 to 1.000"
    )


def test_ties_that_change_nothing_are_not_said():
    scores = {doc: float(-place) for place, doc in enumerate(TEN)}
    assert about_ties({"q": scores | {"d9": -8.0}}) == []
    assert about_ties({"q": scores | {"d1": 0.0}}, "NumRet") == []
    (note,) = about_ties({"q": scores | {"d1": 0.0}})
    assert "20 % of its lines" in note
    assert note.endswith("best order of these, RR is 0.500 to 1.000")


def test_of_subtopics_nobody_knows_what_ties_change():
    (note,) = about_ties({"q": dict.fromkeys(TEN, 1.0)}, "alpha_nDCG@5")
    assert note.endswith("best order of these, alpha_nDCG@5 may change")


def test_qrels_without_subtopics_are_said(tmp_path):
    run = {"q": {doc: float(-place) for place, doc in enumerate(TEN)}}
    found = list(notes(trec(RELEVANT, {"run": run}, "alpha_nDCG@5 AP ERR-IA")))
    sentence = (
        "the qrels name no subtopics: for alpha_nDCG@5 and ERR_IA@20 every relevant document is of one and the same"
    )
    assert [note for note in found if "subtopic" in note] == [f"{sentence} subtopic"]
    assert not any("subtopic" in note for note in notes(trec(RELEVANT, {"run": run}, "AP")))
    (tmp_path / "qrels.txt").write_text("q 1 d1 1\nq 2 d2 1\n")
    assert not any("subtopic" in note for note in notes(trec(tmp_path / "qrels.txt", {"run": run}, "alpha_nDCG@5")))
