"""Valid, Supported, Rubric, Aspect and Preferred: verdicts on the answer as a whole."""

import math

import pytest
from judged_answers import ANA, judged, outcome, value, verdict_on, why

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.rag import example

FAILED = {"status": "error"}
SHARES = [("Valid", "valid"), ("Supported", "supported"), ("Aspect(polite)", "polite"), ("Aspect(2024)", "2024")]
SHARES += [("Preferred(base line)", "preferred:base line")]
every = pytest.mark.parametrize


@every("name, aspect", [*SHARES, ("Rubric(polite)", "polite")])
@every("number", [0, 0.5, 1])
def test_the_verdict_is_the_value(name, aspect, number):
    assert value(name, judged(**{aspect: number})) == number
    assert value(name, judged(**{aspect: 0}), verdict_on("answer", aspect, number, by=ANA)) == number


@every("name, aspect", [*SHARES, ("Rubric(polite)", "polite")])
def test_where_there_is_none(name, aspect):
    assert why(name, judged()) == f"nobody judged it: {aspect}"
    assert why(name, judged(**{aspect: None})) == f"llm:m did not judge it: {aspect}"
    assert why(name, judged(), verdict_on("answer", aspect, None, why="429")) == "429"


@every(
    "name, aspect, expected",
    [
        ("Valid", "valid", 0),
        ("Aspect(polite)", "polite", 0),
        ("Supported", "supported", 0),
        ("Rubric(polite)", "polite", 0),
        ("Rubric(polite,scale=1-5)", "polite", 1),
        ("Preferred(b)", "preferred:b", None),
    ],
)
def test_a_failed_answer(name, aspect, expected):
    found, reason = outcome(name, judged(), answer=FAILED)
    assert found == expected
    assert reason == ("" if expected is not None else "the target gave no answer, and nobody judged that")
    assert value(name, judged(), verdict_on("answer", aspect, 1), answer=FAILED) == 1, "somebody judged it all the same"


def test_grades_have_no_range():
    assert value("Rubric(tone)", judged(tone=4)) == 4
    assert value("Rubric(tone)", judged(tone=-2)) == -2
    assert value("Rubric(2024)", judged(**{"2024": 3})) == 3
    with pytest.raises(SpecError, match=r"Aspect\(tone\): 4 is no yes or no, it is a grade; use Rubric\(tone\)"):
        outcome("Aspect(tone)", judged(tone=4))
    with pytest.raises(SpecError, match="use Rubric"):
        outcome("Aspect(tone)", judged(tone=-1))


@every("name", ["Rubric", "Aspect", "Preferred"])
def test_they_need_a_name(name):
    with pytest.raises(SpecError, match=f"{name} needs"):
        Metric.of(name)


def test_the_range_of_a_rubric_is_its_scale():
    ranges = [Metric.of(name).definition for name in ("Rubric(quality)", "Rubric(tone,scale=1-10)", "Rubric(tone)")]
    assert [(one.low, one.high) for one in ranges] == [(0, 5), (1, 10), (-math.inf, math.inf)]
    below_zero = Metric.of("Rubric(tone,scale=-2-2)").definition
    assert (below_zero.low, below_zero.high) == (-2, 2)
    for scale in ("best", "5-1", "low-high"):
        with pytest.raises(SpecError, match="a scale is its lowest and its highest grade, such as 0-5"):
            Metric.of(f"Rubric(tone,scale={scale})")


@pytest.mark.parametrize("scale, grade, share", [("1-5", 4, 0.75), ("0-10", 4, 0.4), ("1-7", 1, 0), ("1-7", 7, 1)])
def test_a_share_of_the_scale_is_the_distance_from_its_lowest_grade(scale, grade, share):
    metric = Metric.of(f"Rubric(tone,scale={scale},share=true)")
    assert metric.definition.limits == (0, 1)
    assert metric(example.judged(tone=grade)).values == pytest.approx([share])


def test_a_share_needs_a_scale_and_a_grade_on_it():
    with pytest.raises(SpecError, match=r"write Rubric\(tone,scale=1-5,share=true\)"):
        Metric.of("Rubric(tone,share=true)")(example.judged(tone=4))
    with pytest.raises(SpecError, match="9 is outside its scale of 1 to 5"):
        Metric.of("Rubric(tone,scale=1-5,share=true)")(example.judged(tone=9))
