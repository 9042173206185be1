"""Queries put in other words, in four languages."""

import pytest

from neraca.online.reformulation import is_reformulation

SAME_NEED = [
    ("cheap flats bandung", "flats in bandung with parking"),
    ("iphone charger", "iphone charger usb-c"),
    ("restaurnt near me", "restaurant near me"),
    ("running shoes", "shoe for runners"),
    ("zapatos rojos baratos", "zapatos rojos de mujer"),
    ("habitación doble", "habitacion doble con vistas"),
    ("rumah dijual jakarta", "rumah murah jakarta selatan"),
    ("apartemen dekat kampus", "apartement dekat kampus"),
    ("شقة للإيجار في دبي", "شقة مفروشة للإيجار"),
    ("مطعم عائلي", "مطاعم عائلية"),
]
ANOTHER_NEED = [
    ("weather tomorrow", "pasta recipe"),
    ("red shoes", "shoes red"),
    ("the capital of France", "the price of gold"),
    ("el tiempo en Madrid", "la receta de pollo"),
    ("harga emas hari ini", "resep soto"),
    ("شقة في دبي", "مطعم في القاهرة"),
    ("", "shoes"),
]


@pytest.mark.parametrize(("first", "second"), SAME_NEED)
def test_the_same_need_in_other_words(first, second):
    assert is_reformulation(first, second)


@pytest.mark.parametrize(("first", "second"), ANOTHER_NEED)
def test_another_need_or_the_same_words(first, second):
    assert not is_reformulation(first, second)
