"""The different texts of runs that are scored together, each stored and tokenized once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Self

from neraca.metrics.scorable import RunGroup
from neraca.metrics.text.normalize import normal_form
from neraca.metrics.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from neraca.metrics.text.encoded_texts import EncodedTexts


class Frequencies(NamedTuple):
    """The number of texts, and the number of texts that contain each word."""

    n: int
    df: Mapping[str, int]


class Corpus:
    """Different texts, each with its language.

    Attributes
    ----------
    texts, languages
        By number.
    references
        Numbers of the texts that are references.
    one_pair
        Whether the texts are a single response and reference, whose words are counted in plain Python.
    counted
        (tokens, language) → frequencies that `frequencies` returns without counting.  For a block of a file, put the
        frequencies of the whole file here.
    """

    def __init__(self, one_pair: bool = False) -> None:
        self.one_pair = one_pair
        self.texts: list[str] = []
        self.languages: list[str] = []
        self.references: set[int] = set()
        self.counted: dict[tuple[str, str], Frequencies] = {}
        self._numbers: dict[tuple[str, str], int] = {}
        self._readings: dict[tuple[str, str], list[Tokenizer]] = {}
        self._words: dict[tuple[str, str], Sequence[Sequence[str]]] = {}
        self._tokens: dict[tuple[str, str], EncodedTexts] = {}

    @classmethod
    def of(cls, group: RunGroup) -> Self:
        """Number the responses and references of all parts."""
        corpus = cls()
        for part in group.parts:
            columns = part.column("response", ""), part.column("references", ()), group.languages_of(part)
            for response, references, language in zip(*columns, strict=True):
                corpus.number(response, language)
                corpus.references |= {corpus.number(text, language) for text in references if text.strip()}
        corpus.counted |= group.prepared.get(cls, {})
        return corpus

    def number(self, text: str, language: str = "") -> int:
        """Return the number of a text.  Add the text if it is new, which is possible until the corpus is read."""
        place = self._numbers.setdefault((text, language), len(self.texts))
        if place == len(self.texts):
            self.texts.append(text)
            self.languages.append(language)
        return place

    def readings(self, tokens: str, language: str = "") -> Sequence[Tokenizer]:
        """Return the tokenizer of each text, for the language given or else for its own language."""
        key = (tokens, language)
        if key not in self._readings:
            codes = [language] * len(self.texts) if language else self.languages
            tokenizers = {code: Tokenizer.of(tokens, code) for code in set(codes)}
            self._readings[key] = [tokenizers[code] for code in codes]
        return self._readings[key]

    def words(self, tokens: str, language: str = "") -> Sequence[Sequence[str]]:
        """Return the words of each text; characters as one string."""
        key = (tokens, language)
        if key not in self._words:
            readings = self.readings(*key)
            texts = self._ended(readings)
            words = [reading.words(text) for reading, text in zip(readings, texts, strict=True)]
            characters = bool(readings) and readings[0].kind == "char"  # a string counts as its characters, and faster
            self._words[key] = list(map("".join, words)) if characters else words
        return self._words[key]

    def frequencies(self, tokens: str, language: str = "") -> Frequencies:
        """Return the number of different references that contain each word; take it from `counted` if it is there.

        >>> corpus = Corpus()
        >>> corpus.references |= {corpus.number("the cat"), corpus.number("the dog")}
        >>> corpus.frequencies("word").df["the"]
        2
        """
        key = (tokens, language)
        if key not in self.counted:
            if self.one_pair:
                words = self.words(*key)
                df: Mapping[str, int] = Counter(chain.from_iterable(set(words[place]) for place in self.references))
            else:
                df = self.tokens(*key).frequencies(sorted(self.references))
            self.counted[key] = Frequencies(len(self.references), df)
        return self.counted[key]

    def lengths(self, tokens: str, language: str = "") -> Sequence[int]:
        """Return how many words each text has."""
        if self.one_pair:
            return [len(words) for words in self.words(tokens, language)]
        return self.tokens(tokens, language).lengths.tolist()  # type: ignore[no-any-return]

    @cached_property
    def _spellings(self) -> EncodedTexts:
        from neraca.metrics.text.encoded_texts import spellings

        return spellings(self.texts)

    def tokens(self, tokens: str, language: str = "") -> EncodedTexts:
        """Return the words of each text as numbers."""
        key = (tokens, language)
        if key not in self._tokens:
            self._tokens[key] = self._read(tokens, language)
        return self._tokens[key]

    def _read(self, tokens: str, language: str) -> EncodedTexts:
        from neraca.metrics.text.encoded_texts import characters, spellings, tokenize

        readings = self.readings(tokens, language)
        different = set(readings)
        reading = readings[0] if readings else Tokenizer.of(tokens, language)
        if reading.kind == "char":
            whole = list(map(normal_form(reading.norm), self.texts))
            return characters([text.lower() for text in whole] if "lower" in reading.options else whole)
        if len(different) == 1 and reading.unstemmed is not reading:  # stems of the vocabulary are stems of all texts
            return self.tokens(str(reading.unstemmed), language).changed(reading.stemmed)
        texts = self._ended(readings)
        return tokenize(self._spellings if texts is self.texts else spellings(texts), readings)

    def _ended(self, readings: Sequence[Tokenizer]) -> Sequence[str]:
        """Return the texts.  For 13a, strip white space at the end, where a hyphen would read as a line break."""
        if readings and readings[0].kind == "13a" and any(text[-1:].isspace() for text in self.texts):
            return [text.rstrip() for text in self.texts]
        return self.texts
