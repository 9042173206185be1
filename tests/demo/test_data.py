"""The thirty questions and the listings."""

from __future__ import annotations

import json

from neraca.demo import LISTINGS, QUESTIONS
from neraca.demo.places import PLACES
from neraca.demo.search import distance_km


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
    assert len({question["tags"]["category"] for question in questions}) == 12
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
