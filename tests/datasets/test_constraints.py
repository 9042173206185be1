import math

import pytest

from neraca.datasets.constraints import constraints
from neraca.errors import InputError
from neraca.records import Constraint, Near


def test_all_kinds_from_text():
    text = (
        '{"city": {"equals": ["Medan", 3, true], "synonyms": ["Kota Medan"]}, '
        '"price": {"min": 1, "max": 2.5, "tolerance": 0}, '
        '"place": {"near": {"lat": -90, "lng": 180, "radius_km": 3, "name": "x"}, '
        '"contains_any": ["a"], "fields": ["b"]}}'
    )
    assert constraints(text) == {
        "city": Constraint(equals=["Medan", 3.0, True], synonyms=["Kota Medan"]),
        "price": Constraint(min=1.0, max=2.5, tolerance=0.0),
        "place": Constraint(near=Near(lat=-90, lng=180, radius_km=3, name="x"), contains_any=["a"], fields=["b"]),
    }


@pytest.mark.parametrize("value", [None, "", " ", {}, "{}", "null"])
def test_none(value):
    assert constraints(value) == {}


@pytest.mark.parametrize("body", [{"equals": False}, {"equals": 0}, {"min": 0}, {"exact": 0.0}, {"about": 1}])
def test_what_is_zero_is_something(body):
    assert set(constraints({"a": body})) == {"a"}


def test_nulls_are_what_is_not_there_as_parquet_writes_them():
    empty = {"min": None, "near": {"lat": None, "lng": None, "radius_km": None}}
    assert constraints({"price": empty, "size": None}) == {}
    assert constraints({"price": {**empty, "max": 3}}) == {"price": Constraint(max=3.0)}


@pytest.mark.parametrize(
    "value,words",
    [
        ({"price": {"min": "1M"}}, 'constraint price: min must be a number, found "1M"'),
        ({"price": {"min": True}}, "constraint price: min must be a number, found true"),
        ({"price": {"minn": 1}}, 'constraint price: unknown key "minn"; did you mean min?'),
        ({"price": {"zzzz": 1}}, 'constraint price: unknown key "zzzz"; known: equals, synonyms'),
        ({"price": {"zzzz": []}}, 'unknown key "zzzz"'),
        ({"price": {}}, "constraint price: is empty; give one of equals, contains_any, near"),
        ({"price": {"tolerance": 0.1}}, "is empty"),
        ({"price": {"synonyms": ["a"]}}, "is empty"),
        ({"price": {"equals": []}}, "is empty"),
        ({"price": {"equals": ""}}, "is empty"),
        ({"price": {"min": 3, "max": 2}}, "constraint price: min (3) is greater than max (2)"),
        ({"price": {"max": math.inf}}, "max must be a number, found inf"),
        ({"price": {"max": 1, "tolerance": -0.1}}, "tolerance must not be negative, found -0.1"),
        (
            {"city": {"equals": {"a": 1}}},
            'equals must be text, a number, true or false, or a list of these, found {"a":1}',
        ),
        ({"city": {"equals": [None]}}, "equals must be text, a number"),
        ({"city": {"synonyms": "a"}}, 'synonyms must be a list of texts, found "a"'),
        ({"city": "Medan"}, 'constraint city: must be an object such as {"equals": "Medan"}, found "Medan"'),
        (
            {"at": {"near": {"lat": 91, "lng": 0, "radius_km": 1}}},
            "near: lat must be between -90 and 90 degrees, found 91",
        ),
        (
            {"at": {"near": {"lat": 0, "lng": -180.5, "radius_km": 1}}},
            "lng must be between -180 and 180 degrees, found -180.5",
        ),
        ({"at": {"near": {"lat": 0, "lng": 0, "radius_km": 0}}}, "radius_km must be greater than 0, found 0"),
        ({"at": {"near": {"lat": math.nan, "lng": 0, "radius_km": 1}}}, "lat must be between"),
        ({"at": {"near": {"lat": 0, "lng": 0, "radius_km": math.inf}}}, "radius_km must be greater"),
        ({"at": {"near": {"lat": 0, "lng": 0}}}, "constraint at: near: Object missing required field `radius_km`"),
        ({"at": {"near": {"lat": 0, "lng": 0, "radius": 1}}}, 'near: unknown key "radius"; did you mean radius_km?'),
        ({"at": {"near": {"lat": "3", "lng": 0, "radius_km": 1}}}, 'near: lat must be a number, found "3"'),
        ({"at": {"near": "Medan"}}, "near must be an object with lat, lng and radius_km"),
        ({"at": {"near": {}}}, "near: Object missing required field"),
        ({" ": {"min": 1}}, "a constraint has no name"),
        ("[1]", 'must be an object such as {"price": {"max": 900}}, found [1]'),
        ("{price: 3}", "not valid JSON"),
    ],
)
def test_what_cannot_be(value, words):
    with pytest.raises(InputError) as told:
        constraints(value)
    assert words in str(told.value)
