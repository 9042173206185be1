"""What is understood of wordings that are not among the thirty questions."""

from __future__ import annotations

import pytest

from neraca.demo import QUESTIONS
from neraca.demo.understand import understand, unwanted

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
    ("Apakah ada apartemen disewakan di daerah Polonia?", APARTEMEN | RENT | at("Polonia")),
    ("nyari rmh kontrakan di johor dong", RUMAH | RENT | at("Johor")),
    ("mau beli ruko di jalan Gagak Hitam", RUKO | SALE | at("Ringroad")),
    ("jual tanah kavling marelan", TANAH | SALE | at("Marelan")),
    ("butuh gudang sewa di Tembung", GUDANG | RENT | at("Tembung")),
    ("lahan dijual di Amplas", TANAH | SALE | at("Amplas")),
    ("rumah toko di Krakatau", RUKO | at("Krakatau")),
    ("apt di ring road", APARTEMEN | at("Ringroad")),
    ("rumah atau ruko di Pancing", {"property_types": ("rumah", "ruko")} | at("Pancing")),
    ("rumah dengan tanah luas di Denai", RUMAH | at("Medan Denai")),
    ("tanah untuk bangun gudang di Sunggal", TANAH | at("Sunggal")),
    ("hunian di kawasan Medan Johor", RUMAH | at("Johor")),
    ("pengen ngontrak rumah di setiabudi", RUMAH | RENT | at("Setia Budi")),
    ("properti apa saja di KIM", at("KIM")),
    # amounts
    ("rumah 2M an", RUMAH | price(2 * M, 3 * M - 1)),
    ("rumah 1M-an di Helvetia", RUMAH | price(M, 2 * M - 1) | at("Helvetia")),
    ("ruko 1 miliaran", RUKO | price(M, 2 * M - 1)),
    ("rumah harga 900jt an", RUMAH | price(900 * JT, M - 1)),
    ("rumah 850 jutaan", RUMAH | price(850 * JT, 860 * JT - 1)),
    ("rumah 1,5M an", RUMAH | price(1500 * JT, 1600 * JT - 1)),
    ("budget sekitar 700jt an cari rumah", RUMAH | price(700 * JT, 800 * JT - 1)),
    ("rumah dibawah 1,5 M", RUMAH | price(None, 1500 * JT)),
    ("rumah di bawah harga 1.5 milyar", RUMAH | price(None, 1500 * JT)),
    ("apartemen max 600jt", APARTEMEN | price(None, 600 * JT)),
    ("apartemen budget 600 juta", APARTEMEN | price(None, 600 * JT)),
    ("rumah tidak lebih dari Rp 1.250.000.000", RUMAH | price(None, 1250 * JT)),
    ("rumah harganya di atas 3 milyar", RUMAH | price(3 * M)),
    ("ruko minimal 2 miliar", RUKO | price(2 * M)),
    ("rumah lebih dari 1 M", RUMAH | price(M)),
    ("rumah kurang lebih 1 miliar", RUMAH | price(900 * JT, 1100 * JT)),
    ("rumah sekitar 500 juta", RUMAH | price(450 * JT, 550 * JT)),
    ("rumah harga 1 M", RUMAH | price(900 * JT, 1100 * JT)),
    ("rumah antara 600 juta sampai 1,2 M", RUMAH | price(600 * JT, 1200 * JT)),
    ("rumah antara 1 dan 2 miliar", RUMAH | price(M, 2 * M)),
    ("rumah 700-900 jt", RUMAH | price(700 * JT, 900 * JT)),
    ("rumah 1,2 M hingga 1,8 M", RUMAH | price(1200 * JT, 1800 * JT)),
    ("ruko sewa 60 jt/tahun", RUKO | RENT | price(54 * JT, 66 * JT)),
    ("rumah disewa maksimal 3 juta per bulan", RUMAH | RENT | price(None, 36 * JT)),
    ("apartemen sewa 2,5 juta sampai 4 juta per bulan", APARTEMEN | RENT | price(30 * JT, 48 * JT)),
    ("rumah setengah miliar", RUMAH | price(450 * JT, 550 * JT)),
    ("rumah satu setengah miliar ke bawah", RUMAH | price(None, 1500 * JT)),
    ("rumah tujuh ratus juta ke atas", RUMAH | price(700 * JT)),
    ("rumah di atas 800 juta tapi di bawah 1 M", RUMAH | price(800 * JT, M)),
    ("rumah Rp1.500.000.000", RUMAH | price(1350 * JT, 1650 * JT)),
    ("ruko Rp. 900.000.000 - Rp. 1.200.000.000", RUKO | price(900 * JT, 1200 * JT)),
    ("rumah 1M - 2M an", RUMAH | price(M, 2 * M)),
    ("rumah maksimal 1 miliar 250 juta", RUMAH | price(None, 1250 * JT)),
    ("rumah 1 M 250 jt ke bawah", RUMAH | price(None, 1250 * JT)),
    ("rumah 1 M sampai 1 miliar 500 juta", RUMAH | price(M, 1500 * JT)),
    ("rumah maksimal dua ratus lima puluh juta", RUMAH | price(None, 250 * JT)),
    ("ruko minimal seratus lima puluh lima juta", RUKO | price(155 * JT)),
    ("rumah 700 an juta", RUMAH | price(700 * JT, 800 * JT - 1)),
    ("rumah jangan lebih dari 800 juta", RUMAH | price(None, 800 * JT)),
    ("rumah jangan di atas 1 M", RUMAH | price(None, M)),
    ("rumah tidak kurang dari 500 juta", RUMAH | price(500 * JT)),
    ("rumah 500 juta ke atas", RUMAH | price(500 * JT)),
    ("rumah 500 juta minimal 3 kamar", RUMAH | price(450 * JT, 550 * JT) | {"bedrooms": 3}),
    # amounts that are not the price
    ("rumah dp 50 juta cicilan 5 juta", RUMAH),
    ("rumah dp 50 juta, cicilan maksimal 5 juta per bulan", RUMAH),
    ("rumah uang muka 20-30 juta, harga di bawah 500 juta", RUMAH | price(None, 500 * JT)),
    ("tanah 2jt per meter di Johor", TANAH | at("Johor")),
    ("tanah maksimal 2 juta/m2 luas 200 m2", TANAH | {"land_min": 200}),
    ("ruko harga per meter di bawah 5 juta", RUKO),
    ("tanah 80 m 500 juta", TANAH | {"land_min": 80} | price(450 * JT, 550 * JT)),
    # what is not wanted
    ("rumah tanpa kolam renang", RUMAH),
    ("rumah tanpa kolam renang di Johor 3 kamar", RUMAH | at("Johor") | {"bedrooms": 3}),
    ("rumah tanpa gym dan lift dekat mall", RUMAH | near("mall")),
    ("rumah jangan di helvetia", RUMAH),
    ("rumah bukan di johor, tapi di polonia", RUMAH | at("Polonia")),
    ("rumah selain di johor atau di helvetia, 3 kamar", RUMAH | {"bedrooms": 3}),
    ("bukan rumah, apartemen aja", APARTEMEN),
    ("bukan rumah apartemen aja", APARTEMEN),
    ("rumah dijual bukan disewa di Amplas", RUMAH | SALE | at("Amplas")),
    ("house not in johor but in polonia", RUMAH | at("Polonia")),
    ("house without a pool in polonia", RUMAH | at("Polonia")),
    ("rumah jangan lupa ada garasi", RUMAH | has("parkir mobil")),
    ("rumah jangan terlalu jauh dari USU", RUMAH | at("USU")),
    ("rumah tidak jauh dari USU", RUMAH | at("USU")),
    ("rumah selain kolam renang juga ada gym", RUMAH | has("kolam renang", "gym")),
    ("rumah lokasi bebas banjir di Johor", RUMAH | at("Johor")),
    ("mau sewakan rumah di Johor", RUMAH | RENT | at("Johor")),
    # rooms, floors, sizes
    ("rumah di atas 3 lantai", RUMAH | floors(4)),
    ("rumah di bawah 3 lantai", RUMAH | floors(None, 2)),
    ("rumah maksimal 2 lantai", RUMAH | floors(None, 2)),
    ("rumah tidak lebih dari 2 lantai", RUMAH | floors(None, 2)),
    ("ruko 3 lantai ke atas", RUKO | floors(3)),
    ("ruko 3 lantai maksimal 2 M", RUKO | floors(3, 3) | price(None, 2 * M)),
    ("rumah maksimal 3 kamar", RUMAH | {"bedrooms_max": 3}),
    ("rumah kamar maksimal 3", RUMAH | {"bedrooms_max": 3}),
    ("rumah lebih dari 3 kamar", RUMAH | {"bedrooms": 4}),
    ("rumah minimal 2 kamar maksimal 4 kamar", RUMAH | {"bedrooms": 2, "bedrooms_max": 4}),
    ("rumah maksimal 3 kamar mandi", RUMAH),
    ("rumah minimal 100 m2 maksimal 200 m2", RUMAH | {"land_min": 100, "land_max": 200}),
    ("rumah luas tanah minimal 100 m2 maksimal 200 m2", RUMAH | {"land_min": 100, "land_max": 200}),
    ("apartemen maksimal 60 m2, minimal 30 m2", APARTEMEN | {"building_min": 30, "building_max": 60}),
    ("tanah luas tanah 100-200 m2", TANAH | {"land_min": 100, "land_max": 200}),
    ("rumah luas tanah minimal 100, luas bangunan maksimal 90", RUMAH | {"land_min": 100, "building_max": 90}),
    ("cari rumah 3-4 kamar", RUMAH | {"bedrooms": 3}),
    ("rumah 3+1 kamar", RUMAH | {"bedrooms": 3}),
    ("rumah di atas tanah 200m2", RUMAH | {"land_min": 200}),
    ("rumah minimal 3 kamar maksimal 2M", RUMAH | {"bedrooms": 3} | price(None, 2 * M)),
    ("rumah 2 menit dari kampus, 500 meter dari tol", RUMAH | near("kampus")),
    ("rumah 3 kamar di Tembung", RUMAH | {"bedrooms": 3} | at("Tembung")),
    ("rumah 4KT 3KM", RUMAH | {"bedrooms": 4, "bathrooms": 3}),
    ("rumah tiga kamar tidur, dua kamar mandi", RUMAH | {"bedrooms": 3, "bathrooms": 2}),
    ("rmh 3 kmr tidur di polonia", RUMAH | {"bedrooms": 3} | at("Polonia")),
    ("rumah 3 lantai", RUMAH | floors(3, 3)),
    ("rumah 2 lt di johor", RUMAH | floors(2, 2) | at("Johor")),
    ("ruko minimal 3 lantai", RUKO | floors(3)),
    ("rumah bertingkat di Marelan", RUMAH | floors(2) | at("Marelan")),
    ("rumah LT 120 LB 90", RUMAH | {"land_min": 120, "building_min": 90}),
    ("tanah 300m2 di Sunggal", TANAH | {"land_min": 300} | at("Sunggal")),
    ("tanah luas minimal 500 m² dijual", TANAH | SALE | {"land_min": 500}),
    ("rumah luas tanah maksimal 150 meter", RUMAH | {"land_max": 150}),
    ("gudang 1000 m2", GUDANG | {"building_min": 1000}),
    ("rumah lb sekitar 100", RUMAH | {"building_min": 90, "building_max": 110}),
    # facilities, neighbours, complexes
    ("rumah ada cctv dan wifi", RUMAH | has("CCTV", "wifi")),
    ("apartemen ada kolam renangnya", APARTEMEN | has("kolam renang")),
    ("rumah dengan taman bermain dan parkiran mobil", RUMAH | has("taman bermain", "parkir mobil")),
    ("gudang listrik 3 phase", GUDANG | has("listrik 3 phase")),
    ("rumah dekat kampus", RUMAH | near("kampus")),
    ("rumah dekat rumah sakit", RUMAH | near("rumah sakit")),
    ("rumah deket mol sama sekolah", RUMAH | near("mall", "sekolah")),
    ("kontrakan dkt USU", RENT | at("USU")),
    ("rumah di Polonia dekat Sun Plaza", RUMAH | at("Polonia") | near("Sun Plaza")),
    ("rumah radius 1,5 km dari Unimed", RUMAH | at("Unimed")),
    ("unit di J City", {"complex": "J City"}),
    ("rumah Citra Garden 3 kamar", RUMAH | {"complex": "Citra Garden", "bedrooms": 3}),
    ("rumah di komplek Cemara Hijau", RUMAH | {"complex": "Cemara Hijau"}),
    # misspelt places
    ("rumah di cemra asri", RUMAH | at("Cemara Asri")),
    ("rumah di marlean", RUMAH | at("Marelan")),
    ("ruko di helvtia", RUKO | at("Helvetia")),
    ("rumah daerah setia bduii", RUMAH | at("Setia Budi")),
    ("gudang di tembng", GUDANG | at("Tembung")),
    ("rumah di polnia 2 lantai", RUMAH | at("Polonia") | floors(2, 2)),
    ("tanah di Jhor", TANAH | at("Johor")),
    # English
    ("house for sale in Sunggal", RUMAH | SALE | at("Sunggal")),
    ("apartment for rent near USU", APARTEMEN | RENT | at("USU")),
    ("house under 800 million", RUMAH | price(None, 800 * JT)),
    ("looking for a shophouse with 3 floors", RUKO | floors(3, 3)),
    ("warehouse to rent in Amplas, at least 500 sqm", GUDANG | RENT | at("Amplas") | {"building_min": 500}),
    ("house with three bedrooms and a swimming pool", RUMAH | {"bedrooms": 3} | has("kolam renang")),
    ("land for sale between 500 and 900 million", TANAH | SALE | price(500 * JT, 900 * JT)),
    ("house above 2 billion close to a hospital", RUMAH | price(2 * M) | near("rumah sakit")),
    ("apartment in the city centre with gym and parking", APARTEMEN | at("Pusat Kota") | has("gym", "parkir mobil")),
    ("house around 1.2 bn", RUMAH | price(1080 * JT, 1320 * JT)),
    ("a 2-storey house with 3 beds and 2 baths", RUMAH | floors(2, 2) | {"bedrooms": 3, "bathrooms": 2}),
    # nothing to be understood
    ("halo, selamat pagi", {}),
    ("tolong carikan yang bagus", {}),
    ("", {}),
]


@pytest.mark.parametrize("wording, expected", WORDINGS, ids=[wording for wording, _ in WORDINGS])
def test_wording(wording, expected):
    given = understand(wording).given()
    if "place" in given:
        given["place"] = given["place"].name
    assert given == expected


def test_no_wording_is_one_of_the_questions():
    questions = QUESTIONS.read_text(encoding="utf-8").casefold()
    assert len(WORDINGS) >= 60
    assert not [wording for wording, _ in WORDINGS if wording and f'"{wording.casefold()}"' in questions]


def test_a_radius_makes_the_place_a_circle():
    place = understand("rumah radius 1,5 km dari Unimed").place
    assert (place.radius_km, place.district) == (1.5, False)


@pytest.mark.parametrize("distance", ["rumah di Johor, 5 km dari tol", "rumah 2 km"])
def test_a_distance_is_no_price(distance):
    assert not {"price_min", "price_max"} & understand(distance).given().keys()


@pytest.mark.parametrize(
    "wording, expected",
    [
        ("rumah tanpa kolam renang, ada gym", {"facilities": ("kolam renang",)}),
        ("jangan di helvetia", {"place": "Helvetia"}),
        ("bukan rumah, apartemen aja", {"property_types": ("rumah",)}),
        ("rumah di helvetia", {}),
    ],
)
def test_what_is_not_wanted(wording, expected):
    denied, free = unwanted(wording)
    given = denied.given()
    assert given | ({"place": given["place"].name} if "place" in given else {}) == expected
    assert not free


@pytest.mark.parametrize(
    "wording, names",
    [
        ("lokasi bebas", {"place", "complex", "nearby"}),
        ("harganya berapa saja", {"price_min", "price_max"}),
        ("lokasi dan harga bebas", {"place", "complex", "nearby", "price_min", "price_max"}),
        ("harga bukan masalah", {"price_min", "price_max"}),
        ("any location", {"place", "complex", "nearby"}),
        ("lokasi bebas banjir", set()),
        ("harga di bawah 1 M", set()),
    ],
)
def test_what_does_not_matter(wording, names):
    assert unwanted(wording)[1] == names
