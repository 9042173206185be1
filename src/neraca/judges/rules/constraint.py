"""Turn a constraint into a function that checks a hit and returns an outcome with its reason.

There are three outcomes: 1 (met), 0 (not met), and missing (the hit's data are absent or unreadable).  They combine by
Kleene's logic.  All parts of a constraint must be met: a part that is not met decides, else a missing one.  Of
`contains_any` and `near` one suffices: a part that is met decides, else a missing one.  So if the name of a place was
not found and its coordinates are unknown, the outcome is missing, not 0.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from neraca.errors import InputError
from neraca.judges.outcome import Outcome, missing
from neraca.judges.rules.equals import AcceptedValues, value_text
from neraca.judges.rules.fields import Reader, has_table, plain, reader, words_in
from neraca.judges.rules.geo import Place, haversine
from neraca.judges.rules.numbers import NO_NUMBER, SLACK, NumberReading, unit_of
from neraca.judges.rules.phrases import Phrases, Synonyms, bare, fold
from neraca.number_format import exact
from neraca.records import Constraint, Hit, Near

Check = Callable[[Hit], Outcome]
ReadNumber = Callable[[Any], NumberReading]
ABOUT = 0.1  # default tolerance of `about`


class CheckContext(msgspec.Struct, frozen=True):
    """The context for reading hits, shared by all constraints on items in one language.

    `units` maps a constraint to the unit in which its plain numbers are read if its hits use several units of one kind
    (GB and TB); "" if no unit is usual.
    """

    synonyms: Synonyms
    fields: Mapping[str, Sequence[str]]
    locate: Callable[[Hit], Place | None]
    read_number: ReadNumber
    units: Mapping[tuple[str, str], str] = {}


def prepare(name: str, constraint: Constraint, context: CheckContext) -> Check | None:
    """Return the check of a constraint, or None if it requires nothing.

    Raise `InputError` if no hit could ever meet it.
    """
    _check_possible(name, constraint)
    sources = sources_of(name, constraint, context.fields)
    checks: list[Check] = []
    if constraint.equals is not None:
        checks.append(_equals(sources, constraint, context))
    if intervals := _bounds(constraint):
        units = {kind: usual for (aspect, kind), usual in context.units.items() if aspect == name}
        checks.append(_number(sources, intervals, context.read_number, units))
    alternatives: list[Check] = []
    if constraint.contains_any:
        alternatives.append(_contains(sources, constraint.contains_any))
    if constraint.near is not None:
        alternatives.append(_near(constraint.near, context))
    if alternatives:
        checks.append(_join(alternatives, decides=1.0))
    if not checks:
        return None
    return _join(checks, decides=0.0)


def sources_of(name: str, constraint: Constraint, fields: Mapping[str, Sequence[str]]) -> list[tuple[str, Reader]]:
    """Return fields and readers of a constraint: its own fields, else fields in the judge's settings, else its name."""
    return [(field, reader(field)) for field in constraint.fields or fields.get(name) or [name]]


def usual_units(
    constraints: Iterable[tuple[str, Constraint, Sequence[Hit]]], fields: Mapping[str, Sequence[str]]
) -> dict[tuple[str, str], str]:
    """Return (constraint, kind of unit) → its usual unit, if the hits use several units of this kind.

    Nothing is converted, so `1 TB` among hits in GB cannot be compared with 512.  A unit is usual if at least four
    fifths of the hits use it; "" if none is.
    """
    counts: dict[tuple[str, str], Counter[str]] = {}
    for name, constraint, hits in constraints:
        if _bounds(constraint):
            for _, read_field in sources_of(name, constraint, fields):
                for kind, size in filter(None, (unit_of(_single(read_field(hit))) for hit in hits)):
                    counts.setdefault((name, kind), Counter())[size] += 1
    commonest = {key: sizes.most_common(1)[0] for key, sizes in counts.items() if len(sizes) > 1}
    return {key: size if 5 * n >= 4 * counts[key].total() else "" for key, (size, n) in commonest.items()}


def _check_possible(name: str, constraint: Constraint) -> None:
    """Raise `InputError` if no hit could ever meet the constraint, or if a part of it is empty by mistake."""
    numbers = [constraint.min, constraint.max, constraint.exact, constraint.about, constraint.tolerance]
    near = constraint.near
    place = [near.lat, near.lng, near.radius_km] if near else []
    equals = constraint.equals if isinstance(constraint.equals, list) else [constraint.equals]
    words = [*constraint.synonyms, *(value for value in equals if isinstance(value, str))]
    wrong = ""
    if any(number is not None and not math.isfinite(number) for number in [*numbers, *place]):
        wrong = "its numbers must be finite"
    elif constraint.tolerance is not None and constraint.tolerance < 0:
        wrong = "tolerance must be 0 or more, 0.1 for a tenth"
    elif constraint.min is not None and constraint.max is not None and constraint.min > constraint.max:
        wrong = f"min {exact(constraint.min)} is above max {exact(constraint.max)}"
    elif near and (abs(near.lat) > 90 or abs(near.lng) > 180 or near.radius_km < 0):
        wrong = "near needs lat from -90 to 90, lng from -180 to 180 and radius_km from 0"
    elif not equals:
        wrong = "equals is an empty list; leave it out or give a value"
    elif not all(map(fold, words)) or not all(map(bare, constraint.contains_any)):
        wrong = "a word is empty; take it out"
    if wrong:
        raise InputError(f"constraint {name!r}: {wrong}")


def _join(checks: list[Check], decides: float) -> Check:
    """Join checks by Kleene's `and` (`decides` is 0) or `or` (1); only the decisive checks give reasons."""
    if len(checks) == 1:
        return checks[0]

    def joined(hit: Hit) -> Outcome:
        outcomes = [check(hit) for check in checks]
        for value in (decides, None, 1.0 - decides):
            if decisive := [outcome for outcome in outcomes if outcome.value == value]:
                break
        return decisive[0]._replace(why="; ".join(outcome.why for outcome in decisive))

    return joined


def _equals(sources: list[tuple[str, Reader]], constraint: Constraint, context: CheckContext) -> Check:
    listed = constraint.equals if isinstance(constraint.equals, list) else [constraint.equals]
    values = [value for value in listed if value is not None]
    accepted = AcceptedValues(values, constraint.synonyms, context.synonyms, context.read_number)

    def check(hit: Hit) -> Outcome:
        table = ""
        for field, read_field in sources:
            value = read_field(hit)
            if value is None:
                continue
            values = list(plain(value))
            if values or not has_table(value):
                return accepted.judge(field, values)
            table = table or f"{field} is a table; name a field inside it, as {field}.NAME"
        return missing(table or _no_field(sources))

    return check


def _contains(sources: list[tuple[str, Reader]], words: list[str]) -> Check:
    phrases, shown_words = Phrases(words), " or ".join(words[:5])
    if len(words) > 5:
        shown_words += f" or {len(words) - 5} more"

    def check(hit: Hit) -> Outcome:
        searched = []
        for field, read_field in sources:
            value = read_field(hit)
            if value is None:
                continue
            # NUL keeps a phrase from reaching over the end of one entry into the next.
            text = value if isinstance(value, str) else "\0".join(words_in(value))
            phrase = phrases.first(fold(text))
            if phrase is not None:
                return Outcome(1.0, f"{field} contains {phrase}")
            searched.append(field)
        if not searched:
            return missing(_no_field(sources))
        verb = "does" if len(searched) == 1 else "do"
        return Outcome(0.0, f"{' and '.join(searched)} {verb} not contain {shown_words}")

    return check


def _near(near: Near, context: CheckContext) -> Check:
    centre = near.name or f"{near.lat}, {near.lng}"
    allowed = exact(near.radius_km)

    def check(hit: Hit) -> Outcome:
        place = context.locate(hit)
        if place is None:
            return missing("no coordinates")
        distance = haversine(near.lat, near.lng, *place)
        inside = distance <= near.radius_km
        # One decimal, but never so few that 3.04 km fails as "3.0 km, allowed 3 km".
        digits = next((n for n in (1, 2, 3, 6) if (round(distance, n) <= near.radius_km) == inside), 9)
        return Outcome(float(inside), f"{distance:,.{digits}f} km from {centre}, allowed {allowed} km")

    return check


#: Low and high end of an interval, and the phrases for a number inside and outside it.
Interval = tuple[float, float, str, str]


def _bounds(constraint: Constraint) -> list[Interval]:
    """Return the intervals that a number must lie in."""
    share = constraint.tolerance or 0.0
    low, high = constraint.min, constraint.max
    intervals: list[Interval] = []
    if low is not None or high is not None:
        least = -math.inf if low is None else low - abs(low) * share
        most = math.inf if high is None else high + abs(high) * share
        intervals.append((least, most, *_bound_phrases(low, high, (least, most) if share else None)))
    if constraint.exact is not None:
        least, most = _around(constraint.exact, share)
        phrase = f", wanted {exact(constraint.exact)}"
        phrase += f" ({_span(least, most)})" if share else ""
        intervals.append((least, most, phrase, phrase))
    if constraint.about is not None:
        least, most = _around(constraint.about, ABOUT if constraint.tolerance is None else constraint.tolerance)
        phrase = f"about {exact(constraint.about)} ({_span(least, most)})"
        intervals.append((least, most, f" is {phrase}", f" is not {phrase}"))
    return intervals


def _around(number: float, share: float) -> tuple[float, float]:
    return number - abs(number) * share, number + abs(number) * share


def _span(low: float, high: float) -> str:
    return f"{exact(low)} to {exact(high)}"


def _bound_phrases(low: float | None, high: float | None, widened: tuple[float, float] | None) -> tuple[str, str]:
    if low is not None and high is not None:
        span = _span(low, high)
        note = f", with tolerance {_span(*widened)}" if widened else ""
        return f" is within {span}{note}", f" is outside {span}{note}"
    if low is not None:
        note = f", with tolerance {exact(widened[0])}" if widened else ""
        return f" is at least {exact(low)}{note}", f" is below {exact(low)}{note}"
    bound = exact(high or 0.0)
    note = f", with tolerance {exact(widened[1])}" if widened else ""
    return f" is at most {bound}{note}", f" is above {bound}{note}"


def _number(
    sources: list[tuple[str, Reader]], intervals: list[Interval], read_number: ReadNumber, units: Mapping[str, str]
) -> Check:
    widened = [
        (low - abs(low) * SLACK, high + abs(high) * SLACK, inside, outside) for low, high, inside, outside in intervals
    ]

    def check(hit: Hit) -> Outcome:
        field, reading = _first_number(sources, hit, read_number, units)
        if reading.value is None:
            return missing(reading.note or _no_field(sources))
        passed: list[str] = []
        failed: list[str] = []
        for low, high, inside, outside in widened:
            is_inside = low <= reading.value <= high
            (passed if is_inside else failed).append(_sentence(field, reading, inside if is_inside else outside))
        return Outcome(0.0, "; ".join(failed)) if failed else Outcome(1.0, "; ".join(passed))

    return check


def _sentence(field: str, reading: NumberReading, phrase: str) -> str:
    colon = ":" if phrase.startswith(",") else ""
    note = f" ({reading.note})" if reading.note else ""
    return f"{field}{colon} {exact(reading.value or 0.0)}{note}{phrase}"


def _first_number(
    sources: list[tuple[str, Reader]], hit: Hit, read_number: ReadNumber, units: Mapping[str, str]
) -> tuple[str, NumberReading]:
    """Return the first field that holds one number, and the number; else "" and the reason why none does."""
    unread = NO_NUMBER
    for field, read_field in sources:
        value = read_field(hit)
        if value is None:
            continue
        reading = read_number(_single(value))
        unit = unit_of(_single(value)) if units else None
        if unit and units.get(unit[0], unit[1]) != unit[1]:
            reading = NumberReading(
                None, f"{value_text(value)}, and other hits have another unit; nothing is converted"
            )
        if reading.value is not None:
            return field, reading
        if not unread.note:
            note = f"{field}: {reading.note}" if reading.note else f"{field} is {value_text(value)}, not one number"
            unread = NumberReading(None, note)
    return "", unread


def _single(value: Any) -> Any:
    """Return the only element of a list of one, else the value itself."""
    return value[0] if isinstance(value, list | tuple) and len(value) == 1 else value


def _no_field(sources: Iterable[tuple[str, Reader]]) -> str:
    return "no " + " or ".join(field for field, _ in sources)
