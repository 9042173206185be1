"""Languages: every name that people use leads to one code, and what is said of each language is well-formed."""

import unicodedata

import pytest
import Stemmer

from neraca.errors import SpecError
from neraca.languages import code_of, language_of, languages, parse_language, stemmer_of


@pytest.mark.parametrize(
    "name, code",
    [
        ("es", "es"),
        ("ES", "es"),
        ("Spanish", "es"),
        ("español", "es"),
        ("espanol", "es"),
        ("espan\u0303ol", "es"),
        (" es-MX ", "es"),
        ("es_419", "es"),
        ("spa", "es"),
        ("zh-Hant-TW", "zh"),
        ("chi", "zh"),
        ("中文", "zh"),
        ("ger", "de"),
        ("deu", "de"),
        ("iw", "he"),
        ("nb", "no"),
        ("nn-NO", "no"),
        ("Bahasa Indonesia", "id"),
        ("bahasa  melayu", "ms"),
        ("العربية", "ar"),
        ("हिन्दी", "hi"),
        ("Ελληνικά", "el"),
        ("Türkçe", "tr"),
        ("fil", "tl"),
        ("", ""),
        (" ", ""),
    ],
)
def test_names_and_codes(name, code):
    assert code_of(name) == code


@pytest.mark.parametrize(
    "name, told",
    [
        ("Spansh", "no language is called 'Spansh'; did you mean Spanish"),
        ("indonesia", "did you mean Indonesian"),
        ("xx", "no language is called 'xx'"),
        ("es-", "no language is called 'es-'"),
        ("es MX", "no language is called"),
        ("Auto", "no language is called 'auto' here: .* with --language auto"),
        ("klingon", r"\(or give its code, such as es\)"),
    ],
)
def test_a_wrong_name_is_an_error(name, told):
    with pytest.raises(SpecError, match=told):
        code_of(name)


def test_what_is_asked_for_can_be_to_find_out():
    assert [parse_language(name) for name in (" AUTO", "english", "")] == ["auto", "en", ""]
    with pytest.raises(SpecError):
        parse_language("automatic")


def test_no_name_is_of_two_languages():
    seen = {}
    for code, known in languages().items():
        for name in {code, *known.codes, known.name, *known.own}:
            assert seen.setdefault(name.casefold(), code) == code, name
            assert code_of(name) == code


def test_what_is_said_of_each_language_is_as_words_are():
    for code, known in languages().items():
        assert len(code) == 2
        assert any(len(other) == 3 for other in known.codes), code
        for word in (*known.articles, *known.prefixes, *known.whole):
            assert word == unicodedata.normalize("NFKC", word).lower()
            assert " " not in word
        assert len(set(known.articles)) == len(known.articles), code


def test_every_stemmer_of_snowball_is_some_language_s():
    """Dutch and English have an older one each, which is nobody's."""
    ours = [known.stemmer for known in languages().values() if known.stemmer]
    assert len(set(ours)) == len(ours)
    assert set(Stemmer.algorithms()) - set(ours) <= {"dutch_porter", "porter"}
    for code, known in languages().items():
        if known.stemmer in Stemmer.algorithms():
            assert stemmer_of(code)("x") == "x"


@pytest.mark.parametrize(
    "code, words",
    [
        ("en", "house houses housing"),
        ("es", "casa casas"),
        ("id", "membaca dibaca bacaan"),
        ("ar", "المدرسة مدرسة"),
        ("de", "straße straßen strasse"),
        ("fr", "maison maisons"),
        ("ru", "книга книги книгу"),
        ("tr", "evler evlerimiz"),
        ("hi", "लड़का लड़के"),
    ],
)
def test_forms_of_one_word_have_one_stem(code, words):
    assert len({stemmer_of(code)(word) for word in words.split()}) == 1


def test_a_language_without_a_stemmer():
    with pytest.raises(SpecError, match="no stemmer of Chinese; languages with one: ar, ca"):
        stemmer_of("zh")
    assert language_of("").name == ""


def test_an_older_pystemmer_says_that_it_is_old(monkeypatch):
    monkeypatch.setitem(languages(), "zh", type(languages()["zh"])("Chinese", stemmer="mandarin"))
    stemmer_of.cache_clear()
    with pytest.raises(SpecError, match=r"PyStemmer .* has no stemmer of Chinese; update it"):
        stemmer_of("zh")
