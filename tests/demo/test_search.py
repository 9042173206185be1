"""What each method of search is good and bad at."""

from __future__ import annotations

import pytest

from neraca.demo.criteria import Criteria
from neraca.demo.index import text_of
from neraca.demo.search import distance_km, match
from neraca.demo.understand import understand


def at_least(field, bound):
    return lambda listing: listing[field] is not None and listing[field] >= bound


def at_most(field, bound):
    return lambda listing: listing[field] is not None and listing[field] <= bound


FILTERS = [
    (Criteria(), lambda listing: True),
    (Criteria(property_types=("rumah", "ruko")), lambda listing: listing["property_type"] in ("rumah", "ruko")),
    (Criteria(listing_type="disewa"), lambda listing: listing["listing_type"] == "disewa"),
    (Criteria(price_min=10**9), at_least("price", 10**9)),
    (Criteria(bedrooms_max=2), at_most("bedrooms", 2)),
    (Criteria(bathrooms_min=3), at_least("bathrooms", 3)),
    (Criteria(floors_min=2, floors_max=2), lambda listing: listing["floors"] == 2),
    (Criteria(land_min=500), at_least("land_size", 500)),
    (Criteria(building_max=40), at_most("building_size", 40)),
    (Criteria(place="Johor"), lambda listing: listing["district"] == "Johor"),
    (
        Criteria(place="USU", radius_km=1.5),
        lambda listing: distance_km(listing["lat"], listing["lng"], 3.5672, 98.6566) <= 1.5,
    ),
    # The interface cannot filter by these.
    (Criteria(facilities=("CCTV",), nearby=("mall",), complex="J City"), lambda listing: True),
]


@pytest.mark.parametrize("criteria, passes", FILTERS)
def test_filters_agree_with_a_scan(search, criteria, passes):
    expected = sorted(filter(passes, search.listings), key=lambda listing: (listing["price"], listing["id"]))
    assert search.find("api", criteria, "") == expected
    assert expected


def test_match_is_the_mean_of_what_was_asked(search):
    listing = next(one for one in search.listings if (one["district"], one["property_type"]) == ("Johor", "rumah"))
    price = listing["price"]
    assert match(Criteria(), listing) == 0
    assert match(Criteria(place="Johor", price_max=price), listing) == 1
    assert match(Criteria(place="Johor", price_max=price // 3), listing) == 0.5
    assert match(Criteria(price_max=round(price / 1.25)), listing) == pytest.approx(0.5)
    assert match(Criteria(price_min=round(price / 0.75)), listing) == pytest.approx(0.5, abs=1e-6)
    assert match(Criteria(facilities=(listing["facilities"][0], "helipad")), listing) == 0.5
    assert match(Criteria(complex="Nowhere"), listing) == 0
    land = next(one for one in search.listings if one["property_type"] == "tanah")
    assert match(Criteria(bedrooms_min=1), land) == 0, "what is not stated does not match"


def find_listings(search, method, question):
    return search.find(method, understand(question).criteria, question)


def test_api_alone_rightly_finds_nothing(search):
    counts = [len(find_listings(search, method, "gudang disewakan di KIM")) for method in ("api", "vector", "hybrid")]
    assert counts[0] == 0
    assert min(counts[1:]) > 0


def test_vector_finds_words_even_if_misspelt_but_no_numbers(search):
    pools = find_listings(search, "vector", "apartemen dengan kolam renang dan gym")[:10]
    assert sum("kolam renang" in text_of(listing) for listing in pools) >= 7
    misspelt = find_listings(search, "vector", "apartmen podomro")[:10]
    assert [listing["district"] for listing in misspelt].count("Podomoro") >= 7
    assert (
        max(listing["price"] for listing in find_listings(search, "vector", "rumah di bawah 500 juta")[:10])
        > 500_000_000
    )


def test_hybrid_keeps_to_the_type_and_ranks_softly(search):
    listings = find_listings(search, "hybrid", "rumah dijual di Johor di bawah 600 juta dengan CCTV")
    assert len(listings) == len(search.find("api", Criteria(property_types=("rumah",), listing_type="dijual"), ""))
    assert {(listing["property_type"], listing["listing_type"]) for listing in listings} == {("rumah", "dijual")}
    assert listings == find_listings(search, "hybrid", "rumah dijual di Johor di bawah 600 juta dengan CCTV"), (
        "every time"
    )


def test_what_was_shown_is_left_out(search):
    criteria = understand("rumah di Johor").criteria
    first = search.find("hybrid", criteria, "rumah di Johor")
    shown = frozenset(listing["id"] for listing in first[:10])
    assert search.find("hybrid", criteria, "rumah di Johor", shown) == first[10:]
