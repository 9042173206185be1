"""What a session carries on."""

from __future__ import annotations

import asyncio

import pytest

from neraca.demo.chat import Chat, Turn, next_turn


def converse(*messages):
    turn = Turn()
    for message in messages:
        turn = next_turn(message, turn)
    return turn.kind, turn.criteria.set_values()


def ask(chat, message, session="s", **options):
    return asyncio.run(chat.answer(message, session, **options))


def ids(answer):
    return [listing["id"] for listing in answer["properties"]]


HOUSE = {"property_types": ("rumah",), "listing_type": "dijual", "place": "Johor", "price_max": 1_000_000_000}
FIRST = "rumah dijual di Johor di bawah 1 M"


@pytest.mark.parametrize(
    "wording", ["ada pilihan lain?", "yang lain dong", "any other options?", "masih ada lagi gak?"]
)
def test_more_of_the_same(wording):
    assert converse(FIRST, wording) == ("more", HOUSE)


@pytest.mark.parametrize(
    "wording, change",
    [
        ("lokasi dan harga sama tapi 3 lantai", {"floors_min": 3, "floors_max": 3}),
        ("same place and price, but three floors", {"floors_min": 3, "floors_max": 3}),
        ("now below 800 million", {"price_max": 800_000_000}),
        ("kalau apartemen?", {"property_types": ("apartemen",)}),
        ("what about a shophouse in Marelan?", {"property_types": ("ruko",), "place": "Marelan"}),
        ("di Sunggal ada?", {"place": "Sunggal"}),
        ("yang ada kolam renang", {"facilities": ("kolam renang",)}),
        ("yang disewa saja", {"listing_type": "disewa"}),
        ("yang suasananya tenang", {}),
        ("bukan di Johor, tapi di Polonia", {"place": "Polonia"}),
        ("tanpa kolam renang", {}),
        ("cicilan 5 juta per bulan", {}),
    ],
)
def test_a_fragment_changes_what_was_asked(wording, change):
    assert converse(FIRST, wording) == ("change", HOUSE | change)


def test_a_whole_request_begins_anew():
    assert converse(FIRST, "cari ruko di Krakatau") == ("new", {"property_types": ("ruko",), "place": "Krakatau"})
    assert converse("ada pilihan lain?") == ("new", {}), "a first fragment has nothing to change"


def test_changes_add_up():
    messages = (FIRST, "yang 3 kamar", "kalau di Marelan?", "ada lagi?")
    assert converse(*messages) == ("more", HOUSE | {"bedrooms_min": 3, "place": "Marelan"})
    assert "bedrooms_min" not in converse(*messages, "kalau tanah?")[1], "land has no rooms"


@pytest.mark.parametrize(
    "wording, gone",
    [
        ("lokasi dan harga bebas", {"place", "price_max"}),
        ("any price", {"price_max"}),
        ("jangan di Johor", {"place"}),
    ],
)
def test_criteria_can_be_taken_back(wording, gone):
    assert converse(FIRST, wording) == ("change", {name: HOUSE[name] for name in HOUSE.keys() - gone})


def test_a_denied_facility_is_taken_back():
    assert converse(FIRST, "ada kolam renang dan gym", "tanpa kolam renang")[1]["facilities"] == ("gym",)


@pytest.mark.parametrize("wording", ["ada lagi yang lebih murah?", "anything cheaper?"])
def test_cheaper_is_below_the_cheapest_shown(search, wording):
    chat = Chat(search, method="hybrid")
    prices = [listing["price"] for listing in ask(chat, "rumah dijual di Johor harga 1M an")["properties"]]
    prices += [listing["price"] for listing in ask(chat, "yang lain dong")["properties"]]
    answer = ask(chat, wording)["metadata"]
    assert answer["turn"] == "change"
    assert answer["criteria"]["price_max"] == min(prices) - 1
    assert "price_min" not in answer["criteria"]


def test_a_named_bound_is_stronger_than_cheaper():
    assert converse(FIRST, "yang lebih murah dari 600 juta")[1]["price_max"] == 600_000_000


@pytest.mark.parametrize("method, shown", [("api", 26), ("vector", 40), ("hybrid", 40)])
def test_nothing_is_shown_twice(search, method, shown):
    chat = Chat(search, method=method)
    seen = ids(ask(chat, "apartemen di Podomoro"))
    for _ in range(3):
        more = ids(ask(chat, "ada pilihan lain?"))
        assert not set(seen) & set(more)
        seen += more
    assert len(seen) == shown


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


def test_the_longest_unused_session_is_forgotten(search):
    chat = Chat(search, sessions=2)
    for session in ("a", "b", "a", "c"):
        ask(chat, FIRST, session=session)
    turns = [ask(chat, "ada pilihan lain?", session=session)["metadata"]["turn"] for session in ("a", "c", "b")]
    assert turns == ["more", "more", "new"]


def test_questions_of_one_session_at_once_take_turns(search):
    chat = Chat(search)

    async def all_at_once():
        await chat.answer("apartemen di Podomoro", "s")
        return await asyncio.gather(*(chat.answer("yang lain dong", "s") for _ in range(4)))

    shown = [key for answer in asyncio.run(all_at_once()) for key in ids(answer)]
    assert len(shown) == len(set(shown)) == 40
