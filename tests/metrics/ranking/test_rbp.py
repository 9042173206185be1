from dataclasses import replace

import pytest
from builders import make_answer, make_item, make_scorable
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ranking import Ranking
from neraca.metrics.ranking.rbp import gain_of_hits, rbp, rbp_residual

R = [1, 1, 0, 0, 1, 0, 1, 0, 0, 1]
#: Relevant at ranks 1, 2, 4, 11 and 17 of 20.
TWENTY = [1 if rank in (1, 2, 4, 11, 17) else 0 for rank in range(1, 21)]


def test_golden_values():
    assert rbp(ranking(R), at=10) == pytest.approx([0.5211923456])
    assert rbp_residual(ranking(R), at=10) == pytest.approx([0.1073741824])


@pytest.mark.parametrize("p, value, residual", [(0.5, 0.8130, 0.0000), (0.8, 0.4895, 0.0115), (0.95, 0.1923, 0.3585)])
def test_a_list_of_twenty(p, value, residual):
    # by hand, for p = 0.8: 0.2 * (1 + 0.8 + 0.512 + 0.8^10 + 0.8^16) = 0.2 * (2.312 + 0.10737 + 0.02815)
    assert rbp(ranking(TWENTY), p=p) == pytest.approx([value], abs=5e-5)
    assert rbp_residual(ranking(TWENTY), p=p) == pytest.approx([residual], abs=5e-5)


@pytest.mark.parametrize(
    "grades, unseen, options, value, residual",
    [
        ([1, 0, 1], [], {"p": 0.5}, 0.5 * (1 + 1 / 4), 1 / 8),
        ([1, 0, 1], [1, 1], {"p": 0.5}, 0.5 * (1 + 1 / 4), 1 / 8),
        ([1, 0, 1], [], {"p": 0.5, "at": 2}, 0.5, 1 / 4),
        ([1, 0, 1], [], {"p": 0.5, "at": 9}, 0.5 * (1 + 1 / 4), 1 / 8),
        ([4, 1, 2], [], {"p": 0.5}, 0.5 * (1 + 1 / 8 + 1 / 8), 1 / 8),
        ([2, 1], [4], {"p": 0.5}, 0.5 * (1 / 2 + 1 / 8), 1 / 4),
        ([4, 1, 2], [], {"p": 0.5, "rel": 2}, 0.5 * (1 + 1 / 4), 1 / 8),
        ([0.5, 0.25], [], {"p": 0.5}, 0.5 * (1 / 2 + 1 / 8), 1 / 4),
        ([None, 1], [], {"p": 0.5}, 1 / 4, 1 / 2 + 1 / 4),
        ([-2, 1], [], {"p": 0.5}, 1 / 4, 1 / 4),
        ([None, None], [1], {"p": 0.5}, 0, 1),
        ([], [1], {"p": 0.5}, 0, 1),
        ([0, 0], [], {"p": 0.5}, 0, 1 / 4),
    ],
)
def test_by_hand(grades, unseen, options, value, residual):
    view = ranking(grades, unseen)
    assert rbp(view, **options) == pytest.approx([value])
    assert rbp_residual(view, **options) == pytest.approx([residual])


def test_a_document_that_comes_again_is_judged_and_gains_nothing():
    view = make_scorable([(make_item(relevant={"a": 1, "b": 1}), make_answer("a a b"))]).view(Ranking)
    assert rbp(view, p=0.5) == pytest.approx([1 / 2 + 1 / 8])
    assert rbp_residual(view, p=0.5) == pytest.approx([1 / 8])


@given(
    st.lists(st.none() | st.integers(-1, 4), max_size=40),
    st.floats(0.01, 0.99),
    st.integers(0, 45),
    st.sampled_from([0, 1, 3]),
)
def test_the_textbook(grades, p, at, rel):
    """One hit after the other, as the paper defines it; what comes after the list has the weight p^n together."""
    value = residual = 0.0
    seen = grades[:at] if at else grades
    for place, grade in enumerate(seen):
        gain = 0.0 if grade is None else float(grade >= rel) if rel else max(grade, 0) / 4
        value += (1 - p) * p**place * gain
        residual += (1 - p) * p**place if grade in (None, -1) else 0
    residual += p ** len(seen)
    view = ranking(grades, unseen=[4])
    assert rbp(view, at=at, p=p, rel=rel) == pytest.approx([value], abs=1e-12)
    assert rbp_residual(view, at=at, p=p, rel=rel) == pytest.approx([residual], abs=1e-12)


def test_a_residual_is_never_below_0():
    """The weights of 500 judged ranks add up to 1 or, rounded, to a little more."""
    assert all(rbp_residual(ranking([1] * 500), p=p / 100) >= 0 for p in range(1, 100))


def test_gains_are_never_above_1():
    assert gain_of_hits(replace(ranking([1, 3]), top=2.0)).tolist() == [0.5, 1]


def test_many_answers():
    pairs = [
        (make_item("1", relevant={"a": 1}), make_answer("x a", "1")),
        (make_item("2", relevant={"a": 2}), make_answer("", "2")),
        (make_item("3", relevant={"a": 2, "b": 0}), make_answer("a b", "3")),
    ]
    assert rbp(make_scorable(pairs).view(Ranking), p=0.5) == pytest.approx([1 / 8, 0, 1 / 2])
    assert rbp(make_scorable([]).view(Ranking)).tolist() == []


@pytest.mark.parametrize("p", [0, 1, 1.5, -0.5, float("nan")])
def test_p_is_a_probability(p):
    for metric in (rbp, rbp_residual):
        with pytest.raises(SpecError, match="is above 0 and below 1, not"):
            metric(ranking([1]), p=p)


def test_rel_is_not_negative():
    with pytest.raises(SpecError, match="smallest grade that is relevant, not -1"):
        rbp(ranking([1]), rel=-1)


def test_names():
    assert str(Metric.of("RBP(p=0.8)@10")) == "RBP@10"
    assert str(Metric.of("RBP(rel=1,p=0.95)")) == "RBP(p=0.95,rel=1)"
