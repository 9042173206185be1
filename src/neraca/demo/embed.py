"""Texts as vectors: an offline embedding that is fitted to the listings, or any OpenAI-compatible endpoint."""

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
    """What the index needs of an embedding."""

    @property
    def name(self) -> str:
        """What it is; texts embedded under another name are not comparable."""

    def fit(self, texts: Sequence[str], folder: Path) -> None:
        """Learn from the texts, if it learns, and keep what was learnt in the folder."""

    def load(self, folder: Path) -> None:
        """Take up what `fit` kept there."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Give one vector for each text."""


def ngrams(text: str) -> list[str]:
    """Give the character n-grams of each word, its edges marked by spaces.

    Examples
    --------
    >>> ngrams("di USU")
    [' di', 'di ', ' di ', ' us', 'usu', 'su ', ' usu', 'usu ', ' usu ']
    """
    words = [f" {word} " for word in text.casefold().split()]
    sizes = range(NGRAMS[0], NGRAMS[1] + 1)
    return [word[start : start + size] for word in words for size in sizes for start in range(len(word) - size + 1)]


class LocalEmbedding:
    """TF-IDF of character n-grams brought down to a few dimensions: forgives spelling, needs no network.

    scikit-learn does the learning. What it learnt is kept as plain arrays and applied with numpy, because
    loading scikit-learn takes longer than the rest of the demo's start.
    """

    def __init__(self) -> None:
        self._vocabulary: dict[str, int] = {}
        self._weights: Any = None
        self._components: Any = None

    @property
    def name(self) -> str:
        """What it is."""
        return f"tfidf-svd-{DIMENSIONS}-{NGRAMS}"

    def fit(self, texts: Sequence[str], folder: Path) -> None:
        """Learn n-grams and dimensions from the texts."""
        from sklearn.decomposition import TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer

        words = TfidfVectorizer(analyzer=ngrams, sublinear_tf=True, min_df=2)
        dimensions = TruncatedSVD(min(DIMENSIONS, len(texts) - 1), random_state=0)
        dimensions.fit(words.fit_transform(texts))
        known = words.get_feature_names_out().astype(str)
        np.savez(folder / MODEL_FILE, ngrams=known, weights=words.idf_, components=dimensions.components_)
        self.load(folder)

    def load(self, folder: Path) -> None:
        """Read what was learnt."""
        with np.load(folder / MODEL_FILE, allow_pickle=False) as learnt:
            self._vocabulary = {ngram: number for number, ngram in enumerate(learnt["ngrams"].tolist())}
            self._weights, self._components = learnt["weights"], learnt["components"]

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Give one vector for each text."""
        return [self._embed(text) for text in texts]

    def _embed(self, text: str) -> list[float]:
        counts = Counter(self._vocabulary[ngram] for ngram in ngrams(text) if ngram in self._vocabulary)
        which = np.array(list(counts), dtype=int)
        weighted = (1 + np.log(np.array(list(counts.values()), dtype=float))) * self._weights[which]
        vector = self._components[:, which] @ weighted
        # A text without any known n-gram is like nothing: the zero vector.
        scaled: list[float] = (vector / (np.linalg.norm(vector) or 1.0)).tolist()
        return scaled


class EndpointEmbedding:
    """A model behind an OpenAI-compatible `/embeddings` endpoint; the key comes from OPENAI_API_KEY."""

    def __init__(self, url: str, model: str) -> None:
        self.url = url.rstrip("/") + "/embeddings"
        self.model = model

    @property
    def name(self) -> str:
        """Endpoint and model."""
        return f"{self.url} {self.model}"

    def fit(self, texts: Sequence[str], folder: Path) -> None:
        """Do nothing: the model is ready as it is."""

    def load(self, folder: Path) -> None:
        """Do nothing: nothing was kept."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Give one vector for each text.

        Raises
        ------
        ConnectionError
            If the endpoint does not answer, refuses, or answers something else.
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
