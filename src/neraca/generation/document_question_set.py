"""The questions made from documents: those that are asked, those that were refused, and how they came about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import QUESTIONS
from neraca.datasets.write_dataset import write_dataset
from neraca.errors import BudgetReached, InputError
from neraca.files import write_atomic
from neraca.generation.documents import Documents
from neraca.generation.drafts import Checked
from neraca.generation.question_folder import write_written
from neraca.models.cost import Spent
from neraca.records import Verdict
from neraca.result import Table, Tabular, short
from neraca.runs.run import REFUSED
from neraca.translation import say

UNFINISHED = "unfinished.json"


class _Unfinished(msgspec.Struct):
    """The questions that were there when the work ended early, so that the same command may replace them."""

    why: str
    questions: str


@dataclass(frozen=True, repr=False)
class DocumentQuestions(Tabular):
    """Questions made from documents, and how they came about.

    Attributes
    ----------
    documents
        The documents that they ask about.
    checked
        All written questions with their checks, in order; `accepted`, `refused` and `unchecked` are its parts.
    asked
        Kind → the number of questions that was asked for.
    language, detected
        Code of the language of the questions, and how it was found ("" if the user said it).
    writer, reader
        Names of the two models.
    seed
        The seed of every choice.
    spent
        Cost of all calls for these questions, in this start and in earlier ones; in a dry run, an estimate.
    unwritten, failures
        How many questions the writer left out, and why calls of the writer gave nothing → their number.
    stopped
        Why the work ended early; None: it did not.
    """

    documents: Documents
    checked: Sequence[Checked]
    asked: Mapping[str, int]
    language: str
    detected: str
    writer: str
    reader: str
    seed: int
    spent: Spent
    unwritten: int = 0
    failures: Mapping[str, int] = field(default_factory=dict)
    stopped: BudgetReached | None = None

    @cached_property
    def accepted(self) -> list[Checked]:
        """The questions that passed every check."""
        return [question for question in self.checked if question.accepted]

    @cached_property
    def refused(self) -> list[Checked]:
        """The questions that failed a check."""
        return [question for question in self.checked if not question.accepted and not question.unchecked]

    @cached_property
    def unchecked(self) -> list[Checked]:
        """The questions that failed no check, and that the second reader gave no usable reply about."""
        return [question for question in self.checked if question.unchecked]

    @cached_property
    def dataset(self) -> Dataset:
        """The accepted questions as a data set."""
        return Dataset(tuple(question.item(self.language) for question in self.accepted), str(self.documents.path))

    def __len__(self) -> int:
        return len(self.accepted)

    def verdicts(self) -> list[Verdict]:
        """Return the verdicts about all questions, also the refused ones."""
        return [verdict for question in self.checked for verdict in question.verdicts()]

    def counts(self, tag: str) -> Counter[str]:
        """Return how many accepted questions have each value of a tag: `kind`, `source` or `unanswerable`."""
        return Counter(item.tags.get(tag, "") for item in self.dataset)

    def save(self, folder: Path | str) -> None:
        """Write the accepted questions, the refused ones, and all with their answers and verdicts into a folder.

        Questions that an earlier start left unfinished are replaced; what people said about them stays.  Raise
        `InputError` if the folder has other questions, or unfinished ones that were changed since: they may have been
        changed by hand.  Raise it too if no question was accepted, after the refused ones are written.
        """
        folder = Path(folder)
        check_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        items = [question.item(self.language) for question in self.checked]
        write_written(folder, items, [question.answer() for question in self.checked], self.verdicts())
        refused = b"".join(msgspec.json.encode(question.refusal()) + b"\n" for question in self._unasked)
        write_atomic(folder / REFUSED, refused)
        if not self.accepted:
            if self.stopped is None:
                raise InputError(f"{folder / REFUSED}: {self._why_none()}")
            return
        write_dataset(folder / QUESTIONS, self.dataset)
        if self.stopped is None:
            (folder / UNFINISHED).unlink(missing_ok=True)
        else:
            note = _Unfinished(str(self.stopped), _hash(folder / QUESTIONS))
            write_atomic(folder / UNFINISHED, msgspec.json.encode(note))

    def _why_none(self) -> str:
        """Return why there is no question, with the check that refused most."""
        checks = [check for question in self._unasked for check in question.failed]
        failed = Counter(check.aspect for check in checks)
        aspect = max(failed, key=lambda name: failed[name])
        example = next(check.outcome for check in checks if check.aspect == aspect)
        verb = "failed" if example.value is not None else "could not be checked for"
        return (
            f"none of the {len(self._unasked)} written questions passed all checks; {failed[aspect]} {verb} {aspect}, "
            f"for example: {example.why}"
        )

    @property
    def _unasked(self) -> list[Checked]:
        return [question for question in self.checked if not question.accepted]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each accepted question."""
        return self.dataset.rows()

    def _tables(self) -> Iterator[Table]:
        rows = [
            [question.id, question.draft.user_kind, short(question.draft.question), ", ".join(question.draft.documents)]
            for question in self.accepted
        ]
        yield Table(["id", "kind", "question", "documents"], rows, names=4, most=10)


def check_folder(folder: Path | str) -> None:
    """Raise `InputError` if a folder has questions that a new set must not replace."""
    path, note = Path(folder) / QUESTIONS, Path(folder) / UNFINISHED
    if not path.exists():
        return
    if note.exists():
        if msgspec.json.decode(note.read_bytes(), type=_Unfinished).questions == _hash(path):
            return
        raise InputError(
            say("{path}: the unfinished questions were changed since; name another folder, or move it away", path=path)
        )
    raise InputError(say("{path}: there are questions already; name another folder, or move it away", path=path))


def _hash(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()
