"""Letters that are written in several ways: Arabic and Hebrew as they are typed, Indonesian transliterations."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics.text.normalize import SIGNS, fold_vowelled, plain, without_signs
from neraca.metrics.text.tokenizer import Tokenizer


def words(text, tokens, language=""):
    return Tokenizer.of(tokens, language).words(text)


@pytest.mark.parametrize(
    "one, other",
    [
        ("بِسْمِ اللَّهِ الرَّحْمَٰنِ الرَّحِيمِ", "بسم الله الرحمن الرحيم"),
        ("القُرْآن الكريم", "القران الكريم"),
        ("مدرسـة", "مدرسة"),
        ("أحمد إلى آخر ٱلبيت", "احمد الى اخر البيت"),
        ("مدرسة", "مدرسه"),
        ("على", "علي"),
        ("مسؤول شيئ", "مسوول شيي"),
        ("ﻻ إله", "لا اله"),
        ("عام ١٤٤٥", "عام 1445"),
        ("کتاب فارسی", "كتاب فارسي"),
        ("שָׁלוֹם עוֹלָם", "שלום עולם"),
    ],
)
def test_what_arabic_and_hebrew_readers_take_for_the_same(one, other):
    for text, twin in ((one, other), (unicodedata.normalize("NFD", one), other)):
        assert words(text, "word+fold") == words(twin, "word+fold")
    assert words(one, "word") != words(other, "word")


def test_different_words_stay_different():
    assert words("كتب", "word+fold") != words("كتاب", "word+fold")
    assert words("سأل", "word+fold") != words("سئل", "word+fold")
    assert words("ماء", "word+fold") != words("ما", "word+fold")


def test_persian_keeps_the_letters_that_its_stemmer_knows():
    assert fold_vowelled("كتابي ۱۲", "fa") == "کتابی 12"
    assert words("كتاب‌ها", "word+fold+stem", "fa") == words("کتاب", "word+fold+stem", "fa")


def test_other_scripts_are_left_alone():
    for text in ("naïve", "हिन्दी", "ภาษา", "한국어", "Ελλάδα"):
        assert fold_vowelled(text) == text


@pytest.mark.parametrize(
    "spellings",
    [
        "Qurʾān Quran Qur'an Qur’an Qur`an QURʾĀN Qur´an",
        "Jumʿat Jum'at jumat",
        "ṣalāh salah",
        "Ḥadīth hadith",
        "ʿUmar Umar ‘Umar",
        "Łódź Lodz",
        "Đorđe Dorde",
        "señor senor",
        "Æsir aesir",
        "Straße STRASSE",
        "søndag sondag",
        "naïve naive",
    ],
)
def test_plain_spellings_of_one_word(spellings):
    assert len({tuple(words(spelling, "word+plain")) for spelling in spellings.split()}) == 1
    assert len({tuple(words(unicodedata.normalize("NFD", s), "word+plain")) for s in spellings.split()}) == 1


def test_only_signs_fall_away():
    """Shalat is the Indonesian word, ṣalāh the scholars' transliteration; zakat and zakāh likewise."""
    assert words("shalat", "word+plain") != words("ṣalāh", "word+plain")
    assert words("zakat", "word+plain") != words("zakāh", "word+plain")


@pytest.mark.parametrize("text", ["हिन्दी में", "ภาษาไทยที่", "がぎぐ", "й ё ї", "ελλάδα", "한국어", "בָּ", "بَيْتٌ"])
def test_plain_takes_nothing_from_other_scripts(text):
    assert plain(text) == unicodedata.normalize("NFKC", text)


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text):
    for fold in (fold_vowelled, plain):
        assert fold(fold(text)) == fold(text)


def test_signs():
    assert without_signs(f"a{SIGNS}b") == "ab"
    assert plain("quick 'brown' fox") == "quick brown fox"
