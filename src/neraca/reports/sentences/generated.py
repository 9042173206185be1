"""Say that questions were generated, and what values over such questions can and cannot show."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.scores.scores import Scores
from neraca.translation import say


def generated_questions(scores: Scores) -> Iterator[str]:
    """Say how many of the scored questions are generated."""
    if not scores.runs or not scores.runs[0].tags:
        return
    from neraca.records import GENERATED  # slow to import, and a small TREC run does not need it

    tags = scores.runs[0].tags.get(GENERATED)
    number = 0 if tags is None else int((~tags.isin([""])).sum())
    if tags is not None and number:
        yield say("{n:,} of {total:,} questions are generated questions", n=number, total=len(tags)) + ": " + trust()


def trust() -> str:
    """Say how far results over generated questions can be trusted."""
    return say(
        "they compare settings of a retriever well, they do not rank the models that write answers, and their values "
        "are higher than those of questions that people ask"
    )
