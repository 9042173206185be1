import math

import pytest

from neraca.judges.rules.fields import has_table, plain, reader, words_in
from neraca.records import Hit

HIT = Hit(
    id="h7",
    text="Rumah asri",
    fields={
        "text": "never read",
        "a.b": "own name",
        "a": {"b": "nested", "c": {"d": 5}},
        "rooms": [{"kind": "bed"}, {"size": 3}, {"kind": "bath"}],
        "none": [],
        "zero": 0,
        "no": False,
        "nan": math.nan,
        "blank": " \t",
        "flat": 3,
    },
)


@pytest.mark.parametrize(
    "field, value",
    [("text", "Rumah asri"), ("id", "h7"), ("a.b", "own name"), ("a.c.d", 5), ("rooms.kind", ["bed", "bath"])]
    + [("none", []), ("none.kind", []), ("zero", 0), ("no", False), ("flat", 3)]
    + [(name, None) for name in ("nan", "blank", "absent", "a.x", "a.c.d.e", "flat.x", "rooms.colour", "absent.x")],
)
def test_reading(field, value):
    assert reader(field)(HIT) == value


def test_a_hit_without_text_has_no_such_data():
    assert reader("text")(Hit(id="h")) is None


def test_plain_values_skip_what_is_no_data():
    assert list(plain([1, None, "", [" ", math.nan, "x"], {"id": 3}, True])) == [1, "x", True]


def test_words_of_nested_values():
    value = {"pool": True, "gym": False, "in": [{"ac": True}, "tv", 2.5, None]}
    assert list(words_in(value)) == ["pool", "ac", "tv", "2.5"]


def test_tables():
    assert has_table({})
    assert has_table([1, [{"a": 1}]])
    assert not has_table([1, "x"])
    assert not has_table("x")
