"""Name the tags of questions that Neraca knows by columns in several languages."""

from __future__ import annotations

from neraca.translation import say

#: The tags whose columns may have a name in another language, such as `kategori`, and are stored under one name.
_KNOWN = ("category", "language")


def tag_words(tag: str) -> str:
    """Return the name of a tag in the language of the report; tags of the user's own keep their names.

    >>> from neraca.translation import written_in
    >>> with written_in("id"):
    ...     tag_words("category"), tag_words("Tingkat")
    ('kategori', 'Tingkat')
    """
    return say(tag) if tag in _KNOWN else tag


def group_words(group: str) -> str:
    """Return a group, `tag=value`, with the name of its tag in the language of the report.

    >>> from neraca.translation import written_in
    >>> with written_in("es"):
    ...     group_words("category=price"), group_words("all")
    ('categoría=price', 'all')
    """
    tag, equals, value = group.partition("=")
    return f"{tag_words(tag)}{equals}{value}" if equals else group
