"""The listings, their filters, and what each method is good and bad at."""

from __future__ import annotations

import pytest

from neraca.demo.criteria import Criteria, Place
from neraca.demo.listings import Filters, Table, distance_km, load
from neraca.demo.search import MOST, filters_of, match
from neraca.demo.understand import understand

JOHOR = Place("Johor", 3.528, 98.672, 3, district=True)
FILTERS = [
    (Filters(property_type=("rumah",)), lambda listing: listing.property_type == "rumah"),
    (Filters(property_type=("rumah", "ruko")), lambda listing: listing.property_type in ("rumah", "ruko")),
    (Filters(listing_type="disewa"), lambda listing: listing.listing_type == "disewa"),
    (Filters(min_price=10**9), lambda listing: listing.price >= 10**9),
    (Filters(max_price=10**9), lambda listing: listing.price <= 10**9),
    (Filters(bedrooms=4), lambda listing: (listing.bedrooms or 0) >= 4),
    (Filters(max_bedrooms=2), lambda listing: listing.bedrooms is not None and listing.bedrooms <= 2),
    (Filters(max_floors=2), lambda listing: listing.floors is not None and listing.floors <= 2),
    (Filters(bathrooms=3), lambda listing: (listing.bathrooms or 0) >= 3),
    (Filters(floors=2), lambda listing: listing.floors == 2),
    (Filters(min_floors=3), lambda listing: (listing.floors or 0) >= 3),
    (Filters(min_land=500), lambda listing: (listing.land_size or 0) >= 500),
    (Filters(max_land=90), lambda listing: listing.land_size is not None and listing.land_size <= 90),
    (Filters(min_building=300), lambda listing: (listing.building_size or 0) >= 300),
    (Filters(max_building=40), lambda listing: listing.building_size is not None and listing.building_size <= 40),
    (Filters(district="johor"), lambda listing: listing.district == "Johor"),
    (
        Filters(lat=3.5672, lng=98.6566, radius_km=1.5),
        lambda listing: distance_km(listing.lat, listing.lng, 3.5672, 98.6566) <= 1.5,
    ),
    (Filters(), lambda listing: True),
    (
        Filters(property_type=("rumah",), listing_type="dijual", max_price=900_000_000, bedrooms=3),
        lambda listing: (
            (listing.property_type, listing.listing_type) == ("rumah", "dijual")
            and listing.price <= 900_000_000
            and (listing.bedrooms or 0) >= 3
        ),
    ),
]


@pytest.mark.parametrize("filters, passes", FILTERS)
def test_filters_agree_with_a_scan(search, filters, passes):
    expected = sorted(
        (listing for listing in load() if passes(listing)), key=lambda listing: (listing.price, listing.id)
    )
    assert search.table.find(filters) == expected
    assert expected


@pytest.mark.parametrize("circle", [{"lat": 3.5}, {"lat": 3.5, "lng": 98.6}, {"radius_km": 1.0}])
def test_half_a_circle_is_refused(circle):
    table = Table(load()[:3])
    with pytest.raises(ValueError, match="lat, lng and radius_km together"):
        table.find(Filters(**circle))
    table.close()


def test_quotes_are_no_sql(search):
    assert search.table.find(Filters(district="' OR 1=1 --")) == []


def test_filters_lose_what_the_interface_cannot_do():
    criteria = understand("rumah bertingkat di Johor dekat mall dengan cctv 3 kamar")
    assert filters_of(criteria) == Filters(property_type=("rumah",), district="Johor", bedrooms=3, min_floors=2)


def test_upper_bounds_of_rooms_and_floors_filter():
    filters = filters_of(understand("rumah maksimal 3 kamar maksimal 2 lantai"))
    assert filters == Filters(property_type=("rumah",), max_bedrooms=3, max_floors=2)


def test_a_landmark_is_a_circle():
    filters = filters_of(understand("rumah dekat USU"))
    assert (filters.lat, filters.lng, filters.radius_km, filters.district) == (3.5672, 98.6566, 2, None)


def test_match_is_the_mean_of_what_was_asked(search):
    listing = next(one for one in search.listings if one.district == "Johor" and one.property_type == "rumah")
    assert match(Criteria(), listing) == 0
    assert match(Criteria(place=JOHOR, price_max=listing.price), listing) == 1
    assert match(Criteria(place=JOHOR, price_max=listing.price // 3), listing) == 0.5
    assert match(Criteria(price_max=round(listing.price / 1.25)), listing) == pytest.approx(0.5)
    assert match(Criteria(price_min=round(listing.price / 0.75)), listing) == pytest.approx(0.5, abs=1e-6)
    assert match(Criteria(facilities=(listing.facilities[0], "helipad")), listing) == 0.5
    assert match(Criteria(complex="Nowhere"), listing) == 0


def test_what_is_not_stated_does_not_match(search):
    land = next(one for one in search.listings if one.property_type == "tanah")
    assert match(Criteria(bedrooms=1), land) == 0


def found(search, method, question):
    return search.find(method, understand(question), question)


@pytest.mark.parametrize("method", ["api", "vector", "hybrid"])
def test_at_most_ten_and_the_same_every_time(search, method):
    first, again = (found(search, method, "rumah dijual di Johor") for _ in range(2))
    assert first == again
    assert 0 < len(first.listings) <= MOST <= first.total


def test_api_is_exact_about_numbers(search):
    answer = found(search, "api", "rumah dijual 1M an minimal 3 kamar")
    assert answer.listings
    assert all(10**9 <= one.price < 2 * 10**9 and one.bedrooms >= 3 for one in answer.listings)


def test_api_alone_rightly_finds_nothing(search):
    totals = [found(search, method, "gudang disewakan di KIM").total for method in ("api", "vector", "hybrid")]
    assert totals[0] == 0
    assert min(totals[1:]) > 0


def test_api_does_not_see_features(search):
    assert found(search, "api", "rumah") == found(search, "api", "rumah dengan kolam renang")


def test_vector_finds_words_but_no_numbers(search):
    pools = found(search, "vector", "apartemen dengan kolam renang dan gym").listings
    assert sum("kolam renang" in one.text() for one in pools) >= 7
    prices = [one.price for one in found(search, "vector", "rumah dijual di bawah 500 juta").listings]
    assert max(prices) > 500_000_000


def test_vector_forgives_spelling(search):
    districts = [one.district for one in found(search, "vector", "apartmen podomro").listings]
    assert districts.count("Podomoro") >= 7


def test_hybrid_keeps_to_the_type_and_ranks_softly(search):
    answer = found(search, "hybrid", "rumah dijual di Johor di bawah 600 juta dengan CCTV")
    assert {(one.property_type, one.listing_type) for one in answer.listings} == {("rumah", "dijual")}
    assert answer.total == len(search.table.find(Filters(property_type=("rumah",), listing_type="dijual")))


def test_what_was_shown_is_left_out(search):
    criteria = understand("rumah di Johor")
    first = search.find("hybrid", criteria, "rumah di Johor")
    shown = frozenset(one.id for one in first.listings)
    second = search.find("hybrid", criteria, "rumah di Johor", shown)
    assert not shown & {one.id for one in second.listings}
    assert second.total == first.total - MOST
