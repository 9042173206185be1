"""JSON schemas, as the specification (draft 2020-12, validation) defines their keywords."""

import re

import pytest

from neraca.datasets.json_schema import check_schema, violation
from neraca.errors import InputError

LIST = {"$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}, "required": ["v"]}}}


def fits(value, schema):
    check_schema(schema, re.compile)
    return not violation(value, schema, lambda pattern, text: bool(re.search(pattern, text)))


@pytest.mark.parametrize(
    "schema, good, bad",
    [
        ({"type": "integer"}, [1, 1.0], [1.5, True, "1"]),
        ({"type": ["string", "null"]}, ["", None], [0]),
        ({"enum": [1, "a"]}, [1, 1.0, "a"], [True, "b"]),
        ({"const": {"a": [1]}}, [{"a": [1]}], [{"a": [True]}, {"a": [1, 1]}]),
        ({"minimum": 1, "exclusiveMaximum": 3}, [1, 2.9, "x"], [0.9, 3]),
        ({"maximum": 1, "exclusiveMinimum": 0}, [1], [0, 2]),
        ({"multipleOf": 0.1}, [0.3, 2], [0.35]),
        ({"minLength": 2, "maxLength": 3}, ["ab", 5], ["a", "abcd"]),
        ({"pattern": "^a"}, ["ab", 1], ["ba"]),
        ({"minItems": 1, "maxItems": 2, "uniqueItems": True}, [[1], [1, True]], [[], [1, 2, 3], [1, 1]]),
        ({"items": {"type": "string"}}, [[], ["a"], "a"], [["a", 1]]),
        ({"prefixItems": [{"type": "string"}], "items": False}, [["a"], []], [[1], ["a", "b"]]),
        ({"properties": {"a": {"type": "null"}}, "required": ["a"]}, [{"a": None}], [{}, {"a": 1}]),
        ({"properties": {"a": {}}, "additionalProperties": False}, [{"a": 1}], [{"b": 1}]),
        (
            {"additionalProperties": {"type": "number"}, "minProperties": 1, "maxProperties": 1},
            [{"a": 1}],
            [{}, {"a": ""}],
        ),
        ({"anyOf": [{"type": "null"}, {"minimum": 2}]}, [None, 2], [1]),
        ({"oneOf": [{"minimum": 1}, {"minimum": 2}]}, [1], [0, 2]),
        ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, [1, 2], [0, 3]),
        ({"not": {"type": "null"}}, [1], [None]),
        ({"$ref": "#/$defs/node", **LIST}, [{"v": 1, "next": {"v": 2}}], [{"v": 1, "next": {}}]),
        ({"title": "t", "format": "date"}, ["x"], []),
    ],
)
def test_a_keyword(schema, good, bad):
    assert [fits(value, schema) for value in good] == [True] * len(good)
    assert [fits(value, schema) for value in bad] == [False] * len(bad)


@pytest.mark.parametrize(
    "schema, problem",
    [
        ({"properties": []}, "#/properties: must be an object"),
        ({"items": 3}, "#/items: must be an object, true or false"),
        ({"anyOf": []}, "#/anyOf: must be a list of schemas"),
        ({"anyOf": [{"minimum": "1"}]}, "#/anyOf/0/minimum: must be a number"),
        ({"required": "a"}, "#/required: must be a list"),
        ({"pattern": 3}, "#/pattern: must be a text"),
        ({"type": []}, "#/type"),
        ({"$ref": "other.json"}, "nothing is at"),
        ({"properties": {"a": {"anyOf": [{"$ref": "#/properties/a"}]}}}, "refers to itself"),
    ],
)
def test_a_schema_that_cannot_be_used(schema, problem):
    with pytest.raises(InputError, match="schema") as caught:
        check_schema(schema, re.compile)
    assert problem in str(caught.value)


def test_a_schema_that_is_nested_too_deeply_is_refused():
    schema = {}
    for _ in range(200):
        schema = {"not": schema}
    with pytest.raises(InputError, match="nested more than"):
        check_schema(schema, re.compile)
