import pytest
from judged_answers import judged, outcome, value

from neraca.errors import SpecError


def sides(right, wrong, stated, missed):
    return judged([("", 1)] * right + [("", 0)] * wrong, [("", 1)] * stated + [("", 0)] * missed)


@pytest.mark.parametrize(
    "right, wrong, stated, missed, f",
    [
        (1, 1, 1, 1, 1 / 2),  # the published example
        (2, 0, 2, 0, 1),
        (0, 2, 0, 2, 0),
        (3, 1, 2, 2, 3 / 4.5),
        (1, 0, 0, 3, 1 / 2.5),
        (0, 0, 0, 2, 0),  # claims nothing
    ],
)
def test_f_by_hand(right, wrong, stated, missed, f):
    assert value("ClaimF", sides(right, wrong, stated, missed)) == pytest.approx(f)


def test_precision_and_recall_by_hand():
    said = sides(3, 1, 2, 3)
    assert value("ClaimPrecision", said) == 3 / 4
    assert value("ClaimRecall", said) == 2 / 5
    assert value("ClaimRecall", sides(0, 0, 0, 3)) == 0
    assert value("ClaimPrecision", sides(0, 0, 0, 3)) is None


@pytest.mark.parametrize(
    "beta, f",
    # P = 3/4, R = TP / (TP + FN) = 3/5: (1 + b²) P R / (b² P + R)
    [(2, 5 * 0.45 / (4 * 0.75 + 0.6)), (0.5, 1.25 * 0.45 / (0.25 * 0.75 + 0.6)), (0, 0.75), (1, 2 * 0.45 / 1.35)],
)
def test_beta_by_hand(beta, f):
    assert value(f"ClaimF(beta={beta})", sides(3, 1, 5, 2)) == pytest.approx(f)
    assert value(f"ClaimF(beta={beta})", sides(0, 0, 0, 2)) == 0


@pytest.mark.parametrize("beta", [-1, "inf"])
def test_beta_must_be_a_number(beta):
    for name in ("ClaimF", "AnswerCorrectness"):
        with pytest.raises(SpecError, match=f"{name}.* number from 0"):
            outcome(f"{name}(beta={beta})", sides(1, 1, 1, 1))
