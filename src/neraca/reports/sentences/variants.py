"""Say which variants of questions were made."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import count, listed
from neraca.generation.variants import Variants
from neraca.number_format import integer
from neraca.translation import say


def variant_notes(variants: Variants) -> Iterator[str]:
    """Say how many variants there are, which questions have none, and how to compare them."""
    made = ", ".join(f"{name} {integer(number)}" for name, number in variants.made.items())
    yield say("variants of the questions, with the same right answers: {variants}", variants=made)
    for name, ids in variants.unchanged.items():
        if ids:
            yield say(
                "{questions} without the variant {name}, which would change nothing: {ids}",
                questions=count(len(ids), "question"),
                name=name,
                ids=listed(ids),
            )
    yield say("neraca compare RUN --variants compares them in pairs; neraca score RUN -g variant shows each by itself")
