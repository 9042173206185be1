"""The data of number styles: marks as CLDR has them, and words that contradict nothing."""

import re
import tomllib
from collections import defaultdict
from importlib.resources import files

import pytest

from neraca.judges.rules.number_styles import currencies, folded, number_styles, style_of, unit_words, words_everywhere
from neraca.languages import languages

#: Unicode CLDR 47, numbers, numbering system latn: decimal and group sign (every kind of space is a space).
CLDR = {
    ".,": "ar bn cy en fa ga gu ha he hi ja km kn ko ml mn mr ms mt my ne pa si st sw ta te th tl ur yi zh",
    ",.": "az ca da de el es eu gl hr id is it jv lo mk nl ps pt ro sl sr su tr vi",
    ", ": "af be bg cs eo et fi fr hu hy ka kk lt lv no pl ru sk sq sv uk uz",
}


@pytest.mark.parametrize("code, marks", [(code, marks) for marks, codes in CLDR.items() for code in codes.split()])
def test_marks_are_those_of_cldr(code, marks):
    assert number_styles()[code].marks[0][:2] == marks


def test_every_language_has_a_style():
    assert number_styles().keys() == languages().keys() == {code for codes in CLDR.values() for code in codes.split()}
    assert [*number_styles()][:3] == ["en", "id", "es"]


def test_marks_are_a_decimal_one_and_others():
    for code, style in number_styles().items():
        assert all(re.fullmatch("[.,][., ]+", marks) and len(set(marks)) == len(marks) for marks in style.marks), code
        assert len(style.regions) == len(style.examples) == (len(style.marks) if len(style.marks) > 1 else 0), code


def test_a_region_settles_one_kind_of_marks():
    for code, style in number_styles().items():
        regions = [word for region in style.regions for word in region]
        assert len(regions) == len(set(regions)), code
        assert [style_of(example).marks for example in style.examples] == [(marks,) for marks in style.marks] * bool(
            regions
        )
    assert style_of("es-XX").marks == style_of("es").marks
    assert style_of("zh-Hant-TW") is style_of("zh")
    assert style_of("") is None


def test_words_everywhere_mean_nothing_else_anywhere():
    for code, style in number_styles().items():
        assert words_everywhere().items() <= style.scales.items(), code
        assert not words_everywhere().keys() & style.beside_money.keys(), code


def test_units_and_currencies_are_no_words_for_amounts():
    scales = {word for style in number_styles().values() for word in (*style.scales, *style.beside_money)}
    assert not scales & unit_words()
    assert currencies() <= unit_words()


@pytest.mark.parametrize(
    "word, meanings",
    [
        ("juta", {6: "en id"}),
        ("miliar", {9: "en id"}),
        ("M", {6: "en es fr it pt hu", 9: "id jv"}),
        ("T", {12: "en id ms", 9: "vi"}),
        ("B", {9: "en id ms", 3: "tr", 12: "hu"}),
        ("mil", {3: "es pt", 6: "cs hr ro sk"}),
        ("billion", {9: "en id", 12: "da de fr no"}),
        ("milliard", {9: "da fr uz"}),
        ("bn", {9: "en id", 12: "fr sv"}),
    ],
)
def test_words_have_the_power_of_cldr(word, meanings):
    for power, codes in meanings.items():
        assert {number_styles()[code].powers(word, money=True) for code in codes.split()} == {(power,)}


def test_small_letters_count_beside_money():
    for code in ("en", "id", "es"):
        style = number_styles()[code]
        assert style.powers("m", money=False) == (0, *style.powers("M", money=False))
        assert style.powers("m", money=True) == style.powers("M", money=True)
    assert number_styles()["en"].powers("mil", money=False) == (0, 6)
    assert number_styles()["de"].powers("m", money=True) == ()


def test_no_word_of_a_language_has_two_powers():
    """Of the file, because a dictionary would keep the last one."""
    data = tomllib.loads(files("neraca.judges.rules").joinpath("number_styles.toml").read_text(encoding="utf-8"))
    for code, language in data["languages"].items():
        powers = defaultdict(set)
        for scales in (data["everywhere"], language.get("scales", {}), language.get("beside_money", {})):
            for power, words in scales.items():
                for word in words.split():
                    powers[folded(word)].add(power)
        assert {word: found for word, found in powers.items() if len(found) > 1} == {}, code
