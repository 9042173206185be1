"""The matrix of effects: what was compared, in the shorter direction, and how dark each cell is."""

import math

import pytest

from neraca.comparisons.difference import Difference
from neraca.reports.blocks.pair_matrix import effect_shade, pair_matrix
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.report import report
from neraca.reports.sentences.metric_labels import MetricLabels

LABELS = MetricLabels.of(["P@5", "AP"])


def pair(a, b, metric="P@5", effect=0.0, better=""):
    sizes = {"difference": 0.1, "low": 0, "high": 0.2, "p": 0.5, "p_adjusted": 0.5, "effect": effect, "needed": None}
    counts = {"wins": 1, "ties": 0, "losses": 0, "n": 9, "sessions": 9, "test": "t", "correction": "holm"}
    return Difference(metric=metric, a=a, b=b, better=better, **sizes, **counts)


def test_a_pair_that_was_not_compared_in_a_metric_is_empty():
    made = pair_matrix([pair("x", "y"), pair("x", "z"), pair("x", "y", "AP")], LABELS)
    assert made.columns == ("Metric", "x − y", "x − z")
    assert [(name, [d is None for d in cells]) for name, cells in made.rows] == [
        ("Precision@5", [False, False]),
        ("AP", [False, True]),
    ]


def test_many_pairs_stand_below_each_other():
    made = pair_matrix([pair("a", other) for other in "bcdefgh"], LABELS)
    assert made.columns == ("Pair", "Precision@5")
    assert [name for name, _ in made.rows] == [f"a − {other}" for other in "bcdefgh"]


@pytest.mark.parametrize(
    ("metric", "effect", "shade"),
    [
        ("P@5", 0.19, ""),
        ("P@5", 0.2, "faint"),
        ("P@5", -0.5, "minus light"),
        ("P@5", 3, "deep"),
        ("TER", 0.8, "minus deep"),
        ("TER", -0.8, "deep"),
        ("Coverage", 0.8, ""),
        ("P@5", math.nan, ""),
    ],
)
def test_colour_says_which_run_is_ahead(metric, effect, shade):
    """Of TER less is better; Coverage is a diagnostic, by which nobody is ahead."""
    assert effect_shade(pair("x", "y", metric, effect)) == shade


def test_the_primary_metric_and_those_with_a_margin_have_rows_of_their_own(weighed):
    values = {"a": [0.1, 0.5, 0.2, 0.6], "b": [0.4, 0.3, 0.9, 0.8]}
    scores, differences = weighed(values, metric="Given Cost P@5", margin={"Cost": 0.5})
    made = report(scores, differences)
    assert {d.metric for d in made.detailed} == {"Given", "Cost"}
    assert [name for name, _ in made.matrix.rows] == ["Precision@5"]
    named = [table.name for table in comparison_document(made).tables if table.name]
    assert named == ["runs", "values", "differences", "effects", "outcomes", "metrics"]
    assert report(*weighed(values)).matrix is None
