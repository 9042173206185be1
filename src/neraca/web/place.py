"""The address of a server: where it listens, and by which names its visitors reach it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from neraca.errors import InputError, SpecError

LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PORTS = {"http": "80", "https": "443"}


@dataclass(frozen=True)
class Place:
    """The address of the server, for listening and for raters.

    Attributes
    ----------
    host
        Address to listen on; only a loopback address keeps other machines out.
    port
        Port to listen on; 0: any free port.
    url
        Address of the server in raters' browsers if it is not `http://HOST:PORT`, as behind a proxy.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    url: str = ""

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if self.url and (parts.scheme not in ("http", "https") or not parts.hostname or parts.path.strip("/")):
            raise SpecError(f"url: {self.url!r} is not an address such as https://ratings.example.org")
        if not self.url and self.host in ("0.0.0.0", "::", ""):  # noqa: S104 - refused
            raise SpecError(f"host: {self.host!r} means all addresses of this machine; give the raters' one by --url")

    @property
    def open_to_others(self) -> bool:
        """Whether other machines can reach the server."""
        return self.host not in LOOPBACK


@dataclass(frozen=True)
class Origins:
    """Addresses under which browsers reach the server.

    Attributes
    ----------
    origins
        Origins such as `http://127.0.0.1:8000`, in lower case, without the default port of the scheme.
    """

    origins: frozenset[str]

    @classmethod
    def of(cls, *urls: str) -> Origins:
        """Make the origins of these addresses; a loopback address stands for all three names of this machine."""
        origins = set()
        for url in urls:
            parts = urlsplit(url)
            local = ("127.0.0.1", "localhost", "[::1]")
            host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
            origins |= {
                _normalize(f"{parts.scheme}://{name}:{parts.port or _PORTS[parts.scheme]}")
                for name in (local if host in local else (host,))
            }
        return cls(frozenset(origins))

    def has_host(self, host: str) -> bool:
        """Return whether a `Host` header names this server."""
        return any(_normalize(f"{urlsplit(origin).scheme}://{host}") == origin for origin in self.origins)

    def has(self, origin: str) -> bool:
        """Return whether an `Origin` header names this server."""
        return _normalize(origin) in self.origins


def _normalize(origin: str) -> str:
    scheme, _, host = origin.lower().partition("://")
    return f"{scheme}://{host.removesuffix(':' + _PORTS.get(scheme, ''))}"


@contextmanager
def listening(place: Place) -> Iterator[socket.socket]:
    """Yield a socket that listens there; raise `InputError` if that is not possible."""
    family = socket.AF_INET6 if ":" in place.host else socket.AF_INET
    try:
        listener = socket.create_server((place.host, place.port), family=family)
    except OSError as error:
        raise InputError(
            f"cannot listen on {place.host} port {place.port}: {error.strerror or error}; choose another --port"
        ) from error
    with listener:
        yield listener
