"""Hold the answers of a run; a large run's stay in its folder and are read when used."""

from __future__ import annotations

from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from typing import Self, overload

import msgspec

from neraca.journal import Journal
from neraca.records import Answer, Item, Status
from neraca.runs.stored_records import StoredRecords, is_large, taken

Key = tuple[str, int]


class _AnswerKey(msgspec.Struct, frozen=True, gc=False):
    """The key and the status of an answer."""

    item: str
    trial: int = 0
    status: Status = "complete"


class Answers(Mapping[Key, Answer]):
    """(item, trial) → the answer that counts, in the order of the first answers.

    `values()`, `items()` and `take` read the file from start to end; reading a single answer costs a seek.

    Parameters
    ----------
    rows
        (item, trial) → the row of its answer.
    records
        The answers.
    statuses
        The status of each answer.
    """

    def __init__(self, rows: Mapping[Key, int], records: Sequence[Answer], statuses: Sequence[Status]) -> None:
        self._rows = rows
        self.records = records
        self.statuses = statuses

    @classmethod
    def of(cls, journal: Journal[Answer]) -> Self:
        """Take the newest answer of each (item, trial) of a journal."""
        if not is_large(journal.path):
            newest = {(answer.item, answer.trial): answer for answer in journal}
            statuses = [answer.status for answer in newest.values()]
            return cls({key: row for row, key in enumerate(newest)}, list(newest.values()), statuses)
        places = {(key.item, key.trial): (offset, key.status) for offset, key in journal.with_offsets(_AnswerKey)}
        records = StoredRecords(journal, (offset for offset, _ in places.values()))
        return cls({key: row for row, key in enumerate(places)}, records, [status for _, status in places.values()])

    def __getitem__(self, key: Key) -> Answer:
        return self.records[self._rows[key]]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def values(self) -> ValuesView[Answer]:
        """Return all answers."""
        return _Values(self)

    def items(self) -> ItemsView[Key, Answer]:
        """Return all keys with their answers."""
        return _Items(self)

    def take(self, keys: Iterable[Key]) -> Sequence[Answer]:
        """Return the answers of these keys, in this order."""
        return taken(self.records, map(self._rows.__getitem__, keys))


class _Values(ValuesView[Answer]):
    _mapping: Answers

    def __iter__(self) -> Iterator[Answer]:
        return iter(self._mapping.records)


class _Items(ItemsView[Key, Answer]):
    _mapping: Answers

    def __iter__(self) -> Iterator[tuple[Key, Answer]]:
        return zip(self._mapping, self._mapping.records, strict=True)


class Answered(Sequence[tuple[Item, Answer]]):
    """Items, each with its answer, which may still be in a file.

    Parameters
    ----------
    items, answers
        The items and their answers, in the same order.
    """

    def __init__(self, items: Sequence[Item], answers: Sequence[Answer]) -> None:
        self._items = items
        self._answers = answers

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, row: int) -> tuple[Item, Answer]: ...
    @overload
    def __getitem__(self, row: slice) -> Answered: ...
    def __getitem__(self, row: int | slice) -> tuple[Item, Answer] | Answered:
        if isinstance(row, slice):
            return Answered(self._items[row], self._answers[row])
        return self._items[row], self._answers[row]

    def __iter__(self) -> Iterator[tuple[Item, Answer]]:
        return zip(self._items, self._answers, strict=True)
