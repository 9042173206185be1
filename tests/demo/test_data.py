"""The thirty questions and the listings."""

from __future__ import annotations

import json
from collections import Counter

from neraca.demo import LISTINGS, QUESTIONS
from neraca.demo.places import PLACES
from neraca.demo.search import distance_km

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


def lines_of(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_listings_are_those_of_one_town():
    listings = lines_of(LISTINGS)
    assert len({listing["id"] for listing in listings}) == len(listings) == 446
    for listing in listings:
        centre = PLACES[listing["district"]]
        assert distance_km(listing["lat"], listing["lng"], centre["lat"], centre["lng"]) < 1.2


def test_thirty_questions_of_twelve_categories():
    questions = lines_of(QUESTIONS)
    assert len({question["id"] for question in questions}) == len({question["query"] for question in questions}) == 30
    assert Counter(question["tags"]["category"] for question in questions) == CATEGORIES
    assert [question["query"] for question in questions if question["expects"] == "none"] == [
        "Di Marelan ada apartemen nggak ya?",
        "Apakah ada gudang yang disewakan di KIM?",
    ]


def test_followups_stand_after_what_they_follow():
    begun = set()
    for question in lines_of(QUESTIONS):
        if question["tags"]["category"].startswith("context_"):
            assert question["session"] in begun
        begun.add(question.get("session"))
