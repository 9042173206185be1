"""Questions from documents after people reviewed their checks: people overrule, and the data set follows them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError
from neraca.generation.drafts import ACCEPTED, FIRST, KNOWN, NEXT
from neraca.generation.question_folder import QuestionFolder, save_questions
from neraca.records import Item, Verdict
from neraca.result import Table, Tabular, short
from neraca.stats.intervals.interval import Estimate, interval
from neraca.translation import say
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.raters import agreed


@dataclass(frozen=True)
class Reviewed:
    """A written question with the words of programs and people.

    Attributes
    ----------
    item, document
        The question, and the id of the document that it was written about.
    passed
        Whether it passed every check of rules and models.
    accepted
        Whether it is asked: as people say, or as the checks say if people said nothing or disagree evenly.
    word
        What the majority of people said on the whole question: 1 accepted, 0 refused; None: nothing.
    undecided
        Whether as many people accept as refuse the question or one of its checks.
    why
        The reasons that people gave.
    """

    item: Item
    document: str
    passed: bool
    accepted: bool
    word: float | None
    undecided: bool
    why: str

    @property
    def overruled(self) -> bool:
        """Whether people changed what the checks decided."""
        return self.passed != self.accepted


@dataclass(frozen=True, repr=False)
class ReviewedQuestions(Tabular):
    """Questions from documents as people left them.

    Attributes
    ----------
    source
        The folder of the questions.
    questions
        All written questions, in order.
    """

    source: str
    questions: Sequence[Reviewed]

    @cached_property
    def unasked_turns(self) -> list[Item]:
        """Later turns of conversations that people accept, and that cannot be asked: the turn before is refused."""
        return [question.item for before, question in self._turns() if not before.accepted and question.accepted]

    @cached_property
    def dataset(self) -> Dataset:
        """The accepted questions as a data set."""
        unasked = {item.id for item in self.unasked_turns}
        asked = {q.item.id for q in self.questions if q.accepted and q.item.id not in unasked}
        session_by_id: dict[str, str | None] = {}
        for before, question in self._turns():
            session = f"s{before.item.id}" if {before.item.id, question.item.id} <= asked else None
            session_by_id |= dict.fromkeys((before.item.id, question.item.id), session)
        items = [q.item for q in self.questions if q.item.id in asked]
        return Dataset(
            tuple(replace(item, session=session_by_id.get(item.id, item.session)) for item in items), self.source
        )

    def _turns(self) -> Iterator[tuple[Reviewed, Reviewed]]:
        """Yield each second turn of a conversation after its first one, which is the question before it."""
        for before, question in zip(self.questions, self.questions[1:], strict=False):
            if (before.item.tags.get("turn"), question.item.tags.get("turn")) == (FIRST, NEXT):
                yield before, question

    @cached_property
    def precision(self) -> Estimate:
        """The share of accepted questions that people confirm; `n` counts those that they reviewed.

        The interval is Wilson's; the questions about one document form one cluster.
        """
        reviewed = [question for question in self.reviewed if question.passed]
        rows = np.array([(question.word, 1) for question in reviewed], float).reshape(-1, 2)
        _, documents = np.unique([question.document for question in reviewed], return_inverse=True)
        return interval(rows, clusters=documents.astype(np.int64))

    @property
    def reviewed(self) -> list[Reviewed]:
        """The questions on which people gave their word as a whole."""
        return [question for question in self.questions if question.word is not None]

    @property
    def overruled(self) -> list[Reviewed]:
        """The questions of which people say otherwise than the checks."""
        return [question for question in self.questions if question.overruled]

    def __len__(self) -> int:
        return len(self.dataset)

    def save(self, folder: Path | str) -> None:
        """Write the questions into a folder that has none; raise `InputError` if it has, or if none is accepted."""
        if not len(self):
            raise InputError(
                say(
                    "{source}: people and checks accept none of its {n} questions",
                    source=self.source,
                    n=len(self.questions),
                )
            )
        save_questions(folder, self.dataset)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question that is asked."""
        return self.dataset.rows()

    def _tables(self) -> Iterator[Table]:
        rows = [[item.id, item.tags.get("kind", ""), short(item.query)] for item in self.dataset]
        yield Table(["id", "kind", "question"], rows, names=3, most=10)


def read_reviewed(folder: Path | str) -> ReviewedQuestions:
    """Read a folder of questions from documents with the verdicts of people on them.

    Raise `InputError` if nobody has reviewed them, and `RunError` if the folder does not hold all written questions.
    """
    opened = QuestionFolder(folder)
    verdicts_by_id: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in current_verdicts(opened):
        if verdict.about == "item":
            verdicts_by_id[verdict.item].append(verdict)
    if not any(_is_human(verdict) for of_item in verdicts_by_id.values() for verdict in of_item):
        raise InputError(
            say(
                "{folder}: nobody has reviewed its questions; neraca rate {folder} --kind review lets people",
                folder=folder,
            )
        )
    answers = opened.answers()
    documents = {item.id: answers[item.id, 0].hits[0].id for item in opened.items}
    questions = [_review(item, documents[item.id], verdicts_by_id[item.id]) for item in opened.items]
    return ReviewedQuestions(str(folder), questions)


def _is_human(verdict: Verdict) -> bool:
    return verdict.by.startswith("human:")


def _review(item: Item, document: str, verdicts: Sequence[Verdict]) -> Reviewed:
    """Return a question with the joint word of people; on each check their word counts instead of the program's."""
    votes: defaultdict[str, list[float]] = defaultdict(list)
    checks: dict[str, bool] = {}
    for verdict in verdicts:
        if verdict.aspect == KNOWN:
            continue  # a mark, which refuses no question
        if not _is_human(verdict):
            passed = verdict.value == 1 or verdict.status == "not_applicable"
            checks[verdict.aspect] = checks.get(verdict.aspect, True) and passed
        elif verdict.value is not None:
            votes[verdict.aspect].append(verdict.value)
    joint = {aspect: agreed(np.array(values), "majority") for aspect, values in votes.items()}
    words = {aspect: word for aspect, word in joint.items() if not np.isnan(word)}
    passed = checks.pop(ACCEPTED, all(checks.values()))
    word = words.pop(ACCEPTED, None)
    accepted = passed
    if word is not None:
        accepted = word == 1
    elif words:
        was_read = any(verdict.by.startswith("llm") for verdict in verdicts)
        accepted = (passed or was_read) and all((checks | {name: w == 1 for name, w in words.items()}).values())
    why = "; ".join(f"{v.by.removeprefix('human:')}: {v.why}" for v in verdicts if _is_human(v) and v.why)
    return Reviewed(item, document, passed, accepted, word, len(words) + (word is not None) < len(joint), why)
