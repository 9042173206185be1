"""The view of all text metrics: each response beside the references of its question."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from neraca.metrics.scorable import Scorable
from neraca.metrics.text.corpus import Corpus
from neraca.metrics.text.pair_counts_python import PythonPairCounts
from neraca.metrics.text.scalar import NUMBER

if TYPE_CHECKING:
    from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
    from neraca.stats.intervals.interval import Floats

#: The usual reason why a text metric is undefined.
NO_WORDS = "no reference has a word in it"


@dataclass(frozen=True)
class Texts:
    """n responses, and p pairs of a response and one of its references.

    Attributes
    ----------
    corpus
        The texts by number.
    response
        The number of each answer's text, shape (n,); a failed answer has the number of an empty text.
    reference, owner
        The number of each pair's reference, and the row of its answer, shape (p,); in order of the rows.
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
        """Pair the responses of a scorable with their references."""
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
        """Return the view of a single response and reference, even if they are empty.

        Metrics then compute with numbers instead of arrays: a value is a number, and counts are a list.
        """
        corpus = Corpus(one_pair=True)
        response_number, reference_number = corpus.number(response, language), corpus.number(reference, language)
        corpus.references.add(reference_number)
        return cls(corpus, [response_number], [reference_number], [0], [""])

    @classmethod
    def of_pairs(cls, responses: Sequence[str], references: Sequence[str], language: str = "") -> Self:
        """Return the view of equally many responses and references, even if they are empty.

        >>> Texts.of_pairs(["a", "b"], ["a", "a"]).corpus.texts
        ['a', 'b']
        """
        corpus = Corpus()
        response = [corpus.number(text, language) for text in responses]
        reference = [corpus.number(text, language) for text in references]
        corpus.references.update(reference)
        return cls(corpus, response, reference, range(len(response)), [""] * len(response))

    @property
    def n(self) -> int:
        """Number of answers."""
        return len(self.response)

    @property
    def xp(self) -> Any:
        """Numpy; for a single pair, functions of the same names for numbers."""
        if self.corpus.one_pair:
            return NUMBER
        import numpy

        return numpy

    def pairs(self, tokens: str, language: str = "") -> PythonPairCounts | NumpyPairCounts:
        """Return the tokenized pairs, in this language or each text in its own."""
        key = (tokens, language)
        if key not in self._pairs:
            readings = self.corpus.readings(*key)
            own = not readings or readings[0].own  # tokenizers are of one kind in every language
            if self.corpus.one_pair:
                words = self.corpus.words(*key)
                self._pairs[key] = PythonPairCounts(words[self.response[0]], words[self.reference[0]], own)
            else:
                from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts

                responses = [self.response[row] for row in self.owner]
                self._pairs[key] = NumpyPairCounts.of(
                    self.corpus.tokens(*key), responses, self.reference, self.owner, self.n, own
                )
        return self._pairs[key]

    def per_pair(self, function: Callable[[str, str], float]) -> Floats:
        """Compute a function of response and reference for each pair, shape (p,), once for equal pairs."""
        texts, computed = self.corpus.texts, {}
        pairs = [(self.response[row], place) for row, place in zip(self.owner, self.reference, strict=True)]
        for response, reference in dict.fromkeys(pairs):
            computed[response, reference] = function(texts[response], texts[reference])
        return self.column([computed[pair] for pair in pairs])

    def column(self, values: Sequence[float]) -> Floats:
        """Return numbers as an array; for a single pair, as a number."""
        return values[0] if self.corpus.one_pair else self.xp.array(values, dtype="float64")  # type: ignore[return-value]

    def as_list(self, values: Any) -> list[float]:
        """Return the values of pairs (an array, or a number for a single pair) as a list."""
        return [values] if self.corpus.one_pair else list(values)

    def defined(self, values: Any, pairs: PythonPairCounts | NumpyPairCounts) -> Floats:
        """Set the value to NaN if our own tokenizer finds no word in the reference."""
        return self.xp.where(pairs.reference == 0, math.nan, values) if pairs.own else values  # type: ignore[no-any-return]

    def best(self, values: Any, *, higher: bool = True) -> Floats:
        """Return the best value of each answer's pairs, ignoring NaN, shapes (p,) -> (n,); NaN without a pair."""
        if self.corpus.one_pair or (len(values) == self.n and len(set(self.owner)) == self.n):
            return values  # type: ignore[no-any-return]
        best = [math.nan] * self.n
        for row, value in zip(self.owner, values.tolist(), strict=True):
            current = best[row]
            if current != current or (value > current if higher else value < current):
                best[row] = value
        return self.column(best)
