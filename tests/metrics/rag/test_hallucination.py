import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_answers import judged, value

CLAIMS = st.lists(st.tuples(st.sampled_from(["", "a", "b", "a b"]), st.sampled_from([0, 1])), min_size=1, max_size=6)


def test_by_hand():
    # supported and wrong, not supported and wrong (twice), not supported and right, supported and right
    said = judged([("a", 0), ("", 0), ("", 0), ("", 1), ("b", 1)])
    assert value("Hallucination", said) == pytest.approx(2 / 5)
    assert value("SelfKnowledge", said) == pytest.approx(1 / 5)


@given(CLAIMS)
def test_what_is_not_faithful_is_hallucinated_or_known(claims):
    said = judged(claims)
    total = value("Faithfulness", said) + value("Hallucination", said) + value("SelfKnowledge", said)
    assert total == pytest.approx(1)
