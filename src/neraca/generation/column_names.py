"""Tell from its name whether a column holds years or money, and which amounts a column of currencies belongs to."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from neraca.datasets.constraint_columns import recognise_constraint
from neraca.generation.nouns_and_amounts import currencies, currency_code
from neraca.judges.rules.phrases import fold

#: Words in the names of columns with years, and of columns with money.
_YEARS = """
year built founded established yr tahun thn dibangun ano anio construido construida construccion fundado
سنة السنة عام العام
"""
_MONEY = """
price prices cost costs rent rental salary wage wages fee fees amount value deposit income budget revenue pay
harga biaya sewa gaji upah tarif nilai anggaran precio precios coste renta alquiler salario sueldo tarifa importe monto
valor السعر سعر ثمن الثمن الايجار ايجار الراتب راتب التكلفة تكلفة
"""


def is_year(name: str) -> bool:
    """Return whether a column of this name usually holds years.

    >>> is_year("year_built"), is_year("Built"), is_year("release_year"), is_year("price")
    (True, True, True, False)
    """
    return _attribute(name) == "year" or not _words(name).isdisjoint(_YEARS.split())


def other_currencies(columns: Mapping[str, Sequence[Any]]) -> dict[str, str]:
    """Return why no question can ask about amounts whose currencies are in a column of their own: column → reason.

    >>> other_currencies({"price": [1, 2], "currency": ["USD", "IDR"], "rooms": [1, 2], "fee": ["$1", "$2"]})
    {'currency': 'it has the currencies of amounts', 'price': 'its amounts are in several currencies (IDR, USD)'}
    """
    reasons: dict[str, str] = {}
    for column, cells in columns.items():
        filled = [cell for cell in cells if cell is not None and str(cell).strip()]
        if not filled or not all(currency_code(str(cell)) for cell in filled):
            continue
        codes = {currency_code(str(cell)) for cell in filled}
        if len(codes) < 2:
            continue
        reasons[column] = "it has the currencies of amounts"
        reason = f"its amounts are in several currencies ({', '.join(sorted(codes))})"
        reasons |= dict.fromkeys(_amounts_beside(column, columns), reason)
    return reasons


def _amounts_beside(column: str, columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the columns of money that name no currency themselves; without any, the column before."""
    names = list(columns)
    money = [name for name in names if name != column and _is_money(name)]
    before = names[max(names.index(column) - 1, 0)]
    beside = money or [name for name in [before] if name != column and any(map(_has_digit, columns[name]))]
    return [name for name in beside if not currencies(columns[name]) and not any(map(currency_code, _words(name)))]


def _is_money(name: str) -> bool:
    return _attribute(name) == "price" or not _words(name).isdisjoint(_MONEY.split())


def _has_digit(cell: Any) -> bool:
    return bool(re.match(r"\s*-?\d", str(cell)))


def _attribute(name: str) -> str:
    attribute = recognise_constraint(name)
    return attribute.name if attribute else ""


def _words(name: str) -> set[str]:
    return {*re.split(r"[\W_]+", fold(name))}
