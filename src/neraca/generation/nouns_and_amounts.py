"""Write a noun after a number, and an amount with its currency."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

#: Language → endings of plurals and of their singular; the first that fits counts.
_SINGULARS: dict[str, Sequence[tuple[str, str]]] = {
    "en": (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("s", "")),
    "es": (
        *(("ciones", "ción"), ("siones", "sión"), ("ones", "ón"), ("ces", "z")),
        *((f"{letter}es", letter) for letter in "lrnd"),
        ("s", ""),
    ),
}
_SIGNS = "$€£¥₹₩₽"
_CODES = (
    *("USD", "EUR", "GBP", "JPY", "IDR", "MYR", "SGD", "SAR", "AED", "EGP", "MXN", "ARS", "COP", "CLP", "PEN", "INR"),
    *("CAD", "AUD", "CHF", "CNY", "BRL", "RM", "Rp", "S/"),
)
#: Sign of a currency → its code.
_CODE_OF = {
    **{"$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB"},
    **{"RP": "IDR", "RM": "MYR", "S/": "PEN", "R$": "BRL"},
}
_CURRENCY = rf"[A-Z]{{0,3}}[{_SIGNS}]|{'|'.join(re.escape(code) for code in _CODES)}"
_WHOLE = re.compile(rf"(?:{_CURRENCY})\.?", re.IGNORECASE)
_BEFORE = re.compile(rf"\s*({_CURRENCY})\.?\s*(?=[\d.,-])", re.IGNORECASE)
_AFTER = re.compile(rf"\d[^\n\d]{{0,10}}?(?<![^\W\d_])({_CURRENCY})\.?\s*$", re.IGNORECASE)


def is_plural(noun: str, language: str) -> bool:
    """Return whether a noun is a plural, so that a number can stand before it; always, if the language has no plurals.

    >>> is_plural("bedrooms", "en"), is_plural("floor", "en"), is_plural("kamar", "id")
    (True, False, True)
    """
    return language not in _SINGULARS or (noun.endswith("s") and not noun.endswith("ss"))


def after_number(noun: str, number: float | None, language: str) -> str:
    """Return a noun in the plural, or in the singular after 1.

    >>> after_number("bedrooms", 1, "en"), after_number("habitaciones", 1, "es"), after_number("baños", 2, "es")
    ('bedroom', 'habitación', 'baños')
    """
    if number != 1:
        return noun
    endings = _SINGULARS.get(language, ())
    return next((noun.removesuffix(plural) + singular for plural, singular in endings if noun.endswith(plural)), noun)


class Currency(NamedTuple):
    """A sign or code of a currency, and whether it stands before the number."""

    sign: str = ""
    first: bool = True

    def written(self, number: str) -> str:
        """Return a number as an amount.

        >>> Currency("£").written("5"), Currency("Rp").written("5"), Currency("€", False).written("5")
        ('£5', 'Rp 5', '5 €')
        """
        if not self.sign or not number:
            return number
        if not self.first:
            return f"{number} {self.sign}"
        return f"{self.sign}{'' if self.sign[-1] in _SIGNS else ' '}{number}"


def currency_code(text: str) -> str:
    """Return the code of a currency that a text is the sign or code of; "" for other texts.

    >>> currency_code("Rp."), currency_code("idr"), currency_code("US$"), currency_code("£"), currency_code("m2")
    ('IDR', 'IDR', 'USD', 'GBP', '')
    """
    sign = text.strip().upper()
    return _CODE_OF.get(sign.rstrip("."), sign.rstrip(".")) if _WHOLE.fullmatch(sign) else ""


def currency_in(cell: object) -> Currency | None:
    """Return the currency of the amount in a cell; None if it names none."""
    if isinstance(cell, str):
        if match := _BEFORE.match(cell):
            return Currency(match[1])
        if match := _AFTER.search(cell):
            return Currency(match[1], False)
    return None


def currencies(cells: Iterable[object]) -> list[Currency]:
    """Return the currencies of the amounts in some cells, each once: `Rp` and `IDR` are one.

    >>> currencies(["£1,200", "£900", "1.000 €", "GBP 800", 800, "3 rooms"])
    [Currency(sign='£', first=True), Currency(sign='€', first=False)]
    """
    by_code: dict[str, Currency] = {}
    for currency in filter(None, map(currency_in, cells)):
        by_code.setdefault(currency_code(currency.sign), currency)
    return list(by_code.values())
