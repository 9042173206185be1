"""Mask e-mail addresses, telephone numbers and numbers of cards in what people typed."""

from __future__ import annotations

import re
from collections import Counter

#: Kind → its mark in the text.
MARKS = {"e-mail": "[e-mail]", "card": "[card]", "phone": "[phone]", "number": "[number]"}
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
#: Digits in groups; prices such as 1.250.000.000 are told apart by `_kind`.
_DIGITS = re.compile(r"(?<![\w.,])(?:\+|\(\+?)?\d(?:[\d]|[ ().-]{1,2}(?=[\d(])){6,25}\d(?![\w])")
_THOUSANDS = re.compile(r"\d{1,3}([., ])\d{3}(\1\d{3})*")
_DATE = re.compile(r"\d{4}[.-]\d{1,2}[.-]\d{1,2}|\d{1,2}[.-]\d{1,2}[.-]\d{4}")
#: Fewest and most digits of a telephone number, and the fewest digits without marks between them that are an account.
_PHONE, _ACCOUNT = (9, 15), 13


def mask(text: str) -> tuple[str, Counter[str]]:
    """Return a text with marks in place of personal data, and how many of each kind were masked.

    Kinds are `e-mail`, `card` (13 to 19 digits whose last digit fits), `phone` (9 to 15 digits that begin with + or 0,
    or are written as 555-123-4567) and `number` (13 digits and more without a mark between them, as of accounts and
    identity cards).  Prices and dates stay.  Names and addresses are not recognised.

    >>> mask("Call +62 812-3456-7890 or a.b@example.com about the house for 1.250.000.000")[0]
    'Call [phone] or [e-mail] about the house for 1.250.000.000'
    >>> mask("4111 1111 1111 1111")
    ('[card]', Counter({'card': 1}))
    """
    masked: Counter[str] = Counter()

    def marked(kind: str, original: str) -> str:
        if not kind:
            return original
        masked[kind] += 1
        return MARKS[kind]

    text = _EMAIL.sub(lambda match: marked("e-mail", match[0]), text)
    return _DIGITS.sub(lambda match: marked(_kind(match[0]), match[0]), text), masked


def _kind(number: str) -> str:
    """Return the kind of personal data that a number with marks between its digits is; "" if it is none."""
    digits = re.sub(r"\D", "", number)
    if _THOUSANDS.fullmatch(number) and number[0] != "0":
        return ""
    if _DATE.fullmatch(number):
        return ""
    if 13 <= len(digits) <= 19 and _is_card(digits):
        return "card"
    if digits == number and len(digits) >= _ACCOUNT:
        return "number"
    if not _PHONE[0] <= len(digits) <= _PHONE[1]:
        return ""
    is_phone = number.lstrip("(")[0] in "+0" or re.fullmatch(r"\(?\d{3}\)?[ .-]{1,2}\d{3}[ .-]\d{4}", number)
    return "phone" if is_phone else ""


def _is_card(digits: str) -> bool:
    """Return whether the last digit of a number fits the others (Luhn).

    >>> _is_card("4111111111111111"), _is_card("4111111111111112")
    (True, False)
    """
    doubled = (int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits)))
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0
