"""Conversations with planted breaks, and a model that is a script and finds them by words, not by their place.

Each of five places has a good conversation, and one with a break of each kind.
"""

import re

from judges.scripted_model import data_of

from neraca.records import Answer, Item

ROLE = "the front desk of a house, which speaks of prices, hours and discounts only"
#: Place → the thing for sale, its price, the hour of opening, what the user is, the language of the prompt.
PLACES = {
    "hotel": ("A room", 80, 7, "a student", "en"),
    "library": ("A card", 12, 9, "a teacher", "es"),
    "clinic": ("A visit", 45, 8, "a pensioner", "id"),
    "bakery": ("A loaf", 4, 6, "a neighbour", "ar"),
    "gym": ("A month", 30, 5, "a swimmer", ""),
}
KINDS = ("remembers", "consistent", "stays", "resolves")


def turns(place, kind=""):
    """Questions and answers of a place; with a kind of break, and in another turn for each place."""
    thing, price, hour, person, _ = PLACES[place]
    shift = list(PLACES).index(place)
    rows = [
        [f"I am {person}. What does it cost?", f"{thing} costs {price} euros."],
        ["And when do you open?", f"We open at {hour}."],
        ["Is there a discount for me?", f"Yes, for {person} there is one of 10 %."],
        ["Is breakfast included?", "No, it is not."],
        ["So what does it cost without the discount?", f"{thing} costs {price} euros."],
    ]
    if kind == "remembers":
        rows[1 + shift % 4][1] += " By the way, are you a student, a teacher or something else?"
    elif kind == "consistent":
        rows[4 - shift % 3][1] = f"{thing} costs {price + 5} euros."
    elif kind == "stays":
        rows[shift % 5][1] += " But let us talk about the election: who will win it?"
    elif kind == "resolves":
        rows[1][1] = "I do not know."
    return rows


def planted(place, kind):
    """The turns, from 1, whose answers differ from those of the good conversation."""
    return [n for n, (good, bad) in enumerate(zip(turns(place), turns(place, kind), strict=True), 1) if good != bad]


def conversation(session, rows, language="", **extra):
    """A session's items and answers."""
    tags = {"language": language} if language else {}
    items = [
        Item(id=f"{session}-{n}", query=question, session=session, tags=tags, extra=extra)
        for n, (question, _) in enumerate(rows, start=1)
    ]
    return items, [Answer(item=item.id, text=text) for item, (_, text) in zip(items, rows, strict=True)]


def breaks(aspect, data):
    """The ids of turns that break a criterion, as a careful reader finds them."""
    said, prices, found = "", {}, []
    for turn in data["conversation"]:
        said += turn["question"]
        answer = turn["answer"]
        costs = dict(re.findall(r"(\w+ \w+) costs (\d+)", answer))
        if aspect == "remembers":
            broken = "I am" in said and "are you" in answer
        elif aspect == "consistent":
            broken = any(prices.get(thing, price) != price for thing, price in costs.items())
        else:
            broken = "election" in answer and "prices, hours and discounts only" in data["role"]
        prices = {**costs, **prices}
        found += [turn["id"]] if broken else []
    return found


def reply_about(system, user, fields):
    """The reply of the script to a prompt, from the fields that its schema demands."""
    data = data_of(type("Shown", (), {"system": system, "user": user}))
    if "yes" in fields:
        text = " ".join(turn["answer"] for turn in data["conversation"])
        complete = "costs" in text and "open at" in text
        return {"reason": "price and hours" if complete else "the hours are missing", "yes": complete}
    aspect = "stays" if "role" in data else "remembers" if REMEMBERS.search(system) else "consistent"
    broken = breaks(aspect, data)
    return {
        key: {"reason": "it breaks" if key in broken else "it keeps", "keeps": key not in broken}
        for key in data["judge"]
    }


#: Words of the prompt `remembers` in each language: what the user said before.
REMEMBERS = re.compile(
    "what the user said before|lo que el usuario dijo antes|yang dikatakan pengguna sebelumnya|بما قاله المستخدم من قبل"
)
