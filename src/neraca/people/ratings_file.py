"""Files of ratings: all ratings of one rater as JSON, in the order in which they were given."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from neraca.errors import InputError
from neraca.people.rating import Rating
from neraca.translation import say

#: Kind of task → the word with which the name of a file of its ratings begins, if that is not `ratings`.
KIND_IN_FILE_NAME = {"pair": "pairs", "review": "reviews"}


class RatingsFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a file of ratings.

    Attributes
    ----------
    neraca, v
        Mark of a file of ratings, and the version of its schema.
    rater
        Name of the rater.
    set
        Opaque name of the assignment, or "".
    runs
        Opaque names of the rated runs (`assignment.run_key`); empty if unknown.
    scale, grades
        The scale of quality, such as `1;2;3` or `1=wrong;2=right`, "": the usual one, 0 to 5; and the grades of hits,
        such as `0;1;2` or `0=no;1=yes`, "": the usual two.
    ratings
        The ratings in the order in which they were given.
    """

    neraca: Literal["ratings"]
    v: Literal[1]
    rater: str
    set: str = ""
    runs: tuple[str, ...] = ()
    scale: str = ""
    grades: str = ""
    ratings: list[Rating]


def is_table(path: Path) -> bool:
    """Return whether a file of ratings is a table; otherwise it is JSON."""
    return path.suffix.lower() != ".json"


def read_ratings(path: Path) -> RatingsFile:
    """Read a file of ratings.

    Raises
    ------
    InputError
        If there is no such file, or it does not hold ratings.
    """
    if not path.is_file():
        raise InputError(say("{file}: no such file", file=path))
    try:
        return msgspec.json.decode(path.read_bytes(), type=RatingsFile)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        remedy = say("save ratings as JSON on the rating page, or write them by `neraca rate export --to FILE.json`")
        raise InputError(
            say("{file}: not a file of ratings ({error}); {remedy}", file=path, error=error, remedy=remedy)
        ) from error
