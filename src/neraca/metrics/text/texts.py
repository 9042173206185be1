"""The view that all text metrics share: each response beside the references of its question."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from neraca.metrics.scorable import Scorable
from neraca.metrics.text import vector
from neraca.metrics.text.corpus import Corpus
from neraca.metrics.text.pair_counts_python import PythonPairCounts
from neraca.metrics.text.vector import Vector

if TYPE_CHECKING:
    from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
    from neraca.stats.intervals.interval import Floats

#: Why a text metric can have no value, in words.
NO_WORDS = "no reference has a word in it"


@dataclass(frozen=True)
class Texts:
    """n responses, and p pairs of a response and one of its references.

    Attributes
    ----------
    corpus
        Where the texts are.
    response
        For each answer the number of its text, shape (n,); of one that failed, of an empty text.
    reference, owner
        For each pair the number of the reference, and the row of the answer, shape (p,); in order of the rows.
    unscored
        For each answer why it cannot be scored, or "".
    """

    needs: ClassVar[tuple[str, ...]] = ("response", "references")
    corpus: Corpus
    response: Sequence[int]
    reference: Sequence[int]
    owner: Sequence[int]
    unscored: Sequence[str]
    _pairs: dict[tuple[str, str], PythonPairCounts | NumpyPairCounts] = field(
        default_factory=dict, repr=False, compare=False
    )

    @classmethod
    def of(cls, part: Scorable) -> Self:
        """Look at the responses."""
        corpus = part.group.share(Corpus)
        response: list[int] = []
        reference: list[int] = []
        owner: list[int] = []
        columns = part.column("response"), part.column("references"), part.group.languages_of(part)
        for row, (text, references, language) in enumerate(zip(*columns, strict=True)):
            response.append(corpus.number(text, language))
            usable = [text for text in references if text and not text.isspace()]
            reference += [corpus.number(text, language) for text in usable]
            owner += [row] * len(usable)
        return cls(corpus, response, reference, owner, part.why_not("references"))

    @classmethod
    def of_texts(cls, reference: str, response: str, language: str = "") -> Self:
        """One response beside one reference, whatever stands in them."""
        corpus = Corpus()
        ours, theirs = corpus.number(response, language), corpus.number(reference, language)
        corpus.references.add(theirs)
        return cls(corpus, [ours], [theirs], [0], [""])

    @classmethod
    def of_pairs(cls, responses: Sequence[str], references: Sequence[str], language: str = "") -> Self:
        """Each response beside one reference, whatever stands in them; both must be equally many.

        >>> Texts.of_pairs(["a", "b"], ["a", "a"]).corpus.texts
        ['a', 'b']
        """
        corpus = Corpus()
        ours = [corpus.number(text, language) for text in responses]
        theirs = [corpus.number(text, language) for text in references]
        corpus.references.update(theirs)
        return cls(corpus, ours, theirs, range(len(ours)), [""] * len(ours))

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.response)

    @property
    def xp(self) -> Any:
        """numpy, or `vector` where there is so little text that importing numpy would cost more than the work."""
        if self.corpus.few:
            return vector
        import numpy

        return numpy

    def pairs(self, tokens: str, language: str = "") -> PythonPairCounts | NumpyPairCounts:
        """Return the pairs read as words: in the language given, else each text in its own."""
        key = (tokens, language)
        if key not in self._pairs:
            responses = [self.response[row] for row in self.owner]
            readings = self.corpus.readings(*key)
            own = not readings or readings[0].own  # they are of one kind in every language
            if self.corpus.few:
                words = self.corpus.words(*key)
                self._pairs[key] = PythonPairCounts.of(words, responses, self.reference, self.owner, self.n, own)
            else:
                from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts

                self._pairs[key] = NumpyPairCounts.of(
                    self.corpus.tokens(*key), responses, self.reference, self.owner, self.n, own
                )
        return self._pairs[key]

    def single(self, tokens: str, language: str = "") -> tuple[Sequence[str], Sequence[str], bool] | None:
        """The words of response and reference where there is one pair alone, and whether we read our own way.

        None where there are more: then a metric asks for `pairs`, which costs more than the metric of a short pair.
        """
        if len(self.owner) != 1 or len(self.response) != 1 or not self.corpus.few:
            return None
        words = self.corpus.words(tokens, language)
        own = self.corpus.readings(tokens, language)[0].own
        return words[self.response[0]], words[self.reference[0]], own

    def each(self, function: Callable[[str, str], float]) -> Floats:
        """A function of response and reference for each pair, shape (p,); equal pairs are computed once."""
        texts, computed = self.corpus.texts, {}
        pairs = [(self.response[row], place) for row, place in zip(self.owner, self.reference, strict=True)]
        for response, reference in dict.fromkeys(pairs):
            computed[response, reference] = function(texts[response], texts[reference])
        return self.column([computed[pair] for pair in pairs])

    def column(self, values: Sequence[float]) -> Floats:
        """Numbers as an array of `xp`."""
        return Vector(values) if self.corpus.few else self.xp.array(values, dtype="float64")  # type: ignore[return-value]

    def defined(self, values: Floats, pairs: PythonPairCounts | NumpyPairCounts) -> Floats:
        """The values with NaN where our own reading finds no word in the reference; other libraries have numbers."""
        return self.xp.where(pairs.reference == 0, math.nan, values) if pairs.own else values

    def best(self, values: Floats, *, higher: bool = True) -> Floats:
        """The best of the values of each answer's pairs, shapes (p,) -> (n,); NaN where there is none.

        A pair whose value is NaN does not count.
        """
        if len(values) == self.n and len(set(self.owner)) == self.n:
            return values
        best = [math.nan] * self.n
        for row, value in zip(self.owner, values.tolist() if hasattr(values, "tolist") else values, strict=True):
            current = best[row]
            if current != current or (value > current if higher else value < current):
                best[row] = value
        return self.column(best)
