"""Synonyms from a user's table."""

from __future__ import annotations

import csv
import functools
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import msgspec

from neraca.datasets.text_encoding import read_text
from neraca.errors import InputError
from neraca.metrics.text.tokenizer import Tokenizer

T = TypeVar("T")
#: Possible delimiters of the words of a line; the first of them that a line has counts.
DELIMITERS = "\t;,"
_LINES = (".csv", ".tsv", ".txt")


@dataclass(frozen=True, eq=False)
class Synonyms:
    """Groups of words that mean the same.

    Attributes
    ----------
    groups
        Groups of two or more words, as written.
    places
        The place of each group: "synonyms.csv line 3".
    """

    groups: Sequence[Sequence[str]]
    places: Sequence[str]

    @classmethod
    def load(cls, path: Path | str) -> Synonyms:
        """Read a table; an unchanged file is read once.

        A line is a group: `rumah, hunian, kediaman`.  In .csv, .tsv and .txt tabs, semicolons or commas separate the
        words, and there is no header.  A .json file is a list of lists of words; a line of .jsonl is a list of words.

        Raise `InputError` if there is no such file, or it is not such a table.
        """
        path = Path(path)
        try:
            file_state = path.stat()
        except OSError as error:
            raise InputError(f"{path}: no such file of synonyms (looked from {Path.cwd()})") from error
        return _load(path.resolve(), str(path), (file_state.st_mtime_ns, file_state.st_size))

    def read(self, readings: Iterable[Tokenizer]) -> dict[str, set[str]]:
        """Return word → all words of its groups, including itself, as these tokenizers read them.

        Raises `InputError` if a tokenizer does not read an entry as one word.

        >>> table = Synonyms([["Houses", "homes"], ["home", "flat"]], ["line 1", "line 2"])
        >>> sorted(table.read([Tokenizer.of("word+stem", "en")])["home"])
        ['flat', 'home', 'hous']
        """
        groups_of: dict[str, set[str]] = {}
        for reading in readings:
            for group, place in zip(self.groups, self.places, strict=True):
                words = {_single_word(word, reading, place) for word in group}
                for word in words:
                    groups_of.setdefault(word, set()).update(words)
        return groups_of


def _single_word(word: str, reading: Tokenizer, place: str) -> str:
    words = reading.words(word)
    if len(words) != 1:
        count = f"{len(words)} words ({' '.join(words)})" if words else "no word"
        raise InputError(
            f"{place}: {word!r} is read as {count} by tokens={reading}; single words are aligned, leave it out"
        )
    return words[0]


@functools.lru_cache(maxsize=8)
def _load(path: Path, name: str, _version: tuple[int, int]) -> Synonyms:
    suffix = path.suffix.lower()
    if suffix not in (*_LINES, ".json", ".jsonl"):
        raise InputError(f"{name}: synonyms are read from {' '.join(_LINES)} .json .jsonl; save them as one of these")
    text = read_text(path)
    rows = _json(text, name) if suffix == ".json" else _lines(text, name, json=suffix == ".jsonl")
    groups, places = [], []
    for place, row in rows:
        group = list(dict.fromkeys(word.strip() for word in row if word.strip()))
        if len(group) == 1:
            raise InputError(f"{place}: {group[0]!r} stands alone; write two words or more that mean the same")
        if group:
            groups.append(group)
            places.append(place)
    if not groups:
        raise InputError(f"{name}: has no synonyms; write words that mean the same on one line")
    return Synonyms(groups, places)


def _lines(text: str, name: str, json: bool) -> Iterator[tuple[str, list[str]]]:
    for number, line in enumerate(io.StringIO(text), start=1):
        place = f"{name} line {number}"
        if json and line.strip():
            yield place, _decoded(line, place, list[str], "a list of words")
        elif not json:
            delimiter = next((sign for sign in DELIMITERS if sign in line), ",")
            yield place, next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])


def _json(text: str, name: str) -> Iterator[tuple[str, list[str]]]:
    for number, group in enumerate(_decoded(text, name, list[list[str]], "a list of lists of words"), start=1):
        yield f"{name} group {number}", group


def _decoded(text: str, place: str, kind: type[T], shape: str) -> T:
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.DecodeError as error:
        raise InputError(f'{place}: must be {shape}, such as ["house", "home"]: {error}') from error
