"""Write an answer from a template, without a language model."""

from __future__ import annotations

from typing import Any

from neraca.demo.criteria import Criteria
from neraca.demo.search import Found

MOST_LISTED = 3


def rupiah(amount: int) -> str:
    """Format an amount in millions or billions, as people say it.

    Examples
    --------
    >>> rupiah(1_250_000_000), rupiah(800_000_000), rupiah(1_000_000_000), rupiah(22_500_000)
    ('Rp 1,25 M', 'Rp 800 jt', 'Rp 1 M', 'Rp 22,5 jt')
    """
    size, unit = (1_000_000_000, "M") if amount >= 999_500_000 else (1_000_000, "jt")
    digits = f"{amount / size:.3f}".rstrip("0").rstrip(".").replace(".", ",")
    return f"Rp {digits} {unit}"


def describe(criteria: Criteria) -> str:
    """Describe the criteria in Indonesian."""
    parts = [" atau ".join(criteria.property_types) or "properti", criteria.listing_type or ""]
    if criteria.complex:
        parts.append(f"di {criteria.complex}")
    elif criteria.place:
        parts.append(f"{'di' if criteria.place.district else 'dekat'} {criteria.place.name}")
    if criteria.nearby:
        parts.append(f"dekat {' dan '.join(criteria.nearby)}")
    prices = [amount and rupiah(amount) for amount in (criteria.price_min, criteria.price_max)]
    parts.append(_range("harga", prices[0], prices[1]))
    parts.append(_rooms(criteria.bedrooms, criteria.bedrooms_max))
    parts.append(f"minimal {criteria.bathrooms} kamar mandi" if criteria.bathrooms else "")
    parts.append(_range("lantai", criteria.floors_min, criteria.floors_max))
    parts.append(_range("luas tanah (m2)", criteria.land_min, criteria.land_max))
    parts.append(_range("luas bangunan (m2)", criteria.building_min, criteria.building_max))
    parts.append(f"dengan {', '.join(criteria.facilities)}" if criteria.facilities else "")
    return " ".join(filter(None, parts))


def by_template(criteria: Criteria, found: Found, *, exact: bool, more: bool) -> str:
    """Write the answer; `exact`: every listing found meets all criteria that can be filtered by."""
    request = describe(criteria)
    if not found.listings:
        others = " lain" if more else ""
        return f"Maaf, tidak ada pilihan{others} untuk {request}. Coba ubah lokasi, harga atau tipenya."
    count = len(found.listings)
    if exact:
        opening = f"Ada {found.total} {request}. Berikut {count} teratas:"
    else:
        opening = f"Berikut {count} pilihan{' lain' if more else ''} yang paling mendekati {request}:"
    lines = []
    for number, listing in enumerate(found.listings[:MOST_LISTED], start=1):
        year = " per tahun" if listing.listing_type == "disewa" else ""
        rooms = f", {listing.bedrooms} KT" if listing.bedrooms else ""
        where = "" if listing.district in listing.title else f", {listing.district}"
        lines.append(f"{number}. {listing.title}{where}: {rupiah(listing.price)}{year}{rooms}")
    ending = [f"… dan {count - MOST_LISTED} lainnya di daftar."] if count > MOST_LISTED else []
    return "\n".join([opening, *lines, *ending])


def _rooms(low: int | None, high: int | None) -> str:
    if low and high:
        return f"{low}-{high} kamar tidur"
    return f"minimal {low} kamar tidur" if low else f"maksimal {high} kamar tidur" if high else ""


def _range(name: str, low: Any, high: Any) -> str:
    if low and high:
        return f"{name} {low}" if low == high else f"{name} {low}-{high}"
    return f"{name} minimal {low}" if low else f"{name} maksimal {high}" if high else ""
