"""The texts behind some scores: looked up in the scorables, or read again from the table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from neraca.metrics.scorable import Scorable
from neraca.scores.scores import RunScores, Scores

#: Returns the systems' scorables of each block of rows, read again.
Blocks = Callable[[], Iterable[Sequence[Scorable]]]
#: The numbers of a run and of one of its items.
Place = tuple[int, int]


class AnswerText(NamedTuple):
    """A response with its references and the code of their language, or ""."""

    response: str
    references: Sequence[str]
    language: str


def texts_of(scores: Scores, places: Iterable[Place]) -> Mapping[Place, Sequence[AnswerText]]:
    """Return the texts of some answers, one for each trial; nothing for an answer whose texts were not kept.

    Scores of tables and lists hold no text, so that their rows are read again.
    """
    place_list = list(places)
    blocks: Blocks | None = scores.facts.get("blocks")
    if blocks is not None:
        return _read_blocks(blocks, set(place_list))
    texts_by_place: dict[Place, list[AnswerText]] = {}
    for run in dict.fromkeys(run for run, _ in place_list):
        run_scores = scores.runs[run]
        if run_scores.scorable and run_scores.scorable.offers("references") and run_scores.scorable.offers("response"):
            texts_by_place |= {
                (run, item): _texts_of_item(run_scores, run_scores.scorable, item)
                for place_run, item in place_list
                if place_run == run
            }
    return texts_by_place


def _texts_of_item(run: RunScores, scorable: Scorable, item: int) -> list[AnswerText]:
    rows = [item] if run.item is None else (run.item == item).nonzero()[0].tolist()
    return [_text(scorable, row) for row in rows]


def _read_blocks(blocks: Blocks, places: set[Place]) -> dict[Place, list[AnswerText]]:
    texts_by_place: dict[Place, list[AnswerText]] = {}
    first_row = 0
    last = max((row for _, row in places), default=-1)
    for parts in blocks():
        end = first_row + parts[0].n
        for run, row in places:
            if first_row <= row < end:
                texts_by_place[run, row] = [_text(parts[run], row - first_row)]
        first_row = end
        if first_row > last:
            break
    return texts_by_place


def _text(scorable: Scorable, row: int) -> AnswerText:
    language = scorable.column("language", "")[row] or scorable.group.language
    return AnswerText(scorable.column("response")[row], scorable.column("references")[row], language)
