"""Two runs against each other: one mark for each pair of values, with its values as text."""

import re

import numpy as np

from neraca.metrics.metric import Metric
from neraca.reports.blocks.tables import pair_chart
from neraca.reports.figures.scatter import HEIGHT, POINTS, pair_scatter

MARK = re.compile(r'<circle class="(\w+) point" cx="([\d.]+)%" cy="([\d.]+)" r="([\d.]+)"><title>(.*?)</title>')


def test_equal_points_are_one_larger_mark_with_its_values_as_text(weighed):
    scores, _ = weighed({"a<b": [1, 1, 0, 5, None], "b": [2, 2, 0, 1, 3]})
    marks = MARK.findall(pair_scatter("s", pair_chart(scores, Metric.of("Given"), "a<b", "b"), "Given", (-10, 10)))
    assert [(kind, words) for kind, *_, words in marks] == [
        ("dot", "1 question: a&lt;b 0.000, b 0.000"),
        ("worse", "2 questions: a&lt;b 1.000, b 2.000"),
        ("better", "1 question: a&lt;b 5.000, b 1.000"),
    ]
    sizes = [float(size) for *_, size, _ in marks]
    assert sizes[1] > sizes[0] == sizes[2]
    right = [float(x) for _, x, *_ in marks]
    up = [float(y) for _, _, y, *_ in marks]
    assert right[0] < right[2] < right[1]
    assert up[0] > up[1] > up[2]


def test_where_lower_is_better_the_lower_run_is_ahead(weighed):
    scores, _ = weighed({"a": [1.0, 5], "b": [2.0, 3]}, metric="Cost")
    chart = pair_chart(scores, Metric.of("Cost"), "a", "b")
    assert [kind for kind, *_ in MARK.findall(pair_scatter("s", chart, "Cost", (0, np.inf)))] == ["better", "worse"]
    assert [(one.item, one.of_a, one.of_b) for one in chart.extremes("a")] == [("q0", 1, 2)]
    assert [(one.item, one.of_a, one.of_b) for one in chart.extremes("b")] == [("q1", 5, 3)]


def test_many_points_are_put_together(weighed):
    rng = np.random.default_rng(1)
    values = {name: rng.random(3 * POINTS).tolist() for name in "ab"}
    scores, _ = weighed(values)
    chart = pair_chart(scores, Metric.of("Given"), "a", "b")
    drawn = pair_scatter("s", chart, "Given", (-10, 10))
    marks = MARK.findall(drawn)
    assert "at about (≈) these values" in drawn
    assert all(words.count("≈ ") == 2 for *_, words in marks)
    assert sum(int(words.split()[0]) for *_, words in marks) == 3 * POINTS
    assert len(marks) <= 41 * 41
    assert len(marks) < 3 * POINTS


def test_the_questions_that_speak_most_for_each_run_come_first(weighed):
    scores, _ = weighed({"a": [0.0, 9, 3, 3, 4, 5, 6, 7], "b": [4.0, 0, 3, 2, 2, 2, 2, 2]})
    chart = pair_chart(scores, Metric.of("Given"), "a", "b")
    assert [one.number for one in chart.extremes("a")] == [2, 8, 7, 6, 5]
    assert [one.number for one in chart.extremes("b")] == [1]


def test_the_largest_mark_in_a_corner_leaves_the_labels_free(weighed):
    scores, _ = weighed({"a": [0.0] * 40 + [1.0] * 40, "b": [0.0] * 40 + [1.0] * 40})
    drawn = pair_scatter("s", pair_chart(scores, Metric.of("Given"), "a", "b"), "Given", (0, 1))
    for _, x, y, size, _ in MARK.findall(drawn):
        radius, narrow = float(size), 300  # the width of the drawing on a telephone, in pixels
        assert radius <= float(y) <= HEIGHT - radius
        assert radius - 6 < float(x) / 100 * narrow < narrow - radius + 6


def test_the_label_of_an_axis_fits_one_run_of_the_report_only(weighed):
    """By their two ends the first and the third run would have the same label."""
    both = ["splade.cocondenser.ensemble.self.distil.run", "splade.cocondenser.ensemble.distil.run"]
    scores, _ = weighed({run: [0.0, 1.0] for run in (both[0], "b", both[1])})
    chart = pair_chart(scores, Metric.of("Given"), both[0], "b")
    drawn = pair_scatter("s", chart, "Given", (0, 1), [run.name for run in scores.runs])
    (label,) = re.findall(r"Given of (splad[^<]+)<", drawn)
    start, end = label.rstrip("→↑ ").split("…")
    assert [run for run in both if run.startswith(start) and run.endswith(end)] == [both[0]]
