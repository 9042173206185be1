"""Laws of documents with the grade -1, which nobody judged: alone they say no more than no grade at all."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

from neraca.reports.sentences.notes import notes
from neraca.scores.score import score

METRICS = "nDCG@10 nDCG(empty=correct)@10 P@5 P(of=returned)@5 AP RR SetP SetR Bpref InfAP Judged@10 Success Coverage"
ANSWERS = [make_answer("a x"), make_answer("c d", "2"), make_answer("", "3"), make_answer("a", "4")]
UNJUDGED = {"c": -1, "d": -1}


def scores_with(folder, grades, expects=None, verdicts=()):
    """Score four answers; questions 2 and 3 have these grades, 1 is judged, and nothing is relevant for 4."""
    items = [
        make_item("1", relevant={"a": 1, "b": 0, "x": -1}),
        *(make_item(name, relevant=grades, expects=expects) for name in "23"),
        make_item("4", relevant={"a": 0}),
    ]
    return score(make_run(folder, items, ANSWERS, verdicts), METRICS)


def values(scores):
    return [(row["metric"], row["item"], row["value"]) for row in scores.per_item().rows()]


@pytest.mark.parametrize("expects", [None, "results", "none"])
def test_they_change_no_value(tmp_path, expects):
    without, unjudged = (
        values(scores_with(tmp_path / name, grades, expects)) for name, grades in (("a", None), ("b", UNJUDGED))
    )
    assert unjudged == without


def test_what_such_a_question_expects_is_not_known_and_the_reason_is_counted(tmp_path):
    scores = scores_with(tmp_path / "a", UNJUDGED)
    rows = [row for row in scores.per_item().rows() if row["item"] in "23" and row["metric"] == "Success"]
    assert [(row["value"], row["why"]) for row in rows] == [
        (None, "nobody judged its hits (each grade is -1), and what it expects is not said")
    ] * 2
    note = "no document is judged for 2 of 4 questions (each grade is -1): left out, like questions without judgments"
    assert note in list(notes(scores))


def test_one_judged_document_is_a_judgment(tmp_path):
    """Of what was judged nothing is relevant: an answer with hits is wrong, as before."""
    by_place = {(metric, item): value for metric, item, value in values(scores_with(tmp_path / "a", {"c": 0, "d": -1}))}
    assert by_place["Success", "2"] == 0
    assert by_place["Success", "3"] == 1


def test_a_verdict_on_such_a_document_judges_it(tmp_path):
    """nDCG of the ranking c (1), d (not judged) is 1, by hand."""
    verdict = make_verdict("c", "relevance", 1, item="2", by="human:Ana")
    by_place = {(m, i): v for m, i, v in values(scores_with(tmp_path / "a", UNJUDGED, verdicts=[verdict]))}
    assert by_place["nDCG@10", "2"] == 1
    assert by_place["nDCG@10", "3"] is None
