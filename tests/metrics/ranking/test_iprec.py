import pytest

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.iprec import interpolated_average_precision, interpolated_precision

#: An exercise in chapter 8 of Manning, Raghavan and Schütze (2008): twenty hits, eight documents are relevant.
HITS = [1, 1, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "recall, value",
    [(0, 1), (0.1, 1), (0.25, 1), (0.33, 4 / 11), (0.5, 4 / 11), (0.6, 5 / 15), (0.7, 6 / 20), (0.8, 0), (1, 0)],
)
def test_an_exercise(recall, value):
    # its question is for a recall of 33 %
    assert interpolated_precision(ranking(HITS, unseen=[1, 1]), recall=recall) == pytest.approx([value])


@pytest.mark.parametrize(
    "grades, unseen, rel, recall, value",
    [
        ([0, 1, 1], [], 1, 0, 2 / 3),
        ([0, 1, 1], [1], 1, 0.5, 2 / 3),
        ([0, 1, 1], [1], 1, 0.7, 0),
        ([1, 0, 2], [], 2, 1, 1 / 3),
        ([None, -1, 1], [], 1, 1, 1 / 3),
        ([0, 0], [], 1, 0, 0),
        ([], [1], 1, 0, 0),
    ],
)
def test_by_hand(grades, unseen, rel, recall, value):
    assert interpolated_precision(ranking(grades, unseen), recall=recall, rel=rel) == pytest.approx([value])


def test_a_recall_that_is_reached_but_for_the_last_digit():
    # 0.07 * 100 is 7.000000000000001 to a computer, and the seventh of a hundred is enough
    assert interpolated_precision(ranking([1] * 7, unseen=[1] * 93), recall=0.07) == pytest.approx([1])


def test_its_name():
    assert str(Metric.of("IPrec(recall=0.1)")) == "IPrec(0.1)"
    assert str(Metric.of("IPrec(0.1, rel=2)")) == "IPrec(0.1,rel=2)"


@pytest.mark.parametrize("recall", [-0.1, 1.1, 10, "half"])
def test_a_recall_that_is_none(recall):
    with pytest.raises(SpecError, match="IPrec: recall is from 0 to 1, not"):
        interpolated_precision(ranking([1]), recall=recall)


@pytest.mark.parametrize(
    "grades, unseen, points, value",
    [
        (HITS, [1, 1], 11, (3 * 1 + 3 * 4 / 11 + 5 / 15 + 6 / 20) / 11),  # no rank has a recall of 0.8
        (HITS, [1, 1], 5, (1 + 1 + 4 / 11 + 6 / 20) / 5),
        ([0, 1], [], 2, 1 / 2),
        ([0, 0], [1], 11, 0),
        ([], [1], 11, 0),
    ],
)
def test_the_mean_over_evenly_spaced_recalls(grades, unseen, points, value):
    assert interpolated_average_precision(ranking(grades, unseen), points=points) == pytest.approx([value])


def test_the_eleven_points_have_a_name():
    assert str(Metric.of("IAP(points=11)")) == "IAP"
    assert Metric.of("IAP(rel=2)")(ranking([1, 2])) == pytest.approx([1 / 2])


@pytest.mark.parametrize("points", [1, 0, -3])
def test_too_few_points(points):
    with pytest.raises(SpecError, match="IAP: there are at least 2 points, recalls 0 and 1, not"):
        interpolated_average_precision(ranking([1]), points=points)
