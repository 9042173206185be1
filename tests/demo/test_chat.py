"""What a session carries on."""

from __future__ import annotations

import asyncio

import pytest

from neraca.demo.chat import Chat, Turn, next_turn


def converse(*messages):
    turn = Turn()
    for message in messages:
        turn = next_turn(message, turn)
    given = turn.criteria.given()
    if "place" in given:
        given["place"] = given["place"].name
    return turn.kind, given


def ask(chat, message, session="s", **options):
    return asyncio.run(chat.answer(message, session, **options))


def ids(answer):
    return [listing["id"] for listing in answer["properties"]]


HOUSE = {"property_types": ("rumah",), "listing_type": "dijual", "place": "Johor", "price_max": 1_000_000_000}
FIRST = "rumah dijual di Johor di bawah 1 M"


@pytest.mark.parametrize(
    "wording",
    [
        "ada pilihan lain?",
        "yang lain dong",
        "any other options?",
        "show me more",
        "masih ada lagi gak?",
        "opsi lainnya?",
        "selain itu ada apa?",
        "ada rumah yang lain?",
    ],
)
def test_more_of_the_same(wording):
    assert converse(FIRST, wording) == ("more", HOUSE)


@pytest.mark.parametrize(
    "wording, change",
    [
        ("lokasi dan harga sama tapi 3 lantai", {"floors_min": 3, "floors_max": 3}),
        ("same place and price, but three floors", {"floors_min": 3, "floors_max": 3}),
        ("sekarang yang di bawah 800 juta", {"price_max": 800_000_000}),
        ("now below 800 million", {"price_max": 800_000_000}),
        ("kalau apartemen?", {"property_types": ("apartemen",)}),
        ("what about a shophouse in Marelan?", {"property_types": ("ruko",), "place": "Marelan"}),
        ("kalau di Helvetia gimana?", {"place": "Helvetia"}),
        ("di Sunggal ada?", {"place": "Sunggal"}),
        ("yang ada kolam renang", {"facilities": ("kolam renang",)}),
        ("minimal 4 kamar", {"bedrooms": 4}),
        ("yang disewa saja", {"listing_type": "disewa"}),
        ("ada pilihan lain di Tembung?", {"place": "Tembung"}),
        ("yang suasananya tenang", {}),
        ("maksimal 3 kamar", {"bedrooms_max": 3}),
        ("bukan rumah, apartemen aja", {"property_types": ("apartemen",)}),
        ("bukan di Johor, tapi di Polonia", {"place": "Polonia"}),
        ("jangan di Marelan", {}),
        ("tanpa kolam renang", {}),
        ("cicilan 5 juta per bulan", {}),
    ],
)
def test_a_fragment_changes_what_was_asked(wording, change):
    assert converse(FIRST, wording) == ("change", HOUSE | change)


@pytest.mark.parametrize(
    "wording, expected",
    [
        ("cari ruko di Krakatau", {"property_types": ("ruko",), "place": "Krakatau"}),
        ("apartemen di Podomoro", {"property_types": ("apartemen",), "place": "Podomoro"}),
        ("mau gudang", {"property_types": ("gudang",)}),
    ],
)
def test_a_whole_request_begins_anew(wording, expected):
    assert converse(FIRST, wording) == ("new", expected)


def test_changes_add_up():
    kind, given = converse(FIRST, "yang 3 kamar", "kalau di Marelan?", "ada lagi?")
    assert (kind, given) == ("more", HOUSE | {"bedrooms": 3, "place": "Marelan"})


@pytest.mark.parametrize(
    "wording, gone",
    [
        ("lokasi bebas", {"place"}),
        ("harganya bebas", {"price_max"}),
        ("lokasi dan harga bebas", {"place", "price_max"}),
        ("any price", {"price_max"}),
        ("jangan di Johor", {"place"}),
        ("jangan yang dijual", {"listing_type"}),
    ],
)
def test_what_is_no_longer_wanted_is_taken_back(wording, gone):
    assert converse(FIRST, wording) == ("change", {name: HOUSE[name] for name in HOUSE.keys() - gone})


def test_a_denied_facility_is_taken_back():
    assert converse(FIRST, "ada kolam renang dan gym", "tanpa kolam renang")[1]["facilities"] == ("gym",)


def test_freed_and_named_anew_in_one_message():
    expected = {name: HOUSE[name] for name in ("property_types", "listing_type")} | {"place": "Polonia"}
    assert converse(FIRST, "harga bebas, di Polonia")[1] == expected


@pytest.mark.parametrize("wording", ["ada yang lebih murah?", "ada lagi yang lebih murah?", "anything cheaper?"])
def test_cheaper_is_below_the_cheapest_shown(search, wording):
    chat = Chat(search, method="hybrid")
    prices = [one["price"] for one in ask(chat, "rumah dijual di Johor harga 1M an")["properties"]]
    prices += [one["price"] for one in ask(chat, "yang lain dong")["properties"]]
    answer = ask(chat, wording)["metadata"]
    assert answer["turn"] == "change"
    assert answer["criteria"]["price_max"] == min(prices) - 1
    assert "price_min" not in answer["criteria"]


def test_cheaper_by_filters_shows_only_cheaper(search):
    chat = Chat(search, method="api")
    cheapest = min(one["price"] for one in ask(chat, "rumah dijual di Johor di atas 1 M")["properties"])
    cheaper = ask(chat, "yang lebih murah")["properties"]
    assert cheaper
    assert all(one["price"] < cheapest for one in cheaper)


def test_cheaper_than_nothing_shown_is_below_the_bound():
    assert converse(FIRST, "yang lebih murah")[1] == HOUSE | {"price_max": HOUSE["price_max"] - 1}
    assert "price_max" not in converse("rumah di Johor", "yang lebih murah")[1]


def test_a_named_bound_is_stronger_than_cheaper():
    assert converse(FIRST, "yang lebih murah dari 600 juta")[1]["price_max"] == 600_000_000


def test_land_has_no_rooms():
    assert "bedrooms" not in converse(FIRST, "minimal 3 kamar", "kalau tanah?")[1]


def test_a_first_fragment_has_nothing_to_change():
    assert converse("ada pilihan lain?") == ("new", {})


@pytest.mark.parametrize("method", ["api", "vector", "hybrid"])
def test_nothing_is_shown_twice(search, method):
    chat = Chat(search, method=method)
    seen = ids(ask(chat, "apartemen di Podomoro"))
    for _ in range(3):
        more = ids(ask(chat, "ada pilihan lain?"))
        assert not set(seen) & set(more)
        seen += more
    assert len(seen) == {"api": 26, "vector": 40, "hybrid": 40}[method]


def test_when_all_is_shown_the_reply_says_so(search):
    chat = Chat(search, method="api")
    ask(chat, "tanah di Setia Budi")
    answer = ask(chat, "yang lain dong")
    assert answer["properties"] == []
    assert "tidak ada pilihan lain" in answer["response"]


def test_other_criteria_may_show_again(search):
    chat = Chat(search, method="api")
    first = ids(ask(chat, "rumah dijual di Helvetia"))
    assert set(ids(ask(chat, "yang di bawah 1 M"))) <= set(first)


def test_the_same_question_again_shows_the_same(search):
    chat = Chat(search)
    assert ids(ask(chat, FIRST)) == ids(ask(chat, FIRST))


def test_sessions_know_nothing_of_each_other(search):
    chat = Chat(search)
    ask(chat, FIRST, session="a")
    assert ask(chat, "ada pilihan lain?", session="b")["metadata"]["criteria"] == {}


def test_the_longest_unused_session_is_forgotten(search):
    chat = Chat(search, sessions=2)
    for session in ("a", "b", "a", "c"):
        ask(chat, FIRST, session=session)
    turns = [ask(chat, "ada pilihan lain?", session=session)["metadata"]["turn"] for session in ("a", "c", "b")]
    assert turns == ["more", "more", "new"]


def test_many_sessions_at_once(search):
    chat = Chat(search)
    places = ["Johor", "Marelan", "Helvetia", "Sunggal", "Tembung", "Polonia", "Krakatau", "Amplas"] * 5

    async def session(number, place):
        first = await chat.answer(f"rumah di {place}", str(number))
        more = await chat.answer("yang lain dong", str(number))
        return first, more

    async def all_at_once():
        return await asyncio.gather(*(session(number, place) for number, place in enumerate(places)))

    for place, (first, more) in zip(places, asyncio.run(all_at_once()), strict=True):
        assert first["metadata"]["criteria"]["place"]["name"] == more["metadata"]["criteria"]["place"]["name"] == place
        assert not set(ids(first)) & set(ids(more))


def test_questions_of_one_session_at_once_take_turns(search):
    chat = Chat(search)

    async def all_at_once():
        await chat.answer("apartemen di Podomoro", "s")
        return await asyncio.gather(*(chat.answer("yang lain dong", "s") for _ in range(4)))

    shown = [key for answer in asyncio.run(all_at_once()) for key in ids(answer)]
    assert len(shown) == len(set(shown)) == 40
