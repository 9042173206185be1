"""Languages: codes, names, stemmers, and the articles that comparisons of answers leave out."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from importlib.resources import files

import msgspec

from neraca.errors import NoStemmer, SpecError
from neraca.nearest import nearest
from neraca.translation import say
from neraca.unicode_words import without_accents

Stem = Callable[[str], str]
#: The setting with which the language is detected in the texts.
AUTO = "auto"
#: Codes such as `es`, `spa`, `es-MX` and `zh_Hant_TW`.
_TAG = re.compile(r"([a-z]{2,3})([-_][a-z0-9]{1,8})*")


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Facts about a language.

    Attributes
    ----------
    name
        Its name in English.
    own
        Its name in the language itself, and other names.
    codes
        Its codes of three letters (ISO 639-2 and 639-3), and older codes of two letters.
    stemmer
        Its Snowball algorithm, or "".
    articles
        Words that are left out when answers are compared, as in SQuAD (English) and MLQA (Spanish, German, Vietnamese).
    prefixes
        Articles that are joined to the following word.
    whole
        Words that begin like a word with such an article, but have none.
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
    return {
        _folded(name): code
        for code, language in languages().items()
        for name in (code, *language.codes, language.name, *language.own)
    }


def _folded(name: str) -> str:
    """Return a name without case and accents, which many keyboards cannot type."""
    return " ".join(without_accents(name.casefold()).split())


@functools.lru_cache(maxsize=1024)
def code_of(language: str) -> str:
    """Return the two-letter code of a language, given as a code or as its name in English or its own; "" stays "".

    A country or script in a code is left out.  Raises `SpecError` for an unknown language.

    >>> code_of("Spanish"), code_of("español"), code_of("es-MX"), code_of("spa")
    ('es', 'es', 'es', 'es')
    """
    name = _folded(language)
    if not name:
        return ""
    code = _names().get(name)
    if code is None and (tag := _TAG.fullmatch(name)):
        code = _names().get(tag[1])
    if name == AUTO:
        raise SpecError(say("no language is called 'auto' here: detect the language of all texts with --language auto"))
    if code is None:
        suggestion = nearest(name, sorted(entry.name for entry in languages().values()))
        raise SpecError(
            say(
                "no language is called {language!r}; {advice} (or give its code, such as es)",
                language=language.strip(),
                advice=suggestion,
            )
        )
    return code


def parse_language(language: str) -> str:
    """Read a user's setting: `auto`, or a language as in `code_of`; raises `SpecError`.

    >>> parse_language("Auto"), parse_language("Indonesian"), parse_language("")
    ('auto', 'id', '')
    """
    return AUTO if language.strip().casefold() == AUTO else code_of(language)


def language_of(code: str) -> Language:
    """Return the facts about the language with this code; an empty record for "".

    >>> language_of("en").stemmer
    'english'
    """
    return languages()[code] if code else Language("")


@functools.cache
def stemmer_of(code: str) -> Stem:
    """Return the Snowball stemmer of a language: from a word in lower case to its stem.

    Raises `NoStemmer` for a language without one.

    References
    ----------
    Porter, M. F. (2001). Snowball: a language for stemming algorithms.

    >>> stemmer_of("es")("casas")
    'cas'
    """
    algorithm = language_of(code).stemmer
    if not algorithm:
        with_stemmer = ", ".join(key for key, value in languages().items() if value.stemmer)
        cause = (
            f"there is no stemmer of {language_of(code).name}" if code else "a stemmer needs the language of the text"
        )
        error = NoStemmer(f"{cause}; languages with one: {with_stemmer}")
        error.language = code
        raise error
    import Stemmer

    try:
        stemmer = Stemmer.Stemmer(algorithm, 0)  # without a cache: each spelling is read once anyway
    except KeyError as error:
        cause = f"PyStemmer {Stemmer.version()} has no stemmer of {language_of(code).name}"
        raise SpecError(say("{cause}; update it: pip install --upgrade PyStemmer", cause=cause)) from error
    stem: Stem = stemmer.stemWord
    return stem
