"""Write an answer from a template, without a language model."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.demo.criteria import Criteria
from neraca.demo.index import Listing
from neraca.demo.search import MOST, is_district

MOST_LISTED = 3
RANGES = {
    "price": "harga {}",
    "bedrooms": "{} kamar tidur",
    "bathrooms": "{} kamar mandi",
    "floors": "lantai {}",
    "land": "luas tanah (m2) {}",
    "building": "luas bangunan (m2) {}",
}


def rupiah(amount: int) -> str:
    """Format an amount in millions or billions, as people say it.

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
    for name, phrase in RANGES.items():
        low, high = getattr(criteria, f"{name}_min"), getattr(criteria, f"{name}_max")
        ends = [end and (rupiah(end) if name == "price" else str(end)) for end in (low, high)]
        if low and high:
            parts.append(phrase.format(ends[0] if low == high else "-".join(ends)))
        elif low or high:
            parts.append(phrase.format(f"minimal {ends[0]}" if low else f"maksimal {ends[1]}"))
    parts.append(f"dengan {', '.join(criteria.facilities)}" if criteria.facilities else "")
    return " ".join(filter(None, parts))


def by_template(criteria: Criteria, matches: Sequence[Listing], *, exact: bool, more: bool) -> str:
    """Write the answer; `exact`: every match meets all criteria that can be filtered by."""
    request, other_word = describe(criteria), " lain" if more else ""
    if not matches:
        return f"Maaf, tidak ada pilihan{other_word} untuk {request}. Coba ubah lokasi, harga atau tipenya."
    count = min(len(matches), MOST)
    lines = [f"Berikut {count} pilihan{other_word} yang paling mendekati {request}:"]
    if exact:
        lines = [f"Ada {len(matches)} {request}. Berikut {count} teratas:"]
    for number, listing in enumerate(matches[:MOST_LISTED], start=1):
        year = " per tahun" if listing["listing_type"] == "disewa" else ""
        rooms = f", {listing['bedrooms']} KT" if listing["bedrooms"] else ""
        where = "" if listing["district"] in listing["title"] else f", {listing['district']}"
        lines.append(f"{number}. {listing['title']}{where}: {rupiah(listing['price'])}{year}{rooms}")
    if count > MOST_LISTED:
        lines.append(f"… dan {count - MOST_LISTED} lainnya di daftar.")
    return "\n".join(lines)
