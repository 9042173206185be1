"""Reasons of the judge `rules` in the language of the report: it writes them in English, and verdicts keep them so."""

from __future__ import annotations

import re
from functools import cache

from neraca.number_format import localised
from neraca.reports.translation import language, say

#: What the judge writes about a constraint, with the parts that differ; a template that says more stands before others.
TEMPLATES = (
    "no coordinates",
    "{distance} km from {place}, allowed {allowed} km",
    "{fields} does not contain {words}",
    "{fields} do not contain {words}",
    "{field} contains {words}",
    "{field} is a table",
    "name a field inside it, as {example}",
    "{field} {value} is within {low} to {high}, with tolerance {least} to {most}",
    "{field} {value} is outside {low} to {high}, with tolerance {least} to {most}",
    "{field} {value} is within {low} to {high}",
    "{field} {value} is outside {low} to {high}",
    "{field} {value} is at least {bound}, with tolerance {widened}",
    "{field} {value} is below {bound}, with tolerance {widened}",
    "{field} {value} is at most {bound}, with tolerance {widened}",
    "{field} {value} is above {bound}, with tolerance {widened}",
    "{field} {value} is at least {bound}",
    "{field} {value} is below {bound}",
    "{field} {value} is at most {bound}",
    "{field} {value} is above {bound}",
    "{field} {value} is about {wanted} ({low} to {high})",
    "{field} {value} is not about {wanted} ({low} to {high})",
    "{field} is {value}, as wanted",
    "{field} is {value}, which counts as {wanted}",
    "{field} is {value}, not one number",
    "{field} is {value}, wanted {wanted}",
    "{field}: {value}, wanted {wanted}",
    "no {fields}",
)
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?(?!\w)")


def rule_reason(why: str) -> str:
    """Return a reason of the judge `rules` in the language of the report; a part that is not known stays English.

    >>> from neraca.reports.translation import written_in
    >>> with written_in("id"):
    ...     rule_reason("price 54,000,000 is above 1,500,000; no floors")
    'price 54.000.000 di atas 1.500.000; tidak ada floors'
    """
    if language() == "en" or not why:
        return why
    return "; ".join(map(_part, why.split("; ")))


def _part(text: str) -> str:
    for template, pattern in _patterns():
        if match := pattern.fullmatch(text):
            return say(template, **{name: _value(name, value) for name, value in match.groupdict().items()})
    return text


def _value(name: str, text: str) -> str:
    """Return a part with its numbers and the words between its parts in the language of the report."""
    if name in ("fields", "words", "wanted"):
        for word in ("and", "or"):
            text = f" {say(word)} ".join(text.split(f" {word} "))
    return _NUMBER.sub(lambda match: localised(match[0]), text) if _NUMBER.match(text) else text


@cache
def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    """Return each template with the pattern of the texts that it makes."""
    return [
        (template, re.compile(re.sub(r"\\{(\w+)\\}", r"(?P<\1>.+?)", re.escape(template)), re.DOTALL))
        for template in TEMPLATES
    ]
