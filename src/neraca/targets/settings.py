"""Settings that all kinds of targets share, and secrets that are kept out of messages."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import quote, quote_plus

import msgspec

from neraca.errors import SpecError
from neraca.settings import read_settings
from neraca.translation import say


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings that all kinds of targets share.

    Attributes
    ----------
    kind, name
        The kind of the target, and its name for messages.
    stateful
        Whether the target itself remembers a conversation; None lets the kind decide.
    """

    kind: str = ""
    name: str = ""
    stateful: bool | None = None


S = TypeVar("S", bound=Settings)


def read(kind: type[S], table: Mapping[str, Any]) -> S:
    """Read the settings of a target; see `neraca.settings.read_settings`."""
    return read_settings(kind, table, f"target {str(table.get('name') or table.get('kind') or '?')!r}")


class Secrets:
    """Fills in environment variables, written `${NAME}` in settings, and hides their values in messages."""

    _NAME = re.compile(r"\$\{([A-Za-z_]\w*)\}")

    def __init__(self) -> None:
        self._name_by_secret: dict[str, str] = {}

    def value(self, name: str, where: str) -> str:
        """Return the environment variable `name`, stripped of white space; raise `SpecError` if it is not set."""
        secret = os.environ.get(name)
        if secret is None:
            raise SpecError(say("{where}: the environment variable {name} is not set", where=where, name=name))
        secret = secret.strip()
        if len(secret) > 3:
            in_json = msgspec.json.encode(secret).decode()[1:-1]
            in_base64 = base64.b64encode(secret.encode()).decode().rstrip("=")
            in_urls = {quote(secret), quote(secret, safe=""), quote_plus(secret)}
            for form in {secret, in_json, in_base64, *in_urls}:
                self._name_by_secret[form] = f"${{{name}}}"
        return secret

    def fill(self, text: str, where: str) -> str:
        """Return `text` with every `${NAME}` replaced by its value."""
        return self._NAME.sub(lambda match: self.value(match.group(1), where), text)

    def hide(self, text: str) -> str:
        """Return `text` with every value that came from the environment replaced by its `${NAME}`."""
        for form in sorted(self._name_by_secret, key=len, reverse=True):
            text = text.replace(form, self._name_by_secret[form])
        return text
