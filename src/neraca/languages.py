"""Languages: their codes and names, and what reading words needs to know of them."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections.abc import Callable
from importlib.resources import files

import msgspec

from neraca.errors import SpecError, nearest

Stem = Callable[[str], str]
#: Said instead of a language: it is to be found in the texts.
AUTO = "auto"
#: `es`, `spa`, `es-MX`, `zh_Hant_TW`.
_TAG = re.compile(r"([a-z]{2,3})([-_][a-z0-9]{1,8})*")


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a language.

    Attributes
    ----------
    name
        In English.
    own
        How it calls itself, and other names.
    codes
        Its codes of three letters (ISO 639-2 and 639-3), and older ones of two.
    stemmer
        Its Snowball algorithm, or "".
    articles
        Words that answers are compared without: English as SQuAD has them, Spanish, German and Vietnamese as MLQA.
    prefixes
        Articles that are written as one with the word that follows.
    whole
        Words that only look as if they began with such an article.
    """

    name: str
    own: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    stemmer: str = ""
    articles: tuple[str, ...] = ()
    prefixes: tuple[str, ...] = ()
    whole: frozenset[str] = frozenset()


@functools.cache
def languages() -> dict[str, Language]:
    """Every known language by its two-letter code.

    >>> languages()["id"].name
    'Indonesian'
    """
    data = files("neraca").joinpath("languages.json").read_bytes()
    return msgspec.json.decode(data, type=dict[str, Language])


@functools.cache
def _names() -> dict[str, str]:
    """Folded code or name → two-letter code."""
    found: dict[str, str] = {}
    for code, known in languages().items():
        for name in (code, *known.codes, known.name, *known.own):
            found[_folded(name)] = code
    return found


def _folded(name: str) -> str:
    """A name without case and diacritics, because few can type those of all languages."""
    letters = unicodedata.normalize("NFKD", name.strip().casefold())
    return " ".join("".join(letter for letter in letters if not "\u0300" <= letter <= "\u036f").split())


@functools.lru_cache(maxsize=1024)
def code_of(language: str) -> str:
    """The two-letter code of a language, by a code or by a name in English or its own; "" stays "".

    What a code says of country or script is left out.  Raises `SpecError` for a language that is not known.

    >>> code_of("Spanish"), code_of("español"), code_of("es-MX"), code_of("spa")
    ('es', 'es', 'es', 'es')
    """
    asked = _folded(language)
    if not asked:
        return ""
    found = _names().get(asked)
    if found is None and (tag := _TAG.fullmatch(asked)):
        found = _names().get(tag[1])
    if asked == AUTO:
        raise SpecError("no language is called 'auto' here: it is said once for all texts, with --language auto")
    if found is None:
        near = nearest(asked, sorted(known.name for known in languages().values()))
        raise SpecError(f"no language is called {language.strip()!r}; {near} (or give its code, such as es)")
    return found


def parse_language(language: str) -> str:
    """What a user asked for: `auto`, or as `code_of`; raises `SpecError`.

    >>> parse_language("Auto"), parse_language("Indonesian"), parse_language("")
    ('auto', 'id', '')
    """
    return AUTO if language.strip().casefold() == AUTO else code_of(language)


def language_of(code: str) -> Language:
    """What is known of the language with this code; nothing for "".

    >>> language_of("en").stemmer
    'english'
    """
    return languages()[code] if code else Language("")


@functools.cache
def stemmer_of(code: str) -> Stem:
    """The Snowball stemmer of a language, from a word in lower case to its stem; raises `SpecError` if it has none.

    References
    ----------
    Porter, M. F. (2001). Snowball: a language for stemming algorithms.

    >>> stemmer_of("es")("casas")
    'cas'
    """
    algorithm = language_of(code).stemmer
    if not algorithm:
        told = (
            f"there is no stemmer of {language_of(code).name}" if code else "a stemmer needs the language of the text"
        )
        known = ", ".join(key for key, value in languages().items() if value.stemmer)
        raise SpecError(f"{told}; languages with one: {known}")
    import Stemmer

    try:
        stemmer = Stemmer.Stemmer(algorithm, 0)  # without a cache: each spelling is read once anyway
    except KeyError as error:
        told = f"PyStemmer {Stemmer.version()} has no stemmer of {language_of(code).name}"
        raise SpecError(f"{told}; update it: pip install --upgrade PyStemmer") from error
    stem: Stem = stemmer.stemWord
    return stem
