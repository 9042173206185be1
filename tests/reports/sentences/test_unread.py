"""Warnings of constraints that could not be checked, on scores of runs made by hand."""

import pytest
from builders import make_answer, make_item, make_run, make_verdict

import neraca
from neraca.reports.report import report
from neraca.reports.sentences.notes import notes
from neraca.reports.sentences.unread import unread
from neraca.translation import written_in


@pytest.fixture
def scores_of(tmp_path):
    """Scores of a run whose ten hits miss the constraint `ram` so many times, and never the constraint `kind`."""

    def scored(missing, metrics="nDCG@10", grades=None, **options):
        docs = [f"d{n}" for n in range(10)]
        item = make_item("1", "ram kind", relevant=grades)
        said = [make_verdict(doc, "kind", 1, by="rules") for doc in docs]
        for place, doc in enumerate(docs):
            verdict = {"value": None, "status": "missing", "why": "ram is 16 XB, not one number"}
            said.append(make_verdict(doc, "ram", **(verdict if place < missing else {"value": 1, "why": "16"})))
        run = make_run(tmp_path / f"{missing}{metrics[:2]}{len(options)}", [item], [make_answer(" ".join(docs))], said)
        return neraca.score([run], metrics, **options)

    return scored


def test_more_than_a_fifth_is_warned_of_with_the_reason_and_the_remedy(scores_of):
    (warning,) = unread(scores_of(3))
    assert warning.startswith("The constraint ram could not be checked on 3 of 10 hits of 3nD0, which by rules ")
    assert "(ram is 16 XB, not one number: 3 times)" in warning
    assert all(remedy in warning for remedy in ("fields", "language", 'units = ["words"]', '"rules(missing=skip)"'))


def test_the_reasons_are_in_the_language_of_the_report(scores_of):
    scores = scores_of(3)
    with written_in("id"):
        (warning,) = unread(scores)
    assert "(ram: 16 XB, bukan satu angka: 3 kali)" in warning


def test_a_fifth_is_not_yet_warned_of(scores_of):
    assert list(unread(scores_of(2))) == []


def test_it_is_the_first_caution_and_stands_there_once(scores_of):
    scores = scores_of(10)
    (warning,) = unread(scores)
    made = report(scores)
    assert made.notes[0] == warning
    assert sum("could not be checked" in words for words in (*made.notes, *made.finding.details)) == 1
    assert next(iter(notes(scores))) == warning


def test_where_missing_ones_are_left_out_the_remedy_is_not_to_leave_them_out(scores_of):
    (warning,) = unread(scores_of(3, relevance="rules(missing=skip)"))
    assert "by rules" not in warning
    assert "missing=skip" not in warning
    assert warning.endswith("and judge again.")


def test_where_nothing_rests_on_the_constraints_there_is_no_warning(scores_of):
    grades = {f"d{n}": 1 for n in range(10)}
    assert list(unread(scores_of(10, grades=grades))) == []
    assert len(list(unread(scores_of(10, "PassRatio", grades=grades)))) == 1
