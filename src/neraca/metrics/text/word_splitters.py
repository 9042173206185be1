"""How a text falls into words: our own way, and the ways of other libraries, for the same numbers as theirs."""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Callable

Split = Callable[[str], list[str]]

#: Scripts that are written without spaces: there each letter stands for itself, with the marks that follow it.
_SPACELESS = (
    *(
        (0x0E00, 0x0EFF),
        (0x1000, 0x109F),
        (0x1780, 0x17FF),
        (0xA9E0, 0xA9FF),
        (0xAA60, 0xAADF),
    ),  # Thai, Lao, Burmese, Khmer
    *((0x1950, 0x19DF), (0x1A20, 0x1AAF), (0x1B00, 0x1B7F), (0xA980, 0xA9DF)),  # Tai, Balinese, Javanese
    *((0x3005, 0x3007), (0x3021, 0x3029), (0x3040, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF)),  # kana, bopomofo
    *((0x3400, 0x4DBF), (0x4E00, 0xA4CF), (0xF900, 0xFAFF), (0x16FE0, 0x1B2FF), (0x20000, 0x3FFFF)),  # Chinese, Yi
)
#: What may stand inside a number: points, commas, and those of Arabic.
_INSIDE_NUMBERS = ".,٫٬"
#: Keeps letters from joining.  In Persian it stands between the parts of a word.
ZWNJ = "\u200c"


class _Kinds(dict[int, str]):
    """Code point → what it does in a word, as one letter.

    `w` letter, `d` digit, `s` letter of a script without spaces, `m` mark or joiner, `.` point or comma, else a space.
    """

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        category = unicodedata.category(letter)
        if category == "Nd":
            kind = "d"
        elif category[0] in "LN":
            kind = "s" if any(first <= code <= last for first, last in _SPACELESS) else "w"
        elif category in ("Mn", "Mc") or letter == ZWNJ:
            kind = "m"
        else:
            kind = "." if letter in _INSIDE_NUMBERS else " "
        self[code] = kind
        return kind


class _Unseen(dict[int, int | None]):
    """Code point → None for characters that have no look of their own, such as soft hyphens; others as they are.

    They are left out before words are found.  Not among them: the zero-width space, which parts words.
    """

    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        unseen = category == "Me" or (category == "Cf" and chr(code) not in "\u200b\u2061\u2062\u2063\u2064")
        unseen = unseen or code == 0x34F or 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F
        self[code] = None if unseen or 0xE0100 <= code <= 0xE01EF else code
        return self[code]


_kinds, _unseen = _Kinds(), _Unseen()
_WORD = re.compile(r"sm*|[wd][wdm]*")
_WORD_OR_NUMBER = re.compile(r"d+(?:\.d+)+|sm*|(?:w|d+(?!d|\.d))(?:[wm]|d+(?!d|\.d))*")
_ASCII_WORD = re.compile("[0-9A-Za-z]+")
_GOOGLE = re.compile(r"[a-z0-9]+")
_SKLEARN = re.compile(r"\b\w\w+\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_MT = (
    (re.compile(r"([\{-\~\[-\`!-\&\(-\+\:-\@\/])"), r" \1 "),  # mteval puts spaces around spaces too
    (re.compile(r"([^0-9])([\.,])"), r"\1 \2 "),
    (re.compile(r"([\.,])([^0-9])"), r" \1 \2"),
    (re.compile(r"([0-9])(-)"), r"\1 \2 "),
)
_ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"))


def without_unseen(text: str, *, keep: str = "") -> str:
    """A text without what is not seen: soft hyphens, joiners, marks of direction and order, variation selectors.

    Signs that are drawn around a letter, such as a key's cap, fall away too.  `keep` is one character to leave.

    >>> without_unseen("Wort\u00adteil \u200emañana")
    'Wortteil mañana'
    """
    if keep and keep in text:
        return keep.join(part.translate(_unseen) for part in text.split(keep))
    return text.translate(_unseen)


def unicode_words(text: str) -> list[str]:
    """Runs of letters and digits with their marks; letters of scripts without spaces one by one.

    An underscore, an apostrophe and a hyphen stand between words, whichever character is used for them.

    >>> unicode_words("kamar-mandi 3,5 m")
    ['kamar', 'mandi', '3', '5', 'm']
    >>> unicode_words("東京 2020")
    ['東', '京', '2020']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return [text[slice(*found.span())] for found in _WORD.finditer(text.translate(_kinds))]


def number_words(text: str) -> list[str]:
    """The same, with a number kept whole where points and commas stand inside it, and parted from letters beside it.

    >>> number_words("Rp1.250.000, 3,5m B2B.")
    ['Rp', '1.250.000', '3,5', 'm', 'B2B']
    """
    return [text[slice(*found.span())] for found in _WORD_OR_NUMBER.finditer(text.translate(_kinds))]


def google(text: str) -> list[str]:
    """As rouge_score: runs of a-z and 0-9 after lower-casing; every other letter is lost."""
    return _GOOGLE.findall(text.lower())


def lower(text: str) -> list[str]:
    """As a text is given to NLTK's METEOR: cut at white space, lower case."""
    return text.lower().split()


def sklearn(text: str) -> list[str]:
    """As scikit-learn's vectorizers: lower case, words of two letters or more."""
    return _SKLEARN.findall(text.lower())


def squad(text: str) -> list[str]:
    """As the evaluation script of SQuAD: lower case, ASCII punctuation deleted, then a, an and the."""
    return _ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split()


def mt13a(text: str) -> list[str]:
    """As mteval-v13a in the form of sacreBLEU, case kept.

    >>> mt13a("Hello, world: 3.5 at 5-6.")
    ['Hello', ',', 'world', ':', '3.5', 'at', '5', '-', '6', '.']
    """
    line = text.replace("<skipped>", "").replace("-\n", "").replace("\n", " ")
    if "&" in line:
        for entity, letter in _ENTITIES:
            line = line.replace(entity, letter)
    line = f" {line} "
    for pattern, replacement in _MT:
        line = pattern.sub(replacement, line)
    return line.split()


def letters(text: str) -> list[str]:
    """Every character that is no white space.

    >>> letters("a b")
    ['a', 'b']
    """
    return list("".join(text.split()))


def punctuation_apart(text: str) -> list[str]:
    """As chrF++ reads words: between white space, one ASCII sign at a word's end, else at its start, by itself.

    >>> punctuation_apart("(hi) it's 3.5 ...")
    ['(hi', ')', "it's", '3.5', '..', '.']
    """
    found: list[str] = []
    for word in text.split():
        if len(word) > 1 and word[-1] in string.punctuation:
            found += word[:-1], word[-1]
        elif len(word) > 1 and word[0] in string.punctuation:
            found += word[0], word[1:]
        else:
            found.append(word)
    return found
