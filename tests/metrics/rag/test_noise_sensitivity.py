import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_answers import ANA, GONE, judged, outcome, value, verdict_on, why

from neraca.errors import SpecError

SIDE = st.lists(
    st.tuples(st.sampled_from(["", "a", "b", "c", "a b", "b c"]), st.sampled_from([0, 1])), min_size=1, max_size=6
)


@pytest.mark.parametrize(
    "claims, reference, relevant, irrelevant",
    [
        ([("a", 0), ("b", 0)], [("a", 1)], 1 / 2, 1 / 2),
        ([("a", 1), ("b", 1)], [("a", 1)], 0, 0),  # all right
        ([("a b", 0)], [("a", 1)], 1, 0),  # by both: the relevant one is to blame
        ([("a", 0), ("", 0)], [("", 1)], 0, 1 / 2),  # no context is relevant
        ([("a", 0), ("b", 0), ("c", 1)], [("a b c", 1)], 2 / 3, 0),
        ([("", 0)], [("a", 1)], 0, 0),  # made up
    ],
)
def test_by_hand(claims, reference, relevant, irrelevant):
    said = judged(claims, reference, useful=[1, 1, 1])
    assert value("NoiseSensitivity", said) == pytest.approx(relevant)
    assert value("NoiseSensitivity(contexts=irrelevant)", said) == pytest.approx(irrelevant)


@given(SIDE, SIDE)
def test_every_wrong_claim_has_one_source(claims, reference):
    said = judged(claims, reference, useful=[1, 1, 1])
    names = ("NoiseSensitivity", "NoiseSensitivity(contexts=irrelevant)", "Hallucination")
    assert sum(value(name, said) for name in names) == pytest.approx(1 - value("ClaimPrecision", said))


def test_contexts_of_another_answer_do_not_count():
    """The context a is relevant to this answer only if it is this answer's: the places are kept apart."""
    assert value("NoiseSensitivity", judged([("b", 0)], [("a", 1)])) == 0


def test_a_context_of_which_nobody_said_whether_it_is_useful_is_one_of_its_own():
    """b has no verdict of its own, yet it supports the wrong claim; a supports the reference."""
    said = judged([("b", 0)], [("a", 1)])
    assert value("NoiseSensitivity", said, changes={"hit:b useful": GONE}) == 0
    assert value("NoiseSensitivity(contexts=irrelevant)", said, changes={"hit:b useful": GONE}) == 1


def test_relevant_or_not():
    with pytest.raises(SpecError, match="contexts is relevant or irrelevant, not 'all'"):
        outcome("NoiseSensitivity(contexts=all)", judged([("a", 0)]))


def test_it_is_not_known_which_context_supports_the_reference():
    said = judged([("a", 0)], [("", 1)])
    assert why("NoiseSensitivity", said, verdict_on("reference:1", "supported", 1, by=ANA)).startswith("somebody says")
