"""The list of the questions of a run: ids, words and tags, which another process reads and a file keeps."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import TimeoutError as Late
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical, Codes
from neraca.files import write_atomic
from neraca.journal import Journal
from neraca.records import Item
from neraca.web.result_cache import ResultCache
from neraca.web.run_index import RunIndex

#: Questions on one page, which is also the number of those that are shown while all others are being read.
PER_PAGE = 50
#: Number of tags that can be columns.
TAG_COLUMNS = 12
#: Lists in memory, and computations that are remembered.
IN_MEMORY, REMEMBERED = 4, 32
#: Bytes of a file of questions up to which it is read at once; from then on another process reads it.
SMALL = 1 << 20


class QuestionEntry(NamedTuple):
    """A question in the list; a tag has the form `category=hats`."""

    id: str
    query: str
    tags: tuple[str, ...]

    def value_of(self, tag: str) -> str:
        """Return the value of a tag; "" if the question does not have it."""
        return next((text.partition("=")[2] for text in self.tags if text.partition("=")[0] == tag), "")


class _Stored(msgspec.Struct, array_like=True):
    """A list as a file: the arrays as bytes of 64 and 32 bits."""

    ids: list[str]
    queries: list[str]
    words: list[str]
    starts: bytes
    codes: bytes


@dataclass(frozen=True, eq=False)
class QuestionList:
    """The n questions of a run in file order.

    Attributes
    ----------
    ids, queries
        The id and the words of each question.
    tags
        The distinct tags, such as `category=hats`.
    starts, codes
        The tags of question i are `tags[code]` for the codes from `starts[i]` up to `starts[i + 1]`; `starts` has the
        shape (n + 1,).
    missing
        Number of questions that are not in the list, because they are still being read.
    """

    ids: Sequence[str]
    queries: Sequence[str]
    tags: Sequence[str]
    starts: NDArray[np.int64]
    codes: NDArray[np.int32]
    missing: int = 0

    @classmethod
    def read(cls, folder: Path, most: int | None = None, n: int = 0) -> Self:
        """Read the questions of a run folder, at most so many of its `n`."""
        ids, queries, words, starts, codes = [], [], Codes(), [0], []
        for item in islice(Journal(folder / "items.jsonl", Item), most):
            ids.append(item.id)
            queries.append(item.query)
            codes += [words[f"{name}={value}"] for name, value in item.tags.items()]
            starts.append(len(codes))
        arrays = np.array(starts, dtype=np.int64), np.array(codes, dtype=np.int32)
        return cls(ids, queries, tuple(words), *arrays, max(0, n - len(ids)))

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read a list that `write_list` wrote; raise `OSError` or `msgspec.MsgspecError` if there is no whole one."""
        stored = msgspec.msgpack.decode(file.read_bytes(), type=_Stored)
        starts, codes = np.frombuffer(stored.starts, dtype=np.int64), np.frombuffer(stored.codes, dtype=np.int32)
        return cls(stored.ids, stored.queries, stored.words, starts, codes)

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, index: int) -> QuestionEntry:
        tags = self.codes[self.starts[index] : self.starts[index + 1]].tolist()
        return QuestionEntry(self.ids[index], self.queries[index], tuple(self.tags[code] for code in tags))

    @cached_property
    def folded(self) -> list[str]:
        """The words of each question without case."""
        return [query.casefold() for query in self.queries]

    @cached_property
    def tag_counts(self) -> Counter[str]:
        """Tag → the number of questions that have it, in the order of their first occurrence."""
        counts = np.bincount(self.codes, minlength=len(self.tags)).tolist()
        return Counter(dict(zip(self.tags, counts, strict=True)))

    @property
    def tag_names(self) -> list[str]:
        """The names of the tags, the most frequent first."""
        names: Counter[str] = Counter()
        for tag, n in self.tag_counts.items():
            names[tag.partition("=")[0]] += n
        return [name for name, _ in names.most_common(TAG_COLUMNS)]

    def with_tag(self, tag: str) -> NDArray[np.bool_]:
        """Return which questions have a tag; shape (n,)."""
        has_tag = np.zeros(len(self), dtype=bool)
        if tag in self.tags:
            has_tag[self._questions_of_codes()[self.codes == self.tags.index(tag)]] = True
        return has_tag

    def values_of(self, name: str) -> Categorical:
        """Return the value of a tag for each question; "" if a question does not have it."""
        values = Codes({"": 0})
        value_of_code = np.array(
            [values[tag.partition("=")[2]] if tag.partition("=")[0] == name else -1 for tag in self.tags], np.int32
        )
        of_questions = np.zeros(len(self), dtype=np.int32)
        chosen = value_of_code[self.codes] if len(self.codes) else np.zeros(0, np.int32)
        of_questions[self._questions_of_codes()[chosen >= 0]] = chosen[chosen >= 0]
        return Categorical(tuple(values), of_questions)

    def _questions_of_codes(self) -> NDArray[np.int64]:
        """Return the index of the question of each code."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))


def write_list(file: Path, folder: Path) -> Path:
    """Write the list of the questions of a run folder, and return the path of the file."""
    of_run = QuestionList.read(folder)
    starts, codes = of_run.starts.tobytes(), of_run.codes.tobytes()
    stored = _Stored(list(of_run.ids), list(of_run.queries), list(of_run.tags), starts, codes)
    write_atomic(file, msgspec.msgpack.encode(stored))
    return file


class QuestionLists:
    """The lists of questions of the runs of an index."""

    def __init__(self, index: RunIndex) -> None:
        self._index = index
        self._begun: ResultCache[Path] = ResultCache(REMEMBERED)
        self._lock = threading.Lock()
        self._loaded: dict[Path, QuestionList] = {}

    def of(self, paths: Sequence[str], seconds: float | None = None) -> QuestionList:
        """Return the questions of the first of these runs; only those of the first page if reading all takes longer.

        With `seconds` None, wait for all.
        """
        folder, entry = self._index.run(paths[0]).path, self._index.entry(paths[0])
        state = entry.stamp.split()[1]  # time and size of the file of questions, "-" without one
        file = self._index.kept.path("questions", (paths[0], state), ".msgpack")
        if loaded := self._load(file):
            return loaded
        if int(state.partition(":")[2] or 0) <= SMALL:
            return self._remembered(file, QuestionList.read(folder))
        future = self._begun.get(file, partial(self._index.begin, write_list, file, folder))
        with suppress(Late):
            if future is not None and future.result(seconds) and (loaded := self._load(file)):
                self._begun.drop(file)
                return loaded
        return QuestionList.read(folder, PER_PAGE, self._index.run(paths[0]).manifest.items)

    def _load(self, file: Path) -> QuestionList | None:
        with self._lock:
            of_run = self._loaded.get(file)
        if of_run is None:
            with suppress(OSError, msgspec.MsgspecError):
                of_run = QuestionList.load(file)
        return of_run and self._remembered(file, of_run)

    def _remembered(self, file: Path, of_run: QuestionList) -> QuestionList:
        with self._lock:
            self._loaded.pop(file, None)
            self._loaded[file] = of_run
            for oldest in list(self._loaded)[:-IN_MEMORY]:
                del self._loaded[oldest]
        return of_run
