"""Which endpoint is asked, by the settings and the environment; and text without the secrets of either."""

from __future__ import annotations

import os
import re
from typing import Any
from urllib.parse import urlsplit

from neraca.errors import SpecError

_VARIABLE = re.compile(r"\$\{([A-Za-z_]\w*)\}")
_SECRET = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD)S?$")
_LOCATION = re.compile(r"_(URL|ENDPOINT|HOST|REGION|LOCATION|PROJECT|RESOURCE)$")
_NAMED = re.compile(r"//[^/@]*@")
_SHOWN = 300
_PREFIXES = {"BEDROCK": "AWS", "COHERE": "CO", "HUGGINGFACE": "HF"}


def base_url(model: str, given: str) -> str:
    """Return the base URL to ask: the given one, else the provider's `…_BASE_URL` of the environment, else "".

    >>> base_url("openai:judge", "http://localhost:11434/v1/")
    'http://localhost:11434/v1'
    """
    from_environment = (value for name, value in _environment(model) if name.endswith("BASE_URL"))
    url = (given or next(from_environment, "")).rstrip("/")
    if url and not re.fullmatch(r"https?://[^\s/]+\S*", url):
        raise SpecError(f"{model}: {public(url)!r} is not a URL; write http://HOST/v1 or https://HOST/v1")
    try:
        urlsplit(url).port  # noqa: B018 - looked at, because it is checked only then
    except ValueError as error:
        raise SpecError(f"{model}: {public(url)!r} is not a URL: {error}") from None
    return url


def endpoint_name(model: str, url: str) -> str:
    """Return a name for the endpoint, without user name and password: replies are kept under it.

    Without a URL it is the provider and all that the environment says of where to find it.  Too much of that costs only
    calls; too little would mix up the replies of two endpoints.
    """
    if url:
        parts = urlsplit(url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return " ".join([model.partition(":")[0], *(f"{name}={value}" for name, value in _environment(model))])


def public(url: str) -> str:
    """Return a URL for people and files: without user name, password, query and fragment.

    >>> public("https://me:secret@host/v1?key=secret#a")
    'https://host/v1'
    """
    return _NAMED.sub("//", url).partition("?")[0].partition("#")[0]


def hide(text: str, key: str) -> str:
    """Return `text` without the key, the secrets of the environment that a provider may know, and passwords in URLs."""
    secrets = [key, *(value for name, value in os.environ.items() if _SECRET.search(name))]
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        if len(secret) > 3:
            text = text.replace(secret, "***")
    return _NAMED.sub("//", text)


def excerpt(text: str, key: str) -> str:
    """Return what an endpoint wrote, for a message: on one line, without secrets, at most 300 characters."""
    return " ".join(hide(text, key).split())[:_SHOWN]


def fill_variables(settings: Any, who: str) -> Any:
    """Replace each `${NAME}` in settings by the environment variable; raises `SpecError` if it is not set."""
    if isinstance(settings, str):
        return _VARIABLE.sub(lambda variable: _value(variable[1], who), settings)
    if isinstance(settings, dict):
        return {name: fill_variables(value, who) for name, value in settings.items()}
    if isinstance(settings, list):
        return [fill_variables(value, who) for value in settings]
    return settings


def _value(name: str, who: str) -> str:
    if name not in os.environ:
        raise SpecError(f"{who}: the environment variable {name} is not set")
    return os.environ[name].strip()


def _environment(model: str) -> list[tuple[str, str]]:
    first = re.split("[-:]", model)[0].upper()
    prefix = f"{_PREFIXES.get(first, first)}_"
    names = (name for name in os.environ if name.startswith(prefix) and _LOCATION.search(name))
    return sorted((name, os.environ[name]) for name in names)
