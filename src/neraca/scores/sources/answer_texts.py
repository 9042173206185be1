"""The texts behind some scores: looked up in what was scored, or read anew where they were not kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from neraca.metrics.scorable import Scorable
from neraca.scores.scores import RunScores, Scores

#: Gives the systems' scorables of each block of rows anew.
Blocks = Callable[[], Iterable[Sequence[Scorable]]]
#: Number of a run and of one of its items.
Place = tuple[int, int]


class AnswerText(NamedTuple):
    """A response with its references and the code of their language, or ""."""

    response: str
    references: Sequence[str]
    language: str


def texts_of(scores: Scores, places: Iterable[Place]) -> Mapping[Place, Sequence[AnswerText]]:
    """Return the texts of some answers, one for each trial; none for an answer whose texts nobody kept.

    Rows of tables and lists are read anew, so that scores hold no text.
    """
    wanted_places = list(places)
    blocks: Blocks | None = scores.facts.get("blocks")
    if blocks is not None:
        return _read_again(blocks, set(wanted_places))
    texts_by_place: dict[Place, list[AnswerText]] = {}
    for run in dict.fromkeys(run for run, _ in wanted_places):
        of_run = scores.runs[run]
        if of_run.scorable and of_run.scorable.offers("references") and of_run.scorable.offers("response"):
            texts_by_place |= {
                (run, item): _texts_of_item(of_run, of_run.scorable, item)
                for other, item in wanted_places
                if other == run
            }
    return texts_by_place


def _texts_of_item(run: RunScores, part: Scorable, item: int) -> list[AnswerText]:
    rows = [item] if run.item is None else (run.item == item).nonzero()[0].tolist()
    return [_text(part, row) for row in rows]


def _read_again(blocks: Blocks, places: set[Place]) -> dict[Place, list[AnswerText]]:
    texts: dict[Place, list[AnswerText]] = {}
    before = 0
    last = max((row for _, row in places), default=-1)
    for parts in blocks():
        end = before + parts[0].n
        for run, row in places:
            if before <= row < end:
                texts[run, row] = [_text(parts[run], row - before)]
        before = end
        if before > last:
            break
    return texts


def _text(part: Scorable, row: int) -> AnswerText:
    language = part.column("language", "")[row] or part.group.language
    return AnswerText(part.column("response")[row], part.column("references")[row], language)
