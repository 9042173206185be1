import pytest

from neraca.judges.equals import Wanted, shown
from neraca.judges.numbers import parse_number
from neraca.judges.words import Synonyms

SAME = Synonyms({"house": ["rumah", "home"], "for sale": ["dijual"]})


def judged(wanted, value, others=()):
    values = wanted if isinstance(wanted, list) else [wanted]
    given = value if isinstance(value, list) else [value]
    return Wanted(values, others, SAME, parse_number).judge("type", given)[0]


@pytest.mark.parametrize(
    "wanted, value",
    [
        ("rumah", " RUMAH "),
        ("Café", "cafe"),
        ("house", "rumah"),
        ("rumah", "home"),
        ("home", "House"),
        (["villa", "home"], "rumah"),
        ("rumah", ["villa", "Rumah"]),
        (3, 3.0),
        (3, "3"),
        (3, "3 lantai"),
        ("3", 3),
        ("3", "3.0"),
        (1250000, "Rp 1.250.000"),
        ("1,25 juta", 1250000),
        (0.3, 0.1 + 0.2),
        ([1, 2], 2),
        (7, 7),
        ("007", " 007"),
        (True, True),
        (True, "ya"),
        (True, "Ada"),
        (True, 1),
        (False, "tidak ada"),
        (False, 0),
        (0, 0),
        ("yes", True),
        ("no", False),
        (1, True),
    ],
)
def test_the_same(wanted, value):
    assert judged(wanted, value) == 1.0


@pytest.mark.parametrize(
    "wanted, value",
    [
        ("rumah", "apartemen"),
        ("rumah", "rumah mewah"),
        ("rumah", []),
        ("rumah", 3),
        ("rumah", True),
        (3, 4),
        (3, "tiga"),
        (3, "2-3"),
        (3, 3.001),
        (1999999999, 2000000000),
        ("1234567890123", 1234567890124),
        (2, True),
        (True, False),
        (True, "tidak"),
        (True, 2),
        (True, "12 m2"),
        (False, "ya"),
    ],
)
def test_not_the_same(wanted, value):
    assert judged(wanted, value) == 0.0


def test_codes_that_begin_with_zero_are_no_numbers():
    assert judged("01234", "1234") == 0.0
    assert judged("1234", "01234") == 0.0
    assert judged("01234", 1234) == 0.0
    assert judged(1234, "01234") == 1.0  # a number was asked for
    assert judged("01234", "01234") == 1.0
    assert judged("0.5", ".5") == 0.0
    assert judged("0.5", "0,5") == 1.0


def test_the_constraints_own_synonyms_count_and_are_extended():
    assert judged("hunian", "home", others=["rumah"]) == 1.0
    assert judged("hunian", "home") == 0.0
    assert judged("ready", True, others=["ya"]) == 1.0


@pytest.mark.parametrize(
    "wanted, value, why",
    [
        (["rumah"], ["apartemen"], "type is apartemen, wanted rumah"),
        (["rumah", "villa"], ["a", "b"], "type is a, b, wanted rumah or villa"),
        (["rumah"], ["Rumah"], "type is Rumah, as wanted"),
        (["house"], ["Rumah"], "type is Rumah, which counts as house"),
        ([3], [2], "type: 2, wanted 3"),
        ([3], ["3 lantai"], "type: 3 lantai, wanted 3"),
        ([1250000], [1300000.5], "type: 1,300,000.5, wanted 1,250,000"),
        ([True], [False], "type: false, wanted true"),
        (["x"], [], "type is empty, wanted x"),
    ],
)
def test_whys(wanted, value, why):
    assert Wanted(wanted, [], SAME, parse_number).judge("type", value)[1] == why


def test_long_values_are_cut():
    assert shown("x" * 60) == "x" * 60
    assert shown("x" * 61) == "x" * 59 + "…"
    assert shown("a\n  b") == "a b"
    assert shown(1e300) == "1e+300"
