"""Text metrics of responses and references that are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from typing import Any, Self

import numpy as np

from neraca.datasets.cells import blank, shown, words
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.scores.default_metrics import WORDED
from neraca.scores.reading import ReadingOptions, parse_metrics, reading_facts
from neraca.scores.scores import RunScores, Scores
from neraca.scores.scoring import Prepared, check_level, merge, one_by_one, score_parts, scores_of
from neraca.scores.sources.prepare import prepare
from neraca.scores.sources.texts import scorables_of_texts, scores_of_texts

DEFAULT = " ".join(WORDED)
#: The name of the system if responses are given without one.
NAME = "response"


def text(
    references: Any,
    responses: Any,
    metrics: str | Metric | Iterable[str | Metric] = DEFAULT,
    *,
    language: str = "",
    queries: Any = None,
    contexts: Any = None,
    tokens: str = "",
    norm: str = "",
    level: float = 0.95,
) -> Scores:
    """Score responses by their overlap with references.

    Parameters
    ----------
    references
        For each response a text, or a list of texts of which the best one counts; None or NaN: not scored.
    responses
        Texts, or a mapping from names of systems to their texts.  None or NaN: no answer, which counts.
    metrics
        Names (`"TokenRecall ROUGE-L"`, or a list).
    language
        The language of the texts: `es`, `Spanish`, or `auto`, found in the references; metrics read words accordingly.
    queries, contexts
        For each response the question, and a list of retrieved texts, for metrics that look at them.
    tokens, norm
        The words (`word+stem`) and the form of Unicode (`nfc`, `nfkc`) for each metric that takes them and does not
        name its own.  The notes name the metrics that do not take them.
    level
        The confidence of the intervals.

    Raises
    ------
    SpecError
        For an unknown metric or language, or a metric that needs more than texts.
    InputError
        The lists are not equally long, or something in them is no text.

    Examples
    --------
    >>> scores = text(["two floors", "the red car"], ["It has two floors.", None], "TokenRecall ROUGE-1")
    >>> scores.mean("TokenRecall"), scores.values("ROUGE-1")
    (0.5, array([0.66666667, 0.        ]))
    """
    lists = TextLists.of(references, responses, queries=queries, contexts=contexts)
    reading = ReadingOptions(tokens=tokens, norm=norm)
    chosen = parse_metrics(metrics, reading)
    scores = score_lists(lists, chosen, language=language, level=level)
    return replace(scores, facts={**scores.facts, **reading_facts(chosen, reading)})


def score_lists(
    lists: TextLists,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    language: str = "",
    level: float = 0.95,
    rows: int = 10_000,
) -> Scores:
    """Score lists of texts in blocks of `rows` rows."""
    check_level(level)
    chosen = Metric.several(metrics)
    if not chosen:
        raise SpecError("there is no metric to score with; name at least one, such as TokenRecall")
    scoring = TextScoring(chosen, language, lambda: one_by_one(lists.blocks(rows)))
    for parts in one_by_one(lists.blocks(rows)):
        scoring.score(parts)
    return scoring.scores(level=level, more={"blocks": lambda: lists.blocks(rows)})


class TextScoring:
    """Scores texts block by block, and keeps only counts and a digest of each system's responses.

    Parameters
    ----------
    metrics
        The metrics to score.
    average
        The metric that averages them, or None.
    language
        The language of rows without one of their own: a code, "", or `auto`, found in their references.
    blocks
        Returns the systems' scorables of each block, read again, for facts about all rows that scoring needs first.
    """

    def __init__(
        self,
        metrics: Sequence[Metric],
        language: str,
        blocks: Callable[[], Iterable[Sequence[Scorable]]],
        average: Metric | None = None,
    ) -> None:
        self._metrics, self._average = metrics, average
        self._all = list(dict.fromkeys([*metrics, *([average] if average else [])]))
        self._prepared: Prepared = prepare(lambda: (parts[0] for parts in blocks()), self._all, language)
        self._scored_blocks: list[list[RunScores]] = []
        self._languages: set[str] = set()
        self._digests: list[Any] = []

    @property
    def languages(self) -> list[str]:
        """Codes of the languages of the rows, sorted; "" for rows without a language."""
        return sorted(self._languages) or [""]

    @property
    def detected(self) -> Any:
        """The language that was detected; None if it was not looked for."""
        return self._prepared.detected

    def score(self, parts: Sequence[Scorable]) -> list[RunScores]:
        """Score a block; return the scores of each system."""
        group = score_parts(parts, self._all, self._prepared)
        self._languages.update(group.languages)
        self._digests = self._digests or [blake2b(digest_size=16) for _ in parts]
        for part, digest in zip(parts, self._digests, strict=True):
            for response in part.column("response"):
                digest.update(b"%d:" % len(response))
                digest.update(response.encode("utf-8", "surrogatepass"))
        self._scored_blocks.append(scores_of_texts(parts, self._all))
        return self._scored_blocks[-1]

    def scores(self, *, more: Mapping[str, Any] | None = None, **options: Any) -> Scores:
        """Return the scores of all blocks; `more` has further facts for readers."""
        merged = [merge(parts) for parts in zip(*self._scored_blocks, strict=True)]
        runs = [
            replace(run, facts={**run.facts, "responses": digest.hexdigest()})
            for run, digest in zip(merged, self._digests, strict=True)
        ]
        facts = {"languages": tuple(self.languages), **(more or {})}
        return scores_of(runs, self._metrics, self, average=self._average, facts=facts, **options)


# lists of texts from the user


@dataclass(frozen=True)
class TextLists:
    """Lists of equal length: references, the responses of each system, and optional queries and contexts.

    Attributes
    ----------
    columns
        The name of a list in messages → the list.
    systems
        Names of the systems, as they were given.
    n
        The number of rows.
    """

    columns: Mapping[str, Any]
    systems: tuple[Any, ...]
    n: int

    @classmethod
    def of(cls, references: Any, responses: Any, *, queries: Any = None, contexts: Any = None) -> Self:
        """Check the lists of a user; raise `InputError` if one is no list, or if lists differ in length."""
        systems = _responses_by_system(responses)
        lists = {"references": references, **{_list_name(name): texts for name, texts in systems.items()}}
        lists |= {name: texts for name, texts in (("queries", queries), ("contexts", contexts)) if texts is not None}
        columns = {name: _column(name, texts) for name, texts in lists.items()}
        return cls(columns, tuple(systems), _common_length(columns))

    def blocks(self, rows: int) -> Iterator[list[Scorable]]:
        """Yield the systems' scorables in blocks of `rows` rows; without rows, one empty block."""
        for start in range(0, max(self.n, 1), rows):
            yield _scorables(self.columns, self.systems, start, min(self.n, start + rows))


def _responses_by_system(responses: Any) -> dict[Any, Any]:
    """Return name of a system → its responses."""
    if isinstance(responses, Mapping) and not responses:
        raise InputError("responses: the mapping is empty; it needs a system with its texts, such as {'old': [...]}")
    return dict(responses) if isinstance(responses, Mapping) else {NAME: responses}


def _list_name(system: Any) -> str:
    """Return the name of a system's responses in messages."""
    return "responses" if system == NAME else f"responses of {system}"


def _column(name: str, values: Any) -> Any:
    """Return the values as a sequence that has a length and can be sliced."""
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__iter__"):
        raise InputError(f"{name}: must be a list of texts, not {type(values).__name__}")
    if getattr(values, "ndim", 1) != 1 and name != "references":
        raise InputError(f"{name}: must have one dimension, not {values.ndim}")
    return values if hasattr(values, "__len__") and hasattr(values, "__getitem__") else list(values)


def _common_length(columns: Mapping[str, Any]) -> int:
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) > 1:
        sizes = ", ".join(f"{length:,} {name}" for name, length in lengths.items())
        raise InputError(
            f"each response needs its references, but there are {sizes}; several references of one "
            "response are a list in its place"
        )
    return next(iter(lengths.values()))


def _scorables(columns: Mapping[str, Any], systems: Iterable[Any], start: int, end: int) -> list[Scorable]:
    """Return a scorable for each system over the rows from `start` to `end`."""

    def cut(name: str) -> list[Any]:
        column = columns[name]
        part = (column.iloc if hasattr(column, "iloc") else column)[start:end]
        return next((getattr(part, how)() for how in ("to_list", "tolist") if hasattr(part, how)), list(part))

    def texts(name: str) -> list[str]:
        return [_text(value, f"{name}[{place}]") for place, value in enumerate(cut(name), start)]

    def several(name: str) -> list[tuple[str, ...]]:
        return [_texts(value, f"{name}[{place}]") for place, value in enumerate(cut(name), start)]

    more: dict[str, Callable[[], Any]] = {}
    if "queries" in columns:
        more["query"] = partial(texts, "queries")
    if "contexts" in columns:
        more["contexts"] = partial(several, "contexts")
    responses = {str(system): partial(texts, _list_name(system)) for system in systems}
    return scorables_of_texts(responses, partial(several, "references"), end - start, start=start, more=more)


def _text(value: Any, place: str) -> str:
    if isinstance(value, str):
        return value
    if value is None or type(value).__name__ == "NAType" or (isinstance(value, float) and value != value):
        return ""
    if isinstance(value, bool | int | float | np.number):
        return words(value.item() if isinstance(value, np.number) else value)
    raise InputError(f"{place}: must be a text, found {shown(value)}")


def _texts(value: Any, place: str) -> tuple[str, ...]:
    if type(value) is str and value[:1].isalnum():  # a fast path for the usual case
        return (value,)
    several = value if isinstance(value, list | tuple | np.ndarray) else [value]
    texts = (_text(part, place) for part in several)
    return tuple(part for part in texts if not blank(part))
