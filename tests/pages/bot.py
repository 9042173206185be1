"""The bot behind every page: it knows 19 questions and says each answer at its own pace.

A front end asks `placeholders` and `stream` for what to show when, or `shown` for both in one; a test asks `expected`
for the text that the target must then return.  Nothing here draws by chance: a question always takes the same time.
"""

from __future__ import annotations

import os
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SPEED = float(os.environ.get("NERACA_PAGES_SPEED", "1"))
"""How many times faster than life the bot speaks; only its pause in the middle of an answer stays as long."""

STALL = 1.0
"""Seconds for which each answer stands still in the middle."""

SOURCES = (("Listing 17", "https://houses.example/17"), ("Contract", "https://houses.example/contract.pdf"))
"""Title and address of the sources that pages show beside an answer."""

Timed = tuple[float, str]
"""Seconds, and a text."""


@dataclass(frozen=True)
class Reply:
    """What the bot says, in Markdown, and what the target must return for it; "" where that is the same."""

    says: str
    text: str = ""


@dataclass(frozen=True)
class Shown:
    """After so many seconds, this stands where the answer is to stand, instead of what stood there."""

    seconds: float
    text: str
    placeholder: bool = False


_NEIGHBOURHOOD = (
    "Cemara Asri lies in the north-east of Medan, twenty minutes from the old centre and half an hour from the "
    "airport. It was laid out in the nineties around a lake, and most of its streets are still lined with the "
    "casuarina trees that gave it its name. Herons nest on the island in the lake; in the evening you hear them "
    "from every terrace.\n\n"
    "There are three schools within walking distance, of which one teaches in Mandarin and one in English. The "
    "market opens at five in the morning and sells vegetables from Berastagi, fish from Belawan and durian all "
    "year round. Two clinics, a pharmacy that never closes and a small hospital stand along the main road, next "
    "to four banks.\n\n"
    "Traffic is calm inside the gates and heavy outside them, above all between seven and nine. The bus to the "
    "station leaves every quarter of an hour and takes about twenty-five minutes; a taxi is hardly faster. "
    "Whoever works in the harbour should count on fifty minutes, or leave before six.\n\n"
    "It rains most in October and November. The drains were renewed four years ago, and the streets near the "
    "lake, which used to stand under water for a day or two each year, have stayed dry since. Ask for the survey "
    "if you want to see the levels, house by house.\n\n"
    "Prices have risen by about six per cent a year. Houses with a view of the lake are sold within weeks, those "
    "along the wall take months. Neighbours meet on the first Saturday of the month, and newcomers are expected "
    "to bring cake, or at least a good story about their last landlord."
)

_REPLIES: dict[str, tuple[Reply, ...]] = {
    "price": (Reply("Prices start at 450 million rupiah."),),
    "What is the price?": (Reply("The price is 450 million rupiah, taxes included."),),
    "What is the price of the villa?": (
        Reply("The **villa** costs *1.2 billion* rupiah.", "The villa costs 1.2 billion rupiah."),
        Reply("As I said, the villa costs 1.2 billion rupiah. Shall I note down a visit?"),
    ),
    "What is the price of the villa in Medan?": (
        Reply(
            "In Medan the villa costs 980 million rupiah.\n\nThat is 220 million less than in Jakarta.",
            "In Medan the villa costs 980 million rupiah.\nThat is 220 million less than in Jakarta.",
        ),
    ),
    "How many bedrooms does it have?": (Reply("Four"),),
    "Does it have a garden?": (Reply("Yes, at the back."),),
    "Does it have a pool?": (Reply("Yes, at the back."),),
    "Which rooms are on the ground floor?": (
        Reply(
            "On the ground floor there are:\n\n- a **kitchen**\n- a living room\n    - with a terrace\n"
            "    - with a view of the lake\n- a study\n\nAll others are upstairs.",
            "On the ground floor there are:\n- a kitchen\n- a living room\n  - with a terrace\n"
            "  - with a view of the lake\n- a study\nAll others are upstairs.",
        ),
    ),
    "How do I book a visit?": (
        Reply(
            "1. Choose a day.\n2. Call *us* before noon.\n3. Bring your passport.",
            "1. Choose a day.\n2. Call us before noon.\n3. Bring your passport.",
        ),
    ),
    "Compare the two houses": (
        Reply(
            "Here they are side by side:\n\n| House | Rooms | Price |\n|---|---|---:|\n| Cemara | 4 | 980 |\n"
            "| Ringroad | 3 | 450 |\n\nPrices are in millions.",
            "Here they are side by side:\n| House | Rooms | Price |\n| --- | --- | --- |\n| Cemara | 4 | 980 |\n"
            "| Ringroad | 3 | 450 |\nPrices are in millions.",
        ),
    ),
    "Where can I read the contract?": (
        Reply(
            "Read [the contract](https://houses.example/contract.pdf) first.\n\nAll papers: <https://houses.example/papers>",
            "Read [the contract](https://houses.example/contract.pdf) first.\nAll papers: https://houses.example/papers",
        ),
    ),
    "Which search should I type?": (
        Reply(
            "Type `rooms:4` into the search field, or send this:\n\n```\nGET /houses\nAccept: text/html\n```\n\n"
            "Both find the same.",
            "Type rooms:4 into the search field, or send this:\n```\nGET /houses\nAccept: text/html\n```\n"
            "Both find the same.",
        ),
    ),
    "Tell me everything about the neighbourhood": (Reply(_NEIGHBOURHOOD, _NEIGHBOURHOOD.replace("\n\n", "\n")),),
    "What did I just ask?": (
        Reply(
            "What did I just ask?\n\nYou asked: “What did I just ask?”, and before that about the neighbourhood.",
            "What did I just ask?\nYou asked: “What did I just ask?”, and before that about the neighbourhood.",
        ),
    ),
    "¿Cuántas habitaciones tiene la casa?": (
        Reply(
            "La casa tiene **cuatro** habitaciones:\n\n- tres arriba\n- una abajo, junto al jardín",
            "La casa tiene cuatro habitaciones:\n- tres arriba\n- una abajo, junto al jardín",
        ),
    ),
    "Apakah rumah ini dekat sekolah?": (Reply("Ya, sekolah terdekat hanya 400 meter dari rumah ini."),),
    "هل يوجد موقف للسيارات؟": (Reply("نعم، يوجد موقف لسيارتين أمام المنزل."),),
    'Is it "quiet" & < 2 km from the station?': (Reply('It is "quiet" at night & 1.4 km from the station: 1.4 < 2.'),),
    "Summarise the offer": (
        Reply(
            "### The offer\n\nA villa with **four bedrooms** near the lake.\n\n#### What it costs\n\n"
            "980 million rupiah, of which 98 million are due *at once*.",
            "The offer\nA villa with four bedrooms near the lake.\nWhat it costs\n"
            "980 million rupiah, of which 98 million are due at once.",
        ),
    ),
}

_AGAIN = "What is the price of the villa?"

QUESTIONS: tuple[str, ...] = (*list(_REPLIES)[:14], _AGAIN, *list(_REPLIES)[14:])
"""Twenty, to be asked in this order; the fifteenth is the third once more, and its answer another."""

_PLACEHOLDERS = (
    ("Thinking…",),
    ("Searching the documents…",),
    (),
    ("Thinking...", "Reading 3 documents…"),
    ("…",),
    ("Un momento…", "Buscando en los documentos…"),
    ("Sedang mencari…",),
)


def expected(question: str, nth: int = 0) -> str:
    """What the target must return when this question is asked for the `nth` time, from 0, in a conversation.

    Blocks stand on lines of their own; a list item is "- text" or "1. text", two spaces deeper for each level; a
    table row "| a | b |" with "| --- | --- |" below the head; a link "[text](address)", or the address alone where it
    is the text; code in fences; of everything else the text alone.
    """
    reply = _reply(question, nth)
    return reply.text or reply.says


def answers_to(questions: Iterable[str]) -> list[str]:
    """What the target must return for these questions, asked one after the other in one conversation."""
    asked: Counter[str] = Counter()
    texts = []
    for question in questions:
        texts.append(expected(question, asked[question]))
        asked[question] += 1
    return texts


def placeholders(question: str) -> Iterator[Timed]:
    """What stands in the answer's place until it begins: up to two texts, each with the seconds that it stands."""
    for text in _PLACEHOLDERS[_number(question) % len(_PLACEHOLDERS)]:
        yield 0.8 / SPEED, text


def stream(question: str, nth: int = 0) -> Iterator[Timed]:
    """The pieces of an answer, in Markdown, each with the seconds to wait before it: 2 to 5 in all."""
    pieces = _pieces(_reply(question, nth).says)
    gap = (2 + _number(question) % 31 / 10 - STALL) / len(pieces)
    for number, piece in enumerate(pieces):
        yield gap / SPEED + (STALL if number == len(pieces) // 2 else 0), piece


def shown(question: str, nth: int = 0) -> Iterator[Shown]:
    """Placeholders, then the answer as it grows."""
    wait = 0.1 / SPEED
    for stands, text in placeholders(question):
        yield Shown(wait, text, placeholder=True)
        wait = stands
    said = ""
    for seconds, piece in stream(question, nth):
        said += piece
        yield Shown(wait + seconds, said)
        wait = 0


def half(question: str, nth: int = 0) -> str:
    """What a page that freezes in mid-answer shows; for answers of one paragraph without markup."""
    pieces = _pieces(_reply(question, nth).says)
    return "".join(pieces[: len(pieces) // 2]).strip()


def _reply(question: str, nth: int) -> Reply:
    """A question that it does not know is named in the answer, so that one that arrived broken is seen."""
    replies = _REPLIES.get(question.strip(), (Reply(f"I know nothing of “{question.strip()}”."),))
    return replies[min(nth, len(replies) - 1)]


def _pieces(says: str) -> list[str]:
    """Between 2 and some 30 pieces, cut between words, or inside them where there are too few."""
    words = re.findall(r"\s*\S+", says)
    if len(words) < 4:
        words = re.findall(r"(?s)..?", says)
    size = -(-len(words) // 30)
    return ["".join(words[start : start + size]) for start in range(0, len(words), size)]


def _number(question: str) -> int:
    return zlib.crc32(question.strip().encode())
