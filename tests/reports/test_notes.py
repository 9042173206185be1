import pytest

from neraca.reports.notes import notes
from neraca.reports.translation import written_in
from neraca.scores.trec import trec

TEN = [f"d{place}" for place in range(10)]


def run_of(judged, of=10):
    """Ten documents, of which the first ones are judged."""
    return {"1": {doc if place < judged else f"x{place}": float(-place) for place, doc in enumerate(TEN[:of])}}


def said(names, **judged):
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
    (note,) = said(names, **judged)
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
    assert said(names, **judged) == []


def test_it_is_said_in_the_language_of_the_report():
    with written_in("es"):
        (note,) = said("nDCG@10", a=10, b=4)
    assert "los documentos sin juzgar cuentan como no relevantes" in note
