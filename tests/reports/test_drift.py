"""The report on drift: its decision, its tables and its pictures."""

import re
from datetime import date

import pytest
from comparisons.drifting_run import labelled, turn, weeks_of, write_run

from neraca.comparisons.drift import drift
from neraca.reports.drift import drift_document
from neraca.reports.figures.bucket_plot import Line, Marks, Point, bucket_plot
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.sentences.drift import cautions, lead, unshown

LATER = date(2027, 6, 1)
NAN = float("nan")


def look(path, metrics="Valid", reference=1, **settings):
    return drift(path, metrics, reference=reference, today=LATER, **settings)


def test_the_decision_names_the_change(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.5], 60))
    # variances .09 / 59 + .41 / 3600 and .25 / 59 + .25 / 3600: standard error .0771, 3.5 times that on both sides
    assert lead(look(tmp_path / "run")) == (
        "Valid is worse since 2026-10-12: 0.500 after 0.900 in the reference, a difference of −0.400 "
        "(−0.671 to −0.129), p < 0.001."
    )


def test_without_a_change_the_difference_is_given(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.85], 60))
    result = look(tmp_path / "run", "Valid Words")
    assert lead(result).startswith("No change is shown since 2026-10-12 in Valid: the difference in Valid is −0.050 (")
    assert unshown(result) == ""


def test_a_bad_week_is_named_if_there_is_no_lasting_change(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.4, 0.9, 0.9, 0.9, 0.9], 60))
    result = look(tmp_path / "run")
    assert lead(result).startswith("Valid is worse in the week of 2026-10-12: a difference of −0.500 (")
    assert "No change is shown since 2026-10-12 in Valid" in lead(result)
    assert "A change in Valid was shown at the end of 2026-10-12, and no longer is: it was there then." in cautions(
        result
    )


def test_nothing_to_say_yet(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.9], 10))
    assert lead(look(tmp_path / "run")) == "Nothing can be said about drift yet. Valid: fewer than 20 sessions."


def test_other_questions_are_named_as_the_cause(tmp_path):
    turns = []
    for week, (rent, buy) in enumerate([(20, 80), (90, 10)]):
        values = [("rent", float(n % 5 == 0)) for n in range(rent)] + [("buy", 1.0)] * buy
        turns += [turn(f"{week}.{n}", 7 * week, value, category=kind) for n, (kind, value) in enumerate(values)]
    result = look(write_run(tmp_path / "run", turns))
    assert result.trends[0].shift.verdict == "worse"
    assert next(cautions(result)).startswith(
        "Much of the difference in Valid comes with other questions: with the reference's mix of category it is 0.000 ("
    )


def test_losses_are_said(tmp_path):
    turns = [*weeks_of([0.9, 0.8], 40), turn(98, 8, None), turn(99, "soon", 1.0), turn(97, 30, 1.0)]
    said = " ".join(cautions(look(write_run(tmp_path / "run", turns))))
    assert "Unscored turns, which no value includes: Valid 1 of 82." in said
    assert "Answers without a time, or with one more than a year away from all others: 1. They are left out." in said
    assert "2 of 5 weeks have no turn." in said
    assert "With a reference of 40 questions, no difference below" in said


def test_a_bucket_that_still_fills_is_marked(tmp_path):
    write_run(tmp_path / "run", weeks_of([0.9, 0.8], 40))
    page = to_markdown(drift_document(drift(tmp_path / "run", "Valid", reference=1, today=date(2026, 10, 14))))
    assert re.search(r"2026-10-12 \|.*may still fill", page)


def test_changes_of_the_model_are_lines_and_sentences(tmp_path):
    turns = [turn(n, n // 10, float(n % 3 > 0), model="gpt-4o-mini" if n < 105 else "gpt-4.1-mini") for n in range(210)]
    document = drift_document(look(write_run(tmp_path / "run", turns)))
    words = "model: gpt-4o-mini → gpt-4.1-mini on 2026-10-16"
    assert f"Line 1: {words}" in to_markdown(document)
    assert words in document.figures[0].svg
    # Friday of the second of three weeks: 9 % + 90 % · (1 + 4 / 7) / 3
    assert f'class="change" x1="{9 + 90 * (1 + 4 / 7) / 3:.2f}%"' in document.figures[0].svg


@pytest.mark.parametrize("language, words", [("es", "es peor desde el"), ("id", "lebih buruk sejak")])
def test_in_other_languages(tmp_path, language, words):
    write_run(tmp_path / "run", weeks_of([0.9, 0.5], 60))
    page = to_markdown(drift_document(look(tmp_path / "run"), language))
    assert words in page
    assert "0,900" in page
    assert "adjusted" not in page


def test_the_decision_rests_on_peoples_labels(tmp_path):
    labelled(tmp_path / "run", [0.9, 0.9, 0.9], 100, wrong=0.4)
    result = look(tmp_path / "run", correct="ppi")
    assert lead(result).startswith(
        "No change is shown since 2026-10-12 in Valid by people's labels: the difference in "
    )
    assert "By the judge alone it is worse: −0." in lead(result)
    page = to_markdown(drift_document(result))
    assert "labelled in the reference and" in page


def test_values_without_an_end_are_named(tmp_path):
    turns = [turn(n, 7 * (n // 40), float(n % 3 > 0), text="a " * (1 + n % 5)) for n in range(80)]
    said = " ".join(cautions(look(write_run(tmp_path / "run", turns), "Valid Words")))
    assert "Values of Words have no upper end." in said


def points(n):
    return [Point(f"b{place}", NAN if place == 1 else 0.5, 0.4, 0.6, place == 2) for place in range(n)]


@pytest.mark.parametrize("n, named", [(3, 3), (4, 4), (60, 4)])
def test_a_picture_names_few_buckets_and_leaves_gaps(n, named):
    svg = bucket_plot("x", "X", "X", points(n), (0, 1), Marks((0, 0), 0.5, [Line(1.5, "1", "a → b")]))
    assert svg.count("<circle") == n - 1
    assert len(re.findall(r'class="tick" text-anchor="middle">b\d+<', svg)) == named
    assert svg.count('class="change"') == 1
    assert svg.count('class="span"') == 1
    assert svg.count("bar strong") == 1
    assert f'cx="{9 + 90 * 0.5 / n:.2f}%"' in svg


def test_a_picture_without_any_value():
    assert "<circle" not in bucket_plot("x", "X", "X", [Point("a", NAN, NAN, NAN)], (0, 1))
