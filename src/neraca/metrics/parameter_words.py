"""The description of a metric with its parameters: what stands in its documentation, and what they change."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

#: Parameter, or parameter and value → what it changes, where the metric itself has no sentence for it.
_WORDS = {
    "rel": "Relevant is a grade of at least {rel:g}.",
    "at": "Only the first {at} hits count.",
    "by": "Only verdicts by {by} count.",
    "embed": "Embeddings are by {embed}.",
    "empty=expected": "An answer without hits is left out if none are expected, and counts 0 elsewhere.",
    "empty=skip": "Answers without hits are left out.",
    "empty=zero": "An answer without hits counts 0.",
    "empty=correct": "If no hits are expected, an answer without hits counts 1, and one with hits 0.",
    "tokens": "Words are read as {tokens}.",
    "language": "Texts are read as {language}.",
    "missing=fail": "What could not be checked counts as failed.",
    "missing=skip": "What could not be checked is left out.",
    "unjudged=fail": "A hit without any verdict counts 0.",
    "sentences=punctuation": "Sentences end at punctuation, too.",
    "gains=exp": "The gain of a grade g is 2^g - 1.",
    "better=lower": "Less is better.",
    "low": "No value is below {low:g}.",
    "high": "No value is above {high:g}.",
}


def description(
    documentation: str, described: Mapping[str, str], params: Mapping[str, Any], settings: Mapping[str, Any]
) -> str:
    """Describe a metric in a few sentences; formulas in it are TeX.

    The first sentence is that of `described` for one of the parameters, or else that of the documentation.  Each other
    parameter that was given has a sentence behind it.

    Parameters
    ----------
    documentation
        The docstring of the metric.
    described
        As of `Definition`.
    params, settings
        The parameters that were given, and all of them.

    Examples
    --------
    >>> description("Precision at k.", {}, {"at": 5, "rel": 2.0}, {})
    'Precision at k. Relevant is a grade of at least 2.'
    """
    sentence, named = " ".join(documentation.split("\n\n")[0].split()), {"*"}
    for key, template in described.items():
        if _fits(key, params, settings):
            sentence = template.format(**settings)
            named |= {key.partition("=")[0], *(name for _, name, _, _ in Formatter().parse(template) if name)}
            break
    if re.search(r"\bk\b", sentence):
        named.add("at")
    return " ".join([sentence, *(_words(name, value) for name, value in params.items() if name not in named)])


def _fits(key: str, params: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    name, is_value, value = key.partition("=")
    return str(settings[name]) == value if is_value else name in params


def _words(name: str, value: object) -> str:
    """Say what a parameter changes; if nothing better is known, what it is."""
    template = _WORDS.get(f"{name}={value}") or _WORDS.get(name) or "Here {name} is {value}."
    return template.format(**{"name": name, "value": value, name: value})
