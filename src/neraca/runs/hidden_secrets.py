"""Settings of a target without the secrets in them, for manifests, reports and messages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from neraca.files import fingerprint

_PASSWORD = r"pass(?:wd|word|phrase)?|pwd|secret|credential"  # noqa: S105 - names of settings
_WORD = rf"(?:{_PASSWORD}|auth|authori[sz]ation|cookie|token|subscription|api[-_ ]?key|key)"
#: Names of settings that hold a secret; a number is one only under the first names: `max_tokens = 500` is none.
_SECRET = re.compile(rf"(?<![a-z]){_WORD}s?(?![a-z])", re.IGNORECASE)
_SECRET_NUMBER = re.compile(rf"(?<![a-z])(?:{_PASSWORD})s?(?![a-z])", re.IGNORECASE)
_ARGUMENT = re.compile(rf"([?&][\w.-]*{_WORD}=|--[\w-]*{_WORD}[ =])([^&\s]+)", re.IGNORECASE)
_USERINFO = re.compile(r"(?<=://)([^/@\s]+)(?=@)")
_OPTION = re.compile(r"--?[\w-]+")
_VARIABLE = re.compile(r"\$\{\w+\}")
#: The scheme before a variable in a header.
_SCHEME = re.compile(r"(?i:bearer|basic|token|apikey|key)\s+")
_HIDDEN = "(hidden"


def hide_secrets(settings: Any, name: str = "") -> Any:
    """Return settings without secrets: values of keys such as `token`, and user names and passwords in addresses.

    The name of an environment variable is kept.  Six letters of its hash replace a hidden value, to tell changes.

    >>> hide_secrets({"headers": {"Authorization": "Bearer abc", "X-Api-Key": "${SHOP_KEY}"}})
    {'headers': {'Authorization': '(hidden 1013a8)', 'X-Api-Key': '${SHOP_KEY}'}}
    >>> hide_secrets({"command": ["bot", "--token", "abc"]})
    {'command': ['bot', '--token', '(hidden 6cc43f)']}
    """
    if isinstance(settings, Mapping):
        return {key: hide_secrets(value, f"{name}.{key}") for key, value in settings.items()}
    if isinstance(settings, list | tuple):
        return list(_hide_items(settings, name))
    if isinstance(settings, str):
        return _hide_in_text(settings, bool(_SECRET.search(name)))
    is_number = isinstance(settings, int | float) and not isinstance(settings, bool)
    return _marked(str(settings)) if is_number and _SECRET_NUMBER.search(name) else settings


def _hide_items(items: Sequence[Any], name: str) -> Iterator[Any]:
    """Yield the items of a list, such as a command, in which an option names the item after it."""
    option = ""
    for item in items:
        yield hide_secrets(item, option or name)
        option = item if isinstance(item, str) and _OPTION.fullmatch(item) else ""


def _hide_in_text(text: str, is_secret: bool) -> str:
    if text.startswith(_HIDDEN):
        return text
    if is_secret:
        return text if _is_variable(text) else _marked(text)
    text = _USERINFO.sub(lambda match: match[0] if _is_variable(match[0].rpartition(":")[2]) else _HIDDEN + ")", text)
    return _ARGUMENT.sub(lambda match: match[0] if _is_variable(match[2]) else f"{match[1]}{_HIDDEN})", text)


def _is_variable(text: str) -> bool:
    """Return whether a text names environment variables and, at most, the scheme of a header before them."""
    return bool(_VARIABLE.search(text)) and not re.search(r"\w", _VARIABLE.sub("", _SCHEME.sub("", text, count=1)))


def _marked(secret: str) -> str:
    return f"{_HIDDEN} {fingerprint(secret)[:6]})"
