"""The data file is what the generator makes, and the thirty questions can be answered from it."""

from __future__ import annotations

import asyncio
from collections import Counter

import pytest
from demo.satisfy import satisfies

from neraca.demo import LISTINGS, METHODS
from neraca.demo.chat import Chat
from neraca.demo.generate import generate, lines
from neraca.demo.listings import distance_km, load

CATEGORIES = {
    "location_simple": 3,
    "location_price": 3,
    "location_price_spec": 3,
    "location_intent": 1,
    "property_type": 3,
    "context_followup": 3,
    "context_modify": 2,
    "feature_search": 5,
    "nearby_search": 2,
    "nearby_price": 1,
    "complex_query": 2,
    "project_search": 2,
}


def test_the_data_file_is_what_the_generator_makes():
    assert LISTINGS.read_text(encoding="utf-8") == lines(generate())


def test_another_seed_makes_other_listings():
    assert generate(1) != generate(2)


def test_the_listings_are_plausible():
    listings = load()
    assert len({one.id for one in listings}) == len(listings) >= 400
    assert {one.property_type for one in listings} == {"rumah", "apartemen", "ruko", "tanah", "gudang"}
    assert all(one.bedrooms is None for one in listings if one.property_type == "tanah")
    assert any(one.land_size is None for one in listings if one.property_type == "rumah")
    assert all(3.4 < one.lat < 3.8 and 98.5 < one.lng < 98.8 and one.price > 0 for one in listings)
    assert len({one.description for one in listings}) == len(listings)


def test_there_is_no_warehouse_near_kim():
    warehouses = [one for one in load() if one.property_type == "gudang"]
    assert min(distance_km(one.lat, one.lng, 3.67, 98.6905) for one in warehouses) > 3


@pytest.mark.parametrize("low, high", [(10**9, 2 * 10**9), (800_000_000, 900_000_000), (500_000_000, 600_000_000)])
def test_ranges_that_people_name_have_several_houses(low, high):
    houses = [one for one in load() if (one.property_type, one.listing_type) == ("rumah", "dijual")]
    assert sum(low <= one.price < high for one in houses) >= 5


def test_thirty_questions_of_twelve_categories(items):
    assert len({item.id for item in items}) == len({item.query for item in items}) == 30
    assert Counter(item.tags["category"] for item in items) == CATEGORIES
    assert all(not item.extra and item.constraints for item in items)


def test_exactly_two_questions_are_rightly_answered_by_nothing(items):
    assert [item.query for item in items if item.expects == "none"] == [
        "Di Marelan ada apartemen nggak ya?",
        "Apakah ada gudang yang disewakan di KIM?",
    ]


def test_followups_stand_after_what_they_follow(items):
    begun = set()
    for item in items:
        if item.tags["category"].startswith("context_"):
            assert item.session in begun
        if item.session:
            begun.add(item.session)


def test_every_question_can_be_answered(items):
    listings = [one.as_dict() for one in load()]
    for item in items:
        good = [one["id"] for one in listings if satisfies(one, item.constraints)]
        # "Other options" must still be there when ten have been shown.
        least = 13 if item.tags["category"] == "context_followup" else 3
        assert not good if item.expects == "none" else len(good) >= least, item.query


def shares(search, items, method):
    """For each question the share of the top five that meets all constraints; for `none`, whether all was empty."""

    async def ask_all():
        chat = Chat(search, method=method)
        return [await chat.answer(item.query, item.session or item.id) for item in items]

    answers = asyncio.run(ask_all())
    tops = [answer["properties"][:5] for answer in answers]
    return [
        float(not top) if item.expects == "none" else sum(satisfies(one, item.constraints) for one in top) / 5
        for item, top in zip(items, tops, strict=True)
    ]


def test_each_method_is_good_and_bad_at_something(search, items):
    by_method = {method: shares(search, items, method) for method in METHODS}

    def mean(method, *categories):
        asked = zip(items, by_method[method], strict=True)
        kept = [share for item, share in asked if not categories or item.tags["category"] in categories]
        return sum(kept) / len(kept)

    for category in CATEGORIES:
        print(f"{category:20}", *(f"{method} {mean(method, category):.2f}" for method in METHODS))
    print(f"{'all':20}", *(f"{method} {mean(method):.3f}" for method in METHODS))
    assert mean("hybrid") > mean("api") > mean("vector")
    assert mean("api", "location_price") > mean("hybrid", "location_price") > mean("vector", "location_price")
    assert mean("vector", "feature_search", "project_search") > mean("api", "feature_search", "project_search")
    impossible = [number for number, item in enumerate(items) if item.expects == "none"]
    assert [[by_method[method][number] for number in impossible] for method in METHODS] == [[1, 1], [0, 0], [0, 0]]
    assert max(mean(method) for method in METHODS) < 0.95
