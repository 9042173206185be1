"""Describe the difference between a response and a reference, from the two texts alone."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from neraca.counts_and_lists import listed
from neraca.metrics.text.normalize import without_marks
from neraca.reports.formats.visible_text import line
from neraca.translation import say
from neraca.unicode_words import compared_form, number_words

#: The least similarity of two spellings of one word: 1 − edits / length of the longer one.
ALIKE = 0.6
#: A sign that belongs to a number: between digits, before a number or after it.
_OF_NUMBER = re.compile(r"(?<=\d)[^\w\s](?=\d)|(?<![\w])[-\u2212+](?=\d)|(?<=\d)\s?[%\u2030\u066a]")


class TextDifference(NamedTuple):
    """The difference between two texts.

    Attributes
    ----------
    kind
        `empty`, `same`, `look` (only signs, capitals, spaces, marks), `order`, `number`, `more`, `part`, `words`.
    sentence
        The difference in words, in the language of the report; "" for the kind `words`.
    shared
        The number of words that both texts have.
    ordered
        Whether the shared words have the same order.
    forms
        Whether each word that only one text has is another spelling of a word that only the other has.
    """

    kind: str
    sentence: str
    shared: int = 0
    ordered: bool = True
    forms: bool = False


def difference_of(response: str, references: Sequence[str], language: str = "") -> TextDifference:
    """Describe the difference between a response and the nearest of its references.

    >>> difference_of("The bus stops here", ["the bus stops here."]).sentence
    'the same words; what differs: capitals and punctuation'
    >>> difference_of("here stops the bus", ["the bus stops here"]).sentence
    'the same words, in another order'
    >>> difference_of("It costs 12 euros.", ["It costs 15 euros."]).sentence
    'one number differs: 12, where 15 is expected'
    """
    if not response.strip():
        return TextDifference("empty", say("the answer is empty"))
    differences = [_difference(response, reference, language) for reference in references if reference.strip()]
    if not differences:
        return TextDifference("words", "")
    return min(differences, key=lambda difference: (_NEARNESS.index(difference.kind), -difference.shared))


_NEARNESS = ("same", "look", "order", "number", "more", "part", "words", "empty")


def _difference(response: str, reference: str, language: str) -> TextDifference:
    from rapidfuzz.distance import LCSseq

    response_words, reference_words = (
        number_words(compared_form(text, language=language)) for text in (response, reference)
    )
    response_counts, reference_counts = Counter(response_words), Counter(reference_words)
    shared = (response_counts & reference_counts).total()
    if response.strip() == reference.strip():
        return TextDifference("same", say("the texts are the same"), shared)
    layers = _layers(response.strip(), reference.strip(), language)
    if layers or response_words == reference_words:
        layer_names = listed(layers) or say("signs, such as % or -")
        return TextDifference("look", say("the same words; what differs: {what}", what=layer_names), shared)
    if response_counts == reference_counts:
        return TextDifference("order", say("the same words, in another order"), shared, ordered=False)
    if number := _one_number(response_words, reference_words):
        return TextDifference("number", number, shared)
    ordered = LCSseq.similarity(response_words, reference_words) == shared
    if not reference_counts - response_counts:
        return TextDifference("more", _more(ordered), shared, ordered)
    if not response_counts - reference_counts and response_words:
        return TextDifference("part", _part(ordered), shared, ordered)
    return TextDifference(
        "words",
        "",
        shared,
        ordered,
        _other_forms(response_counts - reference_counts, reference_counts - response_counts),
    )


def _more(ordered: bool) -> str:
    if ordered:
        return say("says what is expected, and more besides")
    return say("says what is expected in another order, and more besides")


def _part(ordered: bool) -> str:
    if ordered:
        return say("what it says is expected, and part is missing")
    return say("what it says is expected, in another order, and part is missing")


def _layers(response: str, reference: str, language: str) -> list[str]:
    """Name what must be removed until two texts are equal; [] if they differ in more than their look."""
    layers: dict[str, Callable[[str], str]] = {
        "form": lambda text: compared_form(text, case=True, language=language),
        "capitals": lambda text: compared_form(text, language=language),
        "marks": _unmarked,
        "punctuation": _unpunctuated,
        "spaces": lambda text: "".join(text.split()),
    }
    names = dict(zip(layers, _layer_names(), strict=True))

    def equal_without(*removed: str) -> bool:
        response_left, reference_left = response, reference
        for name, remove in layers.items():
            if name in removed:
                response_left, reference_left = remove(response_left), remove(reference_left)
        return response_left == reference_left

    if not equal_without(*layers):
        return []
    needed = list(layers)
    for name in reversed(layers):  # try the broadest removal first: without marks, their forms are equal too
        if equal_without(*(layer for layer in needed if layer != name)):
            needed.remove(name)
    return [names[name] for name in needed]


def _layer_names() -> list[str]:
    form = say("how characters are stored")
    return [form, say("capitals"), say("marks on letters"), say("punctuation"), say("spaces")]


def _unmarked(text: str) -> str:
    """Return a text without accents, signs of vowels and tatweel."""
    decomposed = unicodedata.normalize("NFD", without_marks(text))
    return unicodedata.normalize(
        "NFC", "".join(letter for letter in decomposed if unicodedata.category(letter) != "Mn")
    )


def _unpunctuated(text: str) -> str:
    """Return a text without punctuation, except in numbers; inside a word, a space replaces it.

    >>> _unpunctuated("Well-known: 3.5 %, not -3.5.")
    'Well known 3.5 % not -3.5'
    """
    places_in_numbers = {place for match in _OF_NUMBER.finditer(text) for place in range(*match.span())}
    letters = []
    for place, letter in enumerate(text):
        if place in places_in_numbers or unicodedata.category(letter)[0] != "P":
            letters.append(letter)
        elif text[place - 1 : place].isalnum() and text[place + 1 : place + 2].isalnum():
            letters.append(" ")
    return "".join(letters).strip()


def _one_number(response_words: Sequence[str], reference_words: Sequence[str]) -> str:
    """Say which number differs if nothing else does; otherwise return ""."""
    if len(response_words) != len(reference_words):
        return ""
    unequal = [(a, b) for a, b in zip(response_words, reference_words, strict=True) if a != b]
    if len(unequal) != 1 or not all(word[:1].isdigit() for word in unequal[0]):
        return ""
    number, expected = map(line, unequal[0])
    return say("one number differs: {number}, where {expected} is expected", number=number, expected=expected)


def _other_forms(response_counts: Counter[str], reference_counts: Counter[str]) -> bool:
    """Return whether each word of one side is spelt like a word of the other."""
    from rapidfuzz.distance import Levenshtein

    if not response_counts or not reference_counts:
        return False

    def alike(word: str, other_counts: Counter[str]) -> bool:
        return any(Levenshtein.normalized_similarity(word, candidate) >= ALIKE for candidate in other_counts)

    return all(alike(word, reference_counts) for word in response_counts) and all(
        alike(word, response_counts) for word in reference_counts
    )
