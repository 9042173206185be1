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
    *("RM", "Rp", "S/"),
)
_CURRENCY = rf"[A-Z]{{0,3}}[{_SIGNS}]|{'|'.join(re.escape(code) for code in _CODES)}"
_BEFORE = re.compile(rf"\s*({_CURRENCY})\.?\s*(?=[\d.,-])")
_AFTER = re.compile(rf"\d[^\n\d]{{0,10}}?({_CURRENCY})\s*$")


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


def currencies(cells: Iterable[object]) -> list[Currency]:
    """Return the currencies of the amounts in some cells, each once.

    >>> currencies(["£1,200", "£900", "1.000 €", 800, "3 rooms"])
    [Currency(sign='£', first=True), Currency(sign='€', first=False)]
    """
    signs: dict[str, Currency] = {}
    for cell in cells:
        if isinstance(cell, str):
            if match := _BEFORE.match(cell):
                signs.setdefault(match[1], Currency(match[1]))
            elif match := _AFTER.search(cell):
                signs.setdefault(match[1], Currency(match[1], False))
    return list(signs.values())
