"""Read numbers in texts by value: 1.250.000, 1,250,000 and 1250000 are one number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

#: The possible values of a number: usually one, two if a mark can be decimal or separate thousands.
Number = tuple[str, ...]

#: Languages that write 3.5, and languages that write 3,5.  Others use both (Spanish, Arabic) or are not known.
_POINT = frozenset({"en", "zh", "ja", "ko", "th", "he", "ms", "tl"})
_COMMA = frozenset(
    {
        *("id", "de", "fr", "it", "pt", "nl", "ru", "uk", "be", "bg", "tr", "vi", "pl", "cs", "sk", "sl", "hr", "sr"),
        *("da", "no", "sv", "fi", "is", "et", "lv", "lt", "el", "ro", "hu", "ca", "gl"),
    }
)
_SPACES = "\u00a0\u202f\u2009'’"
#: Currencies before a number, also without a space.
CURRENCIES = ("rp", "rm", "idr", "usd", "eur", "myr", "sgd", "sar")
_START = "|".join(["(?<![^\\W\\d_])", *(f"(?<=(?i:{currency}))" for currency in CURRENCIES)])
_NUMBER = re.compile(rf"(?:{_START})(?:\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,٫٬]\d+)*)")
_BETWEEN = re.compile(f"[{_SPACES}٬]")
_MARKS = re.compile("[.,]")
_MINUS = ("-", "\N{MINUS SIGN}")


def numbers(text: str, language: str = "") -> tuple[list[Number], str]:
    """Return the numbers of a text, and the text with each number replaced by its (first) value.

    A number inside a word, as in B2, is part of the word, unless the word is a currency.

    >>> numbers("Rp1.250.000, B2, 3,50 m", "id")
    ([('1250000',), ('3.5',)], 'Rp 1250000 , B2,  3.5  m')
    """
    text_numbers = [values(match[0], language) for match in _NUMBER.finditer(text)]
    remaining = iter(text_numbers)
    return text_numbers, _NUMBER.sub(lambda _: f" {next(remaining)[0]} ", text)


def placed_numbers(text: str, language: str = "") -> Iterator[tuple[int, int, bool, Number]]:
    """Yield start and end of each number in a text, whether a minus stands before it, and its possible values.

    Dates and versions are left out.  The dash of a range (2-3) or of a word (covid-19) is no minus.

    >>> [(negative, *number) for _, _, negative, number in placed_numbers("from -5 to 3,5 on 1.2.2024", "id")]
    [(True, '5'), (False, '3.5')]
    """
    for match in _NUMBER.finditer(text):
        before = text[: match.start()]
        negative = before[-1:] in _MINUS and not (before[-2:-1].isalnum() or before[-2:-1] in _MINUS)
        possible = tuple(value for value in values(match[0], language) if value.count(".") < 2)
        if possible:
            yield match.start(), match.end(), before != "" and negative, possible


def values(number: str, language: str = "") -> Number:
    """Return the possible values of a number that is written with digits, points and commas.

    A single mark with three digits after it separates thousands or is a decimal mark.  The language decides; if it does
    not, both values are possible.  A date or a version is no number and is returned with points.

    >>> values("1.250.000"), values("1,250,000.50"), values("12,05,2024")
    (('1250000',), ('1250000.5',), ('12.05.2024',))
    >>> values("1.250", "id"), values("1.250", "en"), values("1.250")
    (('1250',), ('1.25',), ('1250', '1.25'))
    """
    digits = "".join(
        [letter if letter in ".,٫" else str(unicodedata.decimal(letter)) for letter in _BETWEEN.sub("", number)]
    )
    if "٫" in digits:
        whole, _, fraction = digits.partition("٫")
        return (_decimal(_MARKS.sub("", whole), _MARKS.sub("", fraction.replace("٫", ""))),)
    marks, groups = _MARKS.findall(digits), _MARKS.split(digits)
    if not marks:
        return (_decimal(digits, ""),)
    if len(set(marks)) == 2:
        mixed = marks[-1] in marks[:-1] or not _thousands(groups[:-1])
        return (".".join(groups),) if mixed else (_decimal("".join(groups[:-1]), groups[-1]),)
    whole, decimal = _decimal("".join(groups), ""), _decimal(groups[0], groups[1])
    if not _thousands(groups):
        return (decimal,) if len(groups) == 2 else (".".join(groups),)
    if len(groups) > 2:
        return (whole,)
    if language in _POINT or language in _COMMA:
        return (decimal,) if (marks[0] == ".") == (language in _POINT) else (whole,)
    return whole, decimal


def _thousands(groups: list[str]) -> bool:
    """Return whether digits are in groups of three, or, as in India, of two before the last three."""
    first, *middle, last = groups
    sizes = {len(group) for group in middle}
    return len(first) <= 3 and not first.startswith("0") and len(last) == 3 and (sizes <= {3} or sizes == {2})


def _decimal(whole: str, fraction: str) -> str:
    whole, fraction = whole.lstrip("0") or "0", fraction.rstrip("0")
    return f"{whole}.{fraction}" if fraction else whole
