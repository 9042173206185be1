import pytest
from judged_answers import GONE, judged, outcome, value, why

from neraca.errors import SpecError

HALF = judged([("", 1), ("", 0)], [("", 1), ("", 0)], similarity=0.8)


def test_by_hand():
    assert value("AnswerCorrectness", HALF) == pytest.approx(0.75 * 0.5 + 0.25 * 0.8)
    assert value("AnswerCorrectness(weight=0.5)", HALF) == pytest.approx(0.65)
    assert value("AnswerCorrectness(weight=0)", HALF) == pytest.approx(0.8)
    assert value("AnswerCorrectness(weight=1)", HALF) == value("ClaimF", HALF) == 0.5
    # TP 1, FP 1, FN 1; beta = 2 weighs misses, which are as many
    assert value("AnswerCorrectness(beta=2)", HALF) == pytest.approx(0.575)


def test_right_wrong_and_evasive_answers_stand_in_order():
    right = judged([("", 1)], [("", 1)], similarity=0.95)
    wrong = judged([("", 0)], [("", 0)], similarity=0.7)
    evasive = judged([], [("", 0)], similarity=0.2, declines=1)
    found = [value("AnswerCorrectness", said) for said in (right, wrong, evasive)]
    assert found == pytest.approx([0.75 + 0.2375, 0.175, 0.05])


def test_an_opposite_meaning_is_no_less_than_nothing():
    assert value("AnswerCorrectness", judged([("", 0)], [("", 0)], similarity=-0.3)) == 0


def test_without_similarity():
    nothing = {"answer similarity": GONE}
    assert why("AnswerCorrectness", HALF, changes=nothing) == "nobody judged it: similarity"
    assert why("AnswerCorrectness", HALF, changes={"answer similarity": "no"}) == "no"
    assert value("AnswerCorrectness(weight=1)", HALF, changes=nothing) == 0.5
    assert value("AnswerCorrectness", HALF, changes=nothing, answer={"status": "timeout"}) == 0


@pytest.mark.parametrize("weight", [-0.1, 1.1])
def test_the_weight_is_a_share(weight):
    with pytest.raises(SpecError, match="weight is a share"):
        outcome(f"AnswerCorrectness(weight={weight})", HALF)
