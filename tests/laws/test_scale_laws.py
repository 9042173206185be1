"""Laws of scales: people who rate from 0 to 10, twice as high as from 0 to 5, say the same about systems and raters."""

import math

import pytest
from builders import make_answer, make_item, make_run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import neraca
from neraca.metaeval.judge_confusion import judges_beside_people
from neraca.people.write_verdicts import write_verdicts
from neraca.records import Verdict
from neraca.runs.run import Run

ITEMS = [make_item(str(n)) for n in range(7)]
SHARE = "Rubric(quality,share=true)"
GRADES = st.lists(st.integers(0, 5), min_size=len(ITEMS), max_size=len(ITEMS))
DRAWN = settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


def by(rater, grades, times=1):
    return [
        Verdict(item=item.id, about="answer", aspect="quality", by=rater, value=float(times * grade))
        for item, grade in zip(ITEMS, grades, strict=True)
    ]


def rated(folder, ratings, times, scale):
    run = make_run(folder, ITEMS, [make_answer(item=item.id, text="words") for item in ITEMS])
    write_verdicts(
        [run], [[v for rater, grades in ratings.items() for v in by(f"human:{rater}", grades, times)]], scale
    )
    return Run(run.path)


def same(one, other):
    return one == pytest.approx(other, abs=1e-12, nan_ok=True)


@DRAWN
@given(ana=GRADES, budi=GRADES)
def test_shares_of_twice_the_scale_are_the_same(tmp_path_factory, ana, budi):
    folder, ratings = tmp_path_factory.mktemp("runs"), {"ana": ana, "budi": budi}
    short, long = rated(folder / "short", ratings, 1, ""), rated(folder / "long", ratings, 2, "0-10")
    (one,), (other,) = (neraca.score(run, SHARE).overall() for run in (short, long))
    for part in ("value", "low", "high", "lowest", "highest"):
        assert same(getattr(one, part), getattr(other, part)), part
    assert same(one.value, sum(ana + budi) / (2 * 5 * len(ITEMS)))
    plain, doubled = (neraca.score(run, "Rubric(quality)").overall()[0] for run in (short, long))
    for part in ("value", "low", "high"):
        assert same(2 * getattr(plain, part), getattr(doubled, part)), part
    assert same(plain.value / 5, one.value), "a share is the grade over the scale"
    (difference,) = neraca.compare([short, long], SHARE)
    assert difference.difference == 0


@given(raters=st.lists(GRADES, min_size=2, max_size=4), weights=st.sampled_from(["quadratic", "linear"]))
def test_kappa_and_alpha_of_twice_the_scale_are_the_same(raters, weights):
    found = []
    for times in (1, 2):
        verdicts = [v for n, grades in enumerate(raters) for v in by(f"human:r{n}", grades, times)]
        found.append(neraca.agreement(ITEMS, verdicts, weights=weights)[0])
    one, other = found
    assert same(one.kappa.value, other.kappa.value)
    if one.grades is None or other.grades is None:  # 0 and 1 alone are no grades, and 0 and 2 are
        assert {grade for grades in raters for grade in grades} <= {0, 1}
        return
    assert same(one.alpha.value, other.alpha.value)
    assert same(one.grades.weighted_kappa.value, other.grades.weighted_kappa.value)
    assert same((one.alpha.low, one.alpha.high), (other.alpha.low, other.alpha.high))


@given(raters=st.lists(GRADES, min_size=2, max_size=3))
def test_values_that_nobody_chose_change_no_weighted_kappa(raters):
    """Weights depend on the range of the scale, and kappa does not: the range cancels out of its fraction."""
    grades = sorted({grade for of_rater in raters for grade in of_rater})
    verdicts = [v for n, of_rater in enumerate(raters) for v in by(f"human:r{n}", of_rater)]
    (found,) = neraca.agreement(ITEMS, verdicts)
    if found.grades is None or len(raters) > 2:
        return
    squares = {(a, b): (a - b) ** 2 / 100 for a in range(11) for b in range(11)}  # weights over the whole scale 0 to 10
    observed = sum(squares[pair] for pair in zip(*raters, strict=True)) / len(ITEMS)
    chance = sum(squares[a, b] for a in raters[0] for b in raters[1]) / len(ITEMS) ** 2
    assert same(found.grades.weighted_kappa.value, 1 - observed / chance if chance else math.nan), grades


@given(people=GRADES, judge=GRADES)
def test_the_matrix_of_twice_the_scale_has_the_same_counts(people, judge):
    one, other = (
        judges_beside_people(ITEMS, by("human:ana", people, times) + by("llm:m", judge, times))[0] for times in (1, 2)
    )
    assert one.counts == other.counts
    assert tuple(2 * value for value in one.scale) == other.scale
    assert same(2 * one.bias.value, other.bias.value)
