"""Number formats by language: marks, and words for thousands and millions.  Data: `number_styles.toml`."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files

import msgspec

from neraca.judges.rules.phrases import SPACELESS
from neraca.languages import code_of, language_of
from neraca.unicode_words import without_accents, without_invisible


@functools.lru_cache(maxsize=4096)
def folded(word: str) -> str:
    """Return a word without case and accents; the vowel signs of Indic and Burmese scripts stay.

    >>> folded("Millón") == folded("MILLON"), folded("သန်း") == folded("သိန်း")
    (True, False)
    """
    return without_accents(without_invisible(word).casefold())


@dataclass(frozen=True)
class NumberStyle:
    """The format of numbers in a language.

    Attributes
    ----------
    name
        The language, in English.
    marks
        Decimal mark and marks between thousands, `",."`; several if countries differ.
    regions
        For each of several marks, the countries and currencies that use them, folded.
    examples
        For each region, a language with its country, `es-MX`.
    scales
        Folded word → power of ten.
    capitals
        Abbreviation of one or two capitals → power of ten.
    beside_money
        Folded word → power of ten next to a currency; without a currency the word is ambiguous.
    """

    name: str
    marks: tuple[str, ...]
    regions: tuple[frozenset[str], ...]
    examples: tuple[str, ...]
    scales: Mapping[str, int]
    capitals: Mapping[str, int]
    beside_money: Mapping[str, int]

    def powers(self, word: str, *, money: bool) -> tuple[int, ...]:
        """Return the powers of ten that a word may stand for: none, one, or two if it is ambiguous."""
        form = folded(word)
        power = self.capitals.get(word, self.scales.get(form))
        if power is not None:
            return (power,)
        power = self.beside_money.get(form)
        if power is None:
            return ()
        return (power,) if money else (0, power)

    def marks_of(self, settled_by: Iterable[str]) -> tuple[str, ...]:
        """Return the marks that are possible with these countries and currencies."""
        settled = {folded(word) for word in settled_by}
        possible = tuple(mark for mark, region in zip(self.marks, self.regions, strict=False) if region & settled)
        return possible or self.marks


class _Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    marks: list[str]
    regions: list[str] = []
    scales: dict[str, str] = {}
    beside_money: dict[str, str] = {}


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    currencies: str
    units: str
    sizes: dict[str, list[str]]
    everywhere: dict[str, str]
    languages: dict[str, _Language]


@functools.cache
def _file() -> _File:
    text = files("neraca.judges.rules").joinpath("number_styles.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _File)


def _powers(scales: Mapping[str, str]) -> dict[str, int]:
    return {word: int(power) for power, words in scales.items() for word in words.split()}


def _is_capital(word: str) -> bool:
    return len(word) <= 2 and word.isupper()


@functools.cache
def number_styles() -> dict[str, NumberStyle]:
    """Return the style of every language by its two-letter code; English, Indonesian and Spanish come first.

    >>> number_styles()["id"].marks, number_styles()["en"].marks
    ((',.',), ('.,',))
    """
    return {code: _style(code, language) for code, language in _file().languages.items()}


def _style(code: str, language: _Language) -> NumberStyle:
    scales = _powers(language.scales)
    clear = words_everywhere() | {folded(word): power for word, power in scales.items() if not _is_capital(word)}
    capitals = {word: power for word, power in scales.items() if _is_capital(word)}
    doubtful = {folded(word): power for word, power in (capitals | _powers(language.beside_money)).items()}
    return NumberStyle(
        name=language_of(code).name,
        marks=tuple(language.marks),
        regions=tuple(frozenset(map(folded, region.split())) for region in language.regions),
        examples=tuple(f"{code}-{region.split()[0]}" for region in language.regions),
        scales=clear,
        capitals=capitals,
        beside_money={word: power for word, power in doubtful.items() if word not in clear},
    )


@functools.lru_cache(maxsize=256)
def style_of(language: str) -> NumberStyle | None:
    """Return the style of a language, `es` or `es-MX`; None for "" and for a language without a style.

    Raises `SpecError` for an unknown language.

    >>> style_of("es-MX").marks, style_of("es").marks
    (('.,',), (',. ', '.,'))
    """
    style = number_styles().get(code_of(language))
    regions = re.split("[-_]", language.strip())[1:]
    if style is None or not regions:
        return style
    marks = style.marks_of(regions)
    name = f"{style.name} ({language.strip()})"
    return style if marks == style.marks else replace(style, marks=marks, name=name)


@functools.cache
def words_everywhere() -> dict[str, int]:
    """Return the power of ten of each folded word that means the same in every language that has it.

    >>> words_everywhere()["juta"]
    6
    """
    return {folded(word): power for word, power in _powers(_file().everywhere).items()}


@functools.cache
def unit_words() -> frozenset[str]:
    """Return the folded words after which a number keeps its value, currencies among them.

    >>> {"m2", "lantai", "€"} <= unit_words()
    True
    """
    return frozenset(map(folded, _file().units.split())) | unit_sizes().keys() | currencies()


@functools.cache
def unit_sizes() -> dict[str, tuple[str, str]]:
    """Return folded unit word → (kind, size), for units of a kind that has several, such as MB and GB.

    >>> unit_sizes()["gigabytes"], unit_sizes()["tb"]
    (('data', 'gb'), ('data', 'tb'))
    """
    sizes = ((kind, words.split()) for kind, several in _file().sizes.items() for words in several)
    return {folded(word): (kind, words[0]) for kind, words in sizes for word in words}


@functools.cache
def currencies() -> frozenset[str]:
    """Return the folded signs, codes and names of currencies.

    >>> {"rp", "$", "usd", "euros"} <= currencies()
    True
    """
    return frozenset(map(folded, _file().currencies.split()))


@functools.cache
def spaceless_words() -> re.Pattern[str]:
    """Return a pattern of words written without a space: currency signs, Chinese, Japanese, Korean, Thai words.

    >>> spaceless_words().findall("万円")
    ['万', '円']
    """
    scales = [word for language in _file().languages.values() for word in _powers(language.scales)]
    units = [*_file().units.split(), *unit_sizes()]
    words = {*scales, *units, *_file().currencies.split()}
    touching = {word for word in words if re.match(rf"[{SPACELESS}\uac00-\ud7af]", word) or not word[0].isalnum()}
    return re.compile("|".join(re.escape(word) for word in sorted(touching, key=lambda word: (-len(word), word))))
