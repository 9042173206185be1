"""What people wrote of answers, in their own words, question by question."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from neraca.runs.run import Run
from neraca.scores.scores import Scores
from neraca.verdicts.current import current_verdicts

#: So many questions are shown; all words stand in the table of verdicts.
SHOWN = 200


class Words(NamedTuple):
    """What one person wrote of a run's answer."""

    run: str
    person: str
    text: str


class WordsOfQuestion(NamedTuple):
    """A question, and what people wrote of its answers."""

    query: str
    words: tuple[Words, ...]


class PeopleWords(NamedTuple):
    """The questions on which anybody wrote something, the first `SHOWN` of them, and how many there are."""

    questions: tuple[WordsOfQuestion, ...] = ()
    all: int = 0


def people_words(scores: Scores) -> PeopleWords:
    """Gather the notes of people in the order of the questions; a note on equal answers of several runs is one."""
    found: defaultdict[str, dict[tuple[str, str], list[str]]] = defaultdict(dict)
    queries: dict[str, str] = {}
    for scored in scores.runs:
        run = scored.scorable.column("run") if scored.scorable and scored.scorable.offers("run") else None
        if not isinstance(run, Run):
            continue
        queries |= {item.id: item.query for item in run.items if item.id not in queries}
        for verdict in current_verdicts(run):
            if verdict.aspect == "note" and verdict.by.startswith("human:") and verdict.why:
                said = found[verdict.item].setdefault((verdict.by.removeprefix("human:"), verdict.why), [])
                said += [scored.name] if scored.name not in said else []
    questions = [
        WordsOfQuestion(query, tuple(Words(", ".join(runs), *said) for said, runs in found[item].items()))
        for item, query in queries.items()
        if item in found
    ]
    return PeopleWords(tuple(questions[:SHOWN]), len(questions))
