"""Whose word on the relevance of hits counted, in words."""

from __future__ import annotations

from neraca.reports.translation import say
from neraca.scores.scores import Scores

#: What sources are called in a sentence.
_NAMES = {"human": "people", "rules": "rules", "llm": "models", "embed": "embeddings", "clicks": "clicks"}


def sources(scores: Scores) -> str:
    """The sources that decided, each with the number of its hits; `qrels` where verdicts have no part in it."""
    if scores.relevance is None:
        return "qrels"
    return ", ".join(say("{source} ({n:,} hits)", source=s, n=n) for s, n in _decided(scores)) or say("nobody")


def mixed_sources(scores: Scores) -> str:
    """Say that people decided on a part of the hits alone, and who on the rest."""
    (first, n), *others = [(say(_NAMES.get(source, source)), n) for source, n in _decided(scores)]
    rest = ", ".join(say("{n:,} by {source}", n=n, source=source) for source, n in others)
    return say(
        "Relevance: {n:,} hits by {source}, {rest}; numbers move as people judge more.", n=n, source=first, rest=rest
    )


def _decided(scores: Scores) -> list[tuple[str, int]]:
    return scores.relevance.by_source if scores.relevance else []
