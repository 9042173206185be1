"""Facts about all rows that scoring the first row needs: the language, and the frequencies of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.language_detection import SAMPLE, detect
from neraca.languages import AUTO, code_of, parse_language
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import Scorable
from neraca.metrics.text.corpus import Corpus, Frequencies
from neraca.metrics.text.grounding import Contexts, Support
from neraca.scores.scoring import Prepared


def prepare(parts: Callable[[], Iterable[Scorable]], metrics: Sequence[Metric], language: str) -> Prepared:
    """Detect the language and count words in all parts, before the first is scored.

    Each call of `parts` reads the parts again.  One system is enough: all share references and contexts.
    """
    code_of_all, detected = parse_language(language), None
    if code_of_all == AUTO:
        sample = _Sample()
        for part in parts():
            sample.add(text for text, code in _texts(part, "references") if not code)
        detected = detect(sample.texts) if sample.texts else None
        code_of_all = detected.code if detected else ""
    words_by_setting = {key: _Frequencies() for key in _corpus_settings(metrics)}
    contexts_by_language = {code: _Frequencies() for code in _context_languages(metrics)}
    for part in parts() if words_by_setting or contexts_by_language else ():
        references = (
            [(text, code or code_of_all) for text, code in _texts(part, "references")] if words_by_setting else []
        )
        for (tokens, code), frequencies in words_by_setting.items():
            frequencies.add(references, _count_words, tokens, code)
        texts = (
            [(text, code or code_of_all) for text, code in _texts(part, "contexts") if text.strip()]
            if contexts_by_language
            else []
        )
        for code, frequencies in contexts_by_language.items():
            frequencies.add(texts, _count_contexts, code)
    shared: dict[type, dict[Any, Frequencies]] = {
        Corpus: {key: frequencies.frequencies for key, frequencies in words_by_setting.items()},
        Contexts: {key: frequencies.frequencies for key, frequencies in contexts_by_language.items()},
    }
    return Prepared(code_of_all, detected, shared)


def _texts(part: Scorable, column: str) -> Iterator[tuple[str, str]]:
    """Yield each text of a column of lists, with the language of its row."""
    for texts, code in zip(part.column(column), part.column("language", ""), strict=True):
        yield from ((text, code) for text in texts)


def _corpus_settings(metrics: Iterable[Metric]) -> list[tuple[str, str]]:
    """Return the settings (tokens, language) in which metrics need the words of all references counted."""
    settings = (inner.settings for metric in metrics for inner in metric.with_inner())
    with_corpus_idf = (setting for setting in settings if setting.get("idf") == "corpus")
    return list(
        dict.fromkeys(
            (str(setting.get("tokens", "word")), str(setting.get("language", ""))) for setting in with_corpus_idf
        )
    )


def _context_languages(metrics: Iterable[Metric]) -> list[str]:
    """Return the languages in which metrics need the words of all contexts counted."""
    inner = (inner for metric in metrics for inner in metric.with_inner() if inner.view is Support)
    return list(dict.fromkeys(code_of(str(metric.settings.get("language", ""))) for metric in inner))


def _count_words(texts: Sequence[tuple[str, str]], tokens: str, language: str) -> Frequencies:
    corpus = Corpus()
    corpus.references |= {corpus.number(*pair) for pair in texts}
    return corpus.frequencies(tokens, language)


def _count_contexts(texts: Sequence[tuple[str, str]], language: str) -> Frequencies:
    return Contexts(texts).frequencies(language)


class _Sample:
    """Texts taken evenly from a stream of unknown length."""

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


class _Frequencies:
    """The number of different texts that contain each word, over many parts."""

    def __init__(self) -> None:
        self._df: Counter[str] = Counter()
        self._seen: NDArray[np.int64] = np.zeros(
            0, np.int64
        )  # hashes of texts, because a set of texts could fill the memory

    def add(self, texts: Sequence[tuple[str, str]], count: Callable[..., Frequencies], *settings: str) -> None:
        text_by_hash = {hash(pair): pair for pair in texts}
        new = np.setdiff1d(np.fromiter(text_by_hash, np.int64, len(text_by_hash)), self._seen, assume_unique=True)
        self._seen = np.sort(np.concatenate([self._seen, new]), kind="stable")
        if len(new):
            self._df.update(count([text_by_hash[place] for place in new.tolist()], *settings).df)

    @property
    def frequencies(self) -> Frequencies:
        return Frequencies(len(self._seen), self._df)
