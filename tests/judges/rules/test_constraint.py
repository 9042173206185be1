import functools
import math

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import InputError
from neraca.judges.outcome import Outcome, missing
from neraca.judges.rules.constraint import CheckContext, _join, prepare
from neraca.judges.rules.geo import locator
from neraca.judges.rules.numbers import read_number
from neraca.judges.rules.phrases import Synonyms
from neraca.records import Constraint, Hit, Near

INDONESIAN = functools.partial(read_number, language="id")
CONTEXT = CheckContext(synonyms=Synonyms({}), fields={}, locate=locator(), read_number=INDONESIAN)
# One degree of latitude is 111.19493 km: 0.0378 degrees are 4.2032 km, 0.018 are 2.0015 km.
CEMARA = Near(lat=3.6, lng=98.7, radius_km=3, name="Cemara Asri")


def judged(data, /, name="x", text="", context=CONTEXT, **asked):
    check = prepare(name, Constraint(**asked), context)
    assert check is not None
    value, why, status = check(Hit(id="h7", text=text, fields=data))
    assert status == ("missing" if value is None else "decided")
    return value, why


@pytest.mark.parametrize(
    "asked, number, value, why",
    [
        ({"min": 1e9, "max": 1999999999}, 1.25e9, 1, "x 1,250,000,000 is within 1,000,000,000 to 1,999,999,999"),
        ({"min": 1e9, "max": 1999999999}, 2e9, 0, "x 2,000,000,000 is outside 1,000,000,000 to 1,999,999,999"),
        ({"min": 1000}, 1000, 1, "x 1,000 is at least 1,000"),
        ({"min": 1000}, 999, 0, "x 999 is below 1,000"),
        ({"min": -1}, -1, 1, "x -1 is at least -1"),
        ({"max": 1000}, 1000, 1, "x 1,000 is at most 1,000"),
        ({"max": 1000}, 1000.01, 0, "x 1,000.01 is above 1,000"),
        ({"max": 0}, 1, 0, "x 1 is above 0"),
        ({"exact": 3}, 2, 0, "x: 2, wanted 3"),
        ({"exact": 3}, "3 lantai", 1, "x: 3, wanted 3"),
        ({"exact": 0}, 0, 1, "x: 0, wanted 0"),
        ({"exact": 100, "tolerance": 0.05}, 105, 1, "x: 105, wanted 100 (95 to 105)"),
        ({"exact": 100, "tolerance": 0.05}, 94, 0, "x: 94, wanted 100 (95 to 105)"),
        ({"about": 1000}, 1100, 1, "x 1,100 is about 1,000 (900 to 1,100)"),
        ({"about": 1000}, 1101, 0, "x 1,101 is not about 1,000 (900 to 1,100)"),
        ({"about": -1000}, -1100, 1, "x -1,100 is about -1,000 (-1,100 to -900)"),
        ({"about": 1000, "tolerance": 0.2}, 800, 1, "x 800 is about 1,000 (800 to 1,200)"),
        ({"about": 1000, "tolerance": 0}, 1001, 0, "x 1,001 is not about 1,000 (1,000 to 1,000)"),
        ({"min": 100, "tolerance": 0.1}, 90, 1, "x 90 is at least 100, with tolerance 90"),
        ({"min": 100, "tolerance": 0.1}, 89, 0, "x 89 is below 100, with tolerance 90"),
        ({"min": -100, "tolerance": 0.1}, -110, 1, "x -110 is at least -100, with tolerance -110"),
        ({"max": 300, "tolerance": 0.1}, 330, 1, "x 330 is at most 300, with tolerance 330"),
        ({"max": 300, "tolerance": 0.1}, 331, 0, "x 331 is above 300, with tolerance 330"),
        ({"min": 10, "max": 20, "tolerance": 0.5}, 30, 1, "x 30 is within 10 to 20, with tolerance 5 to 30"),
        ({"min": 5, "about": 10}, 4, 0, "x 4 is below 5; x 4 is not about 10 (9 to 11)"),
        ({"min": 5, "about": 10}, 6, 0, "x 6 is not about 10 (9 to 11)"),
        ({"min": 5, "about": 10}, 10, 1, "x 10 is at least 5; x 10 is about 10 (9 to 11)"),
        ({"min": 800e6, "max": 899999999}, "Rp 850 jt", 1, "x 850,000,000 is within 800,000,000 to 899,999,999"),
        ({"exact": 3}, [3], 1, "x: 3, wanted 3"),
        ({"min": 1}, "call us", None, "x is call us, not one number"),
        ({"min": 1}, "2-3", None, "x is 2-3, not one number"),
        ({"min": 1}, [2, 3], None, "x is 2, 3, not one number"),
        ({"min": 1}, True, None, "x is true, not one number"),
        ({"min": 1}, math.nan, None, "no x"),
        ({"min": 1}, "", None, "no x"),
        ({"min": 1}, None, None, "no x"),
    ],
)
def test_numbers(asked, number, value, why):
    assert judged({"x": number}, **asked) == (value, why)


def test_numbers_come_from_the_first_field_that_has_one():
    asked = {"fields": ["price", "rent.month"], "max": 10}
    assert judged({"price": "ask", "rent": {"month": 9}}, **asked) == (1, "rent.month 9 is at most 10")
    assert judged({"price": 11, "rent": {"month": 9}}, **asked)[0] == 0
    assert judged({"price": "ask"}, **asked) == (None, "price is ask, not one number")
    assert judged({}, **asked) == (None, "no price or rent.month")


def test_equals_looks_at_the_first_field_with_data():
    asked = {"fields": ["kind", "type.name"], "equals": "rumah"}
    assert judged({"kind": "", "type": {"name": "Rumah"}}, **asked) == (1, "type.name is Rumah, as wanted")
    assert judged({"kind": "villa", "type": {"name": "Rumah"}}, **asked)[0] == 0
    assert judged({"kind": math.nan}, **asked) == (None, "no kind or type.name")


def test_equals_does_not_look_into_tables():
    why = "x is a table; name a field inside it, as x.NAME"
    assert judged({"x": {"id": 3}}, equals=3) == (None, why)
    assert judged({"x": [{"id": 3}]}, equals=3) == (None, why)
    assert judged({"x": [{"id": 3}]}, equals=3, fields=["x.id"]) == (1, "x.id: 3, wanted 3")


def test_an_empty_list_is_data():
    assert judged({"x": []}, equals="rumah") == (0, "x is empty, wanted rumah")
    assert judged({"x": []}, contains_any=["ac"]) == (0, "x does not contain ac")
    assert judged({"x": ""}, contains_any=["ac"]) == (None, "no x")
    assert judged({"x": None}, equals="rumah") == (None, "no x")


def test_equals_takes_a_list_synonyms_and_truth():
    assert judged({"x": "home"}, equals=["villa", "house"], synonyms=["home"])[0] == 1
    assert judged({"x": False}, equals=False)[0] == 1
    assert judged({"x": "tidak"}, equals=True) == (0, "x is tidak, wanted true")


def test_contains_any_takes_any_field():
    asked = {"fields": ["facilities", "text"], "contains_any": ["AC", "Kolam Renang"]}
    assert judged({"facilities": ["ac", "taman"]}, **asked) == (1, "facilities contains ac")
    assert judged({"facilities": []}, text="Ada kolam-renang", **asked) == (1, "text contains kolam-renang")
    assert judged({"facilities": {"ac": False, "kolam renang": True}}, **asked)[0] == 1
    words = "facilities and text do not contain AC or Kolam Renang"
    assert judged({"facilities": ["taman"]}, text="Acara", **asked) == (0, words)
    assert judged({}, text="Acara", **asked) == (0, "text does not contain AC or Kolam Renang")
    assert judged({}, **asked) == (None, "no facilities or text")


def test_text_is_looked_at_only_when_named():
    assert judged({}, text="ada ac", contains_any=["ac"]) == (None, "no x")


def test_a_phrase_does_not_reach_over_entries():
    assert judged({"x": ["kolam", "renang"]}, contains_any=["kolam renang"])[0] == 0


def test_many_words_are_counted_in_the_why():
    words = [f"w{i}" for i in range(8)]
    assert judged({"x": "a"}, contains_any=words)[1] == "x does not contain w0 or w1 or w2 or w3 or w4 or 3 more"


def test_near():
    assert judged({"lat": 3.6378, "lng": 98.7}, near=CEMARA) == (0, "4.2 km from Cemara Asri, allowed 3 km")
    assert judged({"lat": 3.618, "lng": 98.7}, near=CEMARA) == (1, "2.0 km from Cemara Asri, allowed 3 km")
    unnamed = Near(lat=3.6, lng=98.7, radius_km=2.5)
    assert judged({"lat": 3.6, "lng": 98.7}, near=unnamed) == (1, "0.0 km from 3.6, 98.7, allowed 2.5 km")
    assert judged({"lat": 3.6, "lng": 98.7}, near=Near(lat=3.6, lng=98.7, radius_km=0))[0] == 1
    assert judged({"lat": 91, "lng": 98.7}, near=CEMARA) == (None, "no coordinates")


def test_a_near_miss_is_shown_as_one():
    # 0.02735 degrees are 3.04118 km, 0.026980 are 3.0000392 km, 0.02698 less a little is within.
    assert judged({"lat": 3.62735, "lng": 98.7}, near=CEMARA) == (0, "3.04 km from Cemara Asri, allowed 3 km")
    assert judged({"lat": 3.62698, "lng": 98.7}, near=CEMARA) == (0, "3.000039 km from Cemara Asri, allowed 3 km")
    assert judged({"lat": 3.626979, "lng": 98.7}, near=CEMARA)[0] == 1


HERE, THERE, NOWHERE = {"lat": 3.6, "lng": 98.7}, {"lat": 4.6, "lng": 98.7}, {}
NAMED, OTHER, UNNAMED = {"x": "Jl. Cemara Asri 5"}, {"x": "Setia Budi"}, {}


@pytest.mark.parametrize(
    "place, words, value",
    [
        (HERE, NAMED, 1),
        (HERE, OTHER, 1),
        (HERE, UNNAMED, 1),
        (THERE, NAMED, 1),
        (NOWHERE, NAMED, 1),
        (THERE, OTHER, 0),
        (THERE, UNNAMED, None),
        (NOWHERE, OTHER, None),
        (NOWHERE, UNNAMED, None),
    ],
)
def test_of_words_and_place_either_is_enough(place, words, value):
    assert judged({**place, **words}, contains_any=["cemara asri"], near=CEMARA)[0] == value


def test_whys_of_either():
    asked = {"contains_any": ["cemara asri"], "near": CEMARA}
    far = "x does not contain cemara asri; 111.2 km from Cemara Asri, allowed 3 km"
    assert judged({**THERE, **OTHER}, **asked)[1] == far
    assert judged(OTHER, **asked)[1] == "no coordinates"
    assert judged({}, **asked)[1] == "no x; no coordinates"


def test_all_kinds_must_hold():
    asked = {"equals": [2, 3], "min": 3, "near": CEMARA}
    assert judged({"x": 3, **HERE}, **asked)[0] == 1
    assert judged({"x": 2, **HERE}, **asked) == (0, "x 2 is below 3")
    assert judged({"x": 2}, **asked) == (0, "x 2 is below 3")  # one that fails decides over what is missing
    assert judged({"x": 3}, **asked) == (None, "no coordinates")
    assert judged({"x": 3, **THERE}, **asked)[0] == 0


TRUTHS = st.lists(st.sampled_from([0.0, None, 1.0]), min_size=1, max_size=4)


@given(TRUTHS)
def test_outcomes_combine_as_least_and_greatest_of_fail_missing_pass(values):
    order = {0.0: 0, None: 1, 1.0: 2}
    outcomes = {0.0: Outcome(0.0, "w"), None: missing("w"), 1.0: Outcome(1.0, "w")}
    checks = [lambda hit, value=value: outcomes[value] for value in values]
    least, greatest = (chosen(values, key=order.get) for chosen in (min, max))
    assert _join(checks, decides=0.0)(Hit(id="h"))._replace(why="w") == outcomes[least]
    assert _join(checks, decides=1.0)(Hit(id="h"))._replace(why="w") == outcomes[greatest]


def test_where_to_look():
    context = msgspec.structs.replace(CONTEXT, fields={"x": ["kind"]})
    assert judged({"kind": 3, "x": 4}, context=context, exact=3)[0] == 1
    assert judged({"kind": 3, "own": 4}, context=context, exact=4, fields=["own"])[0] == 1
    assert judged({}, name="id", equals="H7") == (1, "id is h7, as wanted")
    assert judged({}, name="text", text="ada ac", contains_any=["ac"]) == (1, "text contains ac")


@pytest.mark.parametrize("asked", [{}, {"tolerance": 0.1}, {"fields": ["y"]}, {"synonyms": ["y"]}])
def test_a_constraint_that_asks_nothing_is_none(asked):
    assert prepare("x", Constraint(**asked), CONTEXT) is None


@pytest.mark.parametrize(
    "asked, part",
    [
        ({"min": 2, "max": 1}, "min 2 is above max 1"),
        ({"min": math.nan}, "finite"),
        ({"exact": math.inf}, "finite"),
        ({"near": Near(lat=math.nan, lng=0, radius_km=1)}, "finite"),
        ({"near": Near(lat=98.7, lng=3.6, radius_km=1)}, "near needs lat from -90 to 90"),
        ({"near": Near(lat=3.6, lng=181, radius_km=1)}, "near needs"),
        ({"near": Near(lat=3.6, lng=98.7, radius_km=-1)}, "near needs"),
        ({"about": 3, "tolerance": -0.1}, "tolerance must be 0 or more"),
        ({"equals": []}, "empty list"),
        ({"equals": " "}, "a word is empty"),
        ({"equals": ["a", ""]}, "a word is empty"),
        ({"equals": "a", "synonyms": [""]}, "a word is empty"),
        ({"contains_any": ["ac", " - "]}, "a word is empty"),
    ],
)
def test_what_nothing_could_satisfy_is_refused(asked, part):
    with pytest.raises(InputError, match=f"constraint 'x': .*{part}"):
        prepare("x", Constraint(**asked), CONTEXT)
