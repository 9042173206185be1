import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.metrics.ranking.bpm import bpm
from neraca.metrics.ranking.cwl import cwl
from neraca.metrics.ranking.example import ranking


@pytest.mark.parametrize(
    "grades, options, value",
    [
        ([1, 1], {}, 1),
        ([0, 1, 1], {}, 1 / 2),
        ([0, 0, 1], {"K": 2}, 0),
        ([0] * 10 + [1], {}, 0),
        ([0] * 9 + [1], {}, 1 / 10),
        ([0, 1, 0, 1], {"T": 2}, 2 / 4),
        ([0, 1, 0, 1], {"T": 2, "K": 3}, 1 / 3),
        ([0, 1, 0, 1], {"T": 2, "at": 3}, 1 / 10),
        ([1, 2, 4], {}, (1 / 4 + 2 / 4 + 4 / 4) / 3),
        ([1, 2, 4], {"rel": 2}, 1 / 2),
        # the limit of hits falls by 1/2 with each that is not relevant: 10 9.5 9 8.5 8 7.5 7, and 7 were seen
        ([0] * 6 + [1], {"hc": 1}, 1 / 7),
        ([0] * 7 + [1], {"hc": 1}, 0),
        # and rises with each that is: 2 2.5 3 3.5
        ([1, 1, 1, 0], {"T": 9, "K": 2, "hc": 0.5}, 3 / 3),
        # what is wanted rises by 1/2 with the first hit, and by 1/2 with the second: 1 is not enough then, nor 2
        ([1, 1, 1], {"T": 1.25, "hb": 1}, 2 / 2),
        ([1, 1, 1], {"T": 1.75, "hb": 1}, 3 / 3),
        ([], {}, 0),
    ],
)
def test_by_hand(grades, options, value):
    assert bpm(ranking(grades, unseen=[1]), **options) == pytest.approx([value])


def test_ten_hits_of_a_tenth_are_enough_for_who_wants_one():
    assert cwl(ranking([1] * 12, unseen=[10]), model="BPM(T=1,K=20)", of="depth") == pytest.approx([10])
    # hits of a fifth: the limit of hits falls by 0.6 from 4.2 to 3.6 and 3, or to a little more than 3
    assert cwl(ranking([1] * 6, unseen=[5]), model="BPM(T=9,K=4.2,hc=2)", of="depth") == pytest.approx([3])


quarters = st.integers(0, 8).map(lambda number: number / 4)


@given(st.lists(st.integers(0, 4), max_size=15), quarters, st.integers(1, 12), quarters, quarters, st.integers(0, 4))
def test_played_hit_by_hit(grades, more, K, hb, hc, middle):
    """The player of the paper: sees a hit, stops if a limit is met, else moves both limits by its surprise."""
    T = wanted = 0.25 + more
    patience, gained, spent = K, 0.0, 0
    for grade in grades + [0] * 1000:
        gained, spent = gained + grade / 4, spent + 1
        if gained >= wanted or spent >= patience or spent == 1000:
            break
        wanted += hb * (grade / 4 - middle / 4)
        patience += hc * (grade / 4 - middle / 4)
    view, model = ranking(grades, unseen=[4]), f"BPM(T={T},K={K},hb={hb},hc={hc},middle={middle / 4})"
    assert cwl(view, model=model, of="depth") == pytest.approx([spent])
    assert cwl(view, model=model) == pytest.approx([gained / spent])
    if middle == 2:
        assert bpm(view, T=T, K=K, hb=hb, hc=hc) == pytest.approx([gained / spent])


def test_a_hit_that_climbs_can_cost():
    """A known oddity of the definition: who has enough does not see the better hit."""
    assert bpm(ranking([0, 0, 2, 4])) == pytest.approx([1.5 / 4])
    assert bpm(ranking([0, 0, 4, 2])) == pytest.approx([1 / 3])


@pytest.mark.parametrize("wrong", [{"T": 0}, {"K": 0}, {"T": -1}, {"K": float("nan")}])
def test_limits_are_above_0(wrong):
    with pytest.raises(SpecError, match="are above 0, not"):
        bpm(ranking([1]), **wrong)
