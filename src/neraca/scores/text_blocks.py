"""Text metrics block by block: however many rows there are, only a block of texts is held, and the values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.datasets.cells import blank
from neraca.errors import SpecError
from neraca.language_detection import SAMPLE, Detected, detect
from neraca.languages import AUTO, code_of
from neraca.metrics.batch import Batch, Relevance, Together
from neraca.metrics.column import Column
from neraca.metrics.metric import Metric
from neraca.metrics.text.corpus import Corpus, Frequencies
from neraca.metrics.text.grounding import Contexts, Support
from neraca.metrics.text.texts import Texts
from neraca.records import Answer, Hit, Item
from neraca.registry import split_specs
from neraca.stats.interval import Floats

NOBODY = Relevance.of([], [])


@dataclass(frozen=True)
class Part:
    """Rows to score together.

    Attributes
    ----------
    references
        Of each row.
    responses
        Of each system, those of each row.
    start
        How many rows stand before the first.
    languages
        Code of each row's language, "" where it does not say; None: no row does.
    queries, contexts
        Of each row, or None.
    sessions
        Number of each row's session, or None where each row stands alone.
    ids
        What each row is called in messages; None: its number from 0.
    """

    references: Sequence[tuple[str, ...]]
    responses: Sequence[Sequence[str]]
    start: int = 0
    languages: Sequence[str] | None = None
    queries: Sequence[str] | None = None
    contexts: Sequence[Sequence[str]] | None = None
    sessions: Sequence[int] | None = None
    ids: Sequence[str] | None = None

    def __len__(self) -> int:
        return len(self.references)

    def items(self) -> list[Item]:
        """An item for each row."""
        numbers = range(self.start, self.start + len(self))
        ids = self.ids or list(map(str, numbers))
        queries = self.queries or [""] * len(self)
        given = zip(ids, queries, self.references, strict=True)
        if self.languages is None:
            return [Item(id=name, query=query, references=references) for name, query, references in given]
        tags = {code: {"language": code} if code else {} for code in set(self.languages)}
        return [
            Item(id=name, query=query, references=references, tags=tags[code])
            for (name, query, references), code in zip(given, self.languages, strict=True)
        ]

    def pairs(self, items: Sequence[Item], responses: Sequence[str]) -> list[tuple[Item, Answer]]:
        """Each item with a system's answer."""
        if self.contexts is None:
            return [(item, Answer(item=item.id, text=text)) for item, text in zip(items, responses, strict=True)]
        return [
            (item, Answer(item=item.id, text=text, hits=tuple(Hit(id=str(n), text=c) for n, c in enumerate(contexts))))
            for item, text, contexts in zip(items, responses, self.contexts, strict=True)
        ]


class Kept:
    """What is kept of the rows of one system: values, and why there is none."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self._columns: dict[str, list[Floats]] = {str(metric): [] for metric in metrics}
        self._lengths: list[Floats] = []
        self.reasons: dict[str, dict[int, str]] = {str(metric): {} for metric in metrics}
        self.empty = 0

    def add(self, start: int, columns: Iterable[Column], lengths: Column, responses: Sequence[str]) -> None:
        """Keep what was found of the rows from `start` on."""
        for column in columns:
            name = str(column.metric)
            self._columns[name].append(column.rows[:, 0].copy() if _plain(column) else column.rows)
            self.reasons[name].update((start + row, why) for row, why in enumerate(column.why) if why)
        self._lengths.append(lengths.rows[:, 0].copy())
        self.empty += sum(not text[:1].isalnum() and blank(text) for text in responses)

    def columns(self, names: Iterable[str]) -> dict[str, Floats]:
        """Metric → values, or counts, of all rows."""
        return {name: _joined(self._columns[name]) for name in names}

    def lengths(self) -> Floats:
        """Words of each response."""
        return _joined(self._lengths)


def _plain(column: Column) -> bool:
    """Whether the rows are values and not counts, of which both must be kept."""
    rows = column.rows
    return column.metric.definition.total is None and bool(((rows[:, 1] == 1) | np.isnan(rows[:, 1])).all())


def _joined(parts: list[Floats]) -> Floats:
    if any(part.ndim > 1 for part in parts):  # of counts that were all beside 1 in some part
        parts[:] = [np.column_stack([part, np.ones(len(part))]) if part.ndim == 1 else part for part in parts]
    if len(parts) > 1:
        parts[:] = [np.concatenate(parts)]
    return parts[0] if parts else np.zeros(0)


class TextScoring:
    """Scores part after part.

    Parameters
    ----------
    systems
        Names.
    metrics
        As `text_metrics` gives them.
    language
        Of rows that do not say theirs: a code, "", or `auto`, found in their references.
    average
        Whether to average the metrics too, where there are two that can be averaged.
    """

    def __init__(
        self, systems: Sequence[str], metrics: Sequence[Metric], language: str = "", average: bool = False
    ) -> None:
        self.metrics = list(metrics)
        self.average = average_of(metrics) if average else None
        self.kept = {name: Kept(self._all) for name in systems}
        self.languages: set[str] = set()
        self.found: Detected | None = None
        self._language = language
        self._sessions: list[NDArray[np.int64]] = []
        self._n = 0
        self._words = Metric.of("Words")
        self._words_of = {key: _Counted() for key in corpus_readings(self._all)}
        self._contexts_of = {language: _Counted() for language in context_languages(self._all)}

    @property
    def _all(self) -> list[Metric]:
        return [*self.metrics, *([self.average] if self.average and self.average not in self.metrics else [])]

    def prepare(self, parts: Callable[[], Iterable[Part]]) -> None:
        """Learn from all references what must be known before the first row is scored; `parts` gives them anew.

        That is the language, where it is `auto`, and in how many references each word stands, where a metric asks.
        """
        if self._language == AUTO:
            sample = _Sample()
            for part in parts():
                sample.add(text for texts, code in _with_languages(part) if not code for text in texts)
            self.found = detect(sample.texts) if sample.texts else None
            self._language = self.found.code if self.found else ""
        for part in parts() if self._words_of or self._contexts_of else ():
            given = [(text, code or self._language) for texts, code in _with_languages(part) for text in texts]
            for (tokens, language), counted in self._words_of.items():
                counted.add(given, _count_words, tokens, language)
            codes = part.languages or [""] * len(part)
            several = zip(part.contexts or [], codes, strict=False)
            found = [(text, code or self._language) for texts, code in several for text in texts if text.strip()]
            for language, counted in self._contexts_of.items():
                counted.add(found, _count_contexts, language)

    def score(self, part: Part) -> list[dict[str, Column]]:
        """Score every metric of every system; returns for each system the columns of its metrics, and keeps values."""
        items = part.items()
        batches = [part.pairs(items, responses) for responses in part.responses]
        together = Together(batches, self._language)
        if self._words_of:
            together.share(Corpus).counted |= {key: counted.found for key, counted in self._words_of.items()}
        if self._contexts_of:
            together.share(Contexts).counted |= {key: counted.found for key, counted in self._contexts_of.items()}
        scored = []
        for kept, pairs, responses in zip(self.kept.values(), batches, part.responses, strict=True):
            batch = Batch(pairs, {}, NOBODY, together)
            columns = {str(metric): metric.score(batch) for metric in self._all}
            kept.add(self._n, columns.values(), self._words.score(batch), responses)
            scored.append(columns)
        self.languages.update(code or self._language for code in set(part.languages or [""]))
        if part.sessions is not None:
            self._sessions.append(np.array(part.sessions, np.int64))
        self._n += len(part)
        return scored

    def clusters(self) -> NDArray[np.int64]:
        """For each row the number of its session."""
        return np.concatenate(self._sessions) if self._sessions else np.arange(self._n)


def _with_languages(part: Part) -> Iterator[tuple[tuple[str, ...], str]]:
    return zip(part.references, part.languages or [""] * len(part), strict=True)


class _Sample:
    """Texts taken evenly from a stream, whose length nobody knows before its end."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._step, self._next, self._size = 1, 0, 0

    def add(self, texts: Iterable[str]) -> None:
        for text in texts:
            if self._next % self._step == 0:
                self.texts.append(text)
                self._size += len(text)
            self._next += 1
            while self._size > 2 * SAMPLE and len(self.texts) > 1:
                self.texts, self._step = self.texts[::2], 2 * self._step
                self._size = sum(map(len, self.texts))


class _Counted:
    """In how many different texts of many parts each word stands."""

    def __init__(self) -> None:
        self._df: Counter[str] = Counter()
        self._seen: NDArray[np.int64] = np.zeros(0, np.int64)  # hashes of them: a set of texts would not stay small

    def add(self, given: Sequence[tuple[str, str]], count: Callable[..., Frequencies], *how: str) -> None:
        known = {hash(pair): pair for pair in given}
        new = np.setdiff1d(np.fromiter(known, np.int64, len(known)), self._seen, assume_unique=True)
        self._seen = np.sort(np.concatenate([self._seen, new]), kind="stable")
        if len(new):
            self._df.update(count([known[place] for place in new.tolist()], *how).df)

    @property
    def found(self) -> Frequencies:
        return Frequencies(len(self._seen), self._df)


def _count_words(given: Sequence[tuple[str, str]], tokens: str, language: str) -> Frequencies:
    corpus = Corpus()
    corpus.references |= {corpus.number(*each) for each in given}
    return corpus.frequencies(tokens, language)


def _count_contexts(given: Sequence[tuple[str, str]], language: str) -> Frequencies:
    return Contexts(given).frequencies(language)


# metrics


def text_metrics(metrics: str | Metric | Iterable[str | Metric]) -> list[Metric]:
    """Metrics by names, each once; raises `SpecError`, also for one that needs more than texts."""
    several = [metrics] if isinstance(metrics, str | Metric) else metrics
    if not isinstance(several, Iterable):
        raise SpecError(f"metrics are names such as ROUGE-L, or a list of them, not {metrics!r}")
    found: list[Metric] = []
    for name in several:
        if not isinstance(name, str | Metric):
            raise SpecError(f"a metric is a name such as ROUGE-L, not {name!r}")
        found += [name] if isinstance(name, Metric) else map(Metric.of, split_specs(name))
    for metric in (inner for each in found for inner in with_inner(each)):
        _check_texts(metric)
    if not found:
        raise SpecError("there is no metric to score with; name at least one, such as TokenRecall")
    return list({str(metric): metric for metric in found}.values())


def _check_texts(metric: Metric) -> None:
    room = metric.definition.function.__module__
    if room.startswith(("neraca.metrics.ranking.", "neraca.metrics.rag.", "neraca.metrics.constraints.")):
        raise SpecError(
            f"{metric} needs more than texts, such as hits or verdicts: ask with `neraca ask`, and score the run "
            f"folder with `neraca score`"
        )


def with_inner(metric: Metric) -> Iterator[Metric]:
    """The metric, and those that it is made of."""
    yield metric
    params = dict(metric.params)
    for inner in (*params.get("*", ()), *([params["metric"]] if "metric" in params else [])):
        yield from with_inner(Metric.of(str(inner)))


def needs_reference(metric: Metric) -> bool:
    """Whether it sets responses beside references; one that is made of others does where they do."""
    return metric.view is Texts or (metric.view is None and "reference" in metric.arguments())


def corpus_readings(metrics: Iterable[Metric]) -> list[tuple[str, str]]:
    """The (tokens, language) in which metrics want all references counted."""
    found: dict[tuple[str, str], None] = {}
    for metric in (inner for each in metrics for inner in with_inner(each)):
        params = defaults_of(metric)
        if params.get("idf") == "corpus":
            found[str(params.get("tokens", "word")), str(params.get("language", ""))] = None
    return list(found)


def context_languages(metrics: Iterable[Metric]) -> list[str]:
    """The languages in which metrics want all contexts counted."""
    inner = (inner for each in metrics for inner in with_inner(each) if inner.view is Support)
    return list(dict.fromkeys(code_of(str(defaults_of(metric).get("language", ""))) for metric in inner))


def defaults_of(metric: Metric) -> dict[str, Any]:
    """Each parameter of the metric with its value, given or not."""
    from inspect import signature

    takes = signature(metric.definition.function).parameters.values()
    return {p.name: p.default for p in takes if p.kind is p.KEYWORD_ONLY} | dict(metric.params)


def average_of(metrics: Sequence[Metric]) -> Metric | None:
    """The average that was asked for, else that of all metrics of which more is better, from 0 to 1; None without two.

    >>> str(average_of([Metric.of("ROUGE-1"), Metric.of("Words"), Metric.of("TokenF1")]))
    'Average(ROUGE-1,TokenF1)'
    """
    asked = [metric for metric in metrics if metric.spec.name == "Average"]
    if asked:
        return asked[0]
    fit = [str(metric) for metric in metrics if _fits(metric)]
    return Metric.of(f"Average({','.join(fit)})") if len(fit) > 1 else None


def _fits(metric: Metric) -> bool:
    """Whether more of it is better, from 0 to 1; of a metric of all rows together one value alone says nothing."""
    declared = metric.definition
    within = declared.low >= 0 and declared.high <= 1
    return metric.higher_is_better and not metric.neutral and within and declared.total is None
