"""Scorables: answers of one system as named columns, and views of them that metrics of a kind share.

A run, a TREC run and a table of texts differ only in which columns they offer and how these are made.
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
        Name of a column → how it is made; it is made when first asked for, and kept.
    reasons
        Name of a column → how to find for each answer why the column cannot be used, or ""; "" as a name: why
        nothing can be used.
    holds
        A description of the data, for messages: "texts, such as hits or verdicts" follow on "needs more than".
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
        self._made: dict[Any, Any] = {}
        self.group = RunGroup([self])

    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, part: Scorable) -> Scorable:
        """The scorable itself, as a view for metrics that are made of other metrics."""
        return part

    @property
    def unscored(self) -> Sequence[str]:
        """For each answer why it cannot be scored by any metric, or ""."""
        return self.why_not()

    def __len__(self) -> int:
        return self.n

    def offers(self, column: str) -> bool:
        """Return whether there is such a column."""
        return column in self._columns

    def column(self, name: str, otherwise: T | None = None) -> Any:
        """A column; where it is not offered `otherwise` for each answer."""
        if name not in self._columns:
            return [otherwise] * self.n
        return self.once(name, self._columns[name])

    def once(self, name: Any, make: Callable[[], T]) -> T:
        """Return what several metrics use, made at the first call and kept under a name of its own."""
        if name not in self._made:
            self._made[name] = make()
        return cast("T", self._made[name])

    def why_not(self, *columns: str) -> list[str]:
        """For each answer the first reason why it cannot be scored by these columns, or ""; a new list."""
        first_reasons = [""] * self.n
        for name in ("", *columns):
            if name in self._reasons:
                reasons = self.once(("reasons", name), self._reasons[name])
                first_reasons = [first or second for first, second in zip(first_reasons, reasons, strict=True)]
        return first_reasons

    def view(self, kind: type[V]) -> V:
        """Look at the answers as a `kind`; made at the first call.

        Raises `SpecError` where a column is needed that is not offered.
        """
        return self.once(kind, lambda: kind.of(self))


def constant(column: T) -> Callable[[], T]:
    """A way to make a column that is there already."""
    return lambda: column


class View(Protocol):
    """One way to look at a scorable, computed once and used by every metric of its kind."""

    needs: ClassVar[tuple[str, ...]]

    @property
    def unscored(self) -> Sequence[str]:
        """For each answer why metrics of this kind cannot score it, or ""."""

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look at these answers."""


class Shared(Protocol):
    """A thing that the views of scorables that are scored together have in common."""

    @classmethod
    def of(cls, group: RunGroup) -> Self:
        """Make it from all of them."""


class RunGroup:
    """Scorables that are scored together: what their views have in common is made once, from all of them.

    Parameters
    ----------
    parts
        The scorables, which belong to this group from now on.
    language
        The language of answers without one of their own: a code or a name; `auto`: found in the references, or where
        there are none in the responses, when it is first asked for; "": unknown.
    prepared
        Facts from more than these parts, by the kind that needs them: see `prepare` in `neraca.scores`.
    """

    def __init__(
        self, parts: Sequence[Scorable], language: str = "", prepared: Mapping[type, Mapping[Any, Any]] | None = None
    ) -> None:
        self.parts = parts
        self.prepared = prepared or {}
        self._language_option = language
        self._made: dict[Any, Any] = {}
        for part in parts:
            part.group = self

    def rows(self, *columns: str) -> Iterator[tuple[Any, ...]]:
        """These columns of each answer of each part."""
        for part in self.parts:
            yield from zip(*(part.column(name) for name in columns), strict=True)

    @cached_property
    def language(self) -> str:
        """The two-letter code of the language of answers that do not say theirs; "": unknown."""
        return self.detected.code if self.detected else self._language_given

    @property
    def _language_given(self) -> str:
        """The code of the language that was asked for; "" where it is to be found."""
        if not self._language_option:
            return ""
        from neraca.languages import AUTO, parse_language

        code = parse_language(self._language_option)
        return "" if code == AUTO else code

    @cached_property
    def detected(self) -> Detected | None:
        """The language that `auto` found for the answers that do not say theirs; None where all say theirs.

        Raises `SpecError` where it cannot be told.
        """
        if self._language_option.strip().casefold() != "auto":
            return None
        from neraca.language_detection import detect

        silent = [(references, text) for part in self.parts for code, references, text in _spoken(part) if not code]
        if not silent:
            return None
        references = [text for several, _ in silent for text in several]
        return detect(references or [text for _, text in silent])

    def languages_of(self, part: Scorable) -> list[str]:
        """Return the code of the language of each answer: its own, else that of all; raise `SpecError`."""
        codes = part.column("language", "")
        return [code or self.language for code in codes] if any(codes) else [self.language] * part.n

    @property
    def languages(self) -> list[str]:
        """The codes of the languages of all answers, sorted; "" where nobody said."""
        return sorted({code for part in self.parts for code in self.languages_of(part)})

    def share(self, kind: type[S]) -> S:
        """Return what they have in common of this kind; made at the first call."""
        return self.once(kind, lambda: kind.of(self))

    def once(self, name: Any, make: Callable[[], T]) -> T:
        """Return what is made of all parts, at the first call, and kept under a name of its own."""
        if name not in self._made:
            self._made[name] = make()
        return cast("T", self._made[name])


def _spoken(part: Scorable) -> Iterator[tuple[str, Sequence[str], str]]:
    """Language, references and response of each answer."""
    columns = (part.column("language", ""), part.column("references", ()), part.column("response", ""))
    return zip(*columns, strict=True)
