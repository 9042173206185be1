import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.judges.rules.geo import haversine, locator
from neraca.records import Hit


def test_airports_of_nashville_and_los_angeles():
    # Rosetta Code, "Haversine formula": BNA to LAX is 2887.2599506071106 km on R = 6372.8; here R = 6371.
    assert haversine(36.12, -86.67, 33.94, -118.40) == pytest.approx(2887.2599506071106 * 6371 / 6372.8, rel=1e-12)


def test_arcs_that_can_be_computed_by_hand():
    degree = math.pi / 180 * 6371  # 111.19493 km
    assert haversine(3, 98, 4, 98) == pytest.approx(degree)
    assert degree == pytest.approx(111.19493, abs=1e-5)
    assert haversine(0, 179.5, 0, -179.5) == pytest.approx(degree)  # over the date line
    assert haversine(60, 0, 60, 180) == pytest.approx(60 * degree)  # over the pole
    assert haversine(0, 0, 0, 180) == pytest.approx(180 * degree)
    assert haversine(3.6, 98.7, 3.6, 98.7) == 0


LAT, LNG = st.floats(-90, 90), st.floats(-180, 180)


@given(LAT, LNG, LAT, LNG)
def test_distance_is_symmetric_and_at_most_half_round(lat, lng, to_lat, to_lng):
    there = haversine(lat, lng, to_lat, to_lng)
    assert there == pytest.approx(haversine(to_lat, to_lng, lat, lng), abs=1e-6)
    assert 0 <= there <= math.pi * 6371 + 1e-9


@pytest.mark.parametrize(
    "fields",
    [
        {"lat": 3.5, "lng": 98.625},
        {"latitude": 3.5, "longitude": 98.625},
        {"lat": "3.5", "lon": "98.625"},
        {"lat": 3.5, "long": 98.625},
        {"location": {"lat": 3.5, "lng": 98.625}},
        {"geo": {"latitude": 3.5, "lon": 98.625}},
        {"coordinates": {"lat": 3.5, "lng": 98.625}},
        {"lat": None, "lng": None, "geo": {"lat": 3.5, "lng": 98.625}},
    ],
)
def test_usual_names_are_found(fields):
    assert locator()(Hit(id="h", fields=fields)) == (3.5, 98.625)


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"lat": 3.5},
        {"lat": 3.5, "geo": {"lng": 98.625}},
        {"lat": 91, "lng": 98},
        {"lat": 3.5, "lng": 181},
        {"lat": math.nan, "lng": 98},
        {"lat": "nan", "lng": "98"},
        {"lat": "", "lng": ""},
        {"lat": "utara", "lng": "98"},
        {"lat": 10**400, "lng": 98},
        {"lat": True, "lng": True},
        {"coordinates": [98.625, 3.5]},
    ],
)
def test_what_cannot_be_a_place_is_none(fields):
    assert locator()(Hit(id="h", fields=fields)) is None


def test_named_fields_replace_the_usual_names():
    locate = locator("pos.y", "pos.x")
    assert locate(Hit(id="h", fields={"pos": {"y": 1, "x": 2}, "lat": 3, "lng": 4})) == (1, 2)
    assert locate(Hit(id="h", fields={"lat": 3, "lng": 4})) is None


def test_a_thousandth_of_a_degree_is_no_thousand():
    assert locator()(Hit(id="h", fields={"lat": "3.612", "lng": "98.672"})) == (3.612, 98.672)
