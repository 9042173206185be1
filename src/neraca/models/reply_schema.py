"""Make the JSON schema of a reply for the model, and read replies that should fit it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Generic, TypeVar

import msgspec

from neraca.errors import ModelError
from neraca.models.cost import tokens
from neraca.models.lenient_reply import UNFIT, fit, json_values

T = TypeVar("T", bound=msgspec.Struct)
_SHOWN = 80
_NO_TEXTS: Mapping[str, str] = {}


class Unfit(ModelError):
    """The reply is not JSON, does not fit the schema, or fails the check.

    Attributes
    ----------
    remedy
        What was wrong, for the model.  It has no words of the reply, which could act as instructions.
    """

    def __init__(self, message: str, *, remedy: str = "", again: bool = True) -> None:
        super().__init__(message, again=again)
        self.remedy = remedy or "it was no JSON that fits the schema"


class ReplySchema(Generic[T]):
    """The schema of a kind of reply, in which every property without a default is required.

    Parameters
    ----------
    kind
        The struct of the reply, which forbids unknown fields.  A field that may be unset is required in the schema, but
        a reply without it is read.
    simplest
        Whether the schema leaves out each field `reason` that may be unset, so that a reply has decisions alone.

    Attributes
    ----------
    name, schema, tokens
        The struct's name, its JSON schema, and an estimate of the schema's tokens.
    """

    def __init__(self, kind: type[T], *, simplest: bool = False) -> None:
        self.name = kind.__name__
        self.schema = _schema(kind, simplest=simplest)
        self._whole = _schema(kind, simplest=False) if simplest else self.schema
        self.tokens = tokens(msgspec.json.encode(self.schema).decode())
        self._kind = kind
        self._decoder = msgspec.json.Decoder(kind)

    def read(self, text: str | bytes, check: Callable[[T], str], texts: Mapping[str, str] = _NO_TEXTS) -> T:
        """Return the value in a reply of a model, or in its stored form (bytes); raise `Unfit` if it does not fit.

        What is clear is read although it is written otherwise (see lenient_reply.py); `texts` is id → text.
        """
        try:
            value = self._decoder.decode(text) if isinstance(text, bytes) else self._clear_value(text, texts)
        except msgspec.DecodeError as error:
            start = repr(text[:_SHOWN]) if text.strip() else "nothing"
            why = str(error).rstrip(".")
            raise Unfit(f"the reply does not fit ({why}): {start}", remedy=_own_words(why)) from None
        if wrong := check(value):
            raise Unfit(f"the reply is wrong: {wrong}", remedy=wrong)
        return value

    def _clear_value(self, text: str, texts: Mapping[str, str]) -> T:
        """Return the only value that the text can mean."""
        error: msgspec.DecodeError = msgspec.DecodeError("there is no JSON object")
        values: list[T] = []
        for value in json_values(text):
            try:
                if (fitted := fit(value, self._whole, texts)) is UNFIT:
                    raise msgspec.ValidationError("it has none of the names in the schema")
                values.append(msgspec.convert(fitted, self._kind))
            except msgspec.ValidationError as misfit:
                error = misfit
        if not values:
            raise error
        if any(value != values[0] for value in values):
            raise msgspec.ValidationError("there are several JSON objects, which differ")
        return values[0]


@lru_cache(maxsize=256)
def reply_schema(kind: type[T], *, simplest: bool = False) -> ReplySchema[T]:
    """Return the schema of a kind of reply; make those of the kinds that are in use once."""
    return ReplySchema(kind, simplest=simplest)


def _own_words(why: str) -> str:
    """Return a reason without names that the reply made up."""
    return "it was no JSON that fits the schema" + ("" if "unknown field" in why else f": {why}")


def _schema(kind: type[msgspec.Struct], *, simplest: bool) -> dict[str, Any]:
    """Return the schema with its outermost object inline, because endpoints accept no reference there.

    Leave out names and docstrings of structs: the prompt explains the reply, and they would cost tokens in every call.
    """
    whole = msgspec.json.schema(kind)
    schema = _plain(_without_reasons(whole) if simplest else whole)
    definitions = schema["$defs"]
    outermost = definitions.pop(kind.__name__)
    return {**outermost, "$defs": definitions} if definitions else outermost


def _without_reasons(schema: Any) -> Any:
    """Return the schema without the properties `reason` that it does not require.

    >>> _without_reasons({"properties": {"reason": {}, "yes": {"type": "boolean"}}, "required": ["yes"]})
    {'properties': {'yes': {'type': 'boolean'}}, 'required': ['yes']}
    """
    if isinstance(schema, list):
        return [_without_reasons(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: _without_reasons(part) for name, part in schema.items()}
    if isinstance(properties := parts.get("properties"), dict) and "reason" not in schema.get("required", ()):
        parts["properties"] = {name: part for name, part in properties.items() if name != "reason"}
    return parts


def _plain(schema: Any) -> Any:
    """Return the schema without titles and descriptions, every property without a default required.

    A property named `title` stays: its value is not a text.

    >>> _plain({"title": "Reply", "type": "object", "properties": {"title": {"type": "string"}}, "required": []})
    {'type': 'object', 'properties': {'title': {'type': 'string'}}, 'required': ['title']}
    """
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    descriptive = {name for name in ("title", "description") if isinstance(schema.get(name), str)}
    plain = {name: _plain(part) for name, part in schema.items() if name not in descriptive}
    if not isinstance(schema.get("required"), list):
        return plain
    return plain | {"required": [name for name, part in plain["properties"].items() if "default" not in part]}
