import pytest

from neraca.errors import SpecError
from neraca.metrics.ranking.cwl import cwl
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.u_measure import u_measure


@pytest.mark.parametrize(
    "grades, options, value",
    [
        ([1, 0, 1], {}, (1 - 1 / 132) + (1 - 3 / 132)),
        ([1, 0, 1], {"L": 10, "length": 2}, 0.8 + 0.4),
        ([1] * 9, {"L": 10, "length": 2}, 0.8 + 0.6 + 0.4 + 0.2),
        ([1] * 9, {"L": 10, "length": 3}, 0.7 + 0.4 + 0.1),
        ([1, 0, 1], {"L": 10, "length": 2, "at": 2}, 0.8),
        ([4, 0, 1], {"L": 10, "length": 2}, 0.8 + 0.4 / 4),
        ([4, 0, 1], {"L": 10, "length": 2, "rel": 1}, 0.8 + 0.4),
        ([0, None], {}, 0),
        ([], {}, 0),
    ],
)
def test_by_hand(grades, options, value):
    assert u_measure(ranking(grades, unseen=[1]), **options) == pytest.approx([value])


def test_what_a_user_reads():
    # V = 4/4, 3/4, 2/4, 1/4 hits of 20 characters
    assert cwl(ranking([0]), model="UMeasure(L=100,length=20)", of="total_cost") == pytest.approx([50])


@pytest.mark.parametrize("wrong", [{"length": 0}, {"length": 132000}, {"L": 999}, {"L": float("inf")}])
def test_a_hit_is_shorter_than_what_can_be_read(wrong):
    with pytest.raises(SpecError, match="length is above 0 and below L"):
        u_measure(ranking([1]), **wrong)


def test_it_is_the_total_gain_of_a_user():
    view = ranking([2, 0, None, 1, 2])
    assert u_measure(view) == pytest.approx((1 - 1 / 132) * cwl(view, model="UMeasure", of="total"))
