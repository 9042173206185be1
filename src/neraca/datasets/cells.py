"""Convert one cell of a table: any value to text, and the values that people write to the fields of an `Item`.

Functions that read a field raise `InputError` with the problem and the remedy; the caller adds the place.
"""

from __future__ import annotations

import base64
import json
import math
import unicodedata
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets.columns import fold
from neraca.errors import InputError
from neraca.records import Expects
from neraca.translation import say

#: Characters to strip at both ends: white space, control characters, the byte order mark, the zero-width space.
EDGE = "".join(c for c in map(chr, range(0x3001)) if c.isspace() or unicodedata.category(c) == "Cc") + "\ufeff\u200b"
#: Texts that programs write for a missing value, and that no person writes: such a cell is read as empty and counted.
MARKS = frozenset(("nan", "NaN", "<NA>", "#N/A", "#REF!", "#VALUE!", "#NAME?", "#DIV/0!"))
#: Words that programs write for a missing value, and that may be an answer: they are text, and counted.
NOTHING = frozenset(("None", "null", "NULL"))
#: Folded word for what is expected → the expectation, from `expects.json` (expectation → language → words).
_EXPECTS: dict[str, Expects] = {
    fold(word): expected
    for expected, by_language in msgspec.json.decode(
        Path(__file__).with_name("expects.json").read_bytes(), type=dict[Expects, dict[str, tuple[str, ...]]]
    ).items()
    for texts in by_language.values()
    for word in texts
}


def plain(value: Any) -> Any:
    """Convert a value to one that JSON can hold: dates become ISO text, bytes base64, decimals numbers, NaN None."""
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float | Decimal):
        return None if math.isnan(value) else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, datetime) and value.tzinfo is None and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)


def plain_text(value: Any) -> str:
    """Return a value as the text of a cell: None and NaN are empty, dates in ISO form, nested values JSON.

    >>> plain_text(True), plain_text(2.0), plain_text({"a": None})
    ('true', '2.0', '{"a":null}')
    """
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping | list | tuple | msgspec.Struct):
        return msgspec.json.encode(value).decode()
    return str(plain(value))


def shown(value: object) -> str:
    """Return a value as JSON for a message, cut to one short line."""
    text = msgspec.json.encode(plain(value)).decode()
    return text if len(text) <= 60 else f"{text[:57]}..."


def blank(value: object) -> bool:
    """Return whether a cell is empty: None, NaN, or only white space.

    >>> blank(" "), blank(0), blank([])
    (True, False, False)
    """
    if isinstance(value, str):
        return not value.strip(EDGE)
    return value is None or (isinstance(value, float) and math.isnan(value))


def marked(value: object) -> bool:
    """Return whether a cell holds a mark for a missing value and nothing else.

    >>> marked(" NaN"), marked("None"), marked("#N/A cells")
    (True, False, False)
    """
    return isinstance(value, str) and len(value) < 16 and value.strip(EDGE) in MARKS


def trimmed(value: Any) -> str:
    """Return a value as the text of a cell, without surrounding space: the name of a session; "" for a mark.

    >>> trimmed(" s1 "), trimmed(2.0), trimmed(None)
    ('s1', '2.0', '')
    """
    text = plain_text(value).strip(EDGE)
    return "" if text in MARKS else text


def words(value: Any) -> str:
    """Return text without surrounding space, and a number as people write it (3.0 is "3"); "" if blank or marked.

    >>> words(" a "), words(3.0), words(None), words("NaN")
    ('a', '3', '', '')
    """
    if isinstance(value, str):
        return trimmed(value)
    if isinstance(value, Mapping | list | tuple):
        raise InputError(say("must be text, found {value}", value=shown(value)))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        value = int(value)
    return plain_text(value)


def question(value: Any) -> str:
    """Return the question; raise `InputError` if it is empty."""
    text = words(value)
    if not text:
        raise InputError(say("the question is empty; write one, or delete the row"))
    return text


def identity(value: Any) -> str:
    """Return the id of a question; raise `InputError` if it is empty."""
    text = words(value)
    if not text:
        raise InputError(say("the id is empty; give every question one, or delete the column: then they are numbered"))
    return text


def session(value: Any) -> str | None:
    """Return the session, or None."""
    return words(value) or None


def decoded(value: Any) -> Any:
    """Return the value of a cell with JSON: decode text, return a nested value as it is; None if it is blank."""
    if blank(value):
        return None
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value.strip(EDGE))
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise InputError(say("not valid JSON: {error}: {value}", error=error, value=shown(value))) from error


def references(value: Any) -> tuple[str, ...]:
    """Return the reference answers: a text is one, a list (or a JSON list of texts) several; skip blank ones.

    >>> references("4 km"), references('["4 km", "2.5 miles"]')
    (('4 km',), ('4 km', '2.5 miles'))
    """
    if marked(value):
        return ()
    if isinstance(value, Mapping) and "text" in value:
        value = value["text"]  # SQuAD: {"text": [...], "answer_start": [...]}
    if isinstance(value, str) and value.strip(EDGE).startswith("["):
        try:
            value = msgspec.json.decode(value, type=list[str])
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            return (value,)  # prose that begins with a bracket: "[1] says that ..."
    parts = value if isinstance(value, list | tuple) else [value]
    return tuple(part if isinstance(part, str) else words(part) for part in parts if not blank(part))


def expects(value: Any) -> Expects | None:
    """Return whether a good answer shows `results` or `none`, in words of any language; None if the cell is blank.

    >>> expects("ada"), expects("Tidak ada"), expects("No hay")
    ('results', 'none', 'none')
    """
    if blank(value):
        return None
    expected = _EXPECTS.get(fold(value)) if isinstance(value, str) else None
    if expected is None:
        raise InputError(
            say(
                'must be "results", "none" or empty, found {value}; ada, hay, há, يوجد and tidak ada, nada, '
                "rien, لا يوجد are read too; if the column holds something else, leave it out: --column "
                "expects=",
                value=shown(value),
            )
        )
    return expected


def relevant(value: Any) -> dict[str, float] | None:
    """Return document → grade, from an object, a list of ids, or ids separated by `;` or `|`; None if blank.

    >>> relevant("d1; d2"), relevant('{"d1": 2}'), relevant("[]"), relevant("")
    ({'d1': 1.0, 'd2': 1.0}, {'d1': 2.0}, {}, None)
    """
    if blank(value):
        return None
    if isinstance(value, str):
        text = value.strip(EDGE)
        if text in MARKS or text in NOTHING:
            raise InputError(
                say(
                    "{text} is what programs write where there is nothing; leave it empty (not judged) or write "
                    '[] (nothing is relevant); a document with this id is ["{text}"]',
                    text=text,
                )
            )
        value = decoded(value) if text[0] in "{[" else _split_ids(value)
        if isinstance(value, Mapping):
            json.loads(text, object_pairs_hook=_check_grades)
    if isinstance(value, Mapping):
        return _graded(value)
    parts = value if isinstance(value, list | tuple) else [value]
    if "" in (names := [_document(part) for part in parts]):
        raise InputError(say("a document id is empty: {value}", value=shown(value)))
    return dict.fromkeys(names, 1.0)


def _check_grades(pairs: list[tuple[str, Any]]) -> None:
    """Raise `InputError` if a written object has a grade that is null, or two grades of one document."""
    grades: dict[str, Any] = {}
    for document, grade in pairs:
        if grade is None:
            raise InputError(
                say("the grade of {document} is null; write a number, or leave the document out", document=document)
            )
        if grades.setdefault(document, grade) != grade:
            raise InputError(
                say(
                    "{document} has two grades, {first} and {second}; keep one",
                    document=document,
                    first=shown(grades[document]),
                    second=shown(grade),
                )
            )


def _document(value: Any) -> str:
    return value if isinstance(value, str) else words(value)


def _split_ids(text: str) -> list[str]:
    if "," in text and not set(text) & set(";|"):
        raise InputError(
            say("separate ids by ; or |, or write an id with a comma as a JSON list; found {value}", value=shown(text))
        )
    ids = [part for raw in text.replace("|", ";").split(";") if (part := raw.strip(EDGE))]
    if not ids:
        raise InputError(
            say("no document id in {value}; leave it empty (not judged) or write [] (none)", value=shown(text))
        )
    return ids


def _graded(grades: Mapping[Any, Any]) -> dict[str, float] | None:
    """Return the grades without nulls, with which Parquet pads objects; None if all are null."""
    result: dict[str, float] = {}
    for document, grade in grades.items():
        if grade is None:
            continue
        if isinstance(grade, bool) or not isinstance(grade, int | float) or not math.isfinite(grade):
            printable = str(grade) if isinstance(grade, float) else grade  # JSON has no NaN
            raise InputError(
                say(
                    "the grade of {document} must be a number, found {value}", document=document, value=shown(printable)
                )
            )
        if not document:
            raise InputError(say("a document id is empty: {value}", value=shown(grades)))
        result[str(document)] = float(grade)
    return result if result or not grades else None


def expected_calls(value: Any) -> tuple[dict[str, Any], ...] | None:
    """Return the tool calls that a good answer makes; None if the cell is empty, () if it is an empty list."""
    content = decoded(value)
    return None if content is None else calls(content)


def calls(value: Any) -> tuple[dict[str, Any], ...]:
    """Return the tool calls in a list of objects, or in one object."""
    content = decoded(value)
    entries = [content] if isinstance(content, Mapping) else [] if content is None else content
    if not isinstance(entries, list | tuple) or not all(isinstance(call, Mapping) for call in entries):
        raise InputError(
            say('must be a list of objects such as [{{"name": "search"}}], found {value}', value=shown(content))
        )
    return tuple(dict(call) for call in entries)


def opened_object(value: Any) -> dict[str, Any] | None:
    """Return the object in a cell of `tags` or `extra`; None if it holds something else."""
    if isinstance(value, Mapping):
        return dict(value)
    if not isinstance(value, str) or not value.strip(EDGE).startswith("{"):
        return None
    content: dict[str, Any] = decoded(value)
    return content


def tag_texts(tags: Mapping[str, Any]) -> dict[str, str]:
    """Return the tags as text, without nulls."""
    return {
        str(name): value if isinstance(value, str) else words(value)
        for name, value in tags.items()
        if value is not None
    }
