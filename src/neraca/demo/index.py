"""The persistent vector index of the listings, in ChromaDB, with an embedding that needs no network."""

from __future__ import annotations

import hashlib
import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

#: A property on offer, as `listings.jsonl` has it; `price` is in rupiah, per year if it is for rent; null: not stated.
Listing = dict[str, Any]
_DIMENSIONS = 128
_NGRAMS = (3, 4, 5)
_LOCK_SECONDS = 300


def ngrams(text: str) -> list[str]:
    """Return the character n-grams of each word, with a space at each edge of the word.

    >>> ngrams("di USU")
    [' di', 'di ', ' di ', ' us', 'usu', 'su ', ' usu', 'usu ', ' usu ']
    """
    words = [f" {word} " for word in text.casefold().split()]
    return [word[start : start + size] for word in words for size in _NGRAMS for start in range(len(word) - size + 1)]


class Embedding:
    """TF-IDF of character n-grams, reduced to a few dimensions: it tolerates spelling errors.

    scikit-learn fits it and numpy applies it, because to import scikit-learn takes longer than the rest of the start.
    """

    def __init__(self, arrays: Mapping[str, Any]) -> None:
        self._columns = {ngram: column for column, ngram in enumerate(arrays["ngrams"].tolist())}
        self._weights, self._components = arrays["weights"], arrays["components"]

    @staticmethod
    def fit(texts: Sequence[str]) -> dict[str, Any]:
        """Fit the vocabulary, its weights and the dimensions to the texts."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        vectorizer = TfidfVectorizer(analyzer=ngrams, sublinear_tf=True, min_df=2)
        dimensions = TruncatedSVD(_DIMENSIONS, random_state=0).fit(vectorizer.fit_transform(texts))
        vocabulary = vectorizer.get_feature_names_out().astype(str)
        return {"ngrams": vocabulary, "weights": vectorizer.idf_, "components": dimensions.components_}

    def __call__(self, text: str) -> list[float]:
        """Return the vector of a text, of length 1; of length 0 if no n-gram of the text is in the vocabulary."""
        counts = Counter(self._columns[ngram] for ngram in ngrams(text) if ngram in self._columns)
        columns = np.array(list(counts), dtype=int)
        weighted = (1 + np.log(np.array(list(counts.values()), dtype=float))) * self._weights[columns]
        vector = self._components[:, columns] @ weighted
        scaled: list[float] = (vector / (np.linalg.norm(vector) or 1.0)).tolist()
        return scaled


def text_of(listing: Listing) -> str:
    """Return the text of a listing for semantic search, without its numbers."""
    kind = f"{listing['property_type']} {listing['listing_type']}"
    parts = [listing["title"], kind, listing["district"], listing["address"], listing["complex"]]
    lists = (", ".join(listing["facilities"]), ", ".join(listing["nearby"]))
    return ". ".join([*filter(None, parts), *lists, listing["description"]])


class Index:
    """The index of these listings in a folder below `folder`; it is built if it is not there or not finished.

    The embedding is written last, so a killed build is done again.  If two processes start at the same time, one builds
    and the other waits.
    """

    def __init__(self, listings: Sequence[Listing], folder: Path) -> None:
        from chromadb import __version__

        key = repr((__version__, _DIMENSIONS, _NGRAMS, list(map(text_of, listings))))
        place = folder / f"listings-{hashlib.sha256(key.encode()).hexdigest()[:16]}"
        place.mkdir(parents=True, exist_ok=True)
        with _locked(folder):
            try:
                self._open(place, listings)
            except Exception as error:  # whatever is wrong with the files
                raise OSError(f"the index in {place} can be neither read nor built; delete it: {error}") from error

    def _open(self, place: Path, listings: Sequence[Listing]) -> None:
        import chromadb
        from chromadb.config import Settings

        texts, fitted = list(map(text_of, listings)), place / "embedding.npz"
        options: Any = {"embedding_function": None}
        options["configuration"] = {"hnsw": {"space": "cosine", "ef_search": len(texts)}}
        self._client = chromadb.PersistentClient(str(place), settings=Settings(anonymized_telemetry=False))
        self._collection = self._client.get_or_create_collection("listings", **options)
        if not fitted.exists() or self._collection.count() < len(texts):
            arrays = Embedding.fit(texts)
            vectors: Any = list(map(Embedding(arrays), texts))
            self._collection.upsert(ids=[listing["id"] for listing in listings], embeddings=vectors)
            np.savez(place / "unfinished.npz", **arrays)
            (place / "unfinished.npz").replace(fitted)
        with np.load(fitted, allow_pickle=False) as arrays:
            self._embed = Embedding(arrays)

    def similarities(self, text: str) -> dict[str, float]:
        """Return the cosine similarity of every listing to a text, by id."""
        size = self._collection.count()
        vectors: Any = [self._embed(text)]
        result = self._collection.query(query_embeddings=vectors, n_results=size, include=["distances"])
        ids, distances = result["ids"][0], (result["distances"] or [[]])[0]
        return {key: 1 - distance for key, distance in zip(ids, distances, strict=True)}

    def close(self) -> None:
        """Close the files."""
        self._client.close()  # type: ignore[attr-defined]


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Wait until no other process opens or builds an index here; the lock of a killed process ends with it."""
    lock = sqlite3.connect(folder / "lock.sqlite", timeout=_LOCK_SECONDS, isolation_level=None)
    with closing(lock):
        lock.execute("BEGIN EXCLUSIVE")
        yield
