"""The difference between a response and a reference, read from the two texts."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from neraca.metrics.text.normalize import without_marks
from neraca.reports.counts_and_lists import listed
from neraca.reports.formats.escape import line
from neraca.reports.translation import say
from neraca.unicode_words import compared_form, number_words

#: Words are other forms of one word from this similarity of their spelling on (1 less edits / longer length).
ALIKE = 0.6
#: A sign that belongs to a number: between digits, before or after one.
_OF_NUMBER = re.compile(r"(?<=\d)[^\w\s](?=\d)|(?<![\w])[-\u2212+](?=\d)|(?<=\d)\s?[%\u2030\u066a]")


class TextDifference(NamedTuple):
    """The difference between two texts.

    Attributes
    ----------
    kind
        `empty`, `same`, `look` (only signs, capitals, spaces, marks), `order`, `number`, `more`, `part`, `words`.
    sentence
        The difference in words, in the language of the report; "" of `words`.
    shared
        How many words both have.
    ordered
        Whether the words that both have stand in the same order.
    forms
        Whether each word that one side lacks is another spelling of one that the other lacks.
    """

    kind: str
    sentence: str
    shared: int = 0
    ordered: bool = True
    forms: bool = False


def difference_of(response: str, references: Sequence[str], language: str = "") -> TextDifference:
    """Tell what differs between a response and the nearest of its references.

    >>> difference_of("The bus stops here", ["the bus stops here."]).sentence
    'the same words; what differs: capitals and punctuation'
    >>> difference_of("here stops the bus", ["the bus stops here"]).sentence
    'the same words, in another order'
    >>> difference_of("It costs 12 euros.", ["It costs 15 euros."]).sentence
    'one number differs: 12, where 15 is expected'
    """
    if not response.strip():
        return TextDifference("empty", say("the answer is empty"))
    several = [_difference(response, reference, language) for reference in references if reference.strip()]
    if not several:
        return TextDifference("words", "")
    return min(several, key=lambda one: (_NEARNESS.index(one.kind), -one.shared))


_NEARNESS = ("same", "look", "order", "number", "more", "part", "words", "empty")


def _difference(response: str, reference: str, language: str) -> TextDifference:
    from rapidfuzz.distance import LCSseq

    ours, theirs = (number_words(compared_form(text, language=language)) for text in (response, reference))
    count, expected = Counter(ours), Counter(theirs)
    shared = (count & expected).total()
    if response.strip() == reference.strip():
        return TextDifference("same", say("the texts are the same"), shared)
    layers = _layers(response.strip(), reference.strip(), language)
    if layers or ours == theirs:
        what = listed(layers) or say("signs, such as % or -")
        return TextDifference("look", say("the same words; what differs: {what}", what=what), shared)
    if count == expected:
        return TextDifference("order", say("the same words, in another order"), shared, ordered=False)
    if number := _one_number(ours, theirs):
        return TextDifference("number", number, shared)
    ordered = LCSseq.similarity(ours, theirs) == shared
    if not expected - count:
        return TextDifference("more", _more(ordered), shared, ordered)
    if not count - expected and ours:
        return TextDifference("part", _part(ordered), shared, ordered)
    return TextDifference("words", "", shared, ordered, _other_forms(count - expected, expected - count))


def _more(ordered: bool) -> str:
    if ordered:
        return say("says what is expected, and more besides")
    return say("says what is expected in another order, and more besides")


def _part(ordered: bool) -> str:
    if ordered:
        return say("what it says is expected, and part is missing")
    return say("what it says is expected, in another order, and part is missing")


def _layers(response: str, reference: str, language: str) -> list[str]:
    """Name what must be taken away until two texts are equal; nothing where they differ in more than their look."""
    layers: dict[str, Callable[[str], str]] = {
        "form": lambda text: compared_form(text, case=True, language=language),
        "capitals": lambda text: compared_form(text, language=language),
        "marks": _unmarked,
        "punctuation": _unpunctuated,
        "spaces": lambda text: "".join(text.split()),
    }
    names = dict(zip(layers, _layer_names(), strict=True))

    def equal_without(*left: str) -> bool:
        one, other = response, reference
        for name, taken in layers.items():
            if name in left:
                one, other = taken(one), taken(other)
        return one == other

    if not equal_without(*layers):
        return []
    needed = list(layers)
    for name in reversed(layers):  # what takes more away falls away first: without marks, forms of them are equal too
        if equal_without(*(one for one in needed if one != name)):
            needed.remove(name)
    return [names[name] for name in needed]


def _layer_names() -> list[str]:
    form = say("how characters are stored")
    return [form, say("capitals"), say("marks on letters"), say("punctuation"), say("spaces")]


def _unmarked(text: str) -> str:
    """Return a text without accents, signs of vowels and tatweel."""
    apart = unicodedata.normalize("NFD", without_marks(text))
    return unicodedata.normalize("NFC", "".join(letter for letter in apart if unicodedata.category(letter) != "Mn"))


def _unpunctuated(text: str) -> str:
    """Return a text without punctuation, except in numbers; inside a word a space stands for it.

    >>> _unpunctuated("Well-known: 3.5 %, not -3.5.")
    'Well known 3.5 % not -3.5'
    """
    kept = {place for match in _OF_NUMBER.finditer(text) for place in range(*match.span())}
    letters = []
    for place, letter in enumerate(text):
        if place in kept or unicodedata.category(letter)[0] != "P":
            letters.append(letter)
        elif text[place - 1 : place].isalnum() and text[place + 1 : place + 2].isalnum():
            letters.append(" ")
    return "".join(letters).strip()


def _one_number(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Say which number differs where this is all that does; else ""."""
    if len(ours) != len(theirs):
        return ""
    unequal = [(a, b) for a, b in zip(ours, theirs, strict=True) if a != b]
    if len(unequal) != 1 or not all(word[:1].isdigit() for word in unequal[0]):
        return ""
    number, expected = map(line, unequal[0])
    return say("one number differs: {number}, where {expected} is expected", number=number, expected=expected)


def _other_forms(ours: Counter[str], theirs: Counter[str]) -> bool:
    """Whether each word of one side is spelt like one of the other."""
    from rapidfuzz.distance import Levenshtein

    if not ours or not theirs:
        return False

    def alike(word: str, others: Counter[str]) -> bool:
        return any(Levenshtein.normalized_similarity(word, other) >= ALIKE for other in others)

    return all(alike(word, theirs) for word in ours) and all(alike(word, ours) for word in theirs)
