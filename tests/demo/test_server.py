"""The demo over real HTTP, in this process."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from neraca.demo.listings import Listing

FIELDS = set(Listing.__dataclass_fields__)


def test_health(client):
    status, body = client.get("/health")
    assert (status, body["status"], body["method"]) == (200, "ok", "hybrid")
    assert body["listings"] >= 400


def test_a_chat(client):
    status, answer = client.chat("rumah dijual di Johor di bawah 900 juta", session_id="one", method="api")
    assert status == 200
    assert 0 < len(answer["properties"]) <= 10
    assert all(set(one) == FIELDS for one in answer["properties"])
    assert all(one["price"] <= 900_000_000 and one["district"] == "Johor" for one in answer["properties"])
    metadata = answer["metadata"]
    assert (metadata["method"], metadata["session_id"], metadata["turn"]) == ("api", "one", "new")
    assert metadata["criteria"]["place"]["name"] == "Johor"
    assert metadata["total"] >= len(answer["properties"])
    assert metadata["seconds"] >= 0


def test_the_method_of_the_process_is_the_default(client):
    assert client.chat("rumah")[1]["metadata"]["method"] == "hybrid"


def test_without_a_session_each_question_stands_alone(client):
    first, second = (client.chat("rumah di Johor")[1]["metadata"]["session_id"] for _ in range(2))
    assert first != second


@pytest.mark.parametrize(
    "body, detail",
    [
        ({}, "message: Field required"),
        ({"message": "  \n"}, "message: Value error, must not be blank"),
        ({"message": ""}, "message: Value error, must not be blank"),
        ({"message": 7}, "message: Input should be a valid string"),
        ({"message": None}, "message: Input should be a valid string"),
        ({"message": "x" * 2001}, "message: String should have at most 2000 characters"),
        ({"message": "rumah", "method": "magic"}, "method: Input should be"),
        ({"message": "rumah", "session_id": 3}, "session_id: Input should be a valid string"),
        ([], "body: Input should be a valid dictionary"),
        (b"{not json", "JSON decode error"),
    ],
)
def test_a_wrong_question_is_explained(client, body, detail):
    status, answer = client.post(body)
    assert status == 422
    assert detail in answer["detail"]


def test_an_unknown_model_is_explained(client):
    status, answer = client.chat("rumah", llm="mistral:large")
    assert status == 502
    assert "write the model as one of openai:NAME" in answer["detail"]


def test_listings_are_filtered(client):
    status, body = client.get(
        "/listings", property_type=["rumah", "ruko"], listing_type="dijual", max_price=10**9, bedrooms=3, limit=5
    )
    assert status == 200
    assert len(body["listings"]) == 5 < body["total"]
    assert all(one["price"] <= 10**9 and one["bedrooms"] >= 3 for one in body["listings"])
    assert client.get("/listings", property_type="rumah", offset=10_000)[1]["listings"] == []


def test_listings_in_a_circle(client):
    _, near = client.get("/listings", lat=3.5672, lng=98.6566, radius_km=1)
    _, wide = client.get("/listings", lat=3.5672, lng=98.6566, radius_km=4)
    assert 0 < near["total"] < wide["total"]


@pytest.mark.parametrize(
    "query, detail",
    [
        ({"lat": 3.5}, "lat, lng and radius_km together"),
        ({"property_type": "castle"}, "property_type"),
        ({"max_price": "cheap"}, "max_price"),
        ({"limit": 0}, "limit"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_wrong_filters_are_explained(client, query, detail):
    status, body = client.get("/listings", **query)
    assert status == 422
    assert detail in body["detail"]


def test_one_listing(client):
    status, body = client.get("/listings/L0001")
    assert (status, body["id"], set(body)) == (200, "L0001", FIELDS)
    assert client.get("/listings/L9999") == (404, {"detail": "no listing L9999"})


def test_the_page_needs_nothing_from_elsewhere(client):
    status, page = client.get("/")
    assert status == 200
    assert 'id="query-input"' in page
    assert 'id="submit-button"' in page
    assert "http://" not in page
    assert "https://" not in page


@pytest.mark.parametrize("path", ["/docs", "/redoc"])
def test_no_documentation_pages(client, path):
    assert client.get(path)[0] == 404


def test_sessions_at_the_same_time(client):
    places = ["Johor", "Marelan", "Helvetia", "Sunggal", "Tembung", "Polonia"] * 3

    def talk(number):
        client.chat(f"rumah di {places[number]}", session_id=f"t{number}", method="api")
        return client.chat("yang dijual saja", session_id=f"t{number}", method="api")[1]

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(talk, range(len(places))))
    for place, answer in zip(places, answers, strict=True):
        assert {(one["district"], one["listing_type"]) for one in answer["properties"]} == {(place, "dijual")}
