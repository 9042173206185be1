"""Embed texts: with an offline embedding fitted to the listings, or with any OpenAI-compatible endpoint."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

Vectors = list[list[float]]

DIMENSIONS = 128
NGRAMS = (3, 5)
BATCH = 128
SECONDS = 60
MODEL_FILE = "embedding.npz"


class Embedding(Protocol):
    """The interface of an embedding for the index."""

    @property
    def name(self) -> str:
        """Name of the embedding; vectors under different names are not comparable."""

    def fit(self, texts: Sequence[str], folder: Path) -> None:
        """Fit the embedding to the texts, if it can be fitted, and save the result in the folder."""

    def load(self, folder: Path) -> None:
        """Load the result that `fit` saved."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each text."""


def ngrams(text: str) -> list[str]:
    """Return the character n-grams of each word, with a space at each edge of the word.

    Examples
    --------
    >>> ngrams("di USU")
    [' di', 'di ', ' di ', ' us', 'usu', 'su ', ' usu', 'usu ', ' usu ']
    """
    words = [f" {word} " for word in text.casefold().split()]
    sizes = range(NGRAMS[0], NGRAMS[1] + 1)
    return [word[start : start + size] for word in words for size in sizes for start in range(len(word) - size + 1)]


class LocalEmbedding:
    """TF-IDF of character n-grams, reduced to a few dimensions: it tolerates spelling errors and needs no network.

    scikit-learn fits it. The result is saved as arrays and applied with numpy, because to import scikit-learn takes
    longer than the rest of the demo's start.
    """

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._weights: Any = None
        self._components: Any = None

    @property
    def name(self) -> str:
        """Name with the parameters of the embedding."""
        return f"tfidf-svd-{DIMENSIONS}-{NGRAMS}"

    def fit(self, texts: Sequence[str], folder: Path) -> None:
        """Fit the vocabulary and the dimensions to the texts, and save them."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        words = TfidfVectorizer(analyzer=ngrams, sublinear_tf=True, min_df=2)
        dimensions = TruncatedSVD(min(DIMENSIONS, len(texts) - 1), random_state=0)
        dimensions.fit(words.fit_transform(texts))
        vocabulary = words.get_feature_names_out().astype(str)
        np.savez(folder / MODEL_FILE, ngrams=vocabulary, weights=words.idf_, components=dimensions.components_)
        self.load(folder)

    def load(self, folder: Path) -> None:
        """Load the vocabulary and the dimensions."""
        with np.load(folder / MODEL_FILE, allow_pickle=False) as arrays:
            self._vocabulary = {ngram: number for number, ngram in enumerate(arrays["ngrams"].tolist())}
            self._weights, self._components = arrays["weights"], arrays["components"]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each text."""
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> list[float]:
        counts = Counter(self._vocabulary[ngram] for ngram in ngrams(text) if ngram in self._vocabulary)
        columns = np.array(list(counts), dtype=int)
        weighted = (1 + np.log(np.array(list(counts.values()), dtype=float))) * self._weights[columns]
        vector = self._components[:, columns] @ weighted
        # A text without any n-gram of the vocabulary gets the zero vector.
        scaled: list[float] = (vector / (np.linalg.norm(vector) or 1.0)).tolist()
        return scaled


class EndpointEmbedding:
    """A model behind an OpenAI-compatible `/embeddings` endpoint; the key comes from OPENAI_API_KEY."""

    def __init__(self, url: str, model: str) -> None:
        self.url = url.rstrip("/") + "/embeddings"
        self.model = model

    @property
    def name(self) -> str:
        """Address and model."""
        return f"{self.url} {self.model}"

    def fit(self, texts: Sequence[str], folder: Path) -> None:
        """Do nothing: the model needs no fitting."""

    def load(self, folder: Path) -> None:
        """Do nothing: `fit` saves nothing."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one vector for each text.

        Raises
        ------
        ConnectionError
            The endpoint does not answer, refuses, or returns something else.
        """
        return [vector for start in range(0, len(texts), BATCH) for vector in self._ask(texts[start : start + BATCH])]

    def _ask(self, texts: Sequence[str]) -> Vectors:
        body = json.dumps({"model": self.model, "input": list(texts)}).encode()
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY', '')}",
        }
        request = urllib.request.Request(self.url, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                rows = json.load(response)["data"]
                vectors: Vectors = [row["embedding"] for row in sorted(rows, key=lambda row: row["index"])]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ConnectionError(f"embeddings from {self.url}: {error}") from error
        if len(vectors) != len(texts):
            raise ConnectionError(f"embeddings from {self.url}: {len(vectors)} vectors for {len(texts)} texts")
        return vectors
