"""Responses beside references: text metrics of texts that are at hand, with what they rest on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.datasets.cells import blank, shown, words
from neraca.errors import InputError, SpecError
from neraca.language_detection import Detected
from neraca.languages import parse_language
from neraca.metrics.metric import Metric
from neraca.metrics.text.signature import signatures
from neraca.scores.default_metrics import WORDED
from neraca.scores.score import Place, Score, estimate
from neraca.scores.text_blocks import Part, TextScoring, defaults_of, text_metrics, with_inner
from neraca.stats.interval import Floats

DEFAULT = " ".join(WORDED)
#: What the responses are called where nobody gave them a name.
NAME = "response"
_UNSAID = "the language is not known: words are compared without their stems, and articles count as words"
#: So many rows are scored at once.
ROWS = 10_000


@dataclass(frozen=True, repr=False)
class TextSheet:
    """The scores of one system, row by row.

    Attributes
    ----------
    name
        The system's name in tables.
    metrics
        Canonical metric name → metric.
    columns
        Canonical metric name → for each of the n rows a value, shape (n,), or counts, shape (n, w); NaN: unscored.
    reasons
        Canonical metric name → row → why it is unscored.
    lengths
        Words of each response, shape (n,).
    empty
        Responses without a letter.
    clusters
        For each row the number of its session, shape (n,); each row stands alone where there are no sessions.
    """

    name: str
    metrics: Mapping[str, Metric]
    columns: Mapping[str, Floats]
    reasons: Mapping[str, Mapping[int, str]]
    lengths: Floats
    empty: int
    clusters: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.lengths)

    def rows(self, metric: str) -> Floats:
        """Counts for each row, shape (n, w); a plain value v is (v, 1)."""
        column = self.columns[metric]
        return np.column_stack([column, np.ones(len(column))]) if column.ndim == 1 else column

    def values(self, metric: str) -> Floats:
        """The metric's value for each row, shape (n,); NaN where unscored."""
        column = self.columns[metric]
        return column if column.ndim == 1 else self.metrics[metric].total(column)

    @property
    def words(self) -> float:
        """Mean length of the responses in words; NaN without one."""
        return float(self.lengths.mean()) if len(self) else math.nan


@dataclass(frozen=True, repr=False)
class TextScores:
    """Text metrics of one or several systems over the same references; prints as a table.

    Attributes
    ----------
    sheets
        One per system, in the order given.
    metrics
        In the order asked for.
    average
        The metric that averages them, where there is one.
    level
        Confidence of all intervals.
    languages
        Codes of the languages of the texts; "": unknown.
    found
        The language among them that was not said but found in the texts.
    groups
        The values by which rows are grouped, and for each row the number of its own.
    human
        Name of a column → people's score of each row, shape (n,); with several systems that of each in their order.
    remarks
        What else a reader must know, in sentences.
    """

    sheets: tuple[TextSheet, ...]
    metrics: tuple[Metric, ...]
    average: Metric | None = None
    level: float = 0.95
    languages: tuple[str, ...] = ("",)
    found: Detected | None = None
    groups: tuple[tuple[str, ...], NDArray[np.int64]] = ((), np.zeros(0, np.int64))
    human: Mapping[str, Floats] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()

    @property
    def scored(self) -> tuple[Metric, ...]:
        """The metrics, and their average after them."""
        return (*self.metrics, *([self.average] if self.average and self.average not in self.metrics else []))

    def sheet(self, system: str = "") -> TextSheet:
        """The sheet of a system; without a name the only one.  Raises `InputError`."""
        named = [sheet for sheet in self.sheets if not system or sheet.name == system]
        if len(named) != 1:
            known = ", ".join(sheet.name for sheet in self.sheets)
            raise InputError(f"no system is called {system!r}; known: {known}" if system else f"say which one: {known}")
        return named[0]

    def values(self, metric: str | Metric, system: str = "") -> Floats:
        """The value of each row, shape (n,); NaN where it is unscored."""
        return self.sheet(system).values(self.name_of(metric)).copy()

    def why(self, metric: str | Metric, system: str = "") -> dict[int, str]:
        """Row (from 0) → why it is unscored, of those that are."""
        return dict(self.sheet(system).reasons[self.name_of(metric)])

    def mean(self, metric: str | Metric, system: str = "") -> float:
        """The value over all rows that are scored: the mean, or that of the sums (BLEU)."""
        rows = self.sheet(system).rows(name := self.name_of(metric))
        rows = rows[~np.isnan(rows).any(axis=1)]
        return float(Metric.of(name).total(rows.sum(axis=0))) if len(rows) else math.nan

    def name_of(self, metric: str | Metric) -> str:
        """The name here of a metric that was scored; raises `SpecError` for another one."""
        known = {str(found): str(found) for found in self.scored}
        known |= {"Average": str(self.average)} if self.average else {}
        asked = str(metric) if str(metric) in known else str(Metric.of(metric))
        if asked not in known:
            raise SpecError(f"{asked} was not scored; name one of those that were: {', '.join(known)}")
        return known[asked]

    def title(self, metric: str | Metric) -> str:
        """What the metric is called in tables: by its name, but the average, whose name is long, `Average`."""
        return "Average" if metric == self.average else str(metric)

    def pooled(self, metric: str | Metric) -> Floats:
        """The values of all rows of all systems, one system below the other."""
        return np.concatenate([sheet.values(str(metric)) for sheet in self.sheets])

    def overall(self) -> list[Score]:
        """Every metric of every system over all rows."""
        return list(self._scores("", None))

    def by_group(self, name: str = "") -> list[Score]:
        """The same for each group of rows; `name` stands before its value."""
        names, codes = self.groups
        before = f"{name}=" if name else ""
        return [score for code, value in enumerate(names) for score in self._scores(f"{before}{value}", codes == code)]

    def _scores(self, group: str, chosen: NDArray[np.bool_] | None) -> Iterator[Score]:
        for metric in self.scored:
            for sheet in self.sheets:
                rows, clusters = sheet.rows(str(metric)), sheet.clusters
                if chosen is not None:
                    rows, clusters = rows[chosen], clusters[chosen]
                yield estimate(Place(sheet.name, group), metric, rows, clusters, self.level)

    def rows(self) -> list[dict[str, Any]]:
        """{system, group, metric, value, low, high, n, unscored, method} for each metric and system, for programs."""
        names = ("group", "metric", "value", "low", "high", "n", "unscored", "method")
        found = [*self.overall(), *self.by_group()]
        return [{"system": score.run} | {name: getattr(score, name) for name in names} for score in found]

    @cached_property
    def signatures(self) -> dict[str, str]:
        """Canonical metric name → how its numbers were made; also of metrics that the average is made of."""
        return signatures(self.scored, self.languages, self.found.code if self.found else "")

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the numbers must know, in sentences."""
        metrics, several = list(map(str, self.metrics)), len(self.sheets) > 1
        asked = any(_reads_language(inner) for metric in self.metrics for inner in with_inner(metric))
        unsaid = [_UNSAID] if self.languages == ("",) and asked else []
        found = [f"language found in the texts, not said: {self.found}"] if self.found else []
        notes = [note for sheet in self.sheets for note in _notes(sheet, metrics, several)]
        return (*notes, *self.remarks, *unsaid, *found)

    def __str__(self) -> str:
        several = len(self.sheets) > 1
        head = ["metric", *(["system"] if several else []), "value", "interval", "n", "unscored", "words"]
        lines = [self._line(score, several) for score in self.overall()]
        widths = [max(map(len, column)) for column in zip(head, *lines, strict=True)]
        left = 2 if several else 1
        table = [
            "  ".join([*map(str.ljust, line[:left], widths), *map(str.rjust, line[left:], widths[left:])])
            for line in [head, *lines]
        ]
        return "\n".join([*table, *self.notes])

    __repr__ = __str__

    def _line(self, score: Score, several: bool) -> list[str]:
        span = "" if math.isnan(score.low) else f"[{score.low:.3f}, {score.high:.3f}]"
        words = self.sheet(score.run).words
        numbers = [_number(score.value, 3), span, str(score.n), str(score.unscored), _number(words, 1)]
        return [self.title(score.metric), *([score.run] if several else []), *numbers]


def _number(value: float, digits: int) -> str:
    return "–" if math.isnan(value) else f"{value:.{digits}f}"


def _reads_language(metric: Metric) -> bool:
    """Whether the metric drops articles or compares stems where the language is known."""
    params = defaults_of(metric)
    tokens = str(params.get("tokens", "stem"))
    return "language" in params and ("articles" in tokens or "stem" in tokens or "stem" in params)


def _notes(sheet: TextSheet, metrics: Sequence[str], several: bool) -> Iterator[str]:
    name, n = f"{sheet.name}: " if several else "", len(sheet)
    if n and sheet.empty == n:
        yield f"{name}every response is empty; is it the right column?"
    elif sheet.empty:
        what = "is empty and counts" if sheet.empty == 1 else "are empty and count"
        yield f"{name}{sheet.empty:,} of {n:,} responses {what} as an answer without a word"
    found: dict[tuple[str, int], list[str]] = {}
    for metric in metrics:
        for why, count in Counter(sheet.reasons[metric].values()).items():
            found.setdefault((why, count), []).append(metric)
    for (why, count), without in found.items():
        where = "" if len(without) == len(metrics) else f" in {', '.join(without)}"
        yield f"{name}{count:,} of {n:,} rows {'is' if count == 1 else 'are'} unscored{where}: {why}"


def text(
    references: Any,
    responses: Any,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT,
    *,
    language: str = "",
    level: float = 0.95,
    queries: Any = None,
    contexts: Any = None,
) -> TextScores:
    """Score responses by what they share with references.

    Parameters
    ----------
    references
        For each response a text, or a list of texts of which the best one counts; None or NaN: not scored.
    responses
        Texts, or a mapping from names of systems to their texts.  None or NaN: no answer, which counts.
    metrics
        Names (`"TokenRecall ROUGE-L"`, or a list).
    language
        Of the texts: `es`, `Spanish`, or `auto`, found in the references; metrics read words accordingly.
    level
        Confidence of the intervals.
    queries, contexts
        For each response the question, and a list of retrieved texts, for metrics that look at them.

    Raises
    ------
    SpecError
        For an unknown metric or language, or a metric that needs more than texts.
    InputError
        The lists are not equally long, or something in them is no text.

    Examples
    --------
    >>> found = text(["two floors", "the red car"], ["It has two floors.", None], "TokenRecall ROUGE-1")
    >>> found.mean("TokenRecall"), found.values("ROUGE-1")
    (0.5, array([0.66666667, 0.        ]))
    """
    systems = _systems(responses)
    columns = {"references": references, **{_named(name): given for name, given in systems.items()}}
    columns |= {name: given for name, given in (("queries", queries), ("contexts", contexts)) if given is not None}
    columns = {name: _column(name, given) for name, given in columns.items()}
    n = _common_length(columns)
    check_level(level)
    scoring = TextScoring(list(map(str, systems)), text_metrics(metrics), parse_language(language))

    def parts() -> Iterator[Part]:
        return (_part(columns, list(map(_named, systems)), start) for start in range(0, n, ROWS))

    scoring.prepare(parts)
    for part in parts():
        scoring.score(part)
    return scores_of(scoring, level=level)


def scores_of(scoring: TextScoring, **facts: Any) -> TextScores:
    """What was scored, with further facts as of `TextScores`."""
    names = [*map(str, scoring.metrics), *([str(scoring.average)] if scoring.average else [])]
    known = {name: Metric.of(name) for name in names}
    clusters = scoring.clusters()
    sheets = [
        TextSheet(name, known, kept.columns(names), kept.reasons, kept.lengths(), kept.empty, clusters)
        for name, kept in scoring.kept.items()
    ]
    languages = tuple(sorted(scoring.languages)) or ("",)
    facts |= {"languages": languages, "found": scoring.found}
    return TextScores(tuple(sheets), tuple(scoring.metrics), scoring.average, **facts)


def check_level(level: float) -> None:
    """Raise `SpecError` where it is no share."""
    if not 0 < level < 1:
        raise SpecError(f"the level of confidence is a share such as 0.95, not {level:g}")


# what a user brings


def _systems(responses: Any) -> dict[Any, Any]:
    """Name → responses."""
    if isinstance(responses, Mapping) and not responses:
        raise InputError("responses: the mapping is empty; it needs a system with its texts, such as {'old': [...]}")
    return dict(responses) if isinstance(responses, Mapping) else {NAME: responses}


def _named(system: Any) -> str:
    """What a system's responses are called in messages."""
    return "responses" if system == NAME else f"responses of {system}"


def _column(name: str, given: Any) -> Any:
    """Something that has a length and can be cut."""
    if isinstance(given, str | bytes | Mapping) or not hasattr(given, "__iter__"):
        raise InputError(f"{name}: must be a list of texts, not {type(given).__name__}")
    if getattr(given, "ndim", 1) != 1 and name != "references":
        raise InputError(f"{name}: must have one dimension, not {given.ndim}")
    return given if hasattr(given, "__len__") and hasattr(given, "__getitem__") else list(given)


def _common_length(columns: Mapping[str, Any]) -> int:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{length:,} {name}" for name, length in lengths.items())
        raise InputError(
            f"each response needs its references, but there are {told}; several references of one "
            "response are a list in its place"
        )
    return next(iter(lengths.values()))


def _part(columns: Mapping[str, Any], systems: Sequence[str], start: int) -> Part:
    def cut(name: str) -> list[Any]:
        column = columns[name]
        found = (column.iloc if hasattr(column, "iloc") else column)[start : start + ROWS]
        return next((getattr(found, how)() for how in ("to_list", "tolist") if hasattr(found, how)), list(found))

    def texts(name: str) -> list[str]:
        return [_text(value, f"{name}[{place}]") for place, value in enumerate(cut(name), start)]

    def several(name: str) -> list[tuple[str, ...]]:
        return [_texts(value, f"{name}[{place}]") for place, value in enumerate(cut(name), start)]

    return Part(
        several("references"),
        [texts(name) for name in systems],
        start,
        queries=texts("queries") if "queries" in columns else None,
        contexts=several("contexts") if "contexts" in columns else None,
    )


def _text(value: Any, place: str) -> str:
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bool | int | float | np.number):
        return words(value.item() if isinstance(value, np.number) else value)
    raise InputError(f"{place}: must be a text, found {shown(value)}")


def _texts(value: Any, place: str) -> tuple[str, ...]:
    if type(value) is str and value[:1].isalnum():  # what is nearly always there
        return (value,)
    several = value if isinstance(value, list | tuple | np.ndarray) else [value]
    found = (_text(part, place) for part in several)
    return tuple(part for part in found if not blank(part))
