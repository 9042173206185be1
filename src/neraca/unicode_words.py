"""Split texts of every script into words, and normalize words for comparison."""

from __future__ import annotations

import re
import unicodedata

#: Scripts without spaces between words: each letter, with the marks that follow it, is a word.
_SPACELESS = (
    *((0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF)),  # Thai, Lao, Burmese, Khmer
    *((0xA9E0, 0xA9FF), (0xAA60, 0xAADF)),  # Burmese, extended
    *((0x1950, 0x19DF), (0x1A20, 0x1AAF), (0x1B00, 0x1B7F), (0xA980, 0xA9DF)),  # Tai, Balinese, Javanese
    *((0x3005, 0x3007), (0x3021, 0x3029), (0x3040, 0x312F), (0x31A0, 0x31BF), (0x31F0, 0x31FF)),  # kana, bopomofo
    *((0x3400, 0x4DBF), (0x4E00, 0xA4CF), (0xF900, 0xFAFF), (0x16FE0, 0x1B2FF), (0x20000, 0x3FFFF)),  # Chinese, Yi
)
#: Decimal and thousands separators, including the Arabic ones.
_SEPARATORS = ".,٫٬"
#: Zero-width non-joiner, which keeps letters from joining.  In Persian it separates the parts of a word.
ZWNJ = "\u200c"


class _Kinds(dict[int, str]):
    """Code point → its kind, as one letter.

    `w` letter, `d` digit, `s` letter of a script without spaces, `m` mark or joiner, `.` separator, else a space.
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
            kind = "." if letter in _SEPARATORS else " "
        self[code] = kind
        return kind


class _Visible(dict[int, int | None]):
    """Code point → None for invisible characters, such as soft hyphens, which are removed; else the code point.

    The zero-width space is kept, because it separates words.
    """

    def __missing__(self, code: int) -> int | None:
        category = unicodedata.category(chr(code))
        invisible = category == "Me" or (category == "Cf" and chr(code) not in "\u200b\u2061\u2062\u2063\u2064")
        invisible = invisible or code == 0x34F or 0x180B <= code <= 0x180F or 0xFE00 <= code <= 0xFE0F
        self[code] = None if invisible or 0xE0100 <= code <= 0xE01EF else code
        return self[code]


_kinds, _visible = _Kinds(), _Visible()
_WORD = re.compile(r"sm*|[wd][wdm]*")
_WORD_OR_NUMBER = re.compile(r"d+(?:\.d+)+|sm*|(?:w|d+(?!d|\.d))(?:[wm]|d+(?!d|\.d))*")
_ASCII_WORD = re.compile("[0-9A-Za-z]+")
#: Languages in which I is the capital of ı, and not of i.
_DOTTED = ("tr", "az")


def compared_form(spelling: str, *, case: bool = False, keep: str = "", language: str = "") -> str:
    """Normalize a text without spaces for comparison: NFKC, lower case, without invisible characters.

    Parameters
    ----------
    spelling
        The text.
    case
        Whether to keep upper case.
    keep
        One invisible character to keep.
    language
        Two-letter code or ""; in Turkish and Azerbaijani I is the capital of ı.

    Examples
    --------
    >>> compared_form("ＡＢＣ"), compared_form("ISPARTA", language="tr")
    ('abc', 'ısparta')
    """
    if spelling.isascii() and language not in _DOTTED:
        return spelling if case else spelling.lower()
    spelling = without_invisible(spelling, keep=keep).replace("\u02bc", "'")  # both are typed for an apostrophe
    spelling = unicodedata.normalize("NFKC", spelling)
    if case:
        return spelling
    if language in _DOTTED:
        spelling = spelling.replace("I", "ı")
    spelling = spelling.replace("İ", "i").lower()
    return unicodedata.normalize("NFKC", spelling)  # some pairs compose only in lower case


def without_accents(text: str) -> str:
    """Return a text in NFKD without the accents U+0300 to U+036F; keep marks of other scripts, which may be vowels.

    >>> without_accents("Español"), without_accents("สินค้า") == "สินค้า"
    ('Espanol', True)
    """
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not "\u0300" <= letter <= "\u036f")


def without_invisible(text: str, *, keep: str = "") -> str:
    """Return a text without invisible characters: soft hyphens, joiners, directional marks, variation selectors.

    Enclosing marks, such as that of a key cap, are removed too.  `keep` is one character to keep.

    >>> without_invisible("Wort\u00adteil \u200emañana")
    'Wortteil mañana'
    """
    if keep and keep in text:
        return keep.join(part.translate(_visible) for part in text.split(keep))
    return text.translate(_visible)


def unicode_words(text: str) -> list[str]:
    """Return the runs of letters and digits with their marks; in scripts without spaces, each letter is a word.

    Underscores, apostrophes and hyphens of every kind separate words.

    >>> unicode_words("kamar-mandi 3,5 m")
    ['kamar', 'mandi', '3', '5', 'm']
    >>> unicode_words("東京 2020")
    ['東', '京', '2020']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    return [text[slice(*match.span())] for match in _WORD.finditer(text.translate(_kinds))]


def count_spaceless_letters(text: str) -> int:
    """Count the letters of scripts that are written without spaces between words.

    >>> count_spaceless_letters("東京 Tokyo ไทย")
    5
    """
    return 0 if text.isascii() else text.translate(_kinds).count("s")


def number_words(text: str) -> list[str]:
    """Return words as `unicode_words` does, but keep numbers with points and commas whole and apart from letters.

    >>> number_words("Rp1.250.000, 3,5m B2B.")
    ['Rp', '1.250.000', '3,5', 'm', 'B2B']
    """
    return [text[slice(*match.span())] for match in _WORD_OR_NUMBER.finditer(text.translate(_kinds))]
