import pytest

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.cwl import cwl
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.tbg import tbg

#: Seconds for a hit: a summary of 4.4, and a document of 7.8 + 0.018 * 500 for 64 % or 39 % of the users.
RIGHT, WRONG = 4.4 + 0.64 * 16.8, 4.4 + 0.39 * 16.8


@pytest.mark.parametrize(
    "grades, options, times",
    [
        ([1], {}, [0]),
        ([1, 0, 1], {}, [0, RIGHT + WRONG]),
        ([0, 1, 1], {}, [WRONG, WRONG + RIGHT]),
        ([None, -1, 1], {}, [WRONG + WRONG]),
        ([1, 0, 1], {"at": 2}, [0]),
        ([2, 1, 2], {"rel": 2}, [0, RIGHT + WRONG]),
        ([2, 1, 2], {}, [0, RIGHT, RIGHT + RIGHT]),
        ([0, 1], {"summary": 10, "read": 100}, [10 + 39]),
        ([0, 0], {}, []),
        ([], {}, []),
    ],
)
def test_by_hand(grades, options, times):
    value = sum(0.64 * 0.77 * 2 ** (-time / 224) for time in times)
    assert tbg(ranking(grades, unseen=[1]), **options) == pytest.approx([value])


def test_a_half_life_halves():
    assert tbg(ranking([0, 0, 1]), halflife=60, summary=30, read=0) == pytest.approx([0.4928 / 2])


def test_graded():
    # gains 1 and 1/2: the second comes after a hit that is opened by 64 %, and gains half
    view = ranking([4, 2])
    assert tbg(view, rel=0) == pytest.approx([0.4928 * (1 + 0.5 * 2 ** (-RIGHT / 224))])


def test_what_a_user_spends():
    # V = 1, 2^(-RIGHT/h): with a half-life this short nobody is left at rank 3
    seconds = cwl(ranking([1, 0]), model="TBG(halflife=0.1)", of="total_cost")
    assert seconds == pytest.approx([RIGHT])


@pytest.mark.parametrize("wrong", [{"halflife": 0}, {"summary": -1}, {"read": -1}, {"read": float("inf")}])
def test_times_are_not_negative(wrong):
    with pytest.raises(SpecError, match="halflife is above 0, summary and read are not below 0"):
        tbg(ranking([1]), **wrong)


def test_names():
    assert str(Metric.of("TBG(halflife=224,read=20)@10")) == "TBG(read=20)@10"


def test_it_is_the_total_gain_of_a_user():
    view = ranking([2, 0, None, 1, 2])
    assert tbg(view) == pytest.approx(0.4928 * cwl(view, model="TBG", of="total", rel=1))
