"""Note ids of documents that may be wrong: returned ids that nobody judged, and plain texts taken as ids."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from neraca.counts_and_lists import count
from neraca.metrics.scorable import Scorable
from neraca.scores.ranking_basis import last_rank
from neraca.scores.scores import Scores
from neraca.translation import say

#: How many answers are searched for hits of plain text, and how many ids a note names.
SEARCHED, NAMED = 100, 3


def document_ids(scores: Scores) -> Iterator[str]:
    """Note each run with no judged document among its hits, and each run whose hits are words taken as ids."""
    if not any(map(last_rank, scores.metrics)):
        return
    for run in scores.runs:
        if run.scorable is None or not run.scorable.offers("grades"):
            continue
        hits, pool = run.scorable.column("grades"), run.scorable.column("known")
        returned = int(hits.returned.sum())
        if returned and len(pool.grade) and not np.isfinite(hits.grade).any():
            yield _none_judged(run.name, run.scorable, returned, scores)
        elif word := _word_as_id(run.scorable):
            yield say(
                "{run}: its hits are plain words, such as {word!r}, and each is taken as the id of a document",
                run=run.name,
                word=word,
            )


def _none_judged(name: str, part: Scorable, returned: int, scores: Scores) -> str:
    """Say that no returned document is judged, and give ids of both kinds if they are known."""
    examples = ""
    if part.offers("hits") and scores.relevance is not None:
        ids, grades = part.column("ids"), scores.relevance.grades
        pairs = ((hits, grades.get(item)) for item, hits in zip(ids, part.column("hits"), strict=True))
        example = next(((hits, judged) for hits, judged in pairs if hits and judged), None)
        if example:
            names = [", ".join(map(repr, islice(documents, NAMED))) for documents in example]
            examples = say(" (it returned {returned}; judged are {judged})", returned=names[0], judged=names[1])
    return say(
        "{run}: of {hits} that it returned, none is judged for its question{examples}: are the ids of documents the "
        "same in both? If not, metrics of hits say nothing about this run",
        run=name,
        hits=count(returned, "hit"),
        examples=examples,
    )


def _word_as_id(part: Scorable) -> str:
    """Return a hit of one of the first answers whose text is its id; "" if there is none."""
    if not part.offers("answers"):
        return ""
    hits = (hit for answer in islice(part.column("answers"), SEARCHED) for hit in answer.hits)
    return next((hit.id for hit in hits if hit.id == hit.text.strip()), "")
