"""What stands beside tables: methods of intervals, why some are missing, and what wins count."""

import math
from dataclasses import replace

from drawn import to_html, to_markdown

from neraca import compare, report, values
from neraca.reports.sentences.interval_words import beside_differences, missing_intervals, of_intervals, wins_count
from neraca.scores.scores import Score
from neraca.stats.intervals.fewest import too_few_for_interval

SAME = {"old": [0.5, 0.25, 0.75, 1.0], "new": [0.5, 0.25, 0.75, 1.0]}


def test_methods_are_named_with_their_metrics_only_where_there_are_several():
    assert of_intervals([("AP", "t"), ("RR", "t"), ("P@5", "")]) == "Intervals: Student's t."
    assert of_intervals([("AP", "t"), ("RR", "t"), ("Success", "bounded")]) == (
        "Intervals: Student's t for AP and RR; bounded (Student's t, and where that leaves the range, the form of "
        "Wilson's) for Success."
    )
    assert of_intervals([("AP", "")]) == ""


def test_a_difference_names_the_method_of_its_interval():
    near_the_end = compare(values({"a": [1.0] * 6 + [0.4], "b": [0.0] * 7}, "Value(low=0,high=1)"))
    assert near_the_end[0].interval_method == "bounded"
    assert near_the_end[0].high <= 1
    apart = compare(values({"a": [n / 9 for n in range(9)], "b": [n * n / 99 for n in range(9)]}), test="randomisation")
    assert apart[0].interval_method == "randomisation"
    assert compare(values(SAME))[0].interval_method == ""


def test_wins_of_a_ratio_say_how_many_questions_they_count():
    (d,) = compare(values({"a": [0.3, 0.5, 0.6, 0.2, 0.1], "b": [0.2, 0.5, 0.3, 0.3, 0.2]}))
    assert wins_count([d]) == ""
    ratio = replace(d, metric="RefusalPrecision", wins=0, ties=3, losses=0, n=8)
    assert wins_count([d, ratio]) == (
        "Wins, ties and losses count only questions with a value of their own in both runs: RefusalPrecision (3 of 8). "
        "The difference rests on the counts of all n."
    )
    assert beside_differences([ratio])[-1] == wins_count([ratio])


def test_reasons_of_missing_intervals_stand_with_their_metrics_and_runs():
    one = Score("new", "", "AP", 0.5, math.nan, math.nan, 2, 0, "none", why=too_few_for_interval(2))
    flat = replace(one, metric="RR", why="all values are equal")
    assert missing_intervals([one, flat, replace(flat, run="old")]) == (
        "No interval: an interval takes at least 3 observations (AP of new); all values are equal (RR of new and RR of "
        "old)."
    )
    assert missing_intervals([replace(one, low=0.1, high=0.9, why="")]) == ""


def test_reports_say_why_an_interval_is_missing():
    scores = values({"new": [0.5] * 4, "old": [0.1, 0.5, 0.4, 0.3]})
    made = report(scores, compare(scores))
    for text in (to_html(made), to_markdown(made)):
        assert "No interval: all values are equal (Value of new)." in text
    in_spanish = to_markdown(report(scores, compare(scores), language="es"))
    assert "Sin intervalo: todos los valores son iguales" in in_spanish


def test_equal_runs_are_said_to_be_equal_instead_of_a_p_of_1():
    told = to_markdown(report(scores := values(SAME | {"other": [0.1, 0.9, 0.3, 0.2]}), compare(scores, margin=0.2)))
    assert "Equivalent within ±0.200: old and new (what was scored is the same in both)" in told
    assert "(p = 1.000; what was scored" not in told
