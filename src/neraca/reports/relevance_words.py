"""Whose word on the relevance of hits counted, in words."""

from __future__ import annotations

from neraca.reports.translation import say
from neraca.scores.scores import Scores


def sources(scores: Scores) -> str:
    """The sources that decided, each with the number of its hits; `qrels` where verdicts have no part in it."""
    relevance = scores.relevance
    if relevance is None:
        return "qrels"
    return ", ".join(say("{source} ({n:,} hits)", source=s, n=n) for s, n in relevance.by_source) or say("nobody")
