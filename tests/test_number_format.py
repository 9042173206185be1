"""Numbers written by hand in three languages; marks after the Unicode Common Locale Data Repository, release 45."""

import math

import pytest

from neraca.number_format import exact, integer, number, numbers_in, p_value, percent_level, seconds, signed, span


@pytest.mark.parametrize(
    "language, texts",
    [
        ("en", ["0.809", "−0.500", "1,234", "12,345", "1,250,000.5", "−0.524 to −0.270", "99.5 %", "3.2 s"]),
        ("id", ["0,809", "−0,500", "1.234", "12.345", "1.250.000,5", "−0,524 sampai −0,270", "99,5 %", "3,2 s"]),
        ("es", ["0,809", "−0,500", "1234", "12.345", "1.250.000,5", "−0,524 a −0,270", "99,5 %", "3,2 s"]),
    ],
)
def test_numbers_have_the_marks_of_their_language(language, texts):
    with numbers_in(language):
        assert [
            number(0.8091),
            number(-0.5),
            integer(1234),
            integer(12345),
            exact(1250000.5),
            span(-0.524, -0.27),
            percent_level(0.995),
            seconds(3.21),
        ] == texts
    assert number(0.8091) == "0.809", "the language ends with the block"


def test_large_estimates_have_fewer_decimals():
    assert [number(value) for value in (9.9994, 27.456, 999.96, 1234.5, -1234.5)] == [
        "9.999",
        "27.5",
        "1,000.0",
        "1,235",
        "−1,235",
    ]
    with numbers_in("es"):
        assert number(1e16) == "1e+16"
        assert number(1.25e16) == "1,25e+16"


def test_nothing_is_written_for_an_interval_without_an_end():
    assert span(0.1, math.nan) == span(math.nan, 0.1) == ""
    assert span(-math.inf, 0.25) == "−∞ to 0.250"


def test_no_zero_has_a_sign():
    assert [number(-0.0001), signed(0.0001), exact(-0.0)] == ["0.000", "0.000", "0"]
    with numbers_in("id"):
        assert [number(-0.0001), signed(0.0001), signed(0.25)] == ["0,000", "0,000", "+0,250"]


def test_a_p_value_shows_on_which_side_of_the_level_it_lies():
    with numbers_in("id"):
        assert [p_value(0.0496), p_value(0.04996), p_value(0.0502), p_value(1e-9)] == [
            "0,0496",
            "0,04996",
            "0,050",
            "< 0,001",
        ]
