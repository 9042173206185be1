"""The demo over real HTTP, in this process."""

from __future__ import annotations

import json
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
from demo.conftest import post

from neraca.demo import LISTINGS

FIELDS = set(json.loads(LISTINGS.read_text(encoding="utf-8").partition("\n")[0]))


def test_a_chat(url):
    status, answer = post(url, {"message": "rumah di Johor di bawah 900 juta", "session_id": "one", "method": "api"})
    assert status == 200
    assert 0 < len(answer["properties"]) <= 10
    assert all(set(listing) == FIELDS for listing in answer["properties"])
    assert all(listing["price"] <= 900_000_000 and listing["district"] == "Johor" for listing in answer["properties"])
    metadata = answer["metadata"]
    assert (metadata["method"], metadata["session_id"], metadata["turn"]) == ("api", "one", "new")
    assert metadata["criteria"] == {"property_types": ["rumah"], "place": "Johor", "price_max": 900_000_000}


def test_without_a_session_each_question_stands_alone(url):
    first, second = (post(url, {"message": "rumah di Johor"})[1]["metadata"] for _ in range(2))
    assert first["session_id"] != second["session_id"]
    assert first["method"] == "hybrid", "the method of the process"


@pytest.mark.parametrize(
    "body, detail",
    [
        ({}, "message: Field required"),
        ({"message": "  \n"}, "message: String should have at least 1 character"),
        ({"message": 7}, "message: Input should be a valid string"),
        ({"message": "x" * 2001}, "message: String should have at most 2000 characters"),
        ({"message": "rumah", "method": "magic"}, "method: Input should be"),
        ([], "body: Input should be a valid dictionary"),
        (b"{not json", "JSON decode error"),
    ],
)
def test_a_wrong_question_is_explained(url, body, detail):
    status, answer = post(url, body)
    assert status == 422
    assert detail in answer["detail"]


def test_the_page_needs_nothing_from_elsewhere(url):
    with urllib.request.urlopen(url, timeout=60) as response:
        page = response.read().decode()
        assert "default-src 'none'" in response.headers["Content-Security-Policy"]
    assert 'id="query-input"' in page
    assert "http://" not in page
    assert "https://" not in page


def test_sessions_at_the_same_time(url):
    places = ["Johor", "Marelan", "Helvetia", "Sunggal", "Tembung", "Polonia"] * 3

    def talk(number):
        for message in (f"rumah di {places[number]}", "yang dijual saja"):
            _, answer = post(url, {"message": message, "session_id": f"t{number}", "method": "api"})
        return answer["properties"]

    with ThreadPoolExecutor(8) as pool:
        shown = list(pool.map(talk, range(len(places))))
    for place, listings in zip(places, shown, strict=True):
        assert {(listing["district"], listing["listing_type"]) for listing in listings} == {(place, "dijual")}
