import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from judged_answers import ANA, GONE, judged, value, verdict_on, why

from neraca.metrics.rag.judge_verdicts import UNANSWERABLE
from neraca.records import Hit


@pytest.mark.parametrize(
    "useful, expected",
    [
        ([0, 1], 1 / 2),  # the published example
        ([1, 0], 1),
        ([1, 0, 1], (1 + 2 / 3) / 2),
        ([0, 0], 0),
        ([1, 1, 1], 1),
        ([0, 1, 1, 0], (1 / 2 + 2 / 3) / 2),
    ],
)
def test_by_hand(useful, expected):
    assert value("ContextPrecision", judged(useful=useful)) == pytest.approx(expected)


def test_nothing_returned():
    assert value("ContextPrecision", judged(useful=[])) == 0
    nothing = {"expects": "none"}
    for said, answer in ((judged(useful=[]), {}), (judged(useful=[]), {"status": "error"}), (judged(useful=[1]), {})):
        assert why("ContextPrecision", said, item=nothing, answer=answer) == UNANSWERABLE
    assert value("ContextPrecision", judged(useful=[]), item={"expects": "results"}) == 0


def test_where_the_judge_failed():
    said = judged(useful=[1, 0, 1])
    assert why("ContextPrecision", said, changes={"hit:b useful": "no"}) == "context b: no"
    assert why("ContextPrecision", said, changes={"hit:b useful": GONE}) == (
        "2 of 3 contexts were judged useful or not"
    )
    assert why("ContextPrecision", said, changes={"answer contexts": "500"}) == "500"
    assert why("ContextPrecision", said, changes={"answer contexts": GONE}) == "llm:m did not judge its contexts"


def test_a_person_overrules():
    assert value("ContextPrecision", judged(useful=[0, 1]), verdict_on("hit:a", "useful", 1, by=ANA)) == 1
    assert why("ContextPrecision", judged(useful=[0, 1]), verdict_on("hit:a", "useful", None, by=ANA)) == (
        "context a: nobody can tell whether it is useful"
    )


def test_the_rank_is_that_of_the_answer_not_of_the_verdicts():
    hits = (Hit(id="b", text="?"), Hit(id="a", text="?"))
    assert value("ContextPrecision", judged(useful=[0, 1]), answer={"hits": hits}) == 1


@given(st.lists(st.sampled_from([0, 1]), min_size=2, max_size=8), st.data())
def test_a_better_rank_of_a_useful_context_never_lowers_it(useful, data):
    place = data.draw(st.integers(0, len(useful) - 2))
    assume(useful[place] < useful[place + 1])
    better = [*useful[:place], 1, 0, *useful[place + 2 :]]
    assert value("ContextPrecision", judged(useful=better)) > value("ContextPrecision", judged(useful=useful))
