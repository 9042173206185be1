"""Numbers as text, language by language.  The values are what a reader of the language takes them for."""

import math
import re
import tomllib
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.errors import SpecError
from neraca.judges.rules.number_styles import number_styles
from neraca.judges.rules.numbers import LONGEST, read_number, unit_of
from neraca.number_format import exact

UNKNOWN = ""


def value(text, language=UNKNOWN, units=frozenset()):
    return read_number(text, language, units).value


#: The same in every language.
EVERYWHERE = [
    ("3", 3),
    ("1200", 1200),
    ("  12  ", 12),
    ("02", 2),
    ("-5", -5),
    ("−5", -5),
    ("2.5", 2.5),
    ("1.25", 1.25),
    ("0.125", 0.125),
    ("1250.500", 1250.5),
    ("1250000000.0", 1_250_000_000),
    ("1.25E+09", 1_250_000_000),
    ("Rp 1.250.000.000", 1_250_000_000),
    ("Rp. 1.250.000.000,-", 1_250_000_000),
    ("rp1.250.000.000,00", 1_250_000_000),
    ("-Rp 5000", -5000),
    ("Rp -5000", -5000),
    ("Rp\u00a0500", 500),
    ("1.250,50", 1250.5),
    ("1,250.50", 1250.5),
    ("1.250.000,125", 1_250_000.125),
    ("1 250,50", 1250.5),
    ("2 500 000", 2_500_000),
    ("2\u202f500\u00a0000", 2_500_000),
    ("1’250’000.50 CHF", 1_250_000.5),
    ("1'250", 1250),
    ("12,50,000", 1_250_000),
    ("1,25,00,000", 12_500_000),
    ("₹ 2 crore", 20_000_000),
    ("2.5 lakh", 250_000),
    ("1 lakh crore", 1_000_000_000_000),
    ("800 jt", 800_000_000),
    ("800juta", 800_000_000),
    ("250 rb", 250_000),
    ("250k", 250_000),
    ("2 mln", 2_000_000),
    ("5 Mio. €", 5_000_000),
    ("3 million dollars", 3_000_000),
    ("1.200.000 €", 1_200_000),
    ("1.200.000,– €", 1_200_000),
    ("2 lantai", 2),
    ("3 kamar tidur", 3),
    ("3 bedrooms", 3),
    ("3 habitaciones", 3),
    ("120 m2", 120),
    ("120m²", 120),
    ("3+1", 3),
    ("3 + 1 KT", 3),
    ("１２", 12),
    ("٣", 3),
    ("١٬٢٠٠٫٥٠ ريال", 1200.5),
    ("۱۲۳", 123),
    ("१२,५०,०००", 1_250_000),
]
#: No single number in any language.
NOTHING = [
    *("", " ", "rumah", "hubungi agen", "nan", "inf", "-", ".", "Rp", "ribu", "mil", "m2"),
    *("2-3", "2 - 3", "1 M - 2 M", "1 sampai 2", "1M an", "800jt-an", "5+", "> 3", "~3", "(500)"),
    *("1.2.3", "12.05.2024", "2024-05-12", "12/05", "10:30", "0812-3456-789", "0812 345 678", "+62812", "1,2,3"),
    *("1.250,000,0", "1.2,5", "0.250.000", "1.250.", "1..2", "--5", "-Rp -5", "1'25", "1,2 500", "1٫2٫3"),
    *("5 %", "5 ha", "5 jt/bulan", "2 maret", "3 atau 4", "1 M 250 jt", "5 de mayo", "3 mil m n"),
    *("Rp 3+1", "12+3 M", "3+1.5", "123+1", "16 XB", "1e999"),
]
#: Text, language, value; None: not read.
BY_LANGUAGE = [
    # Marks: CLDR's decimal and group signs.
    ("1.200", "id", 1200),
    ("1.200", "en", 1.2),
    ("1.200", "de", 1200),
    ("1.200", "it", 1200),
    ("1.200", "nl", 1200),
    ("1.200", "pt", 1200),
    ("1.200", "tr", 1200),
    ("1.200", "hi", 1.2),
    ("1.200", "ja", 1.2),
    ("1.200", "ms", 1.2),
    ("1.200", "fr", None),  # a space stands between thousands and a comma before decimals: the point may be either
    ("1.200", "ru", None),
    ("1.200", "es", None),  # 1,200 in Spain, 1.2 in Mexico
    ("1.200", "ar", None),  # 1.2 in Egypt, 1,200 in Morocco
    ("1,200", "en", 1200),
    ("1,200", "id", 1.2),
    ("1,200", "fr", 1.2),
    ("1,200", "hi", 1200),
    ("1,200", "es", None),
    ("1,25", "id", 1.25),
    ("1,25", "es", 1.25),
    ("1,25", "en", None),
    ("0,125", "de", 0.125),
    ("1250,5", "fr", 1250.5),
    ("2 500", "fr", 2500),
    ("2 500", "es", 2500),
    ("2 500", "en", None),
    # Countries and currencies settle marks.
    ("1.200", "es-ES", 1200),
    ("1.200", "es-MX", 1.2),
    ("1,200", "es_419", 1200),
    ("1.200", "ar-MA", 1200),
    ("1.200 €", "es", 1200),
    ("MXN 1,200", "es", 1200),
    ("1.200 MAD", "ar", 1200),
    ("$1,200", "es", None),
    # Indonesian.
    ("1,2 M", "id", 1_200_000_000),
    ("1,2M", "id", 1_200_000_000),
    ("1.2M", "id", 1_200_000_000),
    ("Rp 1,2 m", "id", 1_200_000_000),
    ("1,2m", "id", None),
    ("1,5 milyar", "id", 1_500_000_000),
    ("1,5 miliar rupiah", "id", 1_500_000_000),
    ("1,5 billion", "id", 1_500_000_000),
    ("1.5B", "id", 1_500_000_000),
    ("2,3 T", "id", 2_300_000_000_000),
    ("Rp 2,3 t", "id", 2_300_000_000_000),
    ("1 triliun", "id", 1_000_000_000_000),
    ("1,250 M", "id", 1_250_000_000),
    ("1.250 jt", "id", 1_250_000_000),
    ("IDR 750.000", "id", 750_000),
    ("-Rp 5.000", "id", -5000),
    ("250.000 €", "id", 250_000),
    ("1.250 m2", "id", 1250),
    ("Rp 850,000", "id", None),  # money has no three decimals
    # English.
    ("$1.2M", "en", 1_200_000),
    ("$1.2m", "en", 1_200_000),
    ("1.2M", "en", 1_200_000),
    ("1.2m USD", "en", 1_200_000),
    ("$5MM", "en", 5_000_000),
    ("$5 mil", "en", 5_000_000),
    ("5 mil", "en", None),
    ("500 m", "en", None),
    ("3 t", "en", None),
    ("1.5B", "en", 1_500_000_000),
    ("2bn", "en", 2_000_000_000),
    ("1.250 M", "en", 1_250_000),
    ("1,250 M", "en", 1_250_000_000),
    ("1.5 miliar", "en", 1_500_000_000),
    ("$1,200", "en", 1200),
    ("$1.200", "en", None),  # money has no three decimals
    ("1,2 M", "en", None),
    # Spanish.
    ("2 millones", "es", 2_000_000),
    ("2 millones de euros", "es", 2_000_000),
    ("3,5 mil", "es", 3500),
    ("3 mil millones", "es", 3_000_000_000),
    ("1 billón", "es", 1_000_000_000_000),
    ("1,2 M", "es", 1_200_000),
    ("1,2 M€", "es", 1_200_000),
    ("20 MM", "es", 20_000_000),
    ("1.5B", "es", None),  # CLDR's 10^12, or English
    # Others.
    ("1,5 milhão", "pt", 1_500_000),
    ("R$ 2,5 mi", "pt", 2_500_000),
    ("1,2 Md€", "fr", 1_200_000_000),
    ("1 billion", "fr", 1_000_000_000_000),
    ("1 billion", "en", 1_000_000_000),
    ("2,5 Mrd. Euro", "de", 2_500_000_000),
    ("300 mila", "it", 300_000),
    ("1,2 miljoen", "nl", 1_200_000),
    ("500 bin", "tr", 500_000),
    ("1,5 tys. zł", "pl", 1500),
    ("2,5 млн рублей", "ru", 2_500_000),
    ("3 tỷ", "vi", 3_000_000_000),
    ("5 bn", "sv", 5_000_000_000_000),
    ("RM 1.2 juta", "ms", 1_200_000),
    ("١٫٥ مليون", "ar", 1_500_000),
    ("2 करोड़", "hi", 20_000_000),
    ("50万円", "ja", 500_000),
    ("3千万円", "ja", 30_000_000),
    ("1.5万亿", "zh", 1_500_000_000_000),
    ("3억 원", "ko", 300_000_000),
    ("5 ล้านบาท", "th", 5_000_000),
]
#: Text and what the why names, where the language is unknown.
DIFFERENT = [
    ("1.200", '"1.200" is 1.2 in English and 1,200 in Indonesian'),
    ("1,200", '"1,200" is 1,200 in English and 1.2 in Indonesian'),
    ("1,2", '"1,2" is 1.2 in Indonesian and no number in English'),
    ("1.2M", '"1.2M" is 1,200,000 in English and 1,200,000,000 in Indonesian'),
    ("$1.2M", '"$1.2M" is 1,200,000 in English and 1,200,000,000 in Indonesian'),
    ("$1.2m", '"$1.2m" is 1,200,000 in English and 1,200,000,000 in Indonesian'),
    ("5 mil", '"5 mil" is 5 or 5,000,000 in English and 5,000 in Spanish'),
    ("3 m", '"3 m" is 3 or 3,000,000 in English and 3 or 3,000,000,000 in Indonesian'),
    ("1 billion", '"1 billion" is 1,000,000,000 in English and 1,000,000,000,000 in Danish'),
    ("2 500", '"2 500" is 2,500 in Spanish and no number in English'),
    ("3 min", '"3 min" is 3,000 in Azerbaijani, or something else'),
    ("5 bin", '"5 bin" is 5,000 in Turkish, or something else'),
]


@pytest.mark.parametrize("language", [UNKNOWN, "en", "id", "es", "fr", "hi", "ar", "ja"])
@pytest.mark.parametrize("text, number", EVERYWHERE)
def test_what_means_the_same_everywhere_needs_no_language(text, number, language):
    assert read_number(text, language) == (number, "")


@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_single_number_is_none(text):
    for language in [UNKNOWN, *number_styles()]:
        assert value(text, language) is None


@pytest.mark.parametrize("text, language, number", BY_LANGUAGE)
def test_marks_and_words_follow_the_language(text, language, number):
    assert value(text, language) == number


@pytest.mark.parametrize("text, why", DIFFERENT)
def test_without_a_language_what_differs_is_not_read_and_both_are_named(text, why):
    remedy = '; say the language: [dataset] language = "en" (or --language en)'
    assert read_number(text) == (None, why + remedy)


def test_in_a_known_language_it_is_said_what_else_it_may_be():
    assert read_number("500 m", "en").note == '"500 m" may be 500 or 500,000,000 in English'
    assert read_number("Rp 850,000", "id").note == '"Rp 850,000" may be 850 or 850,000 in Indonesian'
    assert read_number("1.200", "fr").note == '"1.200" may be 1.2 or 1,200 in French'
    which = '; say which: language = "es-ES" or "es-MX"'
    assert read_number("1.200", "es").note == f'"1.200" may be 1.2 or 1,200 in Spanish{which}'


def test_a_reading_says_its_language_where_that_matters():
    assert read_number("1,2 M", "id").note == '"1,2 M" in Indonesian'
    assert read_number("1.200", "es-MX").note == '"1.200" in Spanish (es-MX)'
    assert read_number("1.250.000", "id").note == ""
    assert read_number(1.2, "id").note == ""


def test_a_language_can_be_named_in_every_way():
    assert value("1.200", "Indonesian") == value("1.200", "ind") == value("1.200", "id-ID") == 1200
    with pytest.raises(SpecError, match="no language is called 'klingon'"):
        read_number("1.200", "klingon")


def test_the_table_of_the_guide_is_true():
    guide = (Path(__file__).parents[3] / "docs" / "study.md").read_text(encoding="utf-8")
    table = guide.partition("| text | English | Indonesian | Spanish | no language |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]
    assert len(rows) > 5
    for texts, *cells in rows:
        for text in re.findall("`([^`]+)`", texts):
            for language, cell in zip(("en", "id", "es", UNKNOWN), cells, strict=True):
                reading = read_number(text, language)
                if cell == "the same":
                    assert reading == (value(text), "")
                    assert reading.value is not None
                elif cell == "no number":
                    assert reading == (None, "")
                elif cell.startswith("*missing*"):
                    assert reading.value is None
                    assert reading.note
                else:
                    assert reading.value == float(cell.replace(",", ""))


@pytest.mark.parametrize(
    "text, number",
    [
        *[("16 GB", 16), ("16GB", 16), ("512 GB SSD", 512), ("1 TB", 1), ("120 m²", 120), ("120m²", 120), ("5 km", 5)],
        *[("3 kamar", 3), ("3 kamar tidur", 3), ("2 habitaciones", 2), ("2 baños", 2), ("3 hab.", 3), ("3 غرف", 3)],
        *[("120 metros cuadrados", 120), ('27"', 27), ("8 GHz", 8), ("70 kg", 70), ("2 jam", 2), ("2 horas", 2)],
    ],
)
def test_a_unit_leaves_the_number_as_it_is_in_every_language(text, number):
    assert {value(text, language) for language in [UNKNOWN, *number_styles()]} == {number}


def test_units_of_a_kind_have_sizes():
    assert unit_of("1 TB") == unit_of("2 terabytes") == ("data", "tb") != unit_of("512 GB SSD")
    assert unit_of("3 kamar") is unit_of("GB") is unit_of(16) is unit_of("16") is None


def test_units_can_be_added():
    assert value("16 sacks", units=frozenset({"sacks"})) == 16
    assert value("Rp 1,2 M nego", "id", frozenset({"nego"})) == 1_200_000_000
    assert value("500 m", "en", frozenset({"m"})) == 500
    assert value("500 m", UNKNOWN, frozenset({"m"})) == 500
    assert value("1,2 M", "id", frozenset({"m"})) == 1_200_000_000


@pytest.mark.parametrize("number, read", [(3, 3.0), (-2.5, -2.5), (0, 0.0), (10**400, None)])
def test_numbers_pass(number, read):
    assert value(number) == read


@pytest.mark.parametrize("thing", [True, False, None, math.nan, math.inf, -math.inf, [3], {"a": 1}, b"3"])
def test_other_things_are_none(thing):
    assert value(thing) is None


def test_long_text_is_prose():
    assert value("1" * LONGEST) is not None
    assert value("1" * (LONGEST + 1)) is None


HUNDREDTHS = st.integers(-(10**14), 10**14)
LANGUAGES = st.sampled_from([(code, marks) for code, style in number_styles().items() for marks in style.marks])


def written(hundredths, marks):
    whole, cents = divmod(abs(hundredths), 100)
    text = f"{whole:,}".replace(",", marks[1]) + f"{marks[0]}{cents:02d}"
    return f"-{text}" if hundredths < 0 else text


@given(HUNDREDTHS, LANGUAGES, st.sampled_from(["", "Rp ", "IDR ", "$"]), st.sampled_from(["", " m2", " lantai", ",-"]))
def test_every_style_comes_back(hundredths, language, currency, after):
    code, marks = language
    text = currency + written(hundredths, marks) + after
    assert value(text, code) == hundredths / 100
    if abs(hundredths) >= 100_000:  # two different marks
        assert value(text) == hundredths / 100


@given(st.integers(10**6, 10**12), LANGUAGES, st.sampled_from([",", ".", " ", "'", "’", "\u202f", "٬", ""]))
def test_several_groups_need_no_language(number, language, mark):
    text = f"{number:,}".replace(",", mark)
    assert value(text) == value(text, language[0]) == number


FILE = tomllib.loads(files("neraca.judges.rules").joinpath("number_styles.toml").read_text(encoding="utf-8"))
WORDS = [
    (code, word, int(power))
    for code, language in FILE["languages"].items()
    for power, words in (FILE["everywhere"] | language.get("scales", {})).items()
    for word in words.split()
]


@given(
    st.integers(0, 10**6),
    st.sampled_from(WORDS),
    st.sampled_from(["", " ", "\u00a0"]),
    st.sampled_from(["", ".", " m2"]),
)
def test_every_word_of_a_language_comes_back(tenths, word, space, after):
    code, written_word, power = word
    text = f"{tenths // 10}{number_styles()[code].marks[0][0]}{tenths % 10}{space}{written_word}{after}"
    assert value(text, code) == pytest.approx(tenths * 10 ** (power - 1), rel=1e-14)


@given(
    st.one_of(st.text(), st.text(alphabet="0123456789.,-+ RpMTkjtm²eE$%'’٫٬万", max_size=20)),
    st.sampled_from([UNKNOWN, "id", "en", "es", "fr", "ja"]),
)
def test_no_text_raises_and_what_is_read_is_finite(text, language):
    number = value(text, language)
    assert number is None or math.isfinite(number)


@given(st.text(alphabet="0123456789., MmbkRp$€", max_size=12))
def test_what_is_read_without_a_language_is_read_so_in_every_language_that_reads_it(text):
    number = value(text)
    if number is not None:
        assert {value(text, code) for code in number_styles()} <= {number, None}


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
    assert exact(number) == text


@given(st.integers(-(10**14), 10**14).map(lambda n: n / 100))
def test_what_is_written_is_read_again(number):
    assert value(exact(number), "en") == number
