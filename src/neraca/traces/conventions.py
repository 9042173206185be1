"""The dialects of traces: which attributes hold what.  The table itself is `conventions.toml`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from neraca.traces.attributes import lookup

#: Kinds of spans whose content is about the system and not part of it.
ASIDE = frozenset({"evaluator", "guardrail"})
#: Kinds of spans that stand for whole turns.
WHOLE = frozenset({"agent", "chain"})


class Dialect(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One entry of the table; its fields are explained there."""

    name: str
    prefixes: tuple[str, ...]
    kind: str = ""
    kinds: Mapping[str, str] = {}
    marks: Mapping[str, str] = {}
    question: tuple[str, ...] = ()
    answer: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    documents_in_output: tuple[str, ...] = ()
    session: tuple[str, ...] = ()
    user: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    version: tuple[str, ...] = ()
    input_tokens: tuple[str, ...] = ()
    output_tokens: tuple[str, ...] = ()
    cost: tuple[str, ...] = ()
    cost_parts: tuple[str, ...] = ()
    finish: tuple[str, ...] = ()
    first_token_at: tuple[str, ...] = ()
    first_token_seconds: tuple[str, ...] = ()
    first_token_ms: tuple[str, ...] = ()
    call: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    switch: str = ""


class ContentEvents(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Events with content: those whose attributes become the span's, and messages by role."""

    attributes: frozenset[str]
    messages: Mapping[str, str]
    moments: frozenset[str]


class Conventions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table."""

    dialects: tuple[Dialect, ...]
    events: ContentEvents


CONVENTIONS = msgspec.toml.decode(Path(__file__).with_name("conventions.toml").read_bytes(), type=Conventions)


class _Name(NamedTuple):
    """The name of an attribute in the table, the object that it is in, and its name if the object is spread."""

    name: str
    table: str
    spread: str

    @classmethod
    def of(cls, name: str) -> _Name:
        """Take the parts of `table>key`, or a plain name three times."""
        return cls(name, name.partition(">")[0], name.replace(">", "."))


#: All attributes of the table from which a field is read.
ATTRIBUTES = frozenset(
    name.partition(">")[0]
    for dialect in CONVENTIONS.dialects
    for field in dialect.__struct_fields__
    if isinstance(getattr(dialect, field), tuple) and field != "prefixes"
    for name in getattr(dialect, field)
) | frozenset(name for dialect in CONVENTIONS.dialects for name in (dialect.kind, *dialect.marks) if name)
#: Name of a dialect → word for a kind, in small letters → the kind.
_KINDS = {each.name: {word.casefold(): kind for word, kind in each.kinds.items()} for each in CONVENTIONS.dialects}
#: Field → the attributes that may hold it, the one that counts first; see `_Name`.
_NAMES = {
    field: tuple(_Name.of(name) for dialect in CONVENTIONS.dialects for name in getattr(dialect, field))
    for field in Dialect.__struct_fields__
    if field not in ("name", "prefixes", "kind", "kinds", "marks", "switch")
}


class Found(NamedTuple):
    """A value, and the attribute that holds it."""

    value: Any
    attribute: str


def values(attributes: Mapping[str, Any], field: str) -> Iterator[Found]:
    """Yield the values of a field such as `question`, the attribute that counts first.

    >>> next(values({"gen_ai.response.model": "m-1", "gen_ai.request.model": "m"}, "model"))
    Found(value='m-1', attribute='gen_ai.response.model')
    """
    for name, table, spread in _NAMES[field]:
        if (table in attributes or spread in attributes) and (value := lookup(attributes, name)) is not None:
            yield Found(value, name)


def kind_of(attributes: Mapping[str, Any]) -> str:
    """Return the kind of a span, such as `llm`, `retriever` or `agent`; "" if nothing says it.

    >>> kind_of({"openinference.span.kind": "RETRIEVER"}), kind_of({"gen_ai.request.model": "m"}), kind_of({})
    ('retriever', 'llm', '')
    """
    for dialect in CONVENTIONS.dialects:
        word = attributes.get(dialect.kind)
        if isinstance(word, str) and (kind := _KINDS[dialect.name].get(word.strip('"').casefold())):
            return kind
    for dialect in CONVENTIONS.dialects:
        for name, kind in dialect.marks.items():
            if name in attributes and lookup(attributes, name) is not None:
                return kind
    return ""


def dialects_of(attributes: Mapping[str, Any]) -> list[str]:
    """Return the names of the dialects that a span speaks.

    >>> dialects_of({"gen_ai.operation.name": "chat", "session.id": "7"}), dialects_of({"http.method": "GET"})
    (['OpenTelemetry GenAI'], [])
    """
    spoken = {number for name in attributes for number in _dialects_with(name)}
    return [CONVENTIONS.dialects[number].name for number in sorted(spoken)]


@lru_cache(8192)
def _dialects_with(attribute: str) -> tuple[int, ...]:
    """Return the places in the table of the dialects that have this attribute."""
    return tuple(
        number for number, dialect in enumerate(CONVENTIONS.dialects) if attribute.startswith(dialect.prefixes)
    )


def switch_of(dialect: str) -> str:
    """Return what turns the recording of content on in a dialect."""
    return next(each.switch for each in CONVENTIONS.dialects if each.name == dialect)
