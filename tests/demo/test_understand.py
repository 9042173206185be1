"""What is understood of wordings that are not among the thirty questions."""

from __future__ import annotations

import pytest

from neraca.demo.understand import understand

M, JT = 1_000_000_000, 1_000_000
RUMAH, APARTEMEN, RUKO, TANAH, GUDANG = (
    {"property_types": (name,)} for name in ("rumah", "apartemen", "ruko", "tanah", "gudang")
)
SALE, RENT = {"listing_type": "dijual"}, {"listing_type": "disewa"}


def at(name):
    return {"place": name}


def price(low=None, high=None):
    return {name: value for name, value in (("price_min", low), ("price_max", high)) if value is not None}


def floors(low=None, high=None):
    return {name: value for name, value in (("floors_min", low), ("floors_max", high)) if value is not None}


def has(*names):
    return {"facilities": names}


def near(*names):
    return {"nearby": names}


WORDINGS = [
    # types, sale or rent, place
    ("rumah dijual di Cemara Asri", RUMAH | SALE | at("Cemara Asri")),
    ("nyari rmh kontrakan di johor dong", RUMAH | RENT | at("Johor")),
    ("mau beli ruko di jalan Gagak Hitam", RUKO | SALE | at("Ringroad")),
    ("rumah toko di Krakatau", RUKO | at("Krakatau")),
    ("rumah atau ruko di Pancing", {"property_types": ("rumah", "ruko")} | at("Pancing")),
    ("tanah untuk bangun gudang di Sunggal", TANAH | at("Sunggal")),
    # amounts
    ("rumah 2M an", RUMAH | price(2 * M, 3 * M - 1)),
    ("rumah 1M-an di Helvetia", RUMAH | price(M, 2 * M - 1) | at("Helvetia")),
    ("rumah 1,5M an", RUMAH | price(1500 * JT, 1600 * JT - 1)),
    ("budget sekitar 700jt an cari rumah", RUMAH | price(700 * JT, 800 * JT - 1)),
    ("rumah di bawah harga 1.5 milyar", RUMAH | price(None, 1500 * JT)),
    ("rumah tidak lebih dari Rp 1.250.000.000", RUMAH | price(None, 1250 * JT)),
    ("rumah lebih dari 1 M", RUMAH | price(M)),
    ("rumah antara 600 juta sampai 1,2 M", RUMAH | price(600 * JT, 1200 * JT)),
    ("rumah 700-900 jt", RUMAH | price(700 * JT, 900 * JT)),
    ("ruko sewa 60 jt/tahun", RUKO | RENT | price(54 * JT, 66 * JT)),
    ("apartemen sewa 2,5 juta sampai 4 juta per bulan", APARTEMEN | RENT | price(30 * JT, 48 * JT)),
    ("rumah satu setengah miliar ke bawah", RUMAH | price(None, 1500 * JT)),
    ("rumah di atas 800 juta tapi di bawah 1 M", RUMAH | price(800 * JT, M)),
    ("ruko Rp. 900.000.000 - Rp. 1.200.000.000", RUKO | price(900 * JT, 1200 * JT)),
    ("rumah maksimal 1 miliar 250 juta", RUMAH | price(None, 1250 * JT)),
    ("rumah maksimal dua ratus lima puluh juta", RUMAH | price(None, 250 * JT)),
    ("rumah 700 an juta", RUMAH | price(700 * JT, 800 * JT - 1)),
    ("rumah 500 juta minimal 3 kamar", RUMAH | price(450 * JT, 550 * JT) | {"bedrooms_min": 3}),
    # amounts that are not the price
    ("rumah dp 50 juta, cicilan maksimal 5 juta per bulan", RUMAH),
    ("tanah 2jt per meter di Johor", TANAH | at("Johor")),
    ("tanah 80 m 500 juta", TANAH | {"land_min": 80} | price(450 * JT, 550 * JT)),
    # what is not wanted
    ("rumah tanpa kolam renang di Johor 3 kamar", RUMAH | at("Johor") | {"bedrooms_min": 3}),
    ("rumah selain di johor atau di helvetia, 3 kamar", RUMAH | {"bedrooms_min": 3}),
    ("bukan rumah apartemen aja", APARTEMEN),
    ("house not in johor but in polonia", RUMAH | at("Polonia")),
    ("rumah jangan lupa ada garasi", RUMAH | has("parkir mobil")),
    ("rumah selain kolam renang juga ada gym", RUMAH | has("kolam renang", "gym")),
    ("rumah lokasi bebas banjir di Johor", RUMAH | at("Johor")),
    # rooms, floors, sizes
    ("rumah di atas 3 lantai", RUMAH | floors(4)),
    ("ruko 3 lantai maksimal 2 M", RUKO | floors(3, 3) | price(None, 2 * M)),
    ("rumah lebih dari 3 kamar", RUMAH | {"bedrooms_min": 4}),
    ("rumah minimal 2 kamar maksimal 4 kamar", RUMAH | {"bedrooms_min": 2, "bedrooms_max": 4}),
    ("rumah minimal 100 m2 maksimal 200 m2", RUMAH | {"land_min": 100, "land_max": 200}),
    ("rumah luas tanah minimal 100, luas bangunan maksimal 90", RUMAH | {"land_min": 100, "building_max": 90}),
    ("cari rumah 3-4 kamar", RUMAH | {"bedrooms_min": 3}),
    ("rumah di atas tanah 200m2", RUMAH | {"land_min": 200}),
    ("rumah 2 menit dari kampus, 500 meter dari tol", RUMAH | near("kampus")),
    ("rumah 4KT 3KM", RUMAH | {"bedrooms_min": 4, "bathrooms_min": 3}),
    ("rumah tiga kamar tidur, dua kamar mandi", RUMAH | {"bedrooms_min": 3, "bathrooms_min": 2}),
    ("rumah bertingkat di Marelan", RUMAH | floors(2) | at("Marelan")),
    ("rumah LT 120 LB 90", RUMAH | {"land_min": 120, "building_min": 90}),
    ("gudang 1000 m2", GUDANG | {"building_min": 1000}),
    ("rumah lb sekitar 100", RUMAH | {"building_min": 90, "building_max": 110}),
    # facilities, neighbours, complexes
    ("apartemen ada kolam renangnya", APARTEMEN | has("kolam renang")),
    ("rumah deket mol sama sekolah", RUMAH | near("mall", "sekolah")),
    ("rumah di Polonia dekat Sun Plaza", RUMAH | at("Polonia") | near("Sun Plaza")),
    ("rumah Citra Garden 3 kamar", RUMAH | {"complex": "Citra Garden", "bedrooms_min": 3}),
    # misspelt places
    ("rumah di cemra asri", RUMAH | at("Cemara Asri")),
    # English
    ("looking for a shophouse with 3 floors", RUKO | floors(3, 3)),
    ("land for sale between 500 and 900 million", TANAH | SALE | price(500 * JT, 900 * JT)),
    ("apartment in the city centre with gym and parking", APARTEMEN | at("Pusat Kota") | has("gym", "parkir mobil")),
    ("a 2-storey house with 3 beds and 2 baths", RUMAH | floors(2, 2) | {"bedrooms_min": 3, "bathrooms_min": 2}),
    # nothing to be understood
    ("halo, selamat pagi", {}),
]


@pytest.mark.parametrize("wording, expected", WORDINGS, ids=[wording for wording, _ in WORDINGS])
def test_wording(wording, expected):
    assert understand(wording).criteria.set_values() == expected


def test_a_radius_makes_the_place_a_circle():
    given = understand("rumah radius 1,5 km dari Unimed").criteria.set_values()
    assert given == RUMAH | at("Unimed") | {"radius_km": 1.5}


@pytest.mark.parametrize(
    "wording, excluded",
    [
        ("rumah tanpa kolam renang, ada gym", has("kolam renang")),
        ("jangan di helvetia", at("Helvetia")),
        ("bukan rumah, apartemen aja", RUMAH),
        ("rumah di helvetia", {}),
    ],
)
def test_what_is_excluded(wording, excluded):
    assert understand(wording).denied.set_values() == excluded


@pytest.mark.parametrize(
    "wording, names",
    [
        ("lokasi bebas", {"place", "radius_km", "complex", "nearby"}),
        ("harganya berapa saja", {"price_min", "price_max"}),
        ("lokasi dan harga bebas", {"place", "radius_km", "complex", "nearby", "price_min", "price_max"}),
        ("lokasi bebas banjir", set()),
        ("harga di bawah 1 M", set()),
    ],
)
def test_what_does_not_matter(wording, names):
    assert understand(wording).free == names
