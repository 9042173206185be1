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
    assert currencies(["Rp 1,2 M", "Rp. 900 juta", "IDR 5"]) == [("Rp", True), ("IDR", True)]
    assert currencies(["3 rooms", "12 m2", None, "R 5", "ca. 5"]) == []


def test_a_column_in_several_currencies_is_not_asked_about():
    assert read_records(HOMES, "en").unused["fee"] == "its amounts are in several currencies ($, €)"


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
