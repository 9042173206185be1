"""Circles around places: a record of the place is inside, no record at the edge, and a question says them."""

from random import Random

import pytest

import neraca
from neraca.generation.distances import EDGE, Circles
from neraca.generation.records_table import read_records
from neraca.judges.rules.geo import haversine
from neraca.records import Near

#: A degree of latitude: 2π · 6371 km / 360.
DEGREE = 111.195


def point(kilometres, name="York"):
    return Near(lat=kilometres / DEGREE, lng=0.0, radius_km=0.0, name=name)


def radii(*points, of=0):
    circles = Circles(points)
    return {circle and circle.radius_km for circle in (circles.around(points[of], Random(n)) for n in range(50))}


def test_a_circle_has_its_record_and_none_at_its_edge():
    # The middle of York is at 0 km: of the radii 1, 2, 3 … the smallest three above 1.5 km may be drawn.
    assert radii(point(-1.5), point(1.5)) == {2.0, 3.0, 5.0}
    assert radii(point(-1.5), point(1.5), point(3.05, "Hull")) == {2.0, 5.0, 10.0}
    assert radii(point(-30), point(30)) == {None}


def test_a_record_whose_place_is_not_named_has_no_circle_but_lies_at_no_edge():
    assert radii(point(-1.5), point(1.5), point(3.05, "")) == {2.0, 5.0, 10.0}
    assert radii(point(-1.5), point(1.5), point(0, ""), of=2) == {None}


def test_a_circle_is_around_the_middle_of_the_place():
    circle = Circles([point(-1), point(3), point(90, "Hull")]).around(point(3), Random(1))
    assert circle.name == "York"
    assert haversine(circle.lat, circle.lng, 1 / DEGREE, 0) == pytest.approx(0, abs=0.002)


ROWS = [
    {"id": f"h{n}", "type": ("flat", "house")[n % 2], "city": ("York", "Hull")[n % 2], "lat": n / 50, "lng": n % 2}
    for n in range(40)
]


def test_questions_about_distances_never_name_another_place_and_are_exact():
    items = neraca.generate(ROWS, 60, language="en").dataset.items
    near = [item for item in items if "distance" in item.constraints]
    assert any(" km of " in item.query for item in near)
    for item in near:
        assert "city" not in item.constraints
        circle = item.constraints["distance"].near
        right = set()
        for row in ROWS:
            distance = haversine(circle.lat, circle.lng, row["lat"], row["lng"])
            assert abs(distance - circle.radius_km) >= EDGE * circle.radius_km
            if distance <= circle.radius_km and item.constraints.get("type", neraca.Constraint()).equals in (
                None,
                row["type"],
            ):
                right.add(row["id"])
        assert set(item.relevant) == right


def test_coordinates_without_a_place_are_not_asked_about():
    rows = [{name: value for name, value in row.items() if name != "city"} for row in ROWS]
    unused = read_records(rows, "en").unused
    assert unused["lat"] == "distances need coordinates, and a column with the names of places that records share"
    assert "lat" not in read_records(ROWS, "en").unused
