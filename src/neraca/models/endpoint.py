"""Where a model lives: what of the settings and of the environment decides which endpoint is asked."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from neraca.errors import SpecError

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")
_PLACES = re.compile(r"_(URL|ENDPOINT|HOST|REGION|LOCATION|PROJECT|RESOURCE)$")
_NAMED = re.compile(r"//[^/@]*@")
_SHOWN = 300
_PREFIXES = {"BEDROCK": "AWS", "COHERE": "CO", "HUGGINGFACE": "HF"}


def url_of(model: str, given: str) -> str:
    """The base URL to ask: the given one, else the provider's `…_BASE_URL` of the environment, else "".

    >>> url_of("openai:judge", "http://localhost:11434/v1/")
    'http://localhost:11434/v1'
    """
    usual = (value for name, value in _environment(model) if name.endswith("BASE_URL"))
    url = (given or next(usual, "")).rstrip("/")
    if url and not re.fullmatch(r"https?://[^\s/]+\S*", url):
        raise SpecError(f"{model}: {public(url)!r} is not a URL; write http://HOST/v1 or https://HOST/v1")
    try:
        urlsplit(url).port  # noqa: B018 - looked at, because it is checked only then
    except ValueError as error:
        raise SpecError(f"{model}: {public(url)!r} is not a URL: {error}") from None
    return url


def place_of(model: str, url: str) -> str:
    """A name for the endpoint, without name and password: what is asked there is never mixed up with other places.

    Without a URL it is the provider and all that the environment says of where to find it; rather too much of that,
    since a difference that changes no reply costs only calls.
    """
    if url:
        parts = urlsplit(url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return " ".join([model.partition(":")[0], *(f"{name}={value}" for name, value in _environment(model))])


def public(url: str) -> str:
    """A URL for people and files: without name, password, query and fragment.

    >>> public("https://me:secret@host/v1?key=secret#a")
    'https://host/v1'
    """
    return _NAMED.sub("//", url).partition("?")[0].partition("#")[0]


def hide(text: str, key: str) -> str:
    """`text` without the key, secrets of the environment that a provider may have got, and passwords in URLs."""
    secrets = [key, *(value for name, value in os.environ.items() if _SECRET.search(name))]
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        if len(secret) > 3:
            text = text.replace(secret, "***")
    return _NAMED.sub("//", text)


def shown(text: str, key: str) -> str:
    """What others said, for a message: on one line, without secrets, and not too long."""
    return " ".join(hide(text, key).split())[:_SHOWN]


def filled(thing: Any, who: str) -> Any:
    """Settings with each `${NAME}` in a text replaced by the environment variable; `SpecError` if it is not set."""
    if isinstance(thing, str):
        return _VARIABLE.sub(lambda found: _value(found[1], who), thing)
    if isinstance(thing, dict):
        return {name: filled(value, who) for name, value in thing.items()}
    if isinstance(thing, list):
        return [filled(value, who) for value in thing]
    return thing


def _value(name: str, who: str) -> str:
    if name not in os.environ:
        raise SpecError(f"{who}: the environment variable {name} is not set")
    return os.environ[name].strip()


def _environment(model: str) -> list[tuple[str, str]]:
    first = re.split("[-:]", model)[0].upper()
    prefix = f"{_PREFIXES.get(first, first)}_"
    return sorted((name, os.environ[name]) for name in os.environ if name.startswith(prefix) and _PLACES.search(name))
