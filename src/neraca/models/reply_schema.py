"""Make the JSON schema of a reply for the model, and read replies that should fit it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from neraca.errors import ModelError
from neraca.models.cost import tokens

T = TypeVar("T", bound=msgspec.Struct)
_SHOWN = 80


class Unfit(ModelError):
    """The reply is not JSON, does not fit the schema, or fails the check."""


class ReplySchema(Generic[T]):
    """The schema of a kind of reply.

    Parameters
    ----------
    kind
        The struct of the reply, which forbids unknown fields.

    Attributes
    ----------
    name, schema, tokens
        The struct's name, its JSON schema, and an estimate of the schema's tokens.
    """

    def __init__(self, kind: type[T]) -> None:
        self.name = kind.__name__
        self.schema = _schema(kind)
        self.tokens = tokens(msgspec.json.encode(self.schema).decode())
        self._decoder = msgspec.json.Decoder(kind)

    def read(self, text: str | bytes, check: Callable[[T], str]) -> T:
        """Return the value in a reply.  Ignore text around the JSON; raise `Unfit` if it does not fit."""
        try:
            value = self._decode(text)
        except msgspec.DecodeError as error:
            start = repr(text[:_SHOWN]) if text.strip() else "nothing"
            raise Unfit(f"the reply does not fit ({str(error).rstrip('.')}): {start}", again=True) from None
        if wrong := check(value):
            raise Unfit(f"the reply is wrong: {wrong}", again=True)
        return value

    def _decode(self, text: str | bytes) -> T:
        try:
            return self._decoder.decode(text)
        except msgspec.ValidationError:  # JSON that does not fit the schema
            raise
        except msgspec.DecodeError:
            if isinstance(text, bytes) or "{" not in text:
                raise
            return self._decoder.decode(text[text.index("{") : text.rfind("}") + 1])


def _schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return the schema with its outermost object inline, because endpoints accept no reference there.

    Leave out names and docstrings of structs: the prompt explains the reply, and they would cost tokens in every call.
    """
    schema = _without_descriptions(msgspec.json.schema(kind))
    definitions = schema["$defs"]
    outermost = definitions.pop(kind.__name__)
    return {**outermost, "$defs": definitions} if definitions else outermost


def _without_descriptions(schema: Any) -> Any:
    """Return the schema without titles and descriptions.  A property named `title` stays: its value is not a text.

    >>> _without_descriptions({"title": "Reply", "type": "object", "properties": {"title": {"type": "string"}}})
    {'type': 'object', 'properties': {'title': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [_without_descriptions(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    descriptive = {name for name in ("title", "description") if isinstance(schema.get(name), str)}
    return {name: _without_descriptions(part) for name, part in schema.items() if name not in descriptive}
