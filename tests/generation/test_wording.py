"""Questions about records in words: number and noun, currencies, places, and why answers are right."""

from random import Random

import pytest

import neraca
from neraca.generation.nouns_and_amounts import after_number, currencies
from neraca.generation.records_table import read_records
from neraca.generation.wording import Wording
from neraca.records import Constraint

HOMES = [
    {
        "id": f"h{n}",
        "type": ("flat", "house")[n % 2],
        "bedrooms": 1 + n % 3,
        "floor": n % 4,
        "price": f"£{90 + n},000",
        "rent": f"{900 + n} €",
        "fee": ("$5", "€6")[n % 2],
        "complex": ("Oak Court", "Elm Park")[n // 4],
        "nearby": ["school"] if n % 2 else ["school", "station"],
    }
    for n in range(8)
]


def worded(language, **constraints):
    records = read_records(HOMES, language)
    return Wording(records, Random(1)).first({name: Constraint(**of) for name, of in constraints.items()})


@pytest.mark.parametrize(
    ("language", "bounds", "words"),
    [
        ("en", {"exact": 1}, "with 1 bedroom"),
        ("en", {"max": 1}, "with at most 1 bedroom"),
        ("en", {"min": 2}, "with at least 2 bedrooms"),
        ("es", {"min": 1}, "con al menos 1 habitación"),
        ("es", {"exact": 2}, "con 2 habitaciones"),
        ("id", {"exact": 1}, "dengan 1 kamar"),
    ],
)
def test_a_noun_is_singular_after_one(language, bounds, words):
    assert words in worded(language, bedrooms=bounds)
    assert not worded(language, bedrooms=bounds).replace("?", ".").endswith(f"{words}s.")


def test_a_column_in_the_singular_counts_nothing():
    assert "with floor 2" in worded("en", floor={"exact": 2})
    assert "with floor at least 1" in worded("en", floor={"min": 1})


@pytest.mark.parametrize(
    ("plural", "singular", "language"),
    [
        *(("stories", "story", "en"), ("boxes", "box", "en"), ("garages", "garage", "en")),
        *(
            ("balcones", "balcón", "es"),
            ("plantas", "planta", "es"),
            ("locales", "local", "es"),
            ("luces", "luz", "es"),
        ),
    ],
)
def test_singulars(plural, singular, language):
    assert after_number(plural, 1, language) == (singular)


def test_amounts_have_the_currency_of_the_table():
    assert "price at most £95,000" in worded("en", price={"max": 95_000})
    assert "rent from 900 € to 905 €" in worded("en", rent={"min": 900, "max": 905})
    assert currencies(["Rp 1,2 M", "Rp. 900 juta", "IDR 5", "rp 7"]) == [("Rp", True)]
    assert currencies(["$5", "US$ 6", "USD 7", "8 usd"]) == [("$", True)]
    assert currencies(["€5", "5 EUR", "£6", "GBP 6"]) == [("€", True), ("£", True)]
    assert currencies(["3 rooms", "12 m2", None, "R 5", "ca. 5", "5 farm"]) == []


def test_a_column_in_several_currencies_is_not_asked_about():
    assert read_records(HOMES, "en").unused["fee"] == "its amounts are in several currencies ($, €)"


def of_column(name, values, language="en"):
    """The field in a column beside those of the homes, or the reason why it is not asked about."""
    rows = [{**home, name: values[n % len(values)]} for n, home in enumerate(HOMES)]
    records = read_records(rows, language)
    field = next((field for field in records.fields if field.name == name), None)
    return records, field or records.unused[name]


@pytest.mark.parametrize(
    ("values", "units", "language"),
    [
        (["500 g", "750 g", "1.2 kg", "2 kg"], "g, kg", "en"),
        (["500 m2", "2 ha", "1,2 ha", "800 m²"], "m2, ha", "id"),
        (["1,5 km", "2 km", "800 m", "2 km"], "km, m", "id"),
        (["Rp 5 juta/bulan", "Rp 60 juta/tahun"], "/bulan, /tahun", "id"),
        (["$300/week", "$1,200 per month"], "/week, /month", "en"),
        (["45 menit", "2 jam", "1 jam"], "menit, jam", "id"),
    ],
)
def test_a_column_in_several_units_is_not_asked_about(values, units, language):
    _, reason = of_column("size", values, language)
    assert reason.startswith("its amounts are in several units (")
    assert {*reason.partition("(")[2].rstrip(")").split(", ")} == {*units.split(", ")}


def test_a_question_names_the_one_unit_and_the_card_counts_amounts_without_it():
    records, weight = of_column("weight", ["500 g", "750 g", "800", "612 g"])
    assert (weight.unit, weight.assumed) == ("g", 2)
    text = Wording(records, Random(1)).first({"weight": Constraint(max=610)})
    assert "weight at most 610 g" in text
    text = Wording(records, Random(1)).first({"weight": Constraint(min=600, max=700)})
    assert "weight from 600 g to 700 g" in text


def test_amounts_whose_currency_is_in_another_column_are_not_asked_about():
    rows = [{**home, "price": 100 + n, "currency": ("EUR", "IDR")[n % 2]} for n, home in enumerate(HOMES)]
    records = read_records(rows, "en")
    assert records.unused["price"] == "its amounts are in several currencies (EUR, IDR)"
    assert records.unused["currency"] == "it has the currencies of amounts"
    assert {"bedrooms", "rent"} <= {field.name for field in records.fields}
    same = [{**row, "currency": ("IDR", "Rp")[n % 2]} for n, row in enumerate(rows)]
    assert "price" in {field.name for field in read_records(same, "en").fields}


@pytest.mark.parametrize(
    ("name", "language", "constraint", "words"),
    [
        ("built", "en", {"min": 1991}, "with built 1991 or later"),
        ("year_built", "en", {"exact": 2011}, "with year built 2011"),
        ("release_year", "en", {"max": 1991}, "with release year 1991 or earlier"),
        ("tahun", "id", {"min": 2011}, "dengan tahun 2011 atau sesudahnya"),
        ("año", "es", {"max": 2011}, "con año 2011 o anterior"),
    ],
)
def test_years_are_exact(name, language, constraint, words):
    records, field = of_column(name, [1991, 2003, 2011, 1893], language)
    assert field.kind == "year"
    assert words in Wording(records, Random(1)).first({name: Constraint(**constraint)})
    questions = neraca.generate([{"id": hit.id, name: hit.fields[name]} for hit in records.hits], 20, language=language)
    asked = [item.constraints[name] for item in questions.dataset if name in item.constraints]
    assert asked
    assert {value for c in asked for value in (c.exact, c.min, c.max) if value} <= {1991, 2003, 2011, 1893}


def test_other_numbers_in_a_column_of_years_are_numbers():
    assert of_column("built", [120, 340, 95, 210])[1].kind == "number"
    assert of_column("area", [1991, 2003, 2011, 1893])[1].kind == "number"


GOODS = [
    {
        "id": f"g{n}",
        "category": ("headphones", "lens", "camera")[n % 3],
        "in_stock": bool(n % 2),
        "garden": n % 4 < 2,
        "is_new": n % 4 > 1,
        "pets_allowed": n % 3 > 1,
        "price": 100 + n,
        "furnished": ("partly furnished", "unfurnished")[n % 2],
        "skills": ("inglés", "hielo", "cine")[n % 3] + "; vela",
    }
    for n in range(12)
]


@pytest.mark.parametrize(
    ("language", "constraints", "words"),
    [
        ("en", {"in_stock": True}, "something, in stock"),
        ("en", {"in_stock": False, "price": 105}, "something with price at most 105, not in stock"),
        ("en", {"is_new": False}, "something, not new"),
        ("en", {"pets_allowed": False}, "something, pets not allowed"),
        ("en", {"pets_allowed": True, "furnished": "unfurnished"}, "something, pets allowed, unfurnished"),
        ("en", {"garden": False}, "something without garden"),
        ("en", {"garden": False, "price": 105}, "something with price at most 105 and without garden"),
        ("en", {"category": "headphones", "price": 105}, "headphones with price"),
        ("en", {"category": "lens"}, "a lens"),
        ("es", {"garden": False}, "algo sin garden"),
        ("es", {"garden": False, "price": 105}, "algo con precio de 105 como máximo y sin garden"),
        ("es", {"price": 105, "skills": "inglés"}, "como máximo e inglés"),
        ("es", {"price": 105, "skills": "hielo"}, "como máximo y hielo"),
        ("es", {"price": 105, "skills": "cine"}, "como máximo y cine"),
        ("id", {"garden": False}, "sesuatu tanpa garden"),
        ("id", {"in_stock": False}, "sesuatu, tidak in stock"),
        ("ar", {"garden": False}, "شيء بدون garden"),
        ("ar", {"garden": True, "price": 105}, "شيء مع garden والسعر بحد أقصى 105"),
        ("ar", {"garden": True, "price": 105, "skills": "vela"}, "مع garden، السعر بحد أقصى 105 وvela"),
    ],
)
def test_parts_of_a_question_stand_where_they_can_be_said(language, constraints, words):
    bounds = {
        name: Constraint(max=value) if name == "price" else Constraint(equals=value)
        for name, value in constraints.items()
    }
    if "skills" in bounds:
        bounds["skills"] = Constraint(contains_any=[constraints["skills"]])
    records = read_records(GOODS, language)
    for seed in range(8):
        text = Wording(records, Random(seed)).first(bounds)
        ending = text[text.index(words) + len(words) :]
        assert ending[:1] in ("", ".", "?", "؟", ",", " ")
        assert "a headphones" not in text
        assert not text.startswith("Is there headphones")
        if words.endswith(("stock", "new", "allowed", "unfurnished", "garden")):
            assert ending.rstrip(" ") in (".", "?", "؟", ", por favor.")


def test_the_next_turn_says_a_state_without_with():
    wording = Wording(read_records(GOODS, "en"), Random(1))
    turns = {wording.next("narrow", "in_stock", Constraint(equals=False)) for _ in range(20)}
    assert turns == {"And not in stock?"}
    assert {wording.next("change", "garden", Constraint(equals=False)) for _ in range(20)} == {
        "What about without garden?"
    }


def test_reasons_have_arabic_marks():
    assert Wording(read_records(GOODS, "ar"), Random(1)).why(0, 12, {"price": 2, "garden": 1}) == (
        "0 من 12 سجلات تستوفي الشروط؛ 2 من دون السعر، 1 من دون garden"
    )


def test_estates_are_places_and_landmarks_are_near():
    text = worded("en", type={"equals": "flat"}, complex={"equals": "Oak Court"}, nearby={"contains_any": ["station"]})
    assert "a flat in Oak Court near station" in text


def test_why_is_in_the_language_of_the_questions():
    rows = [{"id": str(n), "kota": ("Medan", "Binjai")[n % 2], "harga": 100 + n} for n in range(20)]
    whys = {
        code: {item.extra["why"].split(" ")[1] for item in neraca.generate(rows, 10, language=code).dataset}
        for code in ("en", "id", "es")
    }
    assert whys == {"en": {"of"}, "id": {"dari"}, "es": {"de"}}
