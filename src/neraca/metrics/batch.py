"""What metrics are computed on: one run's answers with the opinions that count, seen through shared views."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from statistics import median
from typing import TYPE_CHECKING, Protocol, Self, TypeVar, cast

from neraca.errors import SpecError
from neraca.records import Answer, Item, Verdict
from neraca.registry import Spec

if TYPE_CHECKING:
    from neraca.language_detection import Detected
    from neraca.metrics.column import Column

V = TypeVar("V", bound="View")
SOURCES = ("human", "qrels", "rules", "llm", "embed")
Key = tuple[str, int]
_Place = tuple[int, str]
Opinions = Mapping[tuple[str, str], Verdict]


def source_of(by: str) -> str:
    """The kind of whoever decided: `llm:gpt-4o` is `llm`."""
    return by.partition(":")[0]


def matches(by: str, wanted: str) -> bool:
    """Whether a verdict's `by` is of the source wanted: `human` takes every person, `human:Ana` only her.

    `llm:gpt-4o` takes that model with any prompt, `llm:gpt-4o#1a2b3c` only with the prompt of this hash;
    `embed:minilm` takes these embeddings of whichever judge's questions.
    """
    return not wanted or by == wanted or source_of(by) == wanted or by.partition("#")[0] == wanted


def opinions(verdicts: Iterable[Verdict], by: str = "") -> dict[Key, dict[tuple[str, str], Verdict]]:
    """For each answer the verdict that counts on each (about, aspect).

    People come before qrels, rules, LLMs and embeddings; among verdicts of the same kind the newest counts.  With
    `by`, only that source is heard.

    Returns
    -------
    dict
        (item, trial) → (about, aspect) → verdict.
    """
    found: dict[Key, dict[tuple[str, str], Verdict]] = {}
    for verdict in verdicts:
        if not matches(verdict.by, by):
            continue
        mine = found.setdefault((verdict.item, verdict.trial), {})
        place = (verdict.about, verdict.aspect)
        if place not in mine or _rank(verdict) <= _rank(mine[place]):
            mine[place] = verdict
    return found


def _rank(verdict: Verdict) -> int:
    source = source_of(verdict.by)
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)


@dataclass(frozen=True)
class Relevance:
    """Whose word on relevance counts, and what is known to be relevant.

    Attributes
    ----------
    source
        `auto` (the first of people, qrels, rules, LLM that has an opinion on a hit), or one of `human`, `qrels`,
        `rules`, `rules(at=0.8)`, `llm`, `human:NAME`, `llm:MODEL`.
    grades
        Item id → document id → grade, over all runs that are scored together; an item that is missing here was
        judged by nobody.
    used
        Source → how many judged (item, document) pairs it decided.
    """

    source: str
    grades: Mapping[str, Mapping[str, float]]
    used: Mapping[str, int]

    @cached_property
    def top(self) -> float:
        """The largest grade given to any document of the collection; at least 1."""
        return max([1.0, *(grade for docs in self.grades.values() for grade in docs.values())])

    @classmethod
    def of(cls, items: Iterable[Item], said: Iterable[Iterable[Verdict]], source: str = "auto") -> Self:
        """Pool everybody's opinions on the hits of these items.

        By rules a hit is relevant when all of its constraints pass; with `rules(at=0.8)` when at least that share
        of the constraints that could be checked does.  Where runs show different data of one document, it is
        relevant if the data of any of them say so.  A person who overrules a rule's verdict on a constraint is
        heard in all of them.  Of several people's grades of relevance the median counts.

        Parameters
        ----------
        items
            Of the dataset.
        said
            The verdicts of each run, in the order in which they were given.
        source
            Whose word counts; raises `SpecError` where it cannot be read.
        """
        wanted, threshold = _read_source(source)
        known = {item.id: item for item in items}
        heard: dict[str, dict[str, dict[str, dict[_Place, Verdict]]]] = {}
        for number, verdicts in enumerate(said):
            for verdict in verdicts:
                item, doc = known.get(verdict.item), verdict.about.removeprefix("hit:")
                if item is None or doc == verdict.about:
                    continue
                by = source_of(verdict.by)
                place: _Place
                if verdict.aspect in item.constraints:
                    kind, place = "rules", (-1 if by == "human" else number, verdict.aspect)
                elif verdict.aspect == "relevance" and verdict.value is not None:
                    kind, place = by, (0, verdict.by)
                else:
                    continue
                if wanted in ("", kind) or (kind != "rules" and matches(verdict.by, wanted)):
                    _hear(heard.setdefault(item.id, {}).setdefault(doc, {}).setdefault(kind, {}), place, verdict)
        return cls(source, *_resolve(known.values(), heard, wanted, threshold))

    def __str__(self) -> str:
        if not self.used:
            return "nobody"
        return ", ".join(f"{kind} ({self.used[kind]:,} hits)" for kind in SOURCES if kind in self.used)


def _read_source(source: str) -> tuple[str, float | None]:
    spec = Spec.parse(source) if source.startswith("rules") else Spec(source)
    at = spec.params.get("at")
    known = spec.name == "auto" or source_of(spec.name) in SOURCES
    if not known or spec.values or spec.params.keys() - {"at"} or (at is not None and spec.name != "rules"):
        raise SpecError(f"cannot read relevance {source!r}; it is auto, human, qrels, rules, rules(at=0.8) or llm")
    if at is not None and (isinstance(at, str) or not 0 < at <= 1):
        raise SpecError(f"relevance {source!r}: at is a share above 0 and at most 1")
    return "" if spec.name == "auto" else spec.name, None if at is None else float(at)


def _hear(said: dict[_Place, Verdict], place: _Place, verdict: Verdict) -> None:
    """Keep a verdict unless what stands in its place weighs more, or is known to be newer."""
    old = said.get(place)
    if old is None or (_rank(verdict) <= _rank(old) and not (verdict.at and verdict.at < old.at)):
        said[place] = verdict


def _resolve(
    items: Iterable[Item],
    heard: Mapping[str, dict[str, dict[str, dict[_Place, Verdict]]]],
    wanted: str,
    threshold: float | None,
) -> tuple[dict[str, dict[str, float]], dict[str, int]]:
    """For each document the grade of the first source that has an opinion, and how often each source had it."""
    grades: dict[str, dict[str, float]] = {}
    used: dict[str, int] = {}
    for item in items:
        docs = heard.get(item.id, {})
        labels = item.relevant if wanted in ("", "qrels") else None
        if labels is not None:
            grades[item.id] = {}
        for doc in docs.keys() | (labels or {}).keys():
            said = docs.get(doc, {})
            candidates = [*said, "qrels"] if labels and doc in labels else [*said]
            kind = min(candidates, key=lambda name: SOURCES.index(name) if name in SOURCES else len(SOURCES))
            grade = (
                labels[doc]
                if kind == "qrels" and labels and doc in labels
                else _grade(kind, said[kind], item, threshold)
            )
            grades.setdefault(item.id, {})[doc] = grade
            used[kind] = used.get(kind, 0) + 1
    return grades, used


def _grade(kind: str, said: Mapping[_Place, Verdict], item: Item, threshold: float | None) -> float:
    if kind != "rules":
        return median(verdict.value or 0.0 for verdict in said.values())
    overruled = {aspect: verdict.value for (run, aspect), verdict in said.items() if run < 0}
    runs: dict[int, dict[str, float | None]] = {}
    for (run, aspect), verdict in said.items():
        runs.setdefault(run, {})[aspect] = verdict.value
    checked = [found | overruled for run, found in runs.items() if run >= 0] or [overruled]
    asked = {aspect for aspect, constraint in item.constraints.items() if constraint.asks}
    return max(_passes(found, asked, threshold) for found in checked)


def _passes(found: Mapping[str, float | None], asked: set[str], threshold: float | None) -> float:
    if threshold is None:
        return float(asked <= found.keys() and all(value == 1 for value in found.values()))
    told = [value for value in found.values() if value is not None]
    return float(bool(told) and sum(told) / len(told) >= threshold)


class View(Protocol):
    """One way to look at a batch, computed once and used by every metric of its kind."""

    @property
    def unscored(self) -> Sequence[str]:
        """For each answer why metrics of this kind cannot score it, or ""."""

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Look at this batch."""


class Shared(Protocol):
    """What views of batches that are scored together have in common."""

    @classmethod
    def of(cls, together: Together) -> Self:
        """Make it from all of them."""


S = TypeVar("S", bound=Shared)


class Together:
    """Batches that are scored together: what their views share is made once, from all of them.

    Parameters
    ----------
    parts
        The pairs of each batch.
    language
        Of items that do not say theirs (tag `language`): a code or a name; `auto`: found in the references, or where
        there are none in the answers, when it is first asked for; "": unknown.
    verdicts
        Those on each batch, in the order in which they were given.
    """

    def __init__(
        self,
        parts: Sequence[Sequence[tuple[Item, Answer]]],
        language: str = "",
        verdicts: Sequence[Sequence[Verdict]] = (),
    ) -> None:
        self._parts = parts
        self.verdicts = verdicts
        self._asked = language
        self._shared: dict[type, Shared] = {}
        self._codes: dict[str, str] = {}

    def pairs(self) -> Iterator[tuple[Item, Answer]]:
        """Each answer of each batch with its item."""
        return chain.from_iterable(self._parts)

    @cached_property
    def language(self) -> str:
        """The two-letter code of the language of items that do not say theirs; "": unknown."""
        from neraca.languages import AUTO, parse_language

        asked = parse_language(self._asked)
        if asked != AUTO:
            return asked
        return self.found.code if self.found else ""

    @cached_property
    def found(self) -> Detected | None:
        """The language that `auto` found for the items that do not say theirs; None where all is said.

        Raises `SpecError` where it cannot be told.
        """
        from neraca.languages import AUTO, parse_language

        if parse_language(self._asked) != AUTO:
            return None
        from neraca.language_detection import detect

        silent = [(item, answer) for item, answer in self.pairs() if not item.tags.get("language")]
        if not silent:
            return None
        references = [text for item, _ in silent for text in item.references if text.strip()]
        return detect(references or [answer.text for _, answer in silent if not answer.failed])

    def language_of(self, item: Item) -> str:
        """In which language an item is, as its two-letter code: as it says, else as all do; raises `SpecError`."""
        said = item.tags.get("language", "")
        if said not in self._codes:
            self._codes[said] = self._code(said, item) if said else self.language
        return self._codes[said]

    def _code(self, said: str, item: Item) -> str:
        from neraca.languages import code_of

        try:
            return code_of(said)
        except SpecError as error:
            raise SpecError(f"item {item.id!r}, tag language: {error}") from error

    @property
    def languages(self) -> list[str]:
        """The codes of the languages of all items, sorted; "" where nobody said."""
        return sorted({self.language_of(item) for item, _ in self.pairs()})

    def share(self, kind: type[S]) -> S:
        """What they have in common of this kind; made at the first call."""
        if kind not in self._shared:
            self._shared[kind] = kind.of(self)
        return cast("S", self._shared[kind])


@dataclass(frozen=True)
class Batch:
    """Answers of one run beside their items, and the opinions on them.

    Attributes
    ----------
    pairs
        Each answer with its item; several trials of one item stand one after the other.
    opinions
        (item, trial) → (about, aspect) → the verdict that counts.
    relevance
        What is relevant, pooled over the runs that are scored together.
    shared
        The batches that are scored together with this one; None: it alone.
    verdicts
        All verdicts on this run, in the order in which they were given: for views that must know who said what.
    by
        Whose verdicts are to count; "": the first that has an opinion.
    columns
        Canonical metric name → what the metric found, kept for metrics that are made of others.
    """

    pairs: Sequence[tuple[Item, Answer]]
    opinions: Mapping[Key, Opinions]
    relevance: Relevance
    shared: Together | None = field(default=None, repr=False, compare=False)
    verdicts: Sequence[Verdict] = field(default=(), repr=False, compare=False)
    by: str = ""
    columns: dict[str, Column] = field(default_factory=dict, repr=False, compare=False)
    _views: dict[type, View] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def together(self) -> Together:
        """The batches that are scored together with this one, itself among them."""
        return self.shared or Together([self.pairs], verdicts=[self.verdicts])

    @classmethod
    def of(cls, batch: Batch) -> Batch:
        """The batch itself, as a view for metrics that are made of other metrics."""
        return batch

    @property
    def unscored(self) -> Sequence[str]:
        """As `why_not`."""
        return self.why_not()

    def view(self, kind: type[V]) -> V:
        """Look at the batch as a `kind`; made at the first call."""
        if kind not in self._views:
            self._views[kind] = kind.of(self)
        return cast("V", self._views[kind])

    def why_not(self) -> list[str]:
        """Why each answer cannot be scored by any metric, or ""."""
        suspect = "suspect: the answer may not be whole"
        return [suspect if answer.status == "suspect" else "" for _, answer in self.pairs]
