"""ToolCallAccuracy and ToolCallF1: every number here is counted by hand."""

import sys
from itertools import combinations

import numpy as np
import pytest
from builders import make_answer, make_item, make_scorable
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.metrics.calls.calls import UNSAID, Calls
from neraca.metrics.calls.example import calls
from neraca.metrics.calls.tool_call_accuracy import tool_call_accuracy
from neraca.metrics.calls.tool_call_f1 import tool_call_f1
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric


def both(expected, made, **parameters):
    """Accuracy in order, accuracy in any order, F1."""
    view = calls(expected, made)
    found = [tool_call_accuracy(view, order=order, **parameters)[0] for order in ("strict", "free")]
    return [*found, tool_call_f1(view, **parameters)[0]]


@pytest.mark.parametrize(
    "expected, made, strict, free, f1",
    [
        ("a b c", "a b c", 1, 1, 1),
        ("a b c", "", 0, 0, 0),
        ("a b c", "x y z", 0, 0, 0),
        ("a", "a b", 1 / 2, 1 / 2, 2 / 3),  # a further call costs
        ("a b", "a", 1 / 2, 1 / 2, 2 / 3),  # so does a missing one
        ("a b", "a x", 1 / 2, 1 / 2, 1 / 2),  # a wrong one in the place of a right one costs once
        ("a b", "b a", 1 / 2, 1, 1),
        ("a b c", "c b a", 1 / 3, 1, 1),
        ("a b c", "b c a", 2 / 3, 1, 1),  # one call stands too late
        ("a b c", "x a b c", 3 / 4, 3 / 4, 6 / 7),  # a further call in front moves nothing out of order
        ("a a b", "a b", 2 / 3, 2 / 3, 4 / 5),  # called twice is expected twice
        ("a b", "a a b", 2 / 3, 2 / 3, 4 / 5),
        ("a a", "a a a a", 1 / 2, 1 / 2, 2 / 3),
        ("a b a", "a a b", 2 / 3, 1, 1),
    ],
)
def test_by_hand(expected, made, strict, free, f1):
    assert both(expected, made) == pytest.approx([strict, free, f1])


@pytest.mark.parametrize(
    "one, other, equal",
    [
        ({"n": 1}, {"n": 1.0}, True),
        ({"n": 1}, {"n": "1"}, False),
        ({"n": 1}, {"n": True}, False),
        ({"a": 1, "b": [1, {"c": 2}]}, {"b": [1.0, {"c": 2.0}], "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ({"a": {"deep": {"er": 1}}}, {"a": {"deep": {"er": 2}}}, False),
    ],
)
def test_arguments_are_compared_by_value(one, other, equal):
    expected, made = [{"name": "f", "args": one}], [{"function": {"name": "f", "arguments": other}}]
    assert both(expected, made) == [equal] * 3
    assert both(expected, made, arguments="ignore") == [1] * 3


def test_the_tool_counts_too():
    expected, made = [{"name": "f", "args": {"n": 1}}], [{"name": "F", "args": {"n": 1}}]
    assert both(expected, made) == both(expected, made, arguments="ignore") == [0] * 3


def test_a_call_is_not_mistaken_for_another_whose_name_and_arguments_join_to_the_same_text():
    assert both([{"name": "f{}", "args": {}}], [{"name": "f", "args": "{}{}"}]) == [0] * 3


def longest(expected, made):
    """The longest common subsequence by trying all, the longest first."""
    for size in range(min(len(expected), len(made)), 0, -1):
        if set(combinations(expected, size)) & set(combinations(made, size)):
            return size
    return 0


NAMES = st.lists(st.sampled_from("abc"), max_size=6)


@given(NAMES.filter(bool), NAMES)
def test_against_a_slow_count(expected, made):
    rest, right = list(expected), 0
    for name in made:
        if name in rest:
            rest.remove(name)
            right += 1
    most = max(len(expected), len(made))
    slow = [longest(expected, made) / most, right / most, 2 * right / (len(expected) + len(made))]
    assert both(" ".join(expected), " ".join(made)) == pytest.approx(slow)


@given(NAMES.filter(bool), NAMES, st.sampled_from("abcx"))
def test_a_further_wrong_call_costs_and_order_never_helps(expected, made, name):
    before, after = both(" ".join(expected), " ".join(made)), both(" ".join(expected), " ".join([*made, "x"]))
    assert all(one <= other for one, other in zip(after, before, strict=True))
    if before[1] == 1:
        assert all(one < other for one, other in zip(after, before, strict=True))
    assert before[0] <= before[1]


def rows(name, *pairs):
    column = score_metric(Metric.of(name), make_scorable(pairs))
    return [float(Metric.of(name).total(row)) for row in column.rows], list(column.why)


A = {"name": "a"}


@pytest.mark.parametrize("name", ["ToolCallAccuracy", "ToolCallAccuracy(order=free)", "ToolCallF1"])
def test_no_calls(name):
    pairs = [
        (make_item("1", expected_calls=(A,)), make_answer(item="1")),
        (make_item("2", expected_calls=(A,)), make_answer(item="2", status="timeout", calls=(A,))),
        (make_item("3", expected_calls=(A,)), make_answer(item="3", status="suspect", calls=(A,))),
        (make_item("4"), make_answer(item="4")),
        (make_item("5"), make_answer(item="5", calls=(A,))),
        (make_item("6"), make_answer(item="6", status="error")),
    ]
    none_expected = [
        (make_item("7", expected_calls=()), make_answer(item="7")),
        (make_item("8", expected_calls=()), make_answer(item="8", calls=(A,))),
        (make_item("9", expected_calls=()), make_answer(item="9", status="error")),
    ]
    assert rows(name, *none_expected) == ([1, 0, 0], ["", "", ""])  # an explicit empty list says: none
    values, why = rows(name, *pairs)
    assert values == pytest.approx([0, 0, np.nan, np.nan, np.nan, np.nan], nan_ok=True)
    assert why == ["", "", "suspect: the answer may not be whole", UNSAID, UNSAID, UNSAID]
    none = name.replace(")", ",unsaid=none)") if ")" in name else f"{name}(unsaid=none)"
    values, why = rows(none, *pairs)
    assert values == pytest.approx([0, 0, np.nan, 1, 0, 0], nan_ok=True)
    assert [bool(text) for text in why] == [False, False, True, False, False, False]


def test_calls_that_cannot_be_read_are_told():
    view = Calls.of(
        make_scorable(
            [
                (make_item("1", expected_calls=(A,)), make_answer(item="1", calls=(A, {"args": {}}))),
                (make_item("2", expected_calls=({"id": 3},)), make_answer(item="2", calls=({"args": {}},))),
                (make_item("3", expected_calls=({"id": 3},)), make_answer(item="3", status="suspect")),
            ]
        )
    )
    assert list(view.unscored) == [
        "call 2 has no name; it has args, and the name belongs under `name`",
        "expected call 1 has no name; it has id, and the name belongs under `name`",
        "suspect: the answer may not be whole",
    ]


def test_a_failed_answer_may_have_made_calls_that_cannot_be_read():
    assert rows(
        "ToolCallF1", (make_item("1", expected_calls=(A,)), make_answer(item="1", status="error", calls=({},)))
    ) == (
        [0],
        [""],
    )


def test_calls_nested_without_end_are_told():
    deep = {}
    for _ in range(sys.getrecursionlimit()):
        deep = {"a": deep}
    values, why = rows(
        "ToolCallF1", (make_item("1", expected_calls=(A,)), make_answer(calls=({"name": "a", "args": deep},)))
    )
    assert np.isnan(values[0])
    assert why == ["call 1 is nested too deeply to be read"]


@pytest.mark.parametrize(
    "name, told",
    [
        ("ToolCallAccuracy(order=any)", "order is strict or free, not 'any'"),
        ("ToolCallAccuracy(arguments=names)", "arguments is exact or ignore, not 'names'"),
        ("ToolCallF1(unsaid=1)", "unsaid is a word"),
        ("ToolCallF1(unsaid=zero)", "unsaid is skip or none, not 'zero'"),
    ],
)
def test_wrong_parameters(name, told):
    with pytest.raises(SpecError, match=told):
        rows(name, (make_item("1", expected_calls=(A,)), make_answer()))
