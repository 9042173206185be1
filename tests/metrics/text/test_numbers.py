"""Numbers by their value, however they are written."""

import pytest

from neraca.metrics.text.numbers import numbers, values


@pytest.mark.parametrize(
    "written", ["1.250.000", "1,250,000", "1250000", "1 250 000", "1'250'000", "1\u202f250\u202f000"]
)
@pytest.mark.parametrize("language", ["", "en", "id", "ar"])
def test_one_number_in_many_styles(written, language):
    if " " in written:  # a plain space parts numbers; only one that holds together joins them
        written = written.replace(" ", "\u00a0")
    assert numbers(f"Rp{written}.", language)[0] == [("1250000",)]


@pytest.mark.parametrize(
    "written, language, expected",
    [
        ("1.250", "id", ("1250",)),
        ("1.250", "en", ("1.25",)),
        ("1,250", "en", ("1250",)),
        ("1,250", "de", ("1.25",)),
        ("1.250", "", ("1250", "1.25")),
        ("1.250", "es", ("1250", "1.25")),
        ("3,5", "en", ("3.5",)),
        ("3.50", "id", ("3.5",)),
        ("0.125", "id", ("0.125",)),
        ("1250.500", "id", ("1250.5",)),
        ("007", "", ("7",)),
        ("0", "", ("0",)),
        ("0,0", "", ("0",)),
        ("1.250.000,75", "en", ("1250000.75",)),
        ("1,250,000.75", "id", ("1250000.75",)),
        ("12,50.7", "", ("12.50.7",)),
        ("1,2,3.4", "", ("1.2.3.4",)),
        ("1,00,000", "en", ("100000",)),
        ("12.05.2024", "id", ("12.05.2024",)),
        ("192.168.1.1", "", ("192.168.1.1",)),
        ("١٬٢٥٠٬٠٠٠", "ar", ("1250000",)),
        ("٣٫٥", "ar", ("3.5",)),
        ("१२", "hi", ("12",)),
    ],
)
def test_what_a_number_can_be(written, language, expected):
    assert values(written, language) == expected


@pytest.mark.parametrize(
    "text, expected",
    [
        ("", []),
        ("no number", []),
        ("B2 and m2 and H2O", []),
        ("5km, 2nd, 10:30", ["5", "2", "10", "30"]),
        ("2024-05-12", ["2024", "05", "12"]),
        ("In 2020 300 people", ["2020", "300"]),
        ("Rp500, USD20, rm7", ["500", "20", "7"]),
        ("50%, $3.", ["50", "3"]),
        ("2020\u00a0300", ["2020", "300"]),
        ("1 2\x1c3", ["1", "2", "3"]),
    ],
)
def test_where_numbers_are(text, expected):
    assert numbers(text)[0] == [values(each) for each in expected]


def test_the_text_has_each_number_as_its_value():
    assert numbers("a 1.250,0 b", "id") == ([("1250",)], "a  1250  b")
