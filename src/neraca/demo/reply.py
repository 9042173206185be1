"""Write an answer from a template, without a language model."""

from __future__ import annotations

from neraca.demo.criteria import Criteria
from neraca.demo.search import Found, is_district

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
        parts.append(f"{'di' if is_district(criteria) else 'dekat'} {criteria.place}")
    parts.append(f"dekat {' dan '.join(criteria.nearby)}" if criteria.nearby else "")
    prices = [amount and rupiah(amount) for amount in (criteria.price_min, criteria.price_max)]
    parts.append(_range("harga {}", *prices))
    parts.append(_range("{} kamar tidur", criteria.bedrooms, criteria.bedrooms_max))
    parts.append(_range("{} kamar mandi", criteria.bathrooms, criteria.bathrooms_max))
    parts.append(_range("lantai {}", criteria.floors_min, criteria.floors_max))
    parts.append(_range("luas tanah (m2) {}", criteria.land_min, criteria.land_max))
    parts.append(_range("luas bangunan (m2) {}", criteria.building_min, criteria.building_max))
    parts.append(f"dengan {', '.join(criteria.facilities)}" if criteria.facilities else "")
    return " ".join(filter(None, parts))


def by_template(criteria: Criteria, found: Found, *, exact: bool, more: bool) -> str:
    """Write the answer; `exact`: every listing found meets all criteria that can be filtered by."""
    request, others = describe(criteria), " lain" if more else ""
    if not found.listings:
        return f"Maaf, tidak ada pilihan{others} untuk {request}. Coba ubah lokasi, harga atau tipenya."
    count = len(found.listings)
    lines = [f"Berikut {count} pilihan{others} yang paling mendekati {request}:"]
    if exact:
        lines = [f"Ada {found.total} {request}. Berikut {count} teratas:"]
    for number, listing in enumerate(found.listings[:MOST_LISTED], start=1):
        year = " per tahun" if listing.listing_type == "disewa" else ""
        rooms = f", {listing.bedrooms} KT" if listing.bedrooms else ""
        where = "" if listing.district in listing.title else f", {listing.district}"
        lines.append(f"{number}. {listing.title}{where}: {rupiah(listing.price)}{year}{rooms}")
    if count > MOST_LISTED:
        lines.append(f"… dan {count - MOST_LISTED} lainnya di daftar.")
    return "\n".join(lines)


def _range(words: str, low: int | str | None, high: int | str | None) -> str:
    if low and high:
        return words.format(low if low == high else f"{low}-{high}")
    bound = f"minimal {low}" if low else f"maksimal {high}"
    return words.format(bound) if low or high else ""
