"""Decide whether an answer meets the checks of its question; no model is asked.

Texts are compared after Unicode's form C, without harakat and tatweel, with 0-9 for Arabic and Persian digits, and any
run of white space counts as one space.  Regular expressions see the answer in form C, with its line breaks and marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import msgspec

from neraca.datasets.expectations import Bound, Expectation
from neraca.datasets.json_schema import violation
from neraca.judges.rules.numbers import SLACK, read_number
from neraca.metrics.rag.citation import cited
from neraca.metrics.text.normalize import composed, with_latin_digits, without_marks
from neraca.metrics.text.numbers import placed_numbers
from neraca.number_format import exact
from neraca.records import Answer, Hit
from neraca.unicode_words import unicode_words

_ADDRESS = re.compile(r"https?://\S|www\.\w", re.IGNORECASE)
_FENCE = re.compile(r"\s*```[\w-]*[ \t]*\n(.*?)\n?```\s*", re.DOTALL)
#: A digit in front of a number or behind it, or one with a decimal sign or a sign of thousands between them.
_DIGIT_BEFORE, _DIGIT_AFTER = re.compile(r"\d[.,]?\Z"), re.compile(r"[.,]?\d")
_SCALE = re.compile(r"\s?[^\W\d_]+\.?")
#: Thai, Lao, Burmese, Khmer, kana and Han.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_NO_WORD = "there is no answer"
#: The most characters of a value in a reason, and the most places at which JSON is looked for.
SHOWN, MOST_PLACES = 60, 1_000


def failures(checks: Sequence[Expectation], answer: Answer, language: str = "") -> list[str]:
    """Return for each check why the answer does not meet it, or "".  An answer without text meets none.

    >>> check = Expectation("must_contain", "contains", ("48 horas",))
    >>> failures([check], Answer(item="1", text="Hasta 72 horas antes."))
    ['must_contain: "48 horas" is not there']
    """
    if not answer.replied or not answer.text.strip():
        why = _NO_WORD if answer.replied else f"{_NO_WORD} ({answer.status})"
        return [f"{check.column}: {why}" for check in checks]
    reasons = [_DECIDE[check.kind](check, answer, language) for check in checks]
    return [f"{check.column}: {why}" if why else "" for check, why in zip(checks, reasons, strict=True)]


def matches(pattern: str, text: str) -> bool:
    """Return whether a regular expression matches somewhere, in a time that grows with the length of the text."""
    import polars as pl  # its engine has no backtracking

    return bool(pl.Series([text]).str.contains(pattern, literal=False, strict=True)[0])


def _short(text: str) -> str:
    return f'"{text}"' if len(text) <= SHOWN else f'"{text[: SHOWN - 1]}…"'


@lru_cache(maxsize=1 << 12)
def _spaced(text: str) -> str:
    composed_text = composed(text)
    compared = without_marks(with_latin_digits(composed_text))
    return " ".join((compared if compared.strip() else composed_text).split())


def _texts(check: Expectation, holds: Callable[[str], bool], absent: str, present: str) -> str:
    """Return why a check of several values does not hold: which are absent, or which must not be there."""
    there = [value for value in check.values if holds(value)]
    if check.negated:
        enough = there if check.any or len(there) == len(check.values) else []
        return f"{', '.join(map(_short, enough))} {present}" if enough else ""
    lacking = [value for value in check.values if value not in there]
    if not lacking or (check.any and there):
        return ""
    return f"{(' or ' if check.any else ', ').join(map(_short, lacking))} {absent}"


def _stands_in(value: str, text: str) -> bool:
    """Return whether a value occurs in a text otherwise than inside a longer number.

    >>> _stands_in("8:30", "a las 18:30"), _stands_in("500", "1,500"), _stands_in("500", "500, 600.")
    (False, False, True)
    """
    start = text.find(value)
    while start >= 0:
        if not (_number_before(text, start, value) or _number_after(text, start + len(value), value)):
            return True
        start = text.find(value, start + 1)
    return False


def _number_before(text: str, start: int, value: str) -> bool:
    return value[:1].isdecimal() and bool(_DIGIT_BEFORE.search(text, max(0, start - 2), start))


def _number_after(text: str, end: int, value: str) -> bool:
    return value[-1:].isdecimal() and bool(_DIGIT_AFTER.match(text, end))


def _contains(check: Expectation, answer: Answer, language: str) -> str:
    text, folds = _spaced(answer.text), check.kind == "icontains"
    folded = text.casefold()
    compared = folded if folds else text
    shape = str.casefold if folds else str
    why = _texts(check, lambda value: _stands_in(shape(_spaced(value)), compared), "is not there", "is there")
    if why and not check.negated:
        why += _near_miss([_spaced(value) for value in check.values], text, folded, folds)
    return why


def _near_miss(values: Sequence[str], text: str, folded: str, folds: bool) -> str:
    """Return what stands in a text instead of a value that is not there: it with other capitals, or a longer number."""
    for value in values:
        if _stands_in(value if not folds else value.casefold(), folded if folds else text):
            continue
        if not folds and _stands_in(value.casefold(), folded):
            return " (but with other capitals; icontains takes it)"
        if value.casefold() in folded:
            return " (only inside a longer number)"
    return ""


def _equals(check: Expectation, answer: Answer, language: str) -> str:
    text = _spaced(answer.text)
    return _texts(check, lambda value: _spaced(value) == text, "is not the answer", "is the answer")


def _starts(check: Expectation, answer: Answer, language: str) -> str:
    text = _spaced(answer.text)

    def is_beginning(value: str) -> bool:
        spaced = _spaced(value)
        return text.startswith(spaced) and not _number_after(text, len(spaced), spaced)

    return _texts(check, is_beginning, "is not its beginning", "is its beginning")


def _matches(check: Expectation, answer: Answer, language: str) -> str:
    text = composed(answer.text)
    is_match = {value: matches(composed(value), text) for value in check.values}
    return _texts(check, is_match.__getitem__, "matches nothing", "matches")


def _number(check: Expectation, answer: Answer, language: str) -> str:
    numbers = [(shown, values) for shown, values in _numbers(answer.text, language)]
    lacking = [bound for bound in check.values if not any(_near(bound, values) for _, values in numbers)]
    if not lacking:
        return ""
    absent = ", ".join(
        _plain(bound.value) + (f" ± {_plain(bound.tolerance)}" if bound.tolerance else "") for bound in lacking
    )
    there = ", ".join(dict.fromkeys(shown for shown, _ in numbers[:5]))
    if not there:
        return f"{absent} is not there, nor any number"
    return f"{absent} is not among its numbers ({there}{', …' if len(numbers) > 5 else ''})"


def _plain(value: float) -> str:
    """Write a number without separators of thousands, which mean something else in another language."""
    return f"{value:.15g}" if abs(value) < 1e15 else exact(value)


def _numbers(text: str, language: str) -> Iterator[tuple[str, set[float]]]:
    """Yield each number of a text, as it stands there, with the values that it may have.

    A word behind it counts if it is a scale, such as `1,2 juta` or `3 million`.
    """
    for start, end, negative, values in placed_numbers(text, language):
        possible = {float(value) for value in values}
        word = _SCALE.match(text, end)
        if word and (scaled := read_number(f"{text[start:end]}{word[0]}", language).value) is not None:
            possible.add(scaled)
        sign = -1 if negative else 1
        yield f"{'-' if negative else ''}{text[start:end]}", {sign * value for value in possible}


def _near(bound: Bound, values: set[float]) -> bool:
    slack = bound.tolerance + SLACK * abs(bound.value)
    return any(abs(value - bound.value) <= slack for value in values)


def _words(check: Expectation, answer: Answer, language: str) -> str:
    n, limit = _count_words(answer.text), check.values[0]
    if check.kind == "most words":
        return f"it has {n} words, more than {limit}" if n > limit else ""
    return f"it has {n} words, fewer than {limit}" if n < limit else ""


def _count_words(text: str) -> int:
    """Count words as people do: between spaces, so that 1.250,50 is one; in scripts without spaces, Unicode's words.

    >>> _count_words("Cuesta 1.250,50 euros – el niño no paga."), _count_words("你好")
    (7, 2)
    """
    pieces = text.split()
    return sum(
        len(unicode_words(piece)) if _UNSPACED.search(piece) else any(map(str.isalnum, piece)) for piece in pieces
    )


def _json(check: Expectation, answer: Answer, language: str) -> str:
    fenced = _FENCE.fullmatch(answer.text)
    text = (fenced[1] if fenced else answer.text).strip()
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        return f"it is no JSON ({str(error).splitlines()[0]})"
    return _violation(value, check)


def _json_inside(check: Expectation, answer: Answer, language: str) -> str:
    first = ""
    for value in _values_inside(answer.text):
        if not (why := _violation(value, check)):
            return ""
        first = first or why
    return first or "there is no JSON in it"


def _values_inside(text: str) -> Iterator[Any]:
    """Yield the objects and lists of JSON in a text, each outermost one."""
    decoder, end = json.JSONDecoder(), 0
    for match in list(re.finditer(r"[{\[]", text))[:MOST_PLACES]:
        if match.start() < end:
            continue
        try:
            _, end = decoder.raw_decode(text, match.start())
            yield msgspec.json.decode(text[match.start() : end])
        except (ValueError, RecursionError, UnicodeError):
            continue


def _violation(value: Any, check: Expectation) -> str:
    return violation(value, check.values[0], matches)


def _cites(check: Expectation, answer: Answer, language: str) -> str:
    """Decide whether each source is named in the text, or is a cited hit; without citations in brackets, any hit."""
    citations = cited(answer)
    hits = [hit for hit in answer.hits if hit.id in citations] if citations else list(answer.hits)
    text = _spaced(answer.text).casefold()
    names = [_spaced(name).casefold() for hit in hits for name in _names_of(hit)]

    def is_cited(source: str) -> bool:
        name = _spaced(source).casefold()
        if not name:
            return bool(citations or hits or _ADDRESS.search(answer.text))
        return _stands_in(name, text) or any(_stands_in(name, name_of_hit) for name_of_hit in names)

    if check.values == ("",):
        return "" if is_cited("") else "it cites no source"
    return _texts(check, is_cited, "is not cited", "is cited")


def _names_of(hit: Hit) -> Iterator[str]:
    yield hit.id
    yield hit.text
    yield from (value for value in hit.fields.values() if isinstance(value, str))


_DECIDE: dict[str, Callable[[Expectation, Answer, str], str]] = {
    "contains": _contains,
    "icontains": _contains,
    "equals": _equals,
    "starts": _starts,
    "matches": _matches,
    "number": _number,
    "most words": _words,
    "least words": _words,
    "json": _json,
    "json inside": _json_inside,
    "cites": _cites,
}
