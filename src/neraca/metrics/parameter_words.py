"""Describe a metric with its parameters in a few sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from string import Formatter
from typing import Any

#: Parameter, or parameter and value → the sentence for it, unless the metric has its own in `described`.
_SENTENCES = {
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
    """Describe a metric in a few sentences, with formulas in TeX.

    The first sentence comes from `described` if that has one for a parameter, otherwise from the documentation.  A
    sentence follows for each other parameter that was given.

    Parameters
    ----------
    documentation
        The docstring of the metric.
    described
        As in `Definition`.
    params, settings
        The given parameters, and all parameters.

    Examples
    --------
    >>> description("Precision at k.", {}, {"at": 5, "rel": 2.0}, {})
    'Precision at k. Relevant is a grade of at least 2.'
    """
    sentence, covered = " ".join(documentation.split("\n\n")[0].split()), {"*"}
    for key, template in described.items():
        if _applies(key, params, settings):
            sentence = template.format(**settings)
            covered |= {key.partition("=")[0], *(name for _, name, _, _ in Formatter().parse(template) if name)}
            break
    if re.search(r"\bk\b", sentence):
        covered.add("at")
    return " ".join([sentence, *(_sentence(name, value) for name, value in params.items() if name not in covered)])


def sentences_of(params: Mapping[str, Any]) -> str:
    """Return the sentences on those parameters, except the cutoff, that have one.

    >>> sentences_of({"at": 10, "rel": 2.0, "gains": "linear"})
    'Relevant is a grade of at least 2.'
    """
    named = {name: value for name, value in params.items() if {name, f"{name}={value}"} & _SENTENCES.keys()}
    return " ".join(_sentence(name, value) for name, value in named.items() if name != "at")


def _applies(key: str, params: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    name, is_value, value = key.partition("=")
    return str(settings[name]) == value if is_value else name in params


def _sentence(name: str, value: object) -> str:
    """Return the sentence for a parameter; without one, a sentence that states its value."""
    template = _SENTENCES.get(f"{name}={value}") or _SENTENCES.get(name) or "Here {name} is {value}."
    return template.format(**{"name": name, "value": value, name: value})
