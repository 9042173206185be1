"""Gather the notes that people wrote on answers, question by question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from neraca.records import Item
from neraca.scores.scores import Scores
from neraca.verdicts.raters import NOTE

#: The most questions that are shown; the table of verdicts has all notes.
SHOWN = 200


class Words(NamedTuple):
    """One person's note on the answer of a run, or on equal answers of several."""

    run: str
    person: str
    text: str


class WordsOfQuestion(NamedTuple):
    """A question, and people's notes on its answers."""

    query: str
    words: tuple[Words, ...]


class PeopleWords(NamedTuple):
    """The first `SHOWN` questions with notes, and the number of all questions with notes."""

    questions: tuple[WordsOfQuestion, ...] = ()
    all: int = 0


def people_words(scores: Scores) -> PeopleWords:
    """Gather people's notes in the order of the questions; a note on equal answers of several runs counts once."""
    notes_by_item: defaultdict[str, dict[tuple[str, str], list[str]]] = defaultdict(dict)
    row_by_item: dict[str, int] = {}
    records: Sequence[Item] = ()
    for scored in scores.runs:
        part = scored.scorable
        if part is None or not part.offers("verdicts"):
            continue
        row_by_item = {name: row for row, name in enumerate(part.column("item_ids"))}
        records = part.column("item_records")
        table = part.column("verdicts").table
        notes = table.aspect.isin([NOTE])
        by_people = table.by.where(lambda name: name.startswith("human:"))
        for verdict in table.take(notes & by_people):
            if verdict.why:
                runs = notes_by_item[verdict.item].setdefault((verdict.by.removeprefix("human:"), verdict.why), [])
                runs += [scored.name] if scored.name not in runs else []
    questions = [
        WordsOfQuestion(
            records[row].query, tuple(Words(", ".join(runs), *note) for note, runs in notes_by_item[item].items())
        )
        for row, item in sorted((row_by_item[item], item) for item in notes_by_item)
    ]
    return PeopleWords(tuple(questions[:SHOWN]), len(questions))
