"""Write a constraint in plain words."""

from __future__ import annotations

from neraca.number_format import exact
from neraca.records import Constraint
from neraca.reports.formats.visible_text import clip, field_text, line
from neraca.translation import say


def constraint_words(c: Constraint) -> str:
    """Return a constraint in plain words.

    >>> constraint_words(Constraint(min=3, max=5)), constraint_words(Constraint(equals="house", synonyms=["villa"]))
    ('from 3 to 5', 'house (or villa)')
    """
    parts = []
    if c.equals is not None:
        values = say(" or ").join(field_text(v, 80) for v in (c.equals if isinstance(c.equals, list) else [c.equals]))
        parts.append(
            values
            + (say(" (or {words})", words=", ".join(line(word, 60) for word in c.synonyms)) if c.synonyms else "")
        )
    if c.min is not None and c.max is not None:
        parts.append(say("from {min} to {max}", min=exact(c.min), max=exact(c.max)))
    elif c.min is not None:
        parts.append(say("at least {min}", min=exact(c.min)))
    elif c.max is not None:
        parts.append(say("at most {max}", max=exact(c.max)))
    if c.exact is not None:
        parts.append(say("exactly {exact}", exact=exact(c.exact)))
    if c.about is not None:
        parts.append(say("about {about}", about=exact(c.about)))
    if c.tolerance is not None:
        parts.append(say("tolerance {tolerance} %", tolerance=exact(100 * c.tolerance)))
    either = []
    if c.contains_any:
        either.append(say("contains {words}", words=say(" or ").join(line(word, 60) for word in c.contains_any)))
    if c.near is not None:
        place = line(c.near.name, 60) or f"{c.near.lat}, {c.near.lng}"
        either.append(say("within {km} km of {place}", km=exact(c.near.radius_km), place=place))
    if either:
        parts.append(say(", or ").join(either))
    fields = say(" [in {fields}]", fields=", ".join(line(name, 40) for name in c.fields)) if c.fields else ""
    return clip("; ".join(parts), 400) + fields
