import functools

import pytest

from neraca.judges.outcome import Outcome
from neraca.judges.rules.equals import AcceptedValues, value_text
from neraca.judges.rules.numbers import read_number
from neraca.judges.rules.phrases import Synonyms

SAME = Synonyms({"house": ["rumah", "home"], "for sale": ["dijual"]})


def outcome(wanted, value, others=(), language="id"):
    values = wanted if isinstance(wanted, list) else [wanted]
    given = value if isinstance(value, list) else [value]
    return AcceptedValues(values, others, SAME, functools.partial(read_number, language=language)).judge("type", given)


def judged(wanted, value, others=()):
    return outcome(wanted, value, others).value


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
    assert outcome(wanted, value).why == why


@pytest.mark.parametrize(
    "wanted, value, language, number, why",
    [
        (1.2e9, "1,2 M", "id", 1, 'type: 1,200,000,000 ("1,2 M" in Indonesian), wanted 1,200,000,000'),
        (1.2e6, "$1.2M", "en", 1, 'type: 1,200,000 ("$1.2M" in English), wanted 1,200,000'),
        (1.2e6, "$1.3M", "en", 0, 'type is 1,300,000 ("$1.3M" in English), wanted 1,200,000'),
        ("1.200", 1200, "id", 1, "type: 1,200, wanted 1.200"),
        ("1.200", 1200, "en", 0, "type: 1,200, wanted 1.200"),
        ("1.2M", "1.2M", "", 1, "type is 1.2M, as wanted"),
        ("size M", "5 M", "", 0, "type is 5 M, wanted size M"),
        (3, ["1.200", "3"], "", 1, "type: 3, wanted 3"),
    ],
)
def test_numbers_are_read_in_a_language(wanted, value, language, number, why):
    assert outcome(wanted, value, language=language) == Outcome(number, why)


@pytest.mark.parametrize(
    "wanted, value, text", [(1200, "1.200", "1.200"), ("1.200", 1200, "1.200"), ("1200", ["x", "1,2 M"], "1,2 M")]
)
def test_a_number_that_differs_by_language_is_missing(wanted, value, text):
    told = outcome(wanted, value, language="")
    assert (told.value, told.status) == (None, "missing")
    assert told.why.startswith(f'type: "{text}" is ')


def test_long_values_are_cut():
    assert value_text("x" * 60) == "x" * 60
    assert value_text("x" * 61) == "x" * 59 + "…"
    assert value_text("a\n  b") == "a b"
    assert value_text(1e300) == "1e+300"
