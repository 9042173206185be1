"""Check the settings of a browser target and turn them into Playwright's options, before anything starts."""

from __future__ import annotations

import json
import re
import zoneinfo
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

import msgspec

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.targets.browser.profile import filled
from neraca.targets.browser.settings import BrowserSettings
from neraca.targets.settings import Secrets

_VIEWPORT = re.compile(r"([1-9]\d{1,4})x([1-9]\d{1,4})")
_LOCALE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
_HEADER = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_USER = re.compile(r"(?<=://)[^/@\s]+@")
_SECRET = ("url", "basic_auth", "proxy", "storage_state", "user_agent")


@dataclass(frozen=True)
class Prepared:
    """Checked settings.

    Attributes
    ----------
    settings
        With the profile and the environment filled in.
    options
        Arguments of `playwright.async_api.Browser.new_context` for every new context.
    secrets
        The values that came from the environment.
    """

    settings: BrowserSettings
    options: dict[str, Any]
    secrets: Secrets

    def hide(self, text: str) -> str:
        """Return a message without secrets, and without user names and passwords in addresses."""
        return _USER.sub("", self.secrets.hide(text))


def prepare(settings: BrowserSettings) -> Prepared:
    """Check the settings, filled in from the profile; raise `SpecError` for the first wrong one."""
    who, secrets = f"target {settings.name or 'browser'!r}", Secrets()
    spec = filled(settings)
    texts = {name: secrets.fill(getattr(spec, name), f"{who}: {name}") for name in _SECRET}
    headers = {name: secrets.fill(text, f"{who}: headers.{name}") for name, text in spec.headers.items()}
    spec = msgspec.structs.replace(spec, headers=headers, **texts)
    try:
        return Prepared(spec, _options(spec, _address(spec.url)), secrets)
    except SpecError as error:
        raise SpecError(_USER.sub("", secrets.hide(f"{who}: {error}"))) from None


def _options(spec: BrowserSettings, address: SplitResult) -> dict[str, Any]:
    if not spec.open_timeout > 0:
        raise SpecError("open_timeout must be above 0 seconds")
    options = {
        "viewport": _viewport(spec.viewport),
        "extra_http_headers": _headers(spec.headers),
        "http_credentials": _credentials(spec.basic_auth, address),
        "storage_state": _state(spec.storage_state),
        "user_agent": spec.user_agent,
        "locale": _locale(spec.locale),
        "timezone_id": _timezone(spec.timezone),
        "proxy": _proxy(spec.proxy),
    }
    return {name: value for name, value in options.items() if value}


def _address(url: str) -> SplitResult:
    try:
        address = urlsplit(url)
        valid = bool(address.hostname if address.scheme in ("http", "https") else address.scheme == "file")
        valid = valid and (address.port is None or address.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise SpecError(f"{url!r} is not the address of a page; write http://HOST/PATH, https://… or file:///PATH")
    return address


def _viewport(text: str) -> dict[str, int]:
    match = _VIEWPORT.fullmatch(text)
    if not match:
        raise SpecError(f"viewport {text!r} is not WIDTHxHEIGHT in pixels, such as 1280x900")
    return {"width": int(match[1]), "height": int(match[2])}


def _headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if not _HEADER.fullmatch(name) or not re.fullmatch(r"[^\x00-\x08\x0a-\x1f\x7f]*", value):
            raise SpecError(f"headers.{name}: not a valid HTTP header; its value is not shown")
    return headers


def _credentials(text: str, address: SplitResult) -> dict[str, str] | None:
    """Return name and password, restricted to the page's own origin."""
    if not text:
        return None
    name, colon, password = text.partition(":")
    if not colon or not name:
        raise SpecError("basic_auth is not NAME:PASSWORD; its value is not shown")
    origin = {"origin": f"{address.scheme}://{address.netloc.rpartition('@')[2]}"} if address.hostname else {}
    return {"username": name, "password": password} | origin


def _state(file: str) -> dict[str, Any] | None:
    """Return the cookies and storage of the file, read once so that all conversations begin with the same."""
    if not file:
        return None
    path = Path(file).expanduser()
    remedy = "`neraca browser --login URL --storage-state FILE` writes one"
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SpecError(f"storage_state {file!r}: {error.strerror}; {remedy}") from None
    except ValueError as error:
        raise SpecError(f"storage_state {file!r} is not JSON ({error}); {remedy}") from None
    lists = (state.get("cookies", []), state.get("origins", [])) if isinstance(state, dict) else (None,)
    if not state or not all(isinstance(part, list) for part in lists):
        raise SpecError(f"storage_state {file!r} holds no cookies and origins; {remedy}")
    return dict(state)


def _locale(text: str) -> str:
    text = text.replace("_", "-")
    if text and not _LOCALE.fullmatch(text):
        raise SpecError(f"locale {text!r} is not a language such as es or pt-BR")
    return text


def _timezone(text: str) -> str:
    timezones = zoneinfo.available_timezones()
    if text and timezones and text not in timezones:
        raise SpecError(f"timezone {text!r} is not known; {nearest(text, sorted(timezones))[:200]}")
    return text


def _proxy(text: str) -> dict[str, str] | None:
    """Return the address, and separately name and password, as Playwright expects them."""
    if not text:
        return None
    try:
        address = urlsplit(text if "://" in text else f"http://{text}")
        host, port, kind = address.hostname, address.port, address.scheme
    except ValueError:
        host, port, kind = None, None, ""
    if not host or kind not in ("http", "https", "socks4", "socks5"):
        raise SpecError(f"proxy {text!r} is not an address such as http://HOST:PORT or socks5://HOST:PORT")
    if address.username and kind.startswith("socks"):
        raise SpecError("proxy: browsers cannot log in at a SOCKS proxy; leave out the name and password")
    quoted_host = f"[{host}]" if ":" in host else host
    proxy = {"server": f"{kind}://{quoted_host}{f':{port}' if port else ''}"}
    if address.username:
        proxy |= {"username": unquote(address.username), "password": unquote(address.password or "")}
    return proxy
