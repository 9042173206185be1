"""Scorables: a system's answers as named columns, and views of these columns that metrics share.

A run, a TREC run and a table of texts differ only in the columns that they offer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, TypeVar, cast

if TYPE_CHECKING:
    from neraca.language_detection import Detected

V = TypeVar("V", bound="View")
S = TypeVar("S", bound="Shared")
T = TypeVar("T")


class Scorable:
    """n answers of one system.

    Parameters
    ----------
    name
        The name of the system, in tables.
    n
        The number of answers.
    columns
        Name of a column → a function that makes it; called at the first use, and the column is kept.
    reasons
        Name of a column → a function that returns, for each answer, why the column is unusable, or "".  The name "":
        why the answer is unusable for every metric.
    holds
        A description of the data that completes the error "needs more than ...".
    """

    def __init__(
        self,
        name: str,
        n: int,
        columns: Mapping[str, Callable[[], Any]],
        *,
        reasons: Mapping[str, Callable[[], Sequence[str]]] | None = None,
        holds: str = "what there is",
    ) -> None:
        self.name, self.n, self.holds = name, n, holds
        self._columns, self._reasons = columns, reasons or {}
        self._cache: dict[Any, Any] = {}
        self.group = RunGroup([self])

    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, part: Scorable) -> Scorable:
        """Return the scorable itself, as the view of metrics that are made of other metrics."""
        return part

    @property
    def unscored(self) -> Sequence[str]:
        """For each answer why it cannot be scored by any metric, or ""."""
        return self.why_not()

    def __len__(self) -> int:
        return self.n

    def offers(self, column: str) -> bool:
        """Return whether this column is offered."""
        return column in self._columns

    def column(self, name: str, otherwise: T | None = None) -> Any:
        """Return a column; if it is not offered, `otherwise` for each answer."""
        if name not in self._columns:
            return [otherwise] * self.n
        return self.once(name, self._columns[name])

    def once(self, name: Any, make: Callable[[], T]) -> T:
        """Return the cached value of this name; make it at the first call."""
        if name not in self._cache:
            self._cache[name] = make()
        return cast("T", self._cache[name])

    def why_not(self, *columns: str) -> list[str]:
        """Return, as a new list, the first reason why each answer cannot be scored from these columns, or ""."""
        first_reasons = [""] * self.n
        for name in ("", *columns):
            if name in self._reasons:
                reasons = self.once(("reasons", name), self._reasons[name])
                first_reasons = [first or second for first, second in zip(first_reasons, reasons, strict=True)]
        return first_reasons

    def view(self, kind: type[V]) -> V:
        """Return the view of class `kind`, made at the first call."""
        return self.once(kind, lambda: kind.of(self))


def constant(column: T) -> Callable[[], T]:
    """Return a function that makes a column by returning it."""
    return lambda: column


class View(Protocol):
    """A way to look at a scorable, computed once for all metrics that share it."""

    needs: ClassVar[tuple[str, ...]]

    @property
    def unscored(self) -> Sequence[str]:
        """For each answer why metrics of this kind cannot score it, or ""."""

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Make the view of these answers."""


class Shared(Protocol):
    """Data that the views of scorables share if they are scored together."""

    @classmethod
    def of(cls, group: RunGroup) -> Self:
        """Make the data from all scorables of a group."""


class RunGroup:
    """Scorables that are scored together; data that their views share are made once.

    Parameters
    ----------
    parts
        The scorables; each now belongs to this group.
    language
        The language of answers without one of their own: a code, a name, "" for unknown, or `auto` to detect it in the
        references, or without references in the responses.
    prepared
        Class of shared data → facts from more than these parts; see `prepare` in `neraca.scores`.
    """

    def __init__(
        self, parts: Sequence[Scorable], language: str = "", prepared: Mapping[type, Mapping[Any, Any]] | None = None
    ) -> None:
        self.parts = parts
        self.prepared = prepared or {}
        self._language_option = language
        self._cache: dict[Any, Any] = {}
        for part in parts:
            part.group = self

    def rows(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """Yield these columns for each answer of each part."""
        for part in self.parts:
            yield from zip(*(part.column(name) for name in columns), strict=True)

    @cached_property
    def language(self) -> str:
        """The two-letter code of the language of answers without a language; "": unknown."""
        return self.detected.code if self.detected else self._language_from_option

    @property
    def _language_from_option(self) -> str:
        """The code of the language that was passed; "" if it is to be detected."""
        if not self._language_option:
            return ""
        from neraca.languages import AUTO, parse_language

        code = parse_language(self._language_option)
        return "" if code == AUTO else code

    @cached_property
    def detected(self) -> Detected | None:
        """The language that `auto` detected for answers without a language; None if all have one.

        Raises `SpecError` if it cannot be detected.
        """
        if self._language_option.strip().casefold() != "auto":
            return None
        from neraca.language_detection import detect

        untagged = [(references, text) for part in self.parts for code, references, text in _texts(part) if not code]
        if not untagged:
            return None
        references = [text for references, _ in untagged for text in references]
        return detect(references or [text for _, text in untagged])

    def languages_of(self, part: Scorable) -> list[str]:
        """Return the language code of each answer: its own, otherwise that of the group; raise `SpecError`."""
        codes = part.column("language", "")
        return [code or self.language for code in codes] if any(codes) else [self.language] * part.n

    @property
    def languages(self) -> list[str]:
        """The sorted language codes of all answers; "" for unknown."""
        return sorted({code for part in self.parts for code in self.languages_of(part)})

    def share(self, kind: type[S]) -> S:
        """Return the shared data of class `kind`, made at the first call."""
        return self.once(kind, lambda: kind.of(self))

    def once(self, name: Any, make: Callable[[], T]) -> T:
        """Return the cached value of this name; make it at the first call."""
        if name not in self._cache:
            self._cache[name] = make()
        return cast("T", self._cache[name])


def _texts(part: Scorable) -> Iterator[tuple[str, Sequence[str], str]]:
    """Yield the language, references and response of each answer."""
    columns = (part.column("language", ""), part.column("references", ()), part.column("response", ""))
    return zip(*columns, strict=True)
