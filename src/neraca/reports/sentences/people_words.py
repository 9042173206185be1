"""People's own words on answers, question by question."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from neraca.records import Item
from neraca.scores.scores import Scores

#: Questions that are shown; all words stand in the table of verdicts.
SHOWN = 200


class Words(NamedTuple):
    """One person's words on a run's answer."""

    run: str
    person: str
    text: str


class WordsOfQuestion(NamedTuple):
    """A question, and people's words on its answers."""

    query: str
    words: tuple[Words, ...]


class PeopleWords(NamedTuple):
    """The first `SHOWN` questions with somebody's words, and the number of all such questions."""

    questions: tuple[WordsOfQuestion, ...] = ()
    all: int = 0


def people_words(scores: Scores) -> PeopleWords:
    """Gather people's notes in the order of the questions; a note on equal answers of several runs counts once."""
    notes_by_item: defaultdict[str, dict[tuple[str, str], list[str]]] = defaultdict(dict)
    place: dict[str, int] = {}
    records: Sequence[Item] = ()
    for scored in scores.runs:
        part = scored.scorable
        if part is None or not part.offers("verdicts"):
            continue
        place, records = {name: row for row, name in enumerate(part.column("item_ids"))}, part.column("item_records")
        table = part.column("verdicts").table
        notes = table.aspect.where([name == "note" for name in table.aspect.words])
        by_people = table.by.where([name.startswith("human:") for name in table.by.words])
        for verdict in table.take(notes & by_people):
            if verdict.why:
                wrote = notes_by_item[verdict.item].setdefault((verdict.by.removeprefix("human:"), verdict.why), [])
                wrote += [scored.name] if scored.name not in wrote else []
    questions = [
        WordsOfQuestion(
            records[row].query, tuple(Words(", ".join(runs), *wrote) for wrote, runs in notes_by_item[item].items())
        )
        for row, item in sorted((place[item], item) for item in notes_by_item)
    ]
    return PeopleWords(tuple(questions[:SHOWN]), len(questions))
