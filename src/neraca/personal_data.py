"""Mask e-mail addresses, telephone numbers and numbers of cards in what people typed."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

#: Kind → its mark in the text.
MARKS = {"e-mail": "[e-mail]", "card": "[card]", "phone": "[phone]", "number": "[number]"}
#: Words that people write before a telephone number, also without a space.
_WORDS = "hp|wa|tel|telp|telf|telpon|telepon|tlp|ph|phone|mobile|call|cel|movil|móvil|whatsapp|هاتف|جوال|واتساب"
#: The look behind keeps the search linear in a long word without @.
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]+(?:@|%40|&#64;)[\w-]+(?:\.[\w-]+)+")
#: Digits in groups, after a word for a telephone and before an extension; prices such as 1.250.000.000 are told apart
#: by `_kind`.
_DIGITS = re.compile(
    rf"(?<![\w.,])(?P<word>(?:{_WORDS})(?=[\d+(]))?"
    r"(?P<number>(?:\+|\(\+?)?\d(?:[\d]|[ ().-]{1,2}(?=[\d(])){6,25}\d)"
    r"(?:(?P<extension>(?:;ext=|,?\s*(?:ext(?:ension|ensi)?\.?|x|int\.)\s*)\d{1,6})(?!\w)|(?!\w))",
    re.IGNORECASE,
)
#: Two letters and two digits, then letters and digits in groups; where it ends is told by `_iban`.
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]){11,30}", re.IGNORECASE | re.ASCII)
_IBAN_LETTERS = 15
#: Signs that stand for a space, a hyphen, + and @: those that do not break, have no width, or are wide.
_PLAIN = str.maketrans(
    dict.fromkeys("\t\u00a0\u2007\u2009\u202f\u3000\u200b\u200c\u200d\u2060", " ")
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-")
    | {"\uff0b": "+", "\uff20": "@"}
)
_SOCIAL_SECURITY = re.compile(r"(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}")
#: An Indonesian identity number: a place in six digits, day (from 41 on: of a woman), month and year of birth, and then
#: four digits.
_IDENTITY = re.compile(r"[1-9]\d{5}(?:0[1-9]|[1256]\d|3[01]|4[1-9]|7[01])(?:0[1-9]|1[0-2])\d{6}")
_THOUSANDS = re.compile(r"\d{1,3}([., ])\d{3}(\1\d{3})*")
_DATE = re.compile(r"\d{4}[.-]\d{1,2}[.-]\d{1,2}|\d{1,2}[.-]\d{1,2}[.-]\d{4}")
_CARD = re.compile(r"[3-6]\d{13,15}")
_DECIMAL = re.compile(r"0[.,]\d+")
_AMERICAN = re.compile(r"\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}")
#: An Indonesian mobile number with the code of its country and without +.
_INDONESIAN = re.compile(r"628\d{8,11}")
#: Fewest and most digits of a telephone number, and the fewest digits without marks between them that are an account.
_PHONE, _ACCOUNT = (9, 15), 13


def mask(text: str) -> tuple[str, Counter[str]]:
    """Return a text with marks in place of personal data, and how many of each kind were masked.

    Kinds are `e-mail`, `card` (13 to 19 digits whose last digit fits), `phone` (9 to 15 digits that begin with + or 0,
    or are written as 555-123-4567, with their extension) and `number` (13 digits and more without a mark between them,
    IBANs, and numbers written as those of identity cards).  Digits may be of any script.  Prices and dates stay.  Names
    and addresses are not recognised.

    >>> mask("Call +62 812-3456-7890 or a.b@example.com about the house for 1.250.000.000")[0]
    'Call [phone] or [e-mail] about the house for 1.250.000.000'
    >>> mask("4111 1111 1111 1111")
    ('[card]', Counter({'card': 1}))
    """
    masked: Counter[str] = Counter()
    for pattern, place_of in ((_EMAIL, _email_place), (_IBAN, _iban_place), (_DIGITS, _number_place)):
        pieces, end = [], 0
        for match in pattern.finditer(text.translate(_PLAIN)):  # sign for sign, so that places stay
            kind, (start, stop) = place_of(match)
            if kind:
                masked[kind] += 1
                pieces += [text[end:start], MARKS[kind]]
                end = stop
        text = "".join([*pieces, text[end:]])
    return text, masked


def _email_place(match: re.Match[str]) -> tuple[str, tuple[int, int]]:
    return "e-mail", match.span()


def _iban_place(match: re.Match[str]) -> tuple[str, tuple[int, int]]:
    iban = _iban(match)
    return "number" if iban else "", (match.start(), match.start() + len(iban))


def _number_place(match: re.Match[str]) -> tuple[str, tuple[int, int]]:
    """Return the kind of a number and its place, that of a telephone with its extension."""
    kind = _kind(match["number"])
    return kind, (match.start("number"), match.end() if kind == "phone" else match.end("number"))


def _iban(match: re.Match[str]) -> str:
    """Return the longest part from the start that ends with a word and is an IBAN by its check digits (ISO 7064)."""
    text = match[0]
    for end in range(len(text), _IBAN_LETTERS - 1, -1):
        following = match.string[match.start() + end : match.start() + end + 1]
        letters = re.sub("[ -]", "", text[:end])
        if following.isalnum() or not text[end - 1].isalnum() or len(letters) < _IBAN_LETTERS:
            continue
        if int("".join(str(int(letter, 36)) for letter in letters[4:] + letters[:4])) % 97 == 1:
            return text[:end]
    return ""


def _kind(number: str) -> str:
    """Return the kind of personal data that a number with marks between its digits is; "" if it is none."""
    number = "".join(str(unicodedata.digit(sign, sign)) for sign in number)
    digits = re.sub(r"\D", "", number)
    if _THOUSANDS.fullmatch(number) and number[0] != "0":
        return ""
    if _DATE.fullmatch(number) or _DECIMAL.fullmatch(number):
        return ""
    if 13 <= len(digits) <= 19 and _is_card(digits):
        return "card"
    is_account = digits == number and len(digits) >= _ACCOUNT
    is_identity = "-" in number and _IDENTITY.fullmatch(digits)
    if is_account or is_identity or _SOCIAL_SECURITY.fullmatch(number):
        return "number"
    if not _PHONE[0] <= len(digits) <= _PHONE[1]:
        return ""
    is_phone = number.lstrip("(")[0] in "+0" or _INDONESIAN.fullmatch(digits) or _AMERICAN.fullmatch(number)
    return "phone" if is_phone else ""


def kind_of_integer(number: int) -> str:
    """Return the kind of a number that nobody typed: `card`, `phone` (Indonesian), or "" as for a time in milliseconds.

    >>> kind_of_integer(4111111111111111), kind_of_integer(6281234567890), kind_of_integer(1764201234567)
    ('card', 'phone', '')
    """
    digits = str(number)
    if _CARD.fullmatch(digits) and _is_card(digits):
        return "card"
    return "phone" if _INDONESIAN.fullmatch(digits) else ""


def _is_card(digits: str) -> bool:
    """Return whether the last digit of a number fits the others (Luhn).

    >>> _is_card("4111111111111111"), _is_card("4111111111111112")
    (True, False)
    """
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
