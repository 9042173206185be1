"""Write generated questions into a folder, and never over others."""

from __future__ import annotations

from pathlib import Path

from neraca.datasets.dataset import Dataset
from neraca.datasets.read_dataset import QUESTIONS
from neraca.datasets.write_dataset import write_dataset
from neraca.errors import InputError


def save_questions(folder: Path | str, dataset: Dataset) -> None:
    """Write questions into a folder that every command reads as a data set.

    Raise `InputError` if the folder has questions already: they may have been changed by hand.
    """
    path = Path(folder) / QUESTIONS
    if path.exists():
        raise InputError(f"{path}: there are questions already; name another folder, or move it away")
    path.parent.mkdir(parents=True, exist_ok=True)
    write_dataset(path, dataset)
