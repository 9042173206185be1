"""Cut documents into passages, choose the parts that a writer is shown, and find passages by their words."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate
from random import Random

from neraca.files import fingerprint
from neraca.generation.documents import Document
from neraca.generation.drafts import Window
from neraca.judges.bm25 import Bm25
from neraca.judges.passage_search import cut_passages
from neraca.unicode_words import unicode_words

#: Most words of a passage, and most passages that the writer is shown of a document.
PASSAGE_WORDS, WINDOW_PASSAGES = 150, 5
#: Fewest words of a document that a question is written about.
LEAST_WORDS = 12


class Passages:
    """The passages of all documents.

    Parameters
    ----------
    documents
        The documents; their order numbers them.

    Attributes
    ----------
    texts, numbers
        For each passage its text, and the number of its document.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = documents
        self.texts: list[str] = []
        self.numbers: list[int] = []
        counts = []
        self._ids_by_content: dict[str, list[str]] = {}
        for number, document in enumerate(documents):
            cut = list(cut_passages(document.text, PASSAGE_WORDS))
            self.texts += cut
            self.numbers += [number] * len(cut)
            counts.append(len(cut))
            self._ids_by_content.setdefault(_content(document), []).append(document.id)
        self._starts = list(accumulate(counts, initial=0))
        self._number_by_id = {document.id: number for number, document in enumerate(documents)}
        self._search = Bm25(self.whole(passage) for passage in range(len(self.texts)))

    def whole(self, passage: int) -> str:
        """Return a passage after the heading of its document."""
        head = heading(self._documents[self.numbers[passage]])
        return f"{head}\n{self.texts[passage]}" if head else self.texts[passage]

    def document(self, passage: int) -> Document:
        """Return the document of a passage."""
        return self._documents[self.numbers[passage]]

    def copies(self, name: str) -> list[str]:
        """Return the ids of the other documents that have the same headings and text as the one with this id."""
        document = self._documents[self._number_by_id[name]]
        return [other for other in self._ids_by_content[_content(document)] if other != name]

    def window(self, document: Document, random: Random) -> Window:
        """Return a part of a document, which begins at a random passage if the document is long."""
        number = self._number_by_id[document.id]
        first, end = self._starts[number], self._starts[number + 1]
        start = random.randrange(first, max(first, end - WINDOW_PASSAGES) + 1)
        return self._window(number, start, min(end, start + WINDOW_PASSAGES))

    def neighbour(self, window: Window) -> Window | None:
        """Return the part of another document that shares the rarest words with this one; None if there is none."""
        for passage in self.nearest(window.whole, 50, window.passages):
            other = self.document(passage)
            if other.id != window.document.id and other.text != window.document.text and is_long_enough(other):
                number = self.numbers[passage]
                end = min(self._starts[number + 1], passage + WINDOW_PASSAGES)
                return self._window(number, max(self._starts[number], end - WINDOW_PASSAGES), end)
        return None

    def nearest(self, query: str, most: int, without: Collection[int]) -> list[int]:
        """Return the passages that share words with a query, the nearest first, without some of them."""
        ranked = self._search.rank(query, most + len(without)).tolist()
        return [passage for passage in ranked if passage not in without][:most]

    def _window(self, number: int, first: int, end: int) -> Window:
        document = self._documents[number]
        return Window(document, heading(document), "\n".join(self.texts[first:end]), range(first, end))


def heading(document: Document) -> str:
    """Return the title of a document and the headings above its text, each once."""
    return " > ".join(dict.fromkeys(_parts(document)))


def _content(document: Document) -> str:
    return fingerprint((heading(document), document.text.split()))


def is_long_enough(document: Document) -> bool:
    """Return whether a document has enough words for a question."""
    return len(unicode_words(document.text[:2000])) >= LEAST_WORDS


def _parts(document: Document) -> Iterator[str]:
    yield from filter(None, [document.title, *document.section.split(" > ")])
