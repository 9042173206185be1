"""The words of generated questions, by language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from neraca.errors import SpecError
from neraca.languages import language_of, parse_language
from neraca.translation import say


class Words(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    rename={"with_": "with", "and_": "and", "not_": "not"},
):
    """The words of one language in `wordings.toml`, which explains them."""

    any: str
    first: list[str]
    narrow: list[str]
    change: list[str]
    drop: list[str]
    another: list[str]
    with_: str
    and_: str
    comma: str
    semicolon: str
    place: str
    near: str
    distance: str
    moved: list[str]
    why: str
    without: str
    number: dict[str, str]
    count: dict[str, str]
    year: dict[str, str]
    category: str
    words: str
    flag: tuple[str, str]
    not_: str
    article: tuple[str, ...] = ()


@cache
def wordings() -> dict[str, Words]:
    """Return code of a language → its words."""
    text = (files("neraca.generation") / "wordings.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, Words])


def checked_language(language: str) -> str:
    """Return the code of a language that has words for questions; raise `SpecError` for others.

    >>> checked_language("Indonesian")
    'id'
    """
    code = parse_language(language)
    if code not in wordings():
        names = ", ".join(f"{code} ({language_of(code).name})" for code in wordings())
        raise SpecError(
            say("no questions are written in {language!r}; use one of {names}", language=language, names=names)
        )
    return code
