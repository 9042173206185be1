"""Whose word on the relevance of hits counted, in words."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.reports.tables import about_hits
from neraca.reports.translation import say
from neraca.scores.scores import Scores

#: What sources are called in a sentence.
_NAMES = {"human": "people", "rules": "rules", "llm": "models", "embed": "embeddings", "clicks": "clicks"}


def sources(scores: Scores) -> str:
    """The sources that decided, each with the number of its hits; `qrels` where verdicts have no part in it."""
    if scores.relevance is None:
        return "qrels"
    return ", ".join(say("{source} ({n:,} hits)", source=s, n=n) for s, n in _decided(scores)) or say("nobody")


def mixed_sources(scores: Scores) -> Iterator[str]:
    """Say where people decided on a part of the hits alone, and who on the rest."""
    (first, most), *others = [(say(_NAMES.get(source, source)), n) for source, n in _decided(scores)] or [("", 0)]
    if others and _decided(scores)[0][0] == "human" and about_hits(scores):
        rest = ", ".join(say("{n:,} by {source}", n=n, source=source) for source, n in others)
        yield say(
            "Relevance: {n:,} hits by {source}, {rest}; numbers move as people judge more.",
            n=most,
            source=first,
            rest=rest,
        )


def _decided(scores: Scores) -> list[tuple[str, int]]:
    return scores.relevance.by_source if scores.relevance else []
