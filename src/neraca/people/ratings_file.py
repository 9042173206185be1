"""Ratings as a JSON file: everything that one rater said, in the order in which it was said."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from neraca.errors import InputError
from neraca.people.rating import Rating


class RatingsFile(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in such a file.

    Attributes
    ----------
    neraca, v
        That it is one, and the version of its schema.
    rater
        The rater's name.
    set
        Opaque name of what was rated, or "".
    runs
        Opaque names of the runs that were rated (`assignment.run_key`); empty: not known.
    ratings
        In the order in which they were given.
    """

    neraca: Literal["ratings"]
    v: Literal[1]
    rater: str
    set: str = ""
    runs: tuple[str, ...] = ()
    ratings: list[Rating]


def is_table(path: Path) -> bool:
    """Whether ratings stand there as a table; else they are JSON."""
    return path.suffix.lower() != ".json"


def read_ratings(path: Path) -> RatingsFile:
    """Read such a file.

    Raises
    ------
    InputError
        When it is not there, or is none.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    try:
        return msgspec.json.decode(path.read_bytes(), type=RatingsFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        remedy = "save ratings as JSON on the rating page, or write them by `neraca rate export --to FILE.json`"
        raise InputError(f"{path}: no file of ratings ({error}); {remedy}") from error
