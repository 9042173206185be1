"""Drawings hold against every number and every name."""

import math
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.comparisons.difference import Difference
from neraca.reports.blocks.block import Figure
from neraca.reports.blocks.metric_rows import Cell, MetricRow
from neraca.reports.blocks.tables import PairChart
from neraca.reports.figures.figures import standalone_picture
from neraca.reports.figures.forest import Line, difference_forest, forest, metric_forest, pair_bars
from neraca.reports.figures.svg import bounds, share, tick_label, ticks
from neraca.scores.scores import Score

NAN, INF = math.nan, math.inf
NUMBERS = st.floats(allow_nan=True, allow_infinity=True, width=32)


def drawn(text):
    """Parse it, and see that every coordinate is a finite number."""
    root = ElementTree.fromstring(text)
    assert root.tag == "svg"
    assert root[0].tag == "title"
    assert root[1].tag == "desc"
    assert root.get("aria-labelledby") == root[0].get("id")
    for part in root.iter():
        for name in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height"):
            if part.get(name):
                assert math.isfinite(float(part.get(name).rstrip("%")))
                if name in ("x1", "x2", "cx"):
                    assert 0 <= float(part.get(name).rstrip("%")) <= 100
    return root


@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), max_size=5), st.booleans())
def test_a_forest_of_any_numbers(values, zero):
    lines = [Line("run", *numbers, value_text="", strong=zero) for numbers in values]
    drawn(forest("f", "title", "axis", lines, (-INF, INF), zero=zero))
    drawn(forest("f", "title", "axis", lines, (0.0, 1.0)))


@given(st.lists(st.floats(allow_nan=False, allow_infinity=True, width=32), min_size=1, max_size=9), st.booleans())
def test_bars_of_any_numbers(values, higher):
    items = tuple(map(str, range(len(values))))
    drawn(pair_bars("b", PairChart("a", "b", "M", higher, items, tuple(values)), "M", values))


def test_a_forest_without_an_interval_has_only_the_dot():
    root = drawn(forest("f", "t", "axis", [Line("run", 0.5, NAN, NAN, "0.500", False)], (0, 1)))
    kinds = [part.get("class") for part in root.iter()]
    assert kinds.count("dot") == 1
    assert "bar" not in kinds
    assert not list(drawn(forest("f", "t", "axis", [Line("run", NAN, NAN, NAN, "–", False)], (0, 1))).iter("circle"))


def test_names_are_escaped():
    hostile = '<script>&"\u202e</svg>'
    scores = [Score(hostile, "", "M", 0.5, 0.4, 0.6, 3, 0, "t")]
    row = MetricRow("M", True, 0, 1, True, tuple(Cell(score, False, True) for score in scores))
    text = metric_forest("m", row, hostile, "95 %")
    assert "<script>" not in text
    assert "\u202e" not in text
    assert '<script>&"\ufffd</svg>' in [part.text for part in drawn(text).iter()]
    sizes = {"difference": 0.1, "low": 0.0, "high": 0.2, "p": 0.05, "p_adjusted": 0.05, "effect": 1.0, "needed": 9}
    counts = {"wins": 1, "ties": 0, "losses": 0, "n": 3, "sessions": 3}
    d = Difference(metric="M", a=hostile, b="b", better=hostile, test="t", correction="holm", **sizes, **counts)
    assert "<script>" not in difference_forest("d", "M", [d], "95 %")
    assert "<script>" not in pair_bars("b", PairChart(hostile, hostile, hostile, True, ("q",), (0.5,)), hostile, [0.5])


def test_bars_show_the_better_side_in_its_colour():
    chart = PairChart("a", "b", "M", True, ("x", "y", "z"), (0.5, 0.0, -0.25))
    groups = {g.get("class"): len(list(g)) for g in drawn(pair_bars("b", chart, "M", chart.values)).iter("g")}
    assert groups == {"better": 1, "worse": 1}
    lower = PairChart("a", "b", "M", False, ("x", "y"), (0.5, 0.25))
    groups = {g.get("class"): len(list(g)) for g in drawn(pair_bars("b", lower, "M", lower.values)).iter("g")}
    assert groups == {"better": 0, "worse": 2}


def test_axis():
    assert bounds([0.9, 0.95, NAN, INF], 0, 1) == pytest.approx((0.897, 0.953))
    assert bounds([], 0, 1) == (0, 1)
    assert bounds([NAN], 0, INF) == (0, 1)
    assert bounds([5.0]) == (4.5, 5.5)
    assert ticks(1, 1) == [1]
    assert ticks(NAN, 1) == []
    assert share(2, 0, 1) == "100%"
    assert share(0.5, 1, 1) == "50%"
    assert tick_label(0.25, 0.2, 0.3) == "0.25"
    assert tick_label(1500, 0, 2000) == "1,500"


def test_of_thousands_of_bars_some_hundreds_are_drawn_and_that_is_said():
    values = tuple(1 - n / 1000 for n in range(2000))
    chart = PairChart("a", "b", "M", True, tuple(map(str, range(2000))), values)
    text = pair_bars("b", chart, "M", values)
    assert text.count("<rect") == 399
    assert "a is better on 1000 of 2000 questions, equal to b on 1 and worse on 999. One bar in 5 is drawn." in text


@pytest.mark.parametrize("n", [2, 4])
def test_long_names_of_few_runs_stand_whole_in_two_rows(weighed, n):
    """Forty letters that differ only at their ends are no wider than a telephone."""
    names = [f"msmarco-distilbert-passage-retrieval-v{end}" for end in ("2a", "2b", "3a", "3b")[:n]]
    _, differences = weighed({name: [0.1 * place + 0.01 * n for n in range(6)] for place, name in enumerate(names)})
    shown = [part.text for part in drawn(difference_forest("d", "M", differences, "95 %")).iter() if part.text]
    assert {(d.a, f"− {d.b}") for d in differences} <= {*pairwise(shown)}
    assert not [text for text in shown if "…" in text]


def test_a_long_name_has_a_row_of_its_own_above_its_number():
    lines = [Line("x" * 40, 0.5, 0.4, 0.6, "0.500 (0.40 to 0.60)", False), Line("y", 0.5, 0.4, 0.6, "0.500", False)]
    root = drawn(forest("f", "t", "axis", lines, (0, 1)))
    rows = {part.text: float(part.get("y")) for part in root.iter() if part.get("class") in ("label", "value")}
    assert rows["x" * 40] < rows["0.500 (0.40 to 0.60)"] < rows["y"]
    assert (
        "svg .rows.tall { stroke-dasharray: 18 34; }"
        in standalone_picture(Figure("f", "", forest("f", "t", "a", lines, (0, 1)))).svg
    )
