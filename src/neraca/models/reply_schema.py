"""The shape of a reply: its JSON schema for the model, and how a reply is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from neraca.errors import ModelError
from neraca.models.cost import tokens

T = TypeVar("T", bound=msgspec.Struct)
_SHOWN = 80


class Unfit(ModelError):
    """A reply that is no JSON, has another shape, or fails the check."""


class ReplySchema(Generic[T]):
    """A kind of reply.

    Parameters
    ----------
    kind
        A struct that forbids unknown fields.

    Attributes
    ----------
    name, schema, tokens
        The struct's name, its JSON schema, and about how many tokens that has.
    """

    def __init__(self, kind: type[T]) -> None:
        self.name = kind.__name__
        self.schema = _schema(kind)
        self.tokens = tokens(msgspec.json.encode(self.schema).decode())
        self._decoder = msgspec.json.Decoder(kind)

    def read(self, text: str | bytes, check: Callable[[T], str]) -> T:
        """The value in a reply; words or a fence around the JSON are forgiven, anything else raises `Unfit`."""
        try:
            value = self._decode(text)
        except msgspec.DecodeError as error:
            shown = repr(text[:_SHOWN]) if text.strip() else "nothing"
            raise Unfit(f"the reply does not fit ({str(error).rstrip('.')}): {shown}", again=True) from None
        if wrong := check(value):
            raise Unfit(f"the reply is wrong: {wrong}", again=True)
        return value

    def _decode(self, text: str | bytes) -> T:
        try:
            return self._decoder.decode(text)
        except msgspec.ValidationError:  # it is JSON
            raise
        except msgspec.DecodeError:
            if isinstance(text, bytes) or "{" not in text:
                raise
            return self._decoder.decode(text[text.index("{") : text.rfind("}") + 1])


def _schema(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """The schema with its outermost object in place, since endpoints want no reference there.

    Names and docstrings of structs are left out: the prompt says what a reply is, and they are paid in every call.
    """
    schema = _bare(msgspec.json.schema(kind))
    inner = schema["$defs"]
    whole = inner.pop(kind.__name__)
    return {**whole, "$defs": inner} if inner else whole


def _bare(schema: Any) -> Any:
    """A schema without what is there for people alone; a field that is called `title` has no text there and stays.

    >>> _bare({"title": "Reply", "type": "object", "properties": {"title": {"type": "string"}}})
    {'type': 'object', 'properties': {'title': {'type': 'string'}}}
    """
    if isinstance(schema, list):
        return [_bare(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    descriptive = {name for name in ("title", "description") if isinstance(schema.get(name), str)}
    return {name: _bare(part) for name, part in schema.items() if name not in descriptive}
