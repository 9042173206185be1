"""Read hits in any usual form as `Hit`s: text, tables with any of the usual names, nested metadata.

A hit that is plain text or has no id gets an id made from its content: a short text without a space, such as `d17` or
an address, is its own id, and any other is hashed (`text:…`).  The same passage thus has the same id in every system
and every run.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import msgspec

from neraca.errors import TargetError
from neraca.files import fingerprint
from neraca.records import Hit
from neraca.targets.jsonpath import ABSENT, JsonPath, outline

_ID = (
    *("id", "_id", "doc_id", "docid", "docno", "document_id", "chunk_id", "listing_id", "property_id", "product_id"),
    *("item_id", "id_properti", "id_listing", "id_produk", "id_dokumen", "id_propiedad", "id_inmueble", "id_documento"),
    *("uuid", "url", "uri", "link"),
)
#: Names of the text in other languages; the fields keep them, because constraints may name them.
_TRANSLATED_TEXT = (
    *("teks", "isi", "konten", "deskripsi", "texto", "contenido", "descripción", "descripcion"),
    *("texte", "contenu", "conteúdo", "descrição", "النص", "نص", "الوصف", "وصف"),
)
_HIT_TEXT = (
    *("text", "content", "page_content", "chunk", "passage", "snippet", "body", "document", "context"),
    *("description", *_TRANSLATED_TEXT, "title", "name"),
)
#: Usual names of the id and of the text of a hit.
HIT_NAMES = frozenset((*_ID, *_HIT_TEXT))
_SCORE = ("score", "_score", "similarity", "relevance_score", "rerank_score")
_NESTED = ("fields", "metadata", "_source", "payload", "document")
_KEPT_IN_FIELDS = frozenset(("description", "title", "name", *_TRANSLATED_TEXT, *_ID[2:]))
_OWN_KEYS = {"id", "text", "score", "fields"}
#: The most characters of a plain text that is taken as the id of a document.
LONGEST_ID = 200


class HitShape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Paths inside one hit.  `fields` is the path of a table, or a mapping from field name to path."""

    id: str = ""
    text: str = ""
    score: str = ""
    fields: str | dict[str, str] = ""


class HitReading:
    """Reads one hit, by the paths of a `HitShape`, else by the usual names."""

    def __init__(self, shape: HitShape) -> None:
        self._usual = shape == HitShape()
        self._shape = shape
        self._id = JsonPath(shape.id, "response.hit.id") if shape.id else None
        self._text = JsonPath(shape.text, "response.hit.text") if shape.text else None
        self._score = JsonPath(shape.score, "response.hit.score") if shape.score else None
        where = "response.hit.fields"
        self._table = JsonPath(shape.fields, where) if isinstance(shape.fields, str) and shape.fields else None
        path_texts = shape.fields if isinstance(shape.fields, dict) else {}
        self._paths_by_field = {name: JsonPath(path, f"{where}.{name}") for name, path in path_texts.items()}

    def read(self, hit: Any) -> Hit:
        """Return the hit that text, a table or a `Hit` describes; raise `TargetError` for anything else."""
        if isinstance(hit, Hit):
            return hit
        if isinstance(hit, str):
            return Hit(id=id_of_text(hit), text=hit)
        if not isinstance(hit, Mapping):
            raise TargetError(f"a hit must be text or a table; {outline(hit)}")
        usual = _usual_hit(hit)
        return usual if self._usual else self._by_paths(hit, usual)

    def _by_paths(self, table: Mapping[str, Any], usual: Hit) -> Hit:
        fields: Mapping[str, Any] = usual.fields
        if self._table:
            inner = self._table.need(table)
            fields = inner if isinstance(inner, Mapping) else {}
        elif self._paths_by_field:
            values = {name: path.get(table) for name, path in self._paths_by_field.items()}
            fields = {name: value for name, value in values.items() if value is not ABSENT}
        text = (plain_text(self._text.need(table)) or "") if self._text else usual.text
        score = _number(self._score.get(table)) if self._score else usual.score
        hit_id = _id_text(self._id.need(table)) if self._id else usual.id
        return Hit(id=hit_id or usual.id, text=text, score=score, fields=fields)


def _usual_hit(table: Mapping[str, Any]) -> Hit:
    """Read a hit by the usual names: take out id, text and score, flatten nested tables, keep the rest as fields."""
    if table.keys() <= _OWN_KEYS and isinstance(table.get("fields", {}), Mapping) and _id_text(table.get("id")):
        text = table.get("text")
        if text is None or isinstance(text, str):
            score = _number(table.get("score"))
            return Hit(id=_id_text(table["id"]), text=text or "", score=score, fields=table.get("fields") or {})
    fields = {str(key): value for key, value in table.items()}
    for key in _NESTED:
        if isinstance(inner := fields.get(key), Mapping):
            del fields[key]
            fields = {**inner, **fields}
    hit_id = text = ""
    for key in _ID:
        if key in fields and (hit_id := _id_text(fields[key])):
            _drop_key(fields, key)
            break
    for key in _HIT_TEXT:
        if key in fields and (text := plain_text(fields[key]) or ""):
            _drop_key(fields, key)
            break
    score = None
    for key in _SCORE:
        if key in fields and (score := _number(fields[key])) is not None:
            del fields[key]
            break
    hit_id = hit_id or (id_of_text(text) if text else f"text:{fingerprint(fields)}")
    return Hit(id=hit_id, text=text, score=score, fields=fields)


def is_id(text: str) -> bool:
    """Return whether a plain text can be the id of a document: one word of at most 200 characters.

    >>> is_id(" d17 "), is_id("https://example.org/17"), is_id("a room"), is_id("")
    (True, True, False, False)
    """
    return len(text) <= LONGEST_ID and len(text.split()) == 1


def id_of_text(text: str) -> str:
    """Return an id for a hit that has only text: the text itself if it can be an id, else its hash.

    >>> id_of_text(" d17 "), id_of_text("two rooms")
    ('d17', 'text:aa40bf5b98660e51')
    """
    return text.strip() if is_id(text) else f"text:{fingerprint(text)}"


def _drop_key(fields: dict[str, Any], key: str) -> None:
    """Remove a key from the fields, unless it is a property in its own right, such as a title or a URL."""
    if key not in _KEPT_IN_FIELDS:
        del fields[key]


def _id_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    return str(int(value)) if float(value).is_integer() else str(value)


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def plain_text(value: Any) -> str | None:
    """Return text as it is, null as "", a number written out, a list of texts joined; None for anything else."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, int | float):
        return msgspec.json.encode(value).decode()
    if isinstance(value, list | tuple) and all(isinstance(part, str) or part is None for part in value):
        return "".join(part or "" for part in value)
    return None
