"""Grades as columns say what a mapping of mappings says."""

from hypothesis import given
from hypothesis import strategies as st

from neraca.verdicts.grades import Grades

NAMES = st.sampled_from(["", "a", "b", "hit:a", "é", "a b"])
KNOWN = st.dictionaries(NAMES, st.dictionaries(NAMES, st.floats(-3, 9), max_size=4))


@given(KNOWN)
def test_every_item_and_document_comes_back(known):
    items = list(known)
    blocks = [
        {item: {f"hit:{doc}": grade for doc, grade in known[item].items()} for item in some}
        for some in (items[:2], items[2:])
    ]
    grades = Grades.joined(blocks)
    assert grades == known
    assert list(grades) == items
    assert all((item in grades) == (item in known) for item in ["a", "b", "nobody"])
    assert grades.get("nobody") is None
    assert grades.top == max([0.0, *(grade for docs in known.values() for grade in docs.values())])
    assert list(grades.of(["nobody", *items])) == [[], *(list(known[item].values()) for item in items)]
