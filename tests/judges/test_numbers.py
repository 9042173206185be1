import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.judges.numbers import LONGEST, parse_number, write_number

INDONESIAN = [
    ("Rp 1.250.000.000", 1_250_000_000),
    ("Rp. 1.250.000.000,-", 1_250_000_000),
    ("rp1.250.000.000,00", 1_250_000_000),
    ("IDR 750.000", 750_000),
    ("1,2 M", 1_200_000_000),
    ("1,2M", 1_200_000_000),
    ("Rp 1,2 m", 1_200_000_000),
    ("1,5 milyar", 1_500_000_000),
    ("1,5 miliar rupiah", 1_500_000_000),
    ("1,5 billion", 1_500_000_000),
    ("1.5B", 1_500_000_000),
    ("2,3 T", 2_300_000_000_000),
    ("Rp 2,3 t", 2_300_000_000_000),
    ("1 triliun", 1_000_000_000_000),
    ("800 jt", 800_000_000),
    ("800juta", 800_000_000),
    ("250 rb", 250_000),
    ("250 ribu", 250_000),
    ("250k", 250_000),
    ("1.250,50", 1250.5),
    ("1,250.50", 1250.5),
    ("1.250.000,125", 1_250_000.125),
    ("1,250 M", 1_250_000_000),
    ("1.250 jt", 1_250_000_000),
    ("1.250", 1250),
    ("1,250", 1250),
    ("1.25", 1.25),
    ("1,25", 1.25),
    ("0.125", 0.125),
    ("1250.500", 1250.5),
    ("1250000000.0", 1_250_000_000),
    ("1.25E+09", 1_250_000_000),
    ("12", 12),
    ("  12  ", 12),
    ("02", 2),
    ("-5", -5),
    ("−5", -5),
    ("-Rp 5.000", -5000),
    ("Rp -5.000", -5000),
    ("2 lantai", 2),
    ("3 kamar tidur", 3),
    ("120 m2", 120),
    ("120m²", 120),
    ("1.250 m2", 1250),
    ("3+1", 3),
    ("3 + 1 KT", 3),
    ("１２", 12),
    ("Rp\u00a0500", 500),
    ("250.000 €", 250_000),
]
NOTHING = [
    *("", " ", "rumah", "hubungi agen", "nan", "inf", "-", ".", "Rp", "ribu", "m2"),
    *("2-3", "2 - 3", "1 M - 2 M", "1 sampai 2", "1M an", "800jt-an", "5+", "> 3", "~3", "(500)"),
    *("1.2.3", "12.05.2024", "2024-05-12", "12/05", "10:30", "0812-3456-789", "+62812", "1,2,3"),
    *("1,25,000", "1.250,000,0", "1.2,5", "0.250.000", "1.250.", "1..2", "--5", "-Rp -5"),
    *("5 %", "5 ha", "500 m", "1,2m", "3 t", "5 jt/bulan", "2 maret", "3 atau 4", "1 M 250 jt"),
    *("Rp 3+1", "12+3 M", "3+1.5", "123+1", "16 GB", "1e999", "٣"),
]


@pytest.mark.parametrize("text, number", INDONESIAN)
def test_indonesian_style_reads(text, number):
    assert parse_number(text) == number


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_single_number_is_none(text):
    assert parse_number(text) is None
    assert parse_number(text, style="en") is None


def test_english_style_differs_in_m_and_before_a_scale():
    assert parse_number("1.2 M", style="en") == 1_200_000
    assert parse_number("$1.2m", style="en") == 1_200_000
    assert parse_number("1.250 M", style="en") == 1_250_000
    assert parse_number("1,250 M", style="en") == 1_250_000_000
    assert parse_number("1,5 miliar", style="en") == 1_500_000_000
    assert parse_number("1.250", style="en") == 1250


def test_units_can_be_added():
    assert parse_number("16 GB", units=frozenset({"gb"})) == 16
    assert parse_number("Rp 1,2 M nego", units=frozenset({"nego"})) == 1_200_000_000


@pytest.mark.parametrize("value, number", [(3, 3.0), (-2.5, -2.5), (0, 0.0), (10**400, None)])
def test_numbers_pass(value, number):
    assert parse_number(value) == number


@pytest.mark.parametrize("value", [True, False, None, math.nan, math.inf, -math.inf, [3], {"a": 1}, b"3"])
def test_other_things_are_none(value):
    assert parse_number(value) is None


def test_long_text_is_prose():
    assert parse_number("1" * LONGEST) is not None
    assert parse_number("1" * (LONGEST + 1)) is None


HUNDREDTHS = st.integers(-(10**14), 10**14)


def written(hundredths, *, thousands, decimal):
    whole, cents = divmod(abs(hundredths), 100)
    text = f"{whole:,}".replace(",", thousands) + f"{decimal}{cents:02d}"
    return f"-{text}" if hundredths < 0 else text


@given(HUNDREDTHS, st.sampled_from(["", "Rp ", "IDR ", "$"]), st.sampled_from(["", " m2", " lantai", ",-"]))
def test_both_styles_come_back(hundredths, currency, after):
    for style, thousands, decimal in [("id", ".", ","), ("en", ",", ".")]:
        text = currency + written(hundredths, thousands=thousands, decimal=decimal) + after
        assert parse_number(text, style=style) == hundredths / 100


@given(st.integers(0, 10**12))
def test_whole_numbers_come_back_however_they_are_grouped(number):
    for mark in (",", ".", ""):
        assert parse_number(f"{number:,}".replace(",", mark)) == number


@given(st.integers(0, 10**6), st.sampled_from([("jt", 6), ("rb", 3), (" miliar", 9), ("B", 9), (" triliun", 12)]))
def test_scales_come_back_in_both_styles(tenths, scale):
    word, power = scale
    for style, mark in [("id", ","), ("en", ".")]:
        assert parse_number(f"{tenths // 10}{mark}{tenths % 10}{word}", style=style) == tenths * 10 ** (power - 1)


@given(
    st.one_of(st.text(), st.text(alphabet="0123456789.,-+ RpMTkjtm²eE$%", max_size=20)), st.sampled_from(["id", "en"])
)
def test_no_text_raises_and_what_is_read_is_finite(text, style):
    number = parse_number(text, style=style)
    assert number is None or math.isfinite(number)


@pytest.mark.parametrize(
    "number, text",
    [
        (0, "0"),
        (-0.0, "0"),
        (100, "100"),
        (1999999999.0, "1,999,999,999"),
        (2.5, "2.5"),
        (1e15, "1e+15"),
        (2e-7, "2e-07"),
    ],
)
def test_numbers_are_written_for_people(number, text):
    assert write_number(number) == text


@given(st.integers(-(10**14), 10**14).map(lambda n: n / 100))
def test_what_is_written_is_read_again(number):
    assert parse_number(write_number(number), style="en") == number
