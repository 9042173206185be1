"""Folders of generated questions: write questions, never over others, and open all written ones for review."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import QUESTIONS
from neraca.datasets.write_dataset import write_dataset
from neraca.errors import InputError, RunError
from neraca.files import fingerprint
from neraca.journal import Journal
from neraca.records import Answer, Item, Verdict
from neraca.runs.run import MANIFEST, REFUSED, Manifest, Run
from neraca.translation import say

#: The file of all written questions, also the refused ones.
WRITTEN = "items.jsonl"


class QuestionFolder(Run):
    """A folder of questions from documents, opened like a run: its answers are those that the writer gave.

    The results of each answer are the texts that the writer was shown.  The verdicts about `item` are the outcomes of
    the checks, and what people said about them.
    """

    parts_of_item: ClassVar[tuple[str, ...]] = ("text", "hits")

    def _read_manifest(self) -> Manifest:
        """Return the description of the written questions, which are read instead of a manifest."""
        file = self.path / WRITTEN
        if not file.is_file():
            raise RunError(
                say(
                    "{path}: it has no {file} with all written questions, so that people cannot review them; "
                    "generate them again into another folder (every reply is in the cache)",
                    path=self.path,
                    file=WRITTEN,
                )
            )
        content = fingerprint(file.read_text(encoding="utf-8"))
        return Manifest(
            run=content,
            dataset=str(self.path / QUESTIONS),
            fingerprint=content,
            items=len(self.item_ids),
            target={"type": "written"},
        )


def is_question_folder(path: Path | str) -> bool:
    """Return whether a folder holds questions from documents, with what was refused."""
    return (Path(path) / REFUSED).is_file() and not (Path(path) / MANIFEST).is_file()


def open_reviewed(path: Path | str) -> Run:
    """Open a run, or a folder of questions, whose verdicts people review."""
    return QuestionFolder(path) if is_question_folder(path) else Run(path)


def write_written(folder: Path, items: Sequence[Item], answers: Sequence[Answer], verdicts: Sequence[Verdict]) -> None:
    """Write all written questions with answers and verdicts; verdicts of people that stand there are kept.

    Raise `InputError` if people reviewed a question that is not written any more.
    """
    by_people: list[Verdict] = []
    if (folder / WRITTEN).is_file():
        earlier = QuestionFolder(folder)
        by_people = [verdict for verdict in earlier.verdicts_journal if verdict.by.startswith("human:")]
        before, now = ({item.id: item.query for item in part} for part in (earlier.items, items))
        if gone := sorted({v.item for v in by_people if before.get(v.item) != now.get(v.item)}):
            raise InputError(
                say(
                    "{folder}: people reviewed {names}, which would be replaced by other questions; name another "
                    "folder",
                    folder=folder,
                    names=", ".join(gone[:5]),
                )
            )
    Journal(folder / WRITTEN, Item).rewrite(items)
    written = QuestionFolder(folder)
    written.answers_journal.rewrite(answers)
    written.verdicts_journal.rewrite([*verdicts, *by_people])


def save_questions(folder: Path | str, dataset: Dataset) -> None:
    """Write questions into a folder that every command reads as a data set.

    Raise `InputError` if the folder has questions already: they may have been changed by hand.
    """
    path = Path(folder) / QUESTIONS
    if path.exists():
        raise InputError(say("{path}: there are questions already; name another folder, or move it away", path=path))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_dataset(path, dataset)
