import pytest

from neraca.errors import SpecError
from neraca.metrics.ranking.example import ranking
from neraca.metrics.ranking.inst import insq, inst

#: Sums of 1/i^2 for i from 1 to 999, 1000 and 1001.
H999, H1000, H1001 = (sum(1 / i**2 for i in range(1, n + 1)) for n in (999, 1000, 1001))


@pytest.mark.parametrize(
    "grades, T, value",
    [
        ([1], 1, 1 / H1000),  # V(i) = 1/i^2
        ([1, 1], 1, (1 + 1 / 4) / (1 + H999 / 4)),  # V(i) = 1/4 / (i-1)^2 from rank 2
        ([0], 1, 0),
        ([], 1, 0),
        ([2, 1], 1, None),
        ([1, 1, 1], 0.5, 1 / 1),  # C(1) = 0: stops when T = 1/2 was passed
    ],
)
def test_inst_by_hand(grades, T, value):
    if value is None:  # gains 1 and 1/2; V(2) = 1/4, and V(3) = 1/4 * (1.5/2.5)^2, then steps of one
        V, rank = [1, 1 / 4], 2
        while rank < 1000:
            V.append(V[-1] * ((rank - 0.5) / (rank + 0.5)) ** 2)
            rank += 1
        value = (1 + 1 / 8) / sum(V)
    assert inst(ranking(grades, unseen=[1]), T=T) == pytest.approx([value])


@pytest.mark.parametrize(
    "grades, T, value",
    [
        ([1], 1, 1 / (4 * (H1001 - 1))),  # V(i) = (2/(i+1))^2
        ([0, 1], 1, 4 / 9 / (4 * (H1001 - 1))),
        ([1], 0.5, 1 / H1000),  # V(i) = 1/i^2
    ],
)
def test_insq_by_hand(grades, T, value):
    assert insq(ranking(grades), T=T) == pytest.approx([value])


@pytest.mark.parametrize("metric", [inst, insq])
def test_cutoff_and_grade(metric):
    assert metric(ranking([1, 2, 2]), at=2, rel=2) == pytest.approx(metric(ranking([0, 1, 0])))
    assert metric(ranking([1, 2, 2]), rel=2) == pytest.approx(metric(ranking([0, 1, 1])))
    assert metric(ranking([1, 2, 2])) == pytest.approx(metric(ranking([0.5, 1, 1])))


@pytest.mark.parametrize("metric, T", [(inst, 0.4), (inst, float("inf")), (insq, 0), (insq, float("inf"))])
def test_what_cannot_be_wanted(metric, T):
    with pytest.raises(SpecError, match="T, the relevant hits wanted, is"):
        metric(ranking([1]), T=T)
