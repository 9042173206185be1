"""Propose the names that an unknown word may stand for."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.translation import say


def nearest(word: str, names: Iterable[str], alike: float = 0.5, otherwise: str = "") -> str:
    """Return advice on an unknown word: the most similar names; if none is, `otherwise`, by default all names.

    Two names are similar from the share `alike` of common letters on.

    >>> nearest("ulr", ["url", "body"])
    'did you mean url?'
    >>> nearest("xyz", ["url", "body"])
    'known: url, body'
    """
    similar = similar_names(word, names := list(names), alike)
    if similar:
        return say("did you mean {names}?", names=", ".join(similar))
    return otherwise or say("known: {names}", names=", ".join(names))


def similar_names(word: str, names: Iterable[str], alike: float = 0.5) -> list[str]:
    """Return up to three names that a word may stand for, the most similar one first.

    >>> similar_names("ulr", ["url", "body"]), similar_names("xyz", ["url", "body"])
    (['url'], [])
    """
    import difflib  # slow to import, and only needed for an error

    folded = {name.casefold(): name for name in names}
    return [folded[name] for name in difflib.get_close_matches(word.casefold(), folded, n=3, cutoff=alike)]
