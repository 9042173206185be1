"""How texts fall into words, in many scripts: each example is what a reader of the language would say."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics.text.tokenizer import Tokenizer
from neraca.unicode_words import number_words, unicode_words, without_invisible

SPACES = " \t\n\x1c\u00a0\u2009\u202f\u3000\u2028"
SIGNS = "aAzé ñİIıßΣς.,'’-_1٣५กำ東京あー한ᄀ"
TEXTS = st.text(st.sampled_from(SIGNS + "\u0301\u064e\u05b8\u200d\u200c\u00ad\ufe0f😀"), max_size=30)


def words(text, tokens="word", language=""):
    return Tokenizer.of(tokens, language).words(text)


@pytest.mark.parametrize(
    "text, found",
    [
        ("Don't stop, it’s 5 o'clock!", "don t stop it s 5 o clock"),
        ("kamar-mandi (luas 3,5 m²)", "kamar mandi luas 3 5 m2"),
        ("snake_case and _emphasis_", "snake case and emphasis"),
        ("**bold** `code` #tag @you", "bold code tag you"),
        ("Ångström ﬁne ﬀ ½", "ångström fine ff 1 2"),
        ("１２３ ＡＢＣ ①", "123 abc 1"),
        ("naïve café", "naïve café"),
        ("Straße GROẞE", "straße große"),
        ("ΟΔΟΣ οδός", "οδος οδός"),
        ("नमस्ते दुनिया हिन्दी", "नमस्ते दुनिया हिन्दी"),
        ("بَيْتٌ كَبِيرٌ، جِدًّا", "بَيْتٌ كَبِيرٌ جِدًّا"),
        ("שָׁלוֹם עוֹלָם בית־ספר", "שָׁלוֹם עוֹלָם בית ספר"),
        ("한국어 문장", "한국어 문장"),
        ("வணக்கம் உலகம்", "வணக்கம் உலகம்"),
        ("м'ята м’ята мʼята", "м ята м ята м ята"),
        ("l'eau l’eau", "l eau l eau"),
        ("۱۲۳ ٣٤", "۱۲۳ ٣٤"),
        ("😀 👍🏽 👨‍👩‍👧 🇮🇩 ❤️ ©", ""),
        ("3️⃣ kamar", "3 kamar"),
        ("", ""),
        (" \n\t \u00a0", ""),
        ("... !? ،؟", ""),
    ],
)
def test_words_of_a_text(text, found):
    assert words(text) == unicodedata.normalize("NFC", found).split()


@pytest.mark.parametrize(
    "text, found",
    [
        ("東京タワー2020年", ["東", "京", "タ", "ワ", "ー", "2020", "年"]),
        ("我爱AI模型", ["我", "爱", "ai", "模", "型"]),
        ("二〇二〇年、人々", ["二", "〇", "二", "〇", "年", "人", "々"]),
        ("ภาษาไทย ๒๐", ["ภ", "า", "ษ", "า", "ไ", "ท", "ย", "๒๐"]),
        ("น้ำ", ["น\u0e49\u0e4d", "\u0e32"]),  # NFKC takes sara am apart: its ring is a mark of the letter before
        ("ສະບາຍດີ", ["ສ", "ະ", "ບ", "າ", "ຍ", "ດີ"]),
        ("ភាសាខ្មែរ", ["ភា", "សា", "ខ្", "មែ", "រ"]),
        ("ｶﾞ", ["ガ"]),
    ],
)
def test_scripts_without_spaces_fall_into_letters_with_their_marks(text, found):
    assert words(text) == found


@pytest.mark.parametrize("space", SPACES)
def test_every_kind_of_space_parts_words(space):
    assert words(f"una{space}casa") == ["una", "casa"]
    assert words(f"una{space}casa", "space") == ["una", "casa"]


@pytest.mark.parametrize("unseen", "\u00ad\u200d\u200e\u200f\u2060\ufeff\u061c\u202a\ufe0f\u034f\u180e")
def test_what_is_not_seen_does_not_part_words(unseen):
    assert words(f"Wort{unseen}teil") == words(f"Wort{unseen}teil", "space") == ["wortteil"]


def test_signs_drawn_around_a_letter_fall_away():
    assert words("3\ufe0f\u20e3 a\u20dd", "space") == words("3 a") == ["3", "a"]


def test_a_zero_width_space_parts_words():
    assert words("ខ្ញុំ\u200bទៅ") == words("ខ្ញុំ ទៅ")
    assert words("una\u200bcasa") == ["una", "casa"]


def test_a_joiner_in_persian_is_kept_for_its_stemmer_alone():
    assert words("می‌خواهم", language="fa") == ["میخواهم"] == words("میخواهم", language="fa")
    assert words("کتاب‌ها", "word+stem", "fa") == words("کتاب", "word+stem", "fa")
    assert without_invisible("a\u200cb\u00adc", keep="\u200c") == "a\u200cbc"


def test_turkish_has_two_letters_i():
    assert words("ISPARTA İzmir", language="tr") == ["ısparta", "izmir"]
    assert words("ISPARTA İzmir") == ["isparta", "izmir"]
    assert words("IŞIK", language="az") == ["ışık"]
    assert words("I\u0307zmir", language="tr") == ["izmir"]
    assert words("ISPARTA", "word+case", "tr") == ["ISPARTA"]


def test_what_is_written_alike_is_read_alike_in_capitals_too():
    """Ǧ has a lower case with one code point, J with caron has a lower case with one, but itself none."""
    assert words("J\u030c") == words("ǰ") == ["ǰ"]
    assert words("Ϊ\u0301") == words("ΐ")


@given(TEXTS)
def test_composed_and_decomposed_texts_are_the_same(text):
    composed, apart = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    for tokens in ("word", "space", "word+case", "word+fold", "word+plain", "word+number"):
        assert words(composed, tokens) == words(apart, tokens)


@given(st.text(max_size=40))
def test_words_hold_letters_and_marks_and_nothing_else(text):
    for word in words(text):
        assert word
        kinds = [unicodedata.category(letter)[0] for letter in word]
        assert kinds[0] in "LN"
        assert set(kinds) <= set("LNM")


@given(st.text(max_size=40))
def test_reading_words_again_changes_nothing(text):
    once = words(text)
    assert words(" ".join(once)) == once


@given(st.text(st.characters(codec="ascii"), max_size=30))
def test_ascii_is_read_as_other_texts_are(text):
    assert unicode_words(text) == [word for word in unicode_words(f"{text} é") if word != "é"]


@pytest.mark.parametrize(
    "text, found",
    [
        ("1.250.000", ["1.250.000"]),
        ("Rp1.250.000,-", ["Rp", "1.250.000"]),
        ("3,5m", ["3,5", "m"]),
        ("12,34km²", ["12,34", "km²"]),
        ("B2B MP3 v1.2.3", ["B2B", "MP3", "v", "1.2.3"]),
        ("1. Satu, 2. Dua", ["1", "Satu", "2", "Dua"]),
        ("3.5.", ["3.5"]),
        (".5 5. ,5", ["5", "5", "5"]),
        ("1..2", ["1", "2"]),
        ("COVID-19, 2020", ["COVID", "19", "2020"]),
        ("١٬٢٥٠٫٥", ["١٬٢٥٠٫٥"]),
        ("x12.5y", ["x", "12.5", "y"]),
        ("a1", ["a1"]),
        ("12a3.4", ["12a", "3.4"]),
        ("東1.5京", ["東", "1.5", "京"]),
    ],
)
def test_numbers_are_kept_whole(text, found):
    assert number_words(text) == found


@given(st.text("a1.,é 東", max_size=20))
def test_number_words_lose_no_letter(text):
    assert "".join("".join(number_words(text)).split(".")).replace(",", "") == "".join(unicode_words(text))
