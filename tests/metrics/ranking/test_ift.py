from math import exp, inf

import pytest

from neraca.errors import SpecError
from neraca.metrics.ranking.cwl import cwl
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.ift import ift
from neraca.metrics.ranking.rbp import rbp


def expect(C, gains, depth=1000):
    """Gain per hit seen, of a user who goes on with probability C(rank, gain so far)."""
    seen, V, gained, total = 0.0, 1.0, 0.0, 0.0
    for rank in range(1, depth + 1):
        gain = gains[rank - 1] if rank <= len(gains) else 0
        seen, total, gained = seen + V, total + V * gain, gained + gain
        V *= C(rank, gained)
    return total / seen


@pytest.mark.parametrize("gains", [[1, 0, 1], [0, 0, 0, 1], [1, 1, 1, 1], []])
@pytest.mark.parametrize("T, A, b, R", [(2, 0.2, 0.9, 10), (1, 0.5, 2, 1), (3, 0, 0.5, 3)])
def test_hit_by_hit(gains, T, A, b, R):
    """The two curves of the paper, as they are printed there."""

    def goal(rank, gained):
        return 1 - 1 / (1 + b * exp((T - gained) * R))

    def rate(rank, gained):
        return 1 / (1 + b * exp((A - gained / rank) * R))

    view = ranking(gains, unseen=[1])
    both = expect(lambda *seen: goal(*seen) * rate(*seen), gains)
    assert ift(view, T=T, A=A, b=b, R=R) == pytest.approx([both], abs=1e-12)
    assert ift(view, T=T, A=-inf, b=b, R=R) == pytest.approx([expect(goal, gains)], abs=1e-12)
    assert ift(view, T=inf, A=A, b=b, R=R) == pytest.approx([expect(rate, gains)], abs=1e-12)


def test_who_does_not_react_has_a_constant_probability():
    # goal: 1 - 1/(1+3) = 3/4; rate: 1/(1+3) = 1/4
    view = ranking([1, 0, 1, 1])
    for T, A in ((2, 0.2), (inf, -inf)):
        assert ift(view, T=T, A=A, b=3, R=0) == pytest.approx(rbp(view, p=3 / 16))
    assert cwl(view, model="IFT(b1=3,R1=0,A=-inf,R2=1)") == pytest.approx(rbp(view, p=3 / 4))
    assert cwl(view, model="IFT(b2=3,R2=0,T=inf)") == pytest.approx(rbp(view, p=1 / 4))


def test_sharp_users_stop_at_their_limits():
    view = ranking([1, 0, 1, 0, 0, 0, 1])
    # wants 1.5: sees three hits, two of them relevant
    assert ift(view, T=1.5, A=-inf, R=10_000) == pytest.approx([2 / 3])
    # wants 0.45 per hit: 1, 0.5, 0.67, 0.5, 0.4
    assert ift(view, T=inf, A=0.45, R=10_000) == pytest.approx([2 / 5])
    assert ift(view, T=1.5, A=0.6, R=10_000) == pytest.approx([1 / 2])


def test_cutoff_and_grade():
    assert ift(ranking([1, 2, 2]), at=2, rel=2) == pytest.approx(ift(ranking([0, 1, 0])))
    assert ift(ranking([1, 2, 2])) == pytest.approx(ift(ranking([0.5, 1, 1])))


@pytest.mark.parametrize("wrong", [{"b": 0}, {"b": -1}, {"R": -1}, {"R": float("nan")}])
def test_b_and_r(wrong):
    with pytest.raises(SpecError, match="b is above 0 and R not below 0"):
        ift(ranking([1]), **wrong)


@pytest.mark.parametrize("wrong", ["b1=0", "b2=0", "R1=-1", "R2=-1"])
def test_b_and_r_of_each(wrong):
    with pytest.raises(SpecError, match="b is above 0 and R not below 0"):
        cwl(ranking([1]), model=f"IFT({wrong})")
