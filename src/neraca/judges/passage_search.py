"""Find the passages of a knowledge base that are nearest to a claim, by common words and by meaning."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.datasets.corpus import Corpus
from neraca.errors import InputError
from neraca.judges.bm25 import Bm25, best
from neraca.judges.llm.context_matrix import WORD_BYTES, cut_text
from neraca.models.embed import Embedder
from neraca.models.model_session import ModelSession
from neraca.sentences import sentences

#: Number of passages fused from each ranking, and the paper's constant that keeps first ranks from deciding alone.
DEPTH, RRF = 100, 60
#: Passages that are embedded at a time.
_BLOCK = 1000


@dataclass(frozen=True)
class PassageIndex:
    """The passages of a corpus.

    Attributes
    ----------
    documents, texts
        For each passage, the id of its document, and its text after the title of the document.
    by_words
        The search for passages by their words.
    count
        Number of documents.
    """

    documents: Sequence[str]
    texts: Sequence[str]
    by_words: Bm25
    count: int


@dataclass(frozen=True)
class CorpusSource:
    """The location of a corpus and the options for reading it; see `Corpus`.  `words` is the length of a passage."""

    path: str
    text_column: str
    id_column: str
    encoding: str
    words: int

    def corpus(self) -> Corpus:
        """Return the documents; raise `InputError` as `Corpus` does."""
        return Corpus(self.path, text_column=self.text_column, id_column=self.id_column, encoding=self.encoding)

    def index(self) -> PassageIndex:
        """Return the passages; the last corpus stays in memory until its files change.

        Raise `InputError` as `Corpus` does, and if the documents have no text.
        """
        return _index(self, self.corpus().stamp(), str(Path(self.path).absolute()))


@functools.lru_cache(maxsize=1)
def _index(source: CorpusSource, stamp: tuple[Any, ...], path: str) -> PassageIndex:
    count, documents, texts = 0, list[str](), list[str]()
    for document in source.corpus():
        count += 1
        for passage in cut_passages(document.text or document.title, source.words):
            documents.append(document.id)
            texts.append(f"{document.title}\n{passage}" if document.title and document.text else passage)
    if not texts:
        raise InputError(f"{source.path}: no text in it, so there is nothing to look in")
    return PassageIndex(documents, texts, Bm25(texts), count)


def cut_passages(text: str, words: int) -> Iterator[str]:
    """Cut a text into passages of at most `words` words, if possible at the ends of sentences.

    A word counts as six bytes, so that scripts without spaces are cut alike.

    >>> list(cut_passages("It has three rooms. It has a lift. One dog of up to twenty kilos may live there.", 6))
    ['It has three rooms. It has a lift.', 'One dog of up to twenty kilos may', 'live there.']
    """
    most_bytes, passage = words * WORD_BYTES, ""
    for sentence in sentences(text):
        for piece in cut_text(sentence, most_bytes):
            longer = f"{passage} {piece.strip()}" if passage else piece.strip()
            if passage and len(longer.encode()) > most_bytes:
                yield passage
                longer = piece.strip()
            passage = longer
    if passage:
        yield passage


def fuse(rankings: Iterable[Iterable[int]], most: int) -> list[int]:
    """Fuse rankings of numbers by their reciprocal ranks; of equal sums, the lower number comes first.

    References
    ----------
    Cormack, G. and others (2009). Reciprocal rank fusion outperforms Condorcet and individual rank learning methods.
    SIGIR, 758-759.

    Examples
    --------
    >>> fuse([[7, 5, 3], [5, 9]], 2)  # 1/61; 1/62 + 1/61
    [5, 7]
    """
    scores: dict[int, float] = {}
    for ranking in rankings:
        for rank, number in enumerate(ranking, 1):
            scores[number] = scores.get(number, 0.0) + 1 / (RRF + rank)
    return sorted(scores, key=lambda number: (-scores[number], number))[:most]


class PassageSearch:
    """Finds the passages nearest to claims; the passages are embedded once, when the first claim is looked for.

    Parameters
    ----------
    index
        The passages.
    embedder
        The embedder that compares meanings; None: words alone decide.
    session
        The session that shows the progress of the embedding.
    most
        Most passages to find for each claim.
    """

    def __init__(self, index: PassageIndex, embedder: Embedder | None, session: ModelSession, most: int) -> None:
        self._index, self._embedder, self._session, self._most = index, embedder, session, most
        self._task: asyncio.Task[NDArray[np.float32]] | None = None

    async def nearest(self, claims: Sequence[str]) -> list[list[int]]:
        """Return for each claim the numbers of the passages nearest to it, the nearest first.

        Raise `ModelError` if a text cannot be embedded, `SpecError` and `BudgetReached` as `Embedder.embed`.
        """
        if self._embedder is None:
            return await asyncio.to_thread(self._rank, claims, None)
        self._task = self._task or asyncio.create_task(self._embed(self._embedder))
        passages = await asyncio.shield(self._task)
        vectors = await self._embedder.embed(claims)
        if passages.shape[1] == vectors.shape[1]:
            cosines = passages @ vectors.T
        else:  # a dry run makes some vectors up: any passages then show what a call costs
            cosines = np.zeros((len(passages), len(claims)), np.float32)
        return await asyncio.to_thread(self._rank, claims, cosines)

    def _rank(self, claims: Sequence[str], cosines: NDArray[np.float32] | None) -> list[list[int]]:
        passages_by_claim = []
        for number, claim in enumerate(claims):
            rankings = [self._index.by_words.rank(claim, DEPTH).tolist()]
            if cosines is not None:
                rankings.append(best(cosines[:, number], len(cosines), DEPTH).tolist())
            passages_by_claim.append(fuse(rankings, self._most))
        return passages_by_claim

    async def _embed(self, embedder: Embedder) -> NDArray[np.float32]:
        """Return the vectors of all passages, shape (n, d)."""
        texts, vectors = self._index.texts, np.empty((0, 0), np.float32)
        for start in range(0, len(texts), _BLOCK):
            block = await embedder.embed(texts[start : start + _BLOCK])
            if not start:
                vectors = np.empty((len(texts), block.shape[1]), np.float32)
            elif block.shape[1] != vectors.shape[1]:
                if self._session.dry_run:
                    return np.empty((len(texts), 0), np.float32)
                raise InputError(
                    f"{embedder.name}: vectors of {vectors.shape[1]} and of {block.shape[1]} numbers under one name: "
                    "the model there is another one now; choose another name"
                )
            vectors[start : start + len(block)] = block
            embedded = min(start + _BLOCK, len(texts))
            if not self._session.dry_run and embedded < len(texts):
                self._session.progress(embedded, len(texts), "passages embedded")
        return vectors
