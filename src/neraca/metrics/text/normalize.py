"""Unify letters that are written in several ways: Arabic, Hebrew, and Latin letters of transliterations."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import partial

from neraca.errors import SpecError
from neraca.unicode_words import compared_form

#: Signs of vowels, recitation and accent, and tatweel, which only lengthens a word.
_VOWEL_SIGNS = re.compile(
    "[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u08ca-\u08e1\u08e3-\u08ff]"
)
#: Harakat, signs of recitation and tatweel; hamza and madda above or below are letters and stay.
_HARAKAT = re.compile(
    "[\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed"
    "\u08ca-\u08e1\u08e3-\u08ff]"
)
_DIGITS = dict(zip("٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹", "01234567890123456789", strict=True))
_ONLY_DIGITS = str.maketrans(_DIGITS)
_HAMZA_AND_TA = {"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ؤ": "و", "ة": "ه"}
_ARABIC = str.maketrans({**_DIGITS, **_HAMZA_AND_TA, "ى": "ي", "ئ": "ي", "ی": "ي", "ک": "ك"})
_PERSIAN = str.maketrans({**_DIGITS, **_HAMZA_AND_TA, "ى": "ی", "ئ": "ی", "ي": "ی", "ك": "ک", "ۀ": "ه"})
#: Languages in Arabic script that write keheh and Farsi yeh, which their stemmers expect.
_WITH_KEHEH = frozenset({"fa", "ur", "ps"})

#: Forms of Unicode into which texts can be brought before their characters are compared.
NORMS = ("nfc", "nfkc")

#: Signs for hamza, ayn, glottal stop and soft sign in transliterations.
SIGNS = "'’‘`´′ʼʻʽʾʿˀˁʹʔʕꞌ＇"
_SIGNS = dict.fromkeys(map(ord, SIGNS))
#: Latin letters that Unicode does not decompose.
_LETTERS = str.maketrans(
    {"đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ł": "l", "ø": "o", "ŧ": "t", "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th"}
    | {"Đ": "D", "Ð": "D", "Ħ": "H", "Ł": "L", "Ø": "O", "Ŧ": "T", "ẞ": "SS", "Æ": "AE", "Œ": "OE", "Þ": "TH"}
)
_LATIN_WITH_MARKS = re.compile("([A-Za-z\u00c0-\u024f])[\u0300-\u036f\u1dc0-\u1dff]+")


def fold_vowelled(text: str, language: str = "") -> str:
    """Return Arabic and Hebrew without signs of vowels, and with one form of each letter and digit.

    Harakat, tatweel and niqqud are removed.  Alef with or without hamza or madda is alef; ya and alef maqsura, ta
    marbuta and ha, the seats of hamza, and the Persian forms of kaf and ya become one letter.  Digits are 0-9.

    >>> fold_vowelled("القُرْآن") == fold_vowelled("القران")
    True
    """
    if text.isascii():
        return text
    return _VOWEL_SIGNS.sub("", text).translate(_PERSIAN if language in _WITH_KEHEH else _ARABIC)


def composed(text: str) -> str:
    """Return the text in NFC: a letter and its marks are one character if Unicode has one.

    >>> len("n\N{COMBINING TILDE}"), len(composed("n\N{COMBINING TILDE}"))
    (2, 1)
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def normal_form(norm: str) -> Callable[[str], str]:
    """Return a function that brings a text into a form of Unicode.

    Parameters
    ----------
    norm
        `nfc`: a letter and its marks are one character.  `nfkc`: also, full-width letters and digits become plain, a
        no-break space becomes a space, and invisible characters such as marks of direction are removed.

    Raises
    ------
    SpecError
        For another form.

    Examples
    --------
    >>> normal_form("nfkc")("１２\u00a0km\u200f")
    '12 km'
    """
    if norm not in NORMS:
        raise SpecError(f"norm is {' or '.join(NORMS)}, not {norm!r}")
    return composed if norm == "nfc" else partial(compared_form, case=True)


def without_marks(text: str) -> str:
    """Return Arabic and Persian without harakat and tatweel, and with alef for alef wasla; other letters stay.

    >>> without_marks("ٱلْقُرْآنـــ"), without_marks("أَحْمَد")
    ('القرآن', 'أحمد')
    """
    return text if text.isascii() else _HARAKAT.sub("", text).replace("ٱ", "ا")


def with_latin_digits(text: str) -> str:
    """Return a text with 0-9 for the digits of Arabic and Persian.

    >>> with_latin_digits("١٢٥٠ ۱۲۵۰")
    '1250 1250'
    """
    return text if text.isascii() else text.translate(_ONLY_DIGITS)


def digit_scripts(text: str) -> frozenset[str]:
    """Return the scripts of a text's digits: `western` for 0-9, `arabic` for those of Arabic and Persian.

    >>> sorted(digit_scripts("2015 ٢٠")), digit_scripts("عام")
    (['arabic', 'western'], frozenset())
    """
    western = {"western"} if any("0" <= letter <= "9" for letter in text) else set()
    return frozenset(western | ({"arabic"} if not text.isascii() and not _DIGITS.keys().isdisjoint(text) else set()))


def has_marks(text: str) -> bool:
    """Tell whether a text has harakat or tatweel.

    >>> has_marks("كِتَاب"), has_marks("كتاب")
    (True, False)
    """
    return not text.isascii() and _HARAKAT.search(text) is not None


def without_signs(text: str) -> str:
    """Return a text without apostrophes and the other signs that transliterations write for hamza and ayn.

    >>> without_signs("Qurʾān, jum'at")
    'Qurān, jumat'
    """
    return text.translate(_SIGNS)


def plain(text: str) -> str:
    """Return Latin letters without diacritics and signs of transliterations; other scripts stay.

    No letters are replaced: ṣalāh becomes salah, not shalat.

    >>> plain("ṣalāh"), plain("Qurʾān"), plain("jum'at"), plain("Łódź")
    ('salah', 'Quran', 'jumat', 'Lodz')
    """
    text = without_signs(text)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text).translate(_LETTERS)
    return without_signs(unicodedata.normalize("NFKC", _LATIN_WITH_MARKS.sub(r"\1", decomposed)))
