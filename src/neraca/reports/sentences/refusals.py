"""Say in one sentence for each run how many answers decline, and how many of them rightly."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.number_format import integer
from neraca.reports.blocks.tables import answered
from neraca.scores import confusion
from neraca.scores.scores import Scores
from neraca.translation import say


def refusal_sentences(scores: Scores) -> Iterator[str]:
    """Yield the outcomes of each run's answers in words, if refusals were judged and some question expects `none`."""
    for part in answered(scores):
        outcomes = confusion.outcomes_in_words(part)
        if outcomes and "none" in part.column("expects"):
            counts = ", ".join(f"{say(name)} {integer(n)}" for name, n in outcomes.items())
            yield say("{run}: answers in words: {counts}", run=part.name, counts=counts)
