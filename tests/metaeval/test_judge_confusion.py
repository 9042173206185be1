import math

import pytest

from neraca.metaeval.judge_confusion import judges_beside_people
from neraca.records import Item, Verdict
from neraca.stats.intervals.interval import wilson

ITEMS = [Item(id=str(n), query="?", session=f"s{n // 2}") for n in range(60)]


def verdicts_by(by, values, aspect="valid"):
    return [
        Verdict(item=str(n), about="answer", aspect=aspect, by=by, value=float(value)) for n, value in enumerate(values)
    ]


def test_yes_and_no_by_hand():
    """20 right of which the judge finds 15, 20 wrong of which it finds 10; the last 20 nobody rated."""
    people, judge = [1] * 20 + [0] * 20, [1] * 15 + [0] * 5 + [1] * 10 + [0] * 30
    alone = [Item(id=str(n), query="?") for n in range(60)]
    (one,) = judges_beside_people(alone, [*verdicts_by("human:ana", people), *verdicts_by("llm:m#1", judge)])
    assert (one.aspect, one.judge, one.scale, one.counts) == ("valid", "llm:m", (0, 1), ((10, 10), (5, 15)))
    assert (one.agree.value, one.bias.value, one.agree.n) == (25 / 40, 5 / 40, 40)
    assert (one.sensitivity.value, one.specificity.value) == (0.75, 0.5)
    assert (one.sensitivity.low, one.sensitivity.high) == pytest.approx(wilson(0.75, 20))
    assert one.bias.low < 0.125 < one.bias.high


def test_of_several_people_the_median_counts_and_programs_stand_apart():
    said = [*verdicts_by("human:ana", [1, 0]), *verdicts_by("human:budi", [1, 0]), *verdicts_by("human:citra", [0, 0])]
    found = judges_beside_people(ITEMS, [*said, *verdicts_by("llm:a", [1, 1]), *verdicts_by("rules", [0, 0])])
    assert [(one.judge, one.counts) for one in found] == [("llm:a", ((0, 1), (0, 1))), ("rules", ((1, 0), (1, 0)))]


def test_grades_have_a_bias_and_a_table_and_no_sensitivity():
    (one,) = judges_beside_people(ITEMS, [*verdicts_by("human:ana", [5, 3, 1, 2]), *verdicts_by("llm:a", [5, 5, 2, 2])])
    assert one.bias.value == 0.75
    assert math.isnan(one.sensitivity.value)
    assert one.table().rows[1] == ["2", "0", "1", "0", "0"]
    assert "right as right" not in str(
        judges_beside_people(ITEMS, [*verdicts_by("human:a", [5, 3]), *verdicts_by("llm:a", [5, 5])])
    )


def test_sessions_widen_the_intervals():
    said = [
        *verdicts_by("human:ana", [1, 1, 0, 0] * 15),
        *verdicts_by("llm:m", [1, 1, 0, 0, 0, 0, 1, 1] * 7 + [1, 1, 0, 0]),
    ]
    (together,) = judges_beside_people(ITEMS, said)
    (alone,) = judges_beside_people([Item(id=str(n), query="?") for n in range(60)], said)
    assert together.bias.high - together.bias.low > 1.3 * (alone.bias.high - alone.bias.low)


def test_without_people_there_is_nothing():
    assert not judges_beside_people(ITEMS, [*verdicts_by("rules", [1, 0]), *verdicts_by("llm:m", [1, 0])])


def test_the_bias_of_shares_stays_in_its_range():
    """A judge whose verdicts are shares from 0 to 1 cannot be 7 too high, however few the sessions."""
    people, judge = [1, 1, 0, 1, 1, 1], [1, 0.5, 0, 1, 1, 0]
    (one,) = judges_beside_people(ITEMS, [*verdicts_by("human:ana", people), *verdicts_by("llm:m", judge)])
    assert one.bias.value == pytest.approx(-0.25)
    assert -1 <= one.bias.low < -0.25 < one.bias.high <= 1
    (few,) = judges_beside_people(ITEMS, [*verdicts_by("human:ana", people[:4]), *verdicts_by("llm:m", judge[:4])])
    assert math.isnan(few.bias.low), "two sessions have no interval"


def test_the_bias_of_grades_stays_within_their_scale():
    """Differences -1, -2 and -4 have Student's interval -7/3 ± 4.303 · 0.882, which leaves -4 to 4."""
    alone = [Item(id=str(n), query="?") for n in range(3)]
    said = [*verdicts_by("human:ana", [5, 5, 5], "tone"), *verdicts_by("llm:m", [4, 3, 1], "tone")]
    (free,) = judges_beside_people(alone, said)
    assert (free.bias.low, free.bias.high) == pytest.approx((-6.128, 1.461), abs=0.001)
    (bound,) = judges_beside_people(alone, said, ends={"tone": (1.0, 5.0)})
    assert bound.bias.value == free.bias.value
    assert -4 < bound.bias.low < -7 / 3 < bound.bias.high < 4
    share, c = (4 - 7 / 3) / 8, 4.3027**2 / 3  # Wilson's interval of a share of 3, with Student's t for z
    for end in ((bound.bias.low + 4) / 8, (bound.bias.high + 4) / 8):
        assert (share - end) ** 2 == pytest.approx(c * end * (1 - end), rel=1e-3)
    (outside,) = judges_beside_people(alone, said, ends={"tone": (1.0, 4.0)})
    assert outside.bias == free.bias, "a grade outside the scale: its ends do not count"
