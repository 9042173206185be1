"""Questions that count in one mean and not in the paired test, on runs made by hand."""

import numpy as np
import pytest
from builders import make_answer, make_item, make_run, make_scores

import neraca
from neraca.reports.report import report
from neraca.reports.sentences.conclusion import conclude
from neraca.reports.sentences.untested_questions import changed_result, unpaired, untested_questions

#: Eight questions with one relevant document, and four that nothing fits.
ITEMS = [
    make_item(str(n), relevant={"d": 1.0} if n < 8 else {}, expects="results" if n < 8 else "none") for n in range(12)
]


@pytest.fixture
def compared(tmp_path):
    """Scores and differences of a run that rightly returns nothing and of one that returns junk there."""

    def made(silent, metric, **options):
        runs = []
        for name, junk in (("quiet", False), ("loud", True)):
            found = [("x d" if not junk and n in silent else "d") if n < 8 else "junk" * junk for n in range(12)]
            answers = [make_answer(docs, item.id) for item, docs in zip(ITEMS, found, strict=True)]
            runs.append(make_run(tmp_path / name, ITEMS, answers))
        scores = neraca.score(runs, metric)
        return scores, neraca.compare(scores, **options)

    return made


def test_junk_that_the_test_never_saw_changes_the_result(compared):
    """RR is 1 of both on eight questions; where nothing fits it is 1 and 0, so that quiet has 1 and loud 8 of 12."""
    scores, differences = compared((), "RR")
    (told,) = untested_questions(unpaired(scores, differences, "RR"))
    assert told.startswith("4 questions count in the mean of only one of quiet and loud, and not in their test. ")
    assert "RR(empty=correct) counts them (1.000 for quiet and 0.667 for loud; p = " in told
    assert told.endswith("): quiet is better, which changes the result: without them none is called better.")
    assert told in conclude(scores, differences).details


def test_where_it_would_change_nothing_that_is_said_too(compared):
    """Half of RR lost on four questions against one gained on four others: (4 - 2) / 12 ahead, by chance as before."""
    scores, differences = compared((0, 1, 2, 3), "RR", test="sign")
    (told,) = untested_questions(unpaired(scores, differences, "RR"))
    assert "(0.833 for quiet and 0.667 for loud; p = 1.000): the data do not tell them apart, as without them." in told


def test_a_metric_that_scores_both_says_nothing(compared):
    scores, differences = compared((), "RR(empty=correct)")
    assert untested_questions(unpaired(scores, differences, "RR(empty=correct)")) == ()


def test_values_without_answers_are_counted_and_no_more():
    given = {"old": {"RR": [1, 0, 1, np.nan]}, "new": {"RR": [1, 1, 0, 1]}}
    scores = make_scores(given)
    told = untested_questions(unpaired(scores, neraca.compare(scores), "RR"))
    assert told == ("1 question counts in the mean of only one of old and new, and not in their test.",)


def test_of_many_pairs_the_first_six_are_told():
    given = {f"r{n}": {"RR": [1, 0, 1] + [0.5 if n == m else np.nan for m in range(4)]} for n in range(4)}
    given |= {"r4": {"RR": [0, 1, 1] + [np.nan] * 4}}
    told = untested_questions(unpaired(scores := make_scores(given), neraca.compare(scores), "RR"))
    assert len(told) == 7
    assert told[-1] == "So do questions of 4 more pairs of runs."


def test_a_baseline_that_stands_first_is_told_the_same(compared):
    scores, differences = compared((), "RR", against="quiet")
    (told,) = untested_questions(unpaired(scores, differences, "RR"))
    assert "(1.000 for quiet" in told or "(0.667 for loud and 1.000 for quiet; p = " in told
    assert "quiet is better, which changes the result" in told


def test_where_nothing_was_compared_nothing_is_added():
    scores = make_scores({"old": {"RR": [1, np.nan]}, "new": {"RR": [np.nan, 1]}})
    assert untested_questions(unpaired(scores, neraca.compare(scores), "RR")) == ()


@pytest.mark.parametrize(
    ("language", "bold"),
    [
        (
            "en",
            "No difference on the 8 questions scored in both: quiet and loud have the same Precision@1 there. Yet "
            "with Precision(empty=correct)@1, which also counts questions scored in only one of the runs, quiet is "
            "better than loud (1.000 for quiet and 0.500 for loud). But loud is worse than quiet in Success by 0.500.",
        ),
        (
            "es",
            "Sin diferencia en las 8 preguntas con puntuación en ambas: quiet y loud tienen ahí el mismo Precision@1. "
            "Pero con Precision(empty=correct)@1, que cuenta también las preguntas con puntuación en una sola de las "
            "ejecuciones, quiet es mejor que loud (1,000 para quiet y 0,500 para loud). "
            "Pero loud es peor que quiet en Success "
            "por 0,500.",
        ),
        (
            "id",
            "Tidak ada selisih pada 8 pertanyaan yang diberi skor di keduanya: Precision@1 dari quiet dan loud sama di "
            "sana. Namun dengan Precision(empty=correct)@1, yang juga menghitung pertanyaan "
            "yang hanya diberi skor di salah satu run, "
            "quiet lebih baik daripada loud (1,000 untuk quiet dan 0,500 untuk loud). Namun loud lebih buruk daripada "
            "quiet dalam Success sebesar 0,500.",
        ),
    ],
)
def test_the_bold_line_is_about_the_questions_shared_and_names_what_changes_it(tmp_path, language, bold):
    items = [make_item(str(n), relevant={"d": 1.0} if n < 8 else {}) for n in range(16)]
    for name, on_none in (("quiet", ""), ("loud", "junk")):
        make_run(tmp_path / name, items, [make_answer("d" if n < 8 else on_none, str(n)) for n in range(16)])
    scores = neraca.score([tmp_path / "quiet", tmp_path / "loud"], "P@1 Success")
    assert report(scores, neraca.compare(scores), language=language).decision.sentence == bold


def test_the_headline_names_only_what_changes(compared):
    scores, differences = compared((0, 1, 2, 3), "RR", test="sign")
    assert changed_result(unpaired(scores, differences, "RR")) == ""
    assert "Yet" not in conclude(scores, differences).headline


def test_where_all_questions_are_shared_there_is_no_difference_on_every_one():
    scores = make_scores({"old": {"RR": [1, 0.5, 1]}, "new": {"RR": [1, 0.5, 1]}})
    told = report(scores, neraca.compare(scores)).decision.sentence
    assert told == "No difference: old and new have the same RR on every question."
    some = {"a": [1, 0.5, 1, 1, 1], "b": [1, 0.5, 1, 1, np.nan], "c": [1, 0.5, 1, np.nan, np.nan]}
    scores = make_scores({name: {"RR": values} for name, values in some.items()})
    told = report(scores, neraca.compare(scores)).decision.sentence
    assert told == "No difference on the questions scored in both: a, b and c have the same RR there."
