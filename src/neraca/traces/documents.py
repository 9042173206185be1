"""Read the retrieved documents of a span as hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from neraca.errors import TargetError
from neraca.files import fingerprint
from neraca.records import Hit
from neraca.targets.hits import HitReading, HitShape
from neraca.targets.jsonpath import ABSENT, JsonPath
from neraca.targets.response_parser import HITS
from neraca.traces.attributes import decoded

_READING = HitReading(HitShape())
_HIT_PATHS = tuple(JsonPath(path, "hits") for path in HITS.split())
_INNER = ("output", "outputs", "result", "data", "value", "nodes", "chunks")
#: Levels of objects to look into.
_DEEPEST = 3


def hits_in(value: Any, depth: int = 0) -> tuple[Hit, ...] | None:
    """Return the documents in the output of a retriever, in its order; None if it holds no list of documents.

    An empty list is an answer: nothing was found.

    >>> hits_in('{"documents": [{"page_content": "Two floors.", "metadata": {"chunk_id": "c1"}}]}')
    (Hit(id='c1', text='Two floors.', score=None, fields={'chunk_id': 'c1'}),)
    >>> hits_in([]), hits_in("nothing that is a list")
    ((), None)
    """
    value = decoded(value)
    if isinstance(value, Mapping):
        if not value:
            return None
        for path in _HIT_PATHS:
            inner = path.get(value)
            if inner is not ABSENT and isinstance(decoded(inner), Sequence) and not isinstance(decoded(inner), str):
                return hits_in(inner, depth + 1)
        for name in _INNER:
            if depth < _DEEPEST and name in value and (hits := hits_in(value[name], depth + 1)) is not None:
                return hits
        return None
    if not isinstance(value, Sequence) or isinstance(value, str):
        return None
    try:
        return _told_apart([_READING.read(_document(part)) for part in value])
    except TargetError:  # a list of something else, such as numbers
        return None


def _document(value: Any) -> Any:
    """Return a document without the object around it, with its metadata read."""
    value = decoded(value)
    if not isinstance(value, Mapping):
        return value
    if isinstance(inner := value.get("document", value.get("node")), Mapping):
        value = {**{key: part for key, part in value.items() if key not in ("document", "node")}, **inner}
    if any(str(key).startswith("document.") for key in value):
        value = {str(key).removeprefix("document."): part for key, part in value.items()}
    if isinstance(value.get("kwargs"), Mapping) and isinstance(value.get("id"), Sequence | None):  # LangChain's own
        value = value["kwargs"]
    metadata = decoded(value.get("metadata"))
    table = {key: part for key, part in value.items() if part is not None}
    return {**table, "metadata": metadata} if isinstance(metadata, Mapping) else table


def _told_apart(hits: list[Hit]) -> tuple[Hit, ...]:
    """Return the hits with the hash of their text behind the id, where several texts share an id, such as a file's."""
    texts: dict[str, set[str]] = {}
    for hit in hits:
        texts.setdefault(hit.id, set()).add(hit.text)
    return tuple(
        msgspec.structs.replace(hit, id=f"{hit.id}#{fingerprint(hit.text)[:8]}") if len(texts[hit.id]) > 1 else hit
        for hit in hits
    )
