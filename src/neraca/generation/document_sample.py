"""Draw the documents that questions are written about: from every source, section and length, each once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from neraca.errors import SpecError
from neraca.generation.documents import Document
from neraca.generation.near_duplicates import near_duplicates
from neraca.translation import say

#: Names of lengths, and the least number of words of each.
LENGTHS = {"short": 0, "middle": 100, "long": 400}


@dataclass(frozen=True)
class DocumentSample:
    """Documents drawn at random.

    Attributes
    ----------
    documents
        The drawn documents, in the order in which they were read.
    total
        The number of documents that could be drawn, near duplicates counted once.
    duplicates
        The id of each near duplicate → the id of the first document that is nearly the same, which stands for it.
    lengths
        Name of a length → the number of documents that could be drawn, and of those drawn.
    """

    documents: tuple[Document, ...]
    total: int
    duplicates: Mapping[str, str]
    lengths: Mapping[str, tuple[int, int]]

    def alike(self, name: str) -> list[str]:
        """Return the ids of the documents that are nearly the same as the one with this id, its own not included."""
        first = self.duplicates.get(name, name)
        group = [first, *(other for other, original in self.duplicates.items() if original == first)]
        return [other for other in group if other != name]


def sample_documents(documents: Sequence[Document], n: int, seed: int = 0) -> DocumentSample:
    """Draw n documents, each with the same chance; fewer if there are not so many.

    Near duplicates are one document.  The documents are ordered by source, section and length, and by chance
    within these; then every k-th is drawn from a place that chance chooses, so that each source, section and length
    gets its share.

    Parameters
    ----------
    documents
        The documents.
    n
        The number of documents to draw.
    seed
        Seed of the random numbers: equal seeds draw equal documents.

    References
    ----------
    Madow, W. and Madow, L. (1944). On the theory of systematic sampling. Annals of Mathematical Statistics 15, 1-24.

    Raises
    ------
    SpecError
        If n is below 1.
    """
    if n < 1:
        raise SpecError(say("the number of documents must be at least 1, not {n}", n=n))
    first = near_duplicates([document.text for document in documents])
    duplicates = {
        documents[number].id: documents[original].id for number, original in enumerate(first) if number != original
    }
    distinct = [number for number, original in enumerate(first) if number == original]
    random = Random(seed)
    lengths = {number: length_of(documents[number].text) for number in distinct}
    chance = {number: random.random() for number in distinct}
    order = sorted(
        distinct,
        key=lambda number: (
            documents[number].source,
            documents[number].section.partition(" > ")[0],
            LENGTHS[lengths[number]],
            chance[number],
        ),
    )
    step = len(order) / min(n, len(order)) if order else 1.0
    start = random.random() * step
    drawn = sorted(order[min(int(start + step * place), len(order) - 1)] for place in range(min(n, len(order))))
    there, taken = Counter(lengths.values()), Counter(lengths[number] for number in drawn)
    return DocumentSample(
        tuple(documents[number] for number in drawn),
        len(order),
        duplicates,
        {name: (there[name], taken[name]) for name in LENGTHS},
    )


def length_of(text: str) -> str:
    """Return the name of the length of a text: below 100 words, below 400, or more; a word counts as six bytes.

    >>> length_of("Dogs are welcome."), length_of("dogs " * 200)
    ('short', 'middle')
    """
    words = len(text.encode()) / 6
    return [name for name, least in LENGTHS.items() if words >= least][-1]
