"""Agreement of judges over verdicts."""

import random

import numpy as np
import pytest
from sklearn.metrics import cohen_kappa_score

from neraca.errors import InputError, SpecError
from neraca.metaeval.agreement import agreement, agreement_by_group
from neraca.records import Item, Verdict
from neraca.verdicts.source import JURY

ITEMS = [Item(id=str(n), query="?") for n in range(40)]


def verdicts_by(by, values, aspect="valid", about="answer", **more):
    """One verdict on each item, None where there is none."""
    return [
        Verdict(item=str(n), about=about, aspect=aspect, by=by, value=value, **more)
        for n, value in enumerate(values)
        if value is not None
    ]


def test_two_judges_by_hand():
    """20 yes yes, 5 yes no, 10 no yes, 15 no no: kappa .4 (Cohen's formula); AC1 (.7 - .495) / (1 - .495)."""
    items = [Item(id=str(n), query="?") for n in range(50)]
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    said = [*verdicts_by("llm:a#111111", [a for a, _ in pairs]), *verdicts_by("llm:b#222222", [b for _, b in pairs])]
    (found,) = agreement(items, said)
    assert (found.aspect, found.judges) == ("valid", ("llm:a", "llm:b"))
    assert found.agreement.value == pytest.approx(0.7)
    assert found.kappa.value == pytest.approx(0.4)
    assert found.ac1.value == pytest.approx((0.7 - 0.495) / 0.505)
    assert found.agreement.n == found.kappa.n == 50
    for one in (found.agreement, found.kappa, found.ac1):
        assert one.low < one.value < one.high
        assert one.method == "bca"


def test_three_judges_have_fleiss_kappa():
    """Three things, all but one vote alike: pairs agree 1, 1, 1/3; 5 of 9 votes are yes."""
    said = [*verdicts_by("llm:a", [1, 0, 1]), *verdicts_by("llm:b", [1, 0, 1]), *verdicts_by("human:Ana", [1, 0, 0])]
    (found,) = agreement(ITEMS, said)
    assert found.judges == ("human:Ana", "llm:a", "llm:b")
    agreed, chance = 7 / 9, (5 / 9) ** 2 + (4 / 9) ** 2
    assert found.agreement.value == pytest.approx(agreed)
    assert found.kappa.value == pytest.approx((agreed - chance) / (1 - chance))


def test_things_with_one_opinion_are_left_out_and_aspects_with_none_in_common():
    said = [
        *verdicts_by("llm:a", [1, 1, 0, None]),
        *verdicts_by("llm:b", [None, 1, 0, 1]),
        *verdicts_by("llm:a", [1, 1], "supported"),
        *verdicts_by("llm:b", [None, None, 1], "supported"),
    ]
    (found,) = agreement(ITEMS, said)
    assert (found.aspect, found.agreement.n, found.agreement.value) == ("valid", 2, 1)


def test_only_what_can_be_compared_is():
    """Claims are each judge's own, counts and cosines are no categories, a jury is no judge."""
    said = []
    for by in ("llm:a", "llm:b"):
        said += (
            verdicts_by(by, [1, 1], "supported", "claim:1")
            + verdicts_by(by, [3, 4], "claims")
            + verdicts_by(by, [2, 2], "contexts")
        )
    for by in ("embed:x", "embed:y", "overlap", "qrels"):
        said += verdicts_by(by, [1, 0], "similarity")
    said += verdicts_by("llm:a", [1, 1]) + verdicts_by(JURY, [1, 0])
    assert agreement(ITEMS, said) == []
    found = agreement(
        ITEMS,
        [*said, *verdicts_by("rules", [1, 0], "price", "hit:d"), *verdicts_by("human:A", [1, 1], "price", "hit:d")],
    )
    assert [(one.aspect, one.agreement.value) for one in found] == [("price", 0.5)]
    (asked,) = agreement(ITEMS, said, judges=("llm:a", JURY))
    assert asked.judges == ("llm:a", JURY)


def test_what_was_said_in_one_order_alone_is_no_decision():
    def both(aspect):
        return [verdict for by in ("llm:a", "human:Ana") for verdict in verdicts_by(by, [1, 0], aspect=aspect)]

    found = agreement(ITEMS, [*both("preferred:b"), *both("preferred_first:b")])
    assert [one.aspect for one in found] == ["preferred:b"]


def test_of_one_judge_with_several_prompts_the_newest_counts():
    said = [
        *verdicts_by("llm:a#old", [0, 0]),
        *verdicts_by("llm:b", [1, 1]),
        *verdicts_by("llm:a#new", [1, 1]),
        Verdict(item="1", about="answer", aspect="valid", by="llm:a#new", value=None, why="down"),
    ]
    (found,) = agreement(ITEMS, said)
    assert (found.judges, found.agreement.n, found.agreement.value) == (("llm:a", "llm:b"), 1, 1)


def test_who_is_compared_can_be_chosen():
    said = [
        *verdicts_by("llm:a", [1, 1]),
        *verdicts_by("llm:b", [1, 0]),
        *verdicts_by("human:Ana", [1, 1]),
        *verdicts_by("human:Budi", [1, 0]),
    ]
    (all_,) = agreement(ITEMS, said)
    assert len(all_.judges) == 4
    (models,) = agreement(ITEMS, said, judges=["llm"])
    assert models.judges == ("llm:a", "llm:b")
    (two,) = agreement(ITEMS, said, judges=["llm:a", "human:Ana"])
    assert (two.judges, two.agreement.value) == (("human:Ana", "llm:a"), 1)
    with pytest.raises(SpecError, match="no verdict on an answer or a hit is by 'llm:c'"):
        agreement(ITEMS, said, judges=["llm:a", "llm:c"])


def test_runs_and_trials_are_different_things():
    one, two = (
        [*verdicts_by("llm:a", [1]), *verdicts_by("llm:b", [1])],
        [*verdicts_by("llm:a", [1]), *verdicts_by("llm:b", [0])],
    )
    (found,) = agreement(ITEMS, one, two)
    assert (found.agreement.n, found.agreement.value) == (2, 0.5)
    later = [*verdicts_by("llm:a", [0], trial=1), *verdicts_by("llm:b", [0], trial=1)]
    (found,) = agreement(ITEMS, [*one, *later])
    assert (found.agreement.n, found.agreement.value) == (2, 1)


def test_a_scale_is_what_could_have_been_said():
    """All yes: of two categories, so AC1 is 1; preferred has three: 2 / 3 of chance is spread over them."""
    (found,) = agreement(ITEMS, [*verdicts_by("llm:a", [1] * 5), *verdicts_by("llm:b", [1] * 5)])
    assert (found.agreement.value, found.ac1.value) == (1, 1)
    assert np.isnan(found.kappa.value)
    said = [*verdicts_by("llm:a", [1, 0.5], "preferred:x"), *verdicts_by("llm:b", [1, 1], "preferred:x")]
    (found,) = agreement(ITEMS, said)
    chance = (0.75 * 0.25 + 0.25 * 0.75) / 2
    assert found.ac1.value == pytest.approx((0.5 - chance) / (1 - chance))
    grades = [*verdicts_by("llm:a", [4, 2, 3], "clarity"), *verdicts_by("llm:b", [4, 2, 2], "clarity")]
    (found,) = agreement(ITEMS, grades)
    shares = np.array([1 / 3, 1 / 2, 1 / 6])
    chance = float((shares * (1 - shares)).sum()) / 2
    assert found.ac1.value == pytest.approx((2 / 3 - chance) / (1 - chance))


def test_sessions_are_drawn_whole():
    """Ten copies of each of eight sessions say no more than eight: their interval is far wider than that of 80."""
    chance = random.Random(3)
    answers = [(chance.random() < 0.7, chance.random() < 0.7) for _ in range(8)]
    pairs = [pair for pair in answers for _ in range(10)]
    said = [*verdicts_by("llm:a", [float(a) for a, _ in pairs]), *verdicts_by("llm:b", [float(b) for _, b in pairs])]
    apart = [Item(id=str(n), query="?") for n in range(80)]
    together = [Item(id=str(n), query="?", session=str(n // 10)) for n in range(80)]
    (loose,), (whole,) = agreement(apart, said), agreement(together, said)
    assert loose.agreement.value == whole.agreement.value
    assert whole.agreement.high - whole.agreement.low > 2 * (loose.agreement.high - loose.agreement.low)


def test_the_interval_holds_the_true_kappa_as_often_as_it_says():
    """Two judges right 9 of 10 times each, half of the things yes: .82 agree, kappa .64."""
    chance = random.Random(11)
    held = narrow = 0
    for _ in range(150):
        truth = [chance.random() < 0.5 for _ in range(80)]
        said = [
            verdict
            for by in ("llm:a", "llm:b")
            for verdict in verdicts_by(by, [float(yes ^ (chance.random() < 0.1)) for yes in truth])
        ]
        items = [Item(id=str(n), query="?") for n in range(80)]
        (found,) = agreement(items, said, samples=400)
        held += found.kappa.low <= 0.64 <= found.kappa.high
        middle, half = (found.kappa.low + found.kappa.high) / 2, (found.kappa.high - found.kappa.low) / 4
        narrow += abs(middle - 0.64) <= half
    assert 0.89 <= held / 150 <= 0.99
    assert narrow / 150 < 0.8  # an interval of half the width would have been noticed


def test_the_same_seed_gives_the_same():
    said = [*verdicts_by("llm:a", [1, 0, 1, 1, 0, 1]), *verdicts_by("llm:b", [1, 0, 0, 1, 1, 1])]
    one, same, other = (agreement(ITEMS, said, seed=seed, samples=200) for seed in (1, 1, 2))
    assert one == same != other


def test_a_verdict_on_a_question_that_is_not_there():
    with pytest.raises(InputError, match="about item '99'"):
        agreement(ITEMS, [Verdict(item="99", about="answer", aspect="valid", by=f"llm:{m}", value=1) for m in "ab"])


def test_no_verdicts():
    assert agreement(ITEMS) == agreement([], []) == []


# grades


def test_grades_have_weighted_kappa_and_icc():
    """Shrout and Fleiss (1979): ICC(2,1) = .29, ICC(2,4) = .62; a thing that one did not grade is left out."""
    grades = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7], [10, 1, None, 1]]
    said = [
        verdict
        for judge, row in zip("abcd", zip(*grades, strict=True), strict=True)
        for verdict in verdicts_by(f"llm:{judge}", row)
    ]
    (found,) = agreement(ITEMS, said, samples=500)
    assert (found.agreement.n, found.grades.icc.n, found.grades.icc_mean.n) == (7, 6, 6)
    assert (found.grades.icc.value, found.grades.icc_mean.value) == pytest.approx((0.29, 0.62), abs=0.005)
    assert found.grades.icc.low < found.grades.icc.value < found.grades.icc.high


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
def test_weighted_kappa_of_two_judges_is_that_of_scikit_learn(weights):
    ana, model = [1, 2, 3, 4, 5, 5, 4, 3], [1, 3, 3, 5, 4, 5, 2, 1]
    (found,) = agreement(
        ITEMS, [*verdicts_by("human:Ana", ana), *verdicts_by("llm:a", model)], samples=500, weights=weights
    )
    assert found.grades.weighted_kappa.value == pytest.approx(cohen_kappa_score(ana, model, weights=weights))
    assert found.grades.weights == weights
    assert found.kappa.value == pytest.approx(cohen_kappa_score(ana, model))


def test_yes_and_no_have_no_near_misses():
    (found,) = agreement(ITEMS, [*verdicts_by("llm:a", [1, 0, 1]), *verdicts_by("llm:b", [1, 0, 0])], samples=500)
    assert found.grades is None
    (same,) = agreement(ITEMS, [*verdicts_by("llm:a", [3, 3]), *verdicts_by("llm:b", [3, 3])], samples=500)
    assert same.grades is None
    with pytest.raises(SpecError, match="no weights of kappa are called 'linaer'; did you mean linear"):
        agreement(ITEMS, [], weights="linaer")


def test_alpha_counts_how_far_grades_are_apart():
    """Krippendorff's alpha of 4-5, 1-1 and 3-3 by hand: 1 - 5 × 2 / sum of all squared distances."""
    said = [*verdicts_by("human:a", [4, 1, 3], "quality"), *verdicts_by("human:b", [5, 1, 3], "quality")]
    (found,) = agreement(ITEMS, said)
    values = [4, 5, 1, 1, 3, 3]
    apart = sum((a - b) ** 2 for a in values for b in values)
    assert found.alpha.value == pytest.approx(1 - 5 * 2 / apart)


def test_groups_are_compared_each_alone():
    items = [Item(id=str(n), query="?", tags={"kind": "ab"[n % 2]}) for n in range(20)]
    said = [*verdicts_by("llm:a", [1] * 20), *verdicts_by("llm:b", [1, 0] * 10)]
    found = agreement_by_group(items, "kind", said)
    assert [(one.group, one.agreement.value, one.agreement.n) for one in found] == [
        ("kind=a", 1, 10),
        ("kind=b", 0, 10),
    ]
    assert found.rows()[1]["group"] == "kind=b"
    assert "kind=a" in str(found)
    chosen = agreement_by_group(items, "kind", said, judges=["llm:a", "llm:b"], level=0.9)
    assert [one.agreement.n for one in chosen] == [10, 10]
    assert agreement_by_group(items, "kind", said[:20], judges=["llm:b"]) == []
    with pytest.raises(SpecError, match="known: kind"):
        agreement_by_group(items, "colour", said)
