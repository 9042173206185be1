"""Embeddings: texts in, unit vectors out."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from neraca.errors import MissingExtra, SpecError, nearest
from neraca.models.embed_endpoint import Endpoint
from neraca.models.embed_pool import Local, Pool
from neraca.models.minilm import PACKAGE, load, place
from neraca.models.model_session import ModelSession
from neraca.settings import read_settings

Encode = Callable[[Sequence[str]], NDArray[np.float32]]


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes
    ----------
    name
        As it stands in verdicts after `embed:`, such as `minilm` or `openai:text-embedding-3-small`.
    """

    name: str

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (n, d), in the order of the texts; kept in the session's cache text by text."""


class EmbedderSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which embeddings, and how they are asked for; all but `model` matter to endpoints only.

    Attributes
    ----------
    model
        `minilm`: a small model of English on this machine; `openai:NAME`: any OpenAI-compatible endpoint;
        `sentence-transformers:NAME`, `fastembed:NAME`: what these packages find under the name, where they are
        installed.
    url
        Base URL of the endpoint (Ollama, vLLM, llama.cpp); "" is OpenAI's, or that of `OPENAI_BASE_URL`.
    key
        The key, or `${NAME}` of an environment variable; "" is that of `OPENAI_API_KEY`.
    batch
        Most texts per call.
    timeout, retries
        Seconds per call, further attempts.
    price
        US dollars per million tokens; None: as genai-prices knows it.
    """

    model: str = "minilm"
    url: str = ""
    key: str = ""
    batch: int = 32
    timeout: float = 60.0
    retries: int = 4
    price: float | None = None


def make_embedder(settings: Mapping[str, Any], session: ModelSession) -> Embedder:
    """The embedder that the settings name; nothing is loaded or asked before it is first used.

    Parameters
    ----------
    settings
        See `EmbedderSettings`.
    session
        Whose cache keeps the vectors; endpoints also use its limit, retries, budget and counts.

    Raises
    ------
    SpecError
        For an unknown name or setting, a missing key, or what is no URL.
    MissingExtra
        When a package is not installed: says which.

    >>> make_embedder({"model": "openai:text-embedding-3-small", "key": "k"}, ModelSession()).name
    'openai:text-embedding-3-small'
    """
    given = read_settings(EmbedderSettings, settings, "embeddings")
    kind, _, name = given.model.partition(":")
    if kind not in _KINDS or bool(name) == (kind == "minilm"):
        known = [kind if kind == "minilm" else f"{kind}:NAME" for kind in _KINDS]
        raise SpecError(f"no embeddings {given.model!r}; {nearest(given.model, known)}")
    source = _KINDS[kind](name, given, session)
    return Pool(given.model, source, session)


def _minilm(name: str, settings: EmbedderSettings, session: ModelSession) -> Local:
    folder = place()
    return Local({"model": "minilm", "version": version(PACKAGE)}, lambda: load(folder).encode)


def _openai(name: str, settings: EmbedderSettings, session: ModelSession) -> Endpoint:
    return Endpoint(settings, session)


def _sentence_transformers(name: str, settings: EmbedderSettings, session: ModelSession) -> Local:
    _installed("sentence_transformers", settings.model)

    def load() -> Encode:
        model = import_module("sentence_transformers").SentenceTransformer(name)
        return functools.partial(model.encode, convert_to_numpy=True, show_progress_bar=False)

    return Local({"model": settings.model}, load)


def _fastembed(name: str, settings: EmbedderSettings, session: ModelSession) -> Local:
    _installed("fastembed", settings.model)

    def load() -> Encode:
        model = import_module("fastembed").TextEmbedding(model_name=name)
        return lambda texts: np.array(list(model.embed(list(texts))))

    return Local({"model": settings.model}, load)


def _installed(package: str, model: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra(f"{model} needs a package: pip install {package.replace('_', '-')}")


_KINDS: dict[str, Callable[[str, EmbedderSettings, ModelSession], Local | Endpoint]] = {
    "minilm": _minilm,
    "openai": _openai,
    "sentence-transformers": _sentence_transformers,
    "fastembed": _fastembed,
}
