"""What an answer without hits is worth: every value of `empty`, by hand, for every kind of question and answer."""

import math

import pytest
from builders import make_answer, make_item, make_scorable

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import METRICS, Metric

NAN = math.nan
GOOD = {"d1": 1.0}
#: A good answer, hits none of which is relevant, a false empty, a failed one; where nothing is to be found: a right
#: empty, junk, a failure.  Their reciprocal ranks are 1/2 and 0.
PAIRS = [
    (make_item("1", relevant=GOOD, expects="results"), make_answer("x d1", "1")),
    (make_item("2", relevant=GOOD, expects="results"), make_answer("x y", "2")),
    (make_item("3", relevant=GOOD, expects="results"), make_answer("", "3")),
    (make_item("4", relevant=GOOD, expects="results"), make_answer("d1", "4", status="error")),
    (make_item("5", relevant={}, expects="none"), make_answer("", "5")),
    (make_item("6", relevant={}, expects="none"), make_answer("x", "6")),
    (make_item("7", relevant={}, expects="none"), make_answer("", "7", status="timeout")),
]
RIGHT, NOTHING = "correct empty: nothing to find, nothing returned", "nothing was returned"


def scored(name):
    return score_metric(Metric.of(name), make_scorable(PAIRS))


def values(name):
    return pytest.approx(scored(name).values.tolist(), nan_ok=True)


@pytest.mark.parametrize(
    "empty, wanted",
    [
        ("expected", [0.5, 0, 0, 0, NAN, 0, 0]),
        ("skip", [0.5, 0, NAN, NAN, NAN, 0, NAN]),
        ("zero", [0.5, 0, 0, 0, 0, 0, 0]),
        ("correct", [0.5, 0, 0, 0, 1, 0, 0]),
    ],
)
@pytest.mark.parametrize("name", ["RR", "P({})@2", "SetP({})", "Condensed(RR{})"])
def test_by_hand(name, empty, wanted):
    """Of these answers RR, P@2 and SetP are the same; with junk and unjudged hits left out RR is 1 and not 1/2."""
    given = f"empty={empty}"
    full = (
        name.format(f"({given})") if name.startswith("Cond") else name.format(given) if "{" in name else f"RR({given})"
    )
    first = 1.0 if name.startswith("Cond") else 0.5
    assert [first, *wanted[1:]] == values(full)


@pytest.mark.parametrize(
    "name, usual",
    [
        *[(name, "expected") for name in ("RR", "P@2", "R", "AP", "nDCG", "RBP", "SetR", "Bpref", "IPrec(0.1)", "DCG")],
        *[("SetP", "skip"), ("P(of=returned)@2", "skip"), ("Success", "correct")],
    ],
)
def test_each_metric_keeps_its_default(name, usual):
    spec = Metric.of(name).spec
    told = type(spec)(spec.name, {**spec.params, "empty": usual}, spec.values)
    assert values(str(told)).expected == values(name)


def test_a_right_empty_is_worth_1_and_junk_0_in_every_metric_that_has_a_largest_value():
    names = [name for name in METRICS.names() if METRICS.get(name).empty and name != "Condensed"]
    assert {"RR", "nDCG", "Success", "SetR"} <= set(names)
    for name in names:
        asked = f"{name}(0.1,empty=correct)" if name == "IPrec" else f"{name}(empty=correct)"
        if math.isinf(METRICS.get(name).high):
            with pytest.raises(SpecError, match=f"{name}"):
                Metric.of(asked)
        else:
            assert scored(asked).values[4:].tolist() == [1, 0, 0], name


def test_the_reasons_are_said():
    assert scored("RR").reasons == {4: RIGHT}
    assert scored("RR(empty=skip)").reasons == {2: NOTHING, 3: NOTHING, 4: RIGHT, 6: NOTHING}
    assert scored("RR(empty=correct)").reasons == {}
    assert scored("SetR").reasons == {4: RIGHT, 5: "nothing is known to be relevant", 6: NOTHING}


def test_what_cannot_be_evaluated_stays_so():
    pairs = [(make_item("1"), make_answer("", "1")), (make_item("2", relevant=GOOD), make_answer("d1", "2"))]
    counts = score_metric(Metric.of("RR(empty=correct)"), make_scorable(pairs))
    assert counts.reasons == {0: "nobody judged its hits, and what it expects is not said"}


def test_an_unjudged_hit_is_no_empty_answer():
    pairs = [(make_item("1", relevant={"z": 0.0}, expects="none"), make_answer("x", "1"))]
    assert score_metric(Metric.of("Condensed(RR(empty=correct))"), make_scorable(pairs)).values.tolist() == [0]


def test_the_usual_value_is_not_printed():
    assert str(Metric.of("RR(empty=expected)")) == "RR"
    assert str(Metric.of("Success(empty=correct)@3")) == "Success@3"
    assert str(Metric.of("nDCG(empty=correct)@10")) == "nDCG(empty=correct)@10"


def test_other_words_and_the_spelling_of_others_name_the_right_one():
    with pytest.raises(SpecError, match="empty is expected, skip, zero or correct, not 'none'"):
        Metric.of("RR(empty=none)")
    with pytest.raises(SpecError, match=r"RR\(of=returned\) is written RR\(empty=skip\)"):
        Metric.of("RR(of=returned)")
    with pytest.raises(SpecError, match="NumRet has no parameter 'empty'"):
        Metric.of("NumRet(empty=skip)")
