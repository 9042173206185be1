"""Find the endpoint of a model from settings and environment, and remove their secrets from texts."""

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


def base_url(model: str, from_settings: str) -> str:
    """Return the base URL: the one in the settings, else the provider's `…_BASE_URL` in the environment, else "".

    >>> base_url("openai:judge", "http://localhost:11434/v1/")
    'http://localhost:11434/v1'
    """
    from_environment = (value for name, value in _environment(model) if name.endswith("BASE_URL"))
    url = (from_settings or next(from_environment, "")).rstrip("/")
    if url and not re.fullmatch(r"https?://[^\s/]+\S*", url):
        raise SpecError(f"{model}: {public(url)!r} is not a URL; write http://HOST/v1 or https://HOST/v1")
    try:
        urlsplit(url).port  # noqa: B018 - the property checks the port
    except ValueError as error:
        raise SpecError(f"{model}: {public(url)!r} is not a URL: {error}") from None
    return url


def endpoint_name(model: str, url: str) -> str:
    """Return a name for the endpoint, without user name and password, for use in cache keys.

    Without a URL, the name consists of the provider and all environment variables that may hold its address.  A
    variable too many costs only calls; one too few would mix up the replies of two endpoints.
    """
    if url:
        parts = urlsplit(url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()
    return " ".join([model.partition(":")[0], *(f"{name}={value}" for name, value in _environment(model))])


def public(url: str) -> str:
    """Return a URL for display and files: without user name, password, query and fragment.

    >>> public("https://me:secret@host/v1?key=secret#a")
    'https://host/v1'
    """
    return _NAMED.sub("//", url).partition("?")[0].partition("#")[0]


def hide(text: str, key: str) -> str:
    """Return the text without the key, secrets of the environment, and passwords in URLs."""
    secrets = [key, *(value for name, value in os.environ.items() if _SECRET.search(name))]
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        if len(secret) > 3:
            text = text.replace(secret, "***")
    return _NAMED.sub("//", text)


def excerpt(text: str, key: str) -> str:
    """Return a text from an endpoint for a message: on one line, without secrets, at most 300 characters."""
    return " ".join(hide(text, key).split())[:_SHOWN]


def fill_variables(settings: Any, who: str) -> Any:
    """Replace each `${NAME}` in settings by the environment variable; raise `SpecError` if it is not set."""
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
