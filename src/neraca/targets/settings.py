"""Settings that every kind of target has, and secrets kept out of messages."""

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


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every kind of target takes.

    Attributes
    ----------
    kind, name
        Of the target; the name is only for messages here.
    stateful
        Whether the target itself remembers a conversation; None lets the kind decide.
    """

    kind: str = ""
    name: str = ""
    stateful: bool | None = None


S = TypeVar("S", bound=Settings)


def read(kind: type[S], given: Mapping[str, Any]) -> S:
    """Read the settings of a target; see `neraca.settings.read_settings`."""
    return read_settings(kind, given, f"target {str(given.get('name') or given.get('kind') or '?')!r}")


class Secrets:
    """Values from the environment, written `${NAME}` in settings, and how to keep them out of messages."""

    _NAME = re.compile(r"\$\{([A-Za-z_]\w*)\}")

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}

    def value(self, name: str, where: str) -> str:
        """The environment variable `name` without white space around it; raises `SpecError` when it is not set."""
        secret = os.environ.get(name)
        if secret is None:
            raise SpecError(f"{where}: the environment variable {name} is not set")
        secret = secret.strip()
        if len(secret) > 3:
            coded = {base64.b64encode(secret.encode()).decode().rstrip("="), quote(secret, safe=""), quote_plus(secret)}
            for form in {secret, quote(secret), msgspec.json.encode(secret).decode()[1:-1], *coded}:
                self._shown[form] = f"${{{name}}}"
        return secret

    def fill(self, text: str, where: str) -> str:
        """`text` with every `${NAME}` replaced by its value."""
        return self._NAME.sub(lambda match: self.value(match.group(1), where), text)

    def hide(self, text: str) -> str:
        """`text` with every value that was taken from the environment replaced by its `${NAME}`."""
        for form in sorted(self._shown, key=len, reverse=True):
            text = text.replace(form, self._shown[form])
        return text
