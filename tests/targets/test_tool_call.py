import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import InputError
from neraca.targets.tool_call import ToolCall, read_call

MEDAN = ToolCall("search", {"city": "Medan"})


@pytest.mark.parametrize(
    "written",
    [
        {"name": "search", "arguments": {"city": "Medan"}},
        {"name": "search", "arguments": '{"city": "Medan"}'},
        {"name": "search", "args": {"city": "Medan"}, "id": "c1", "type": "tool_call"},  # LangChain
        {"name": "search", "input": {"city": "Medan"}, "id": "c1", "type": "tool_use"},  # Anthropic
        {"name": "search", "parameters": {"city": "Medan"}},
        {"name": "search", "input_parameters": {"city": "Medan"}, "output": "3", "description": None},
        {"tool_name": "search", "args": '{"city": "Medan"}', "tool_call_id": "c1"},
        {"tool": "search", "args": {"city": "Medan"}},
        {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"city":"Medan"}'}},  # OpenAI
        {"function": {"name": "search", "arguments": {"city": "Medan"}}},
    ],
)
def test_every_form_is_the_same_call(written):
    assert read_call(written) == MEDAN


@pytest.mark.parametrize(
    "none", [{}, {"arguments": None}, {"arguments": {}}, {"args": ""}, {"input": " "}, {"args": "null"}]
)
def test_no_arguments_however_written(none):
    assert read_call({"name": "stop", **none}) == ToolCall("stop", {})


@pytest.mark.parametrize("text", ["{city: Medan}", "Medan", '{"city": "Med', "[" * 100_000])
def test_arguments_that_are_no_json_stay_what_they_are(text):
    assert read_call({"name": "search", "arguments": text}) == ToolCall("search", text)


@pytest.mark.parametrize(
    "wrong, told",
    [
        ({"args": {}}, "has no name; it has args, and the name belongs under `name`"),
        ({}, "has no name; it has nothing,"),
        ({"name": "", "args": {}}, "has no name; it has name, args,"),
        ({"name": 3}, "has no name"),
        ({"function": {"arguments": "{}"}}, "has no name; it has arguments,"),
        ({"function": "search"}, "has no name; it has function,"),
        ({"name": "f", "args": {}, "input": {}}, "(f) has its arguments twice, under `args` and `input`; keep one"),
        ("search", "is not a table with a name and arguments, but str"),
        (None, "is not a table with a name and arguments, but NoneType"),
    ],
)
def test_anything_else_is_told(wrong, told):
    with pytest.raises(InputError, match=re.escape(told)):
        read_call(wrong)


def canonical(arguments):
    return ToolCall("f", arguments).canonical


@pytest.mark.parametrize(
    "one, other",
    [
        ({"n": 1}, {"n": 1.0}),
        ({"n": -0.0}, {"n": 0}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": {"x": [1, {"y": 2.0, "z": None}]}}, {"a": {"x": (1.0, {"z": None, "y": 2})}}),
        ({"n": 10**20}, {"n": 1e20}),
        ({1: "a"}, {"1": "a"}),
    ],
)
def test_equal_by_value(one, other):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ({"n": 1}, {"n": "1"}),
        ({"n": 1}, {"n": True}),
        ({"n": 0}, {"n": False}),
        ({"n": None}, {}),
        ({"n": None}, {"n": "null"}),
        ({"n": [1, 2]}, {"n": [2, 1]}),
        ({"n": "Medan"}, {"n": "medan"}),
        ({"n": 0.3}, {"n": 0.1 + 0.2}),
        ({"n": 2**53}, {"n": 2**53 + 1}),
        ("{}", {}),
    ],
)
def test_different_by_value(one, other):
    assert canonical(one) != canonical(other)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3),
    max_leaves=8,
)


def same(one, other):
    """Equality of JSON values as its definition says it, without any text."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, int | float) and isinstance(other, int | float):
        return one == other
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    return type(one) is type(other) and one == other


@given(st.dictionaries(st.text(max_size=2), JSON, max_size=3), st.data())
def test_canonical_is_equality_of_values(one, data):
    other = data.draw(st.just(one) | st.dictionaries(st.sampled_from(list(one) or ["a"]), JSON, max_size=3))
    assert (canonical(one) == canonical(other)) == same(one, other)
