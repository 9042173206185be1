"""Call OpenAI-compatible endpoints over HTTP: address, key, connection, and the meaning of errors."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec

from neraca.backoff import retry_after
from neraca.errors import BudgetReached, ModelError, SpecError
from neraca.models.endpoint import excerpt, public
from neraca.models.model_session import Misconfigured

_OPENAI = "https://api.openai.com/v1"
_ACCOUNT = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
_EMPTY = re.compile(
    r'"(insufficient_quota|billing_hard_limit_reached|credit_balance_exhausted|\w+_(spend|usage)_limit_exceeded)"'
)


class Refused(ModelError):
    """The endpoint did not accept the request: status 400, 413 or 422.

    Attributes
    ----------
    body
        Body of the error reply.
    parameter
        The parameter of the request that the endpoint names as the cause, or "".
    """

    def __init__(self, message: str, body: str, parameter: str) -> None:
        super().__init__(message)
        self.body = body
        self.parameter = parameter


class _Error(msgspec.Struct, frozen=True):
    message: str
    code: str | int | None = None
    type: str | None = None
    param: str | None = None


class _ErrorBody(msgspec.Struct, frozen=True):
    error: _Error


def address(url: str, path: str) -> str:
    """Return the base URL, or OpenAI's if it is "", with a path of the API inserted before the query.

    >>> address("http://localhost:8000/v1?a=1", "embeddings")
    'http://localhost:8000/v1/embeddings?a=1'
    """
    parts = urlsplit(url or _OPENAI)
    return parts._replace(path=f"{parts.path}/{path}").geturl()


def secret(model: str, url: str, from_settings: str) -> str:
    """Return the key from the settings, else `OPENAI_API_KEY`; raise `SpecError` if there is neither key nor URL."""
    key = from_settings or os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key or url):
        raise SpecError(f"{model}: no key; set the environment variable OPENAI_API_KEY, or the setting key or url")
    return key


def _ignore(part: bytes) -> None:
    """Do nothing."""


class Connection:
    """A context manager that holds a connection to one address open.

    Parameters
    ----------
    url, key
        The whole address, and the key or "".  Organisation, project and proxy come from the environment.

    Attributes
    ----------
    plain
        Whether the address is http, as of a server of the user's own, and not https.
    """

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        url_has_password = "@" in parts.netloc  # user name and password of the URL take the place of the key
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key and not url_has_password else {}
        headers |= {name: os.environ[variable] for name, variable in _ACCOUNT.items() if os.environ.get(variable)}
        self._url, self._key = url, key
        self.plain = parts.scheme == "http"
        # With `trust_env`, aiohttp would look for the proxy at every call, in a thread, and also read a `.netrc`.
        self._proxy = None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            headers=headers,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self._session.close()

    async def get(self) -> bytes:
        """Return what the address holds; raise as `post` does."""
        return await self._send("GET", None, None)

    async def post(
        self, data: bytes, headers: Mapping[str, str] | None = None, heard: Callable[[bytes], None] = _ignore
    ) -> bytes:
        """Send JSON and return the body of the reply; call `heard` with each part that arrives.

        Raises
        ------
        Refused
            The endpoint did not accept the request.
        ModelError
            The endpoint was not reached or did not answer; `Misconfigured` if key or URL look wrong.
        BudgetReached
            The provider says that its account has no money left.
        """
        return await self._send("POST", data, headers, heard)

    async def _send(
        self,
        method: str,
        data: bytes | None,
        headers: Mapping[str, str] | None,
        heard: Callable[[bytes], None] = _ignore,
    ) -> bytes:
        try:
            # Do not follow redirects: they would send data and key to another address.
            async with self._session.request(
                method, self._url, data=data, headers=headers, allow_redirects=False, proxy=self._proxy
            ) as response:
                parts = []
                async for part in response.content.iter_any():
                    heard(part)
                    parts.append(part)
                body = b"".join(parts)
        except (aiohttp.ClientConnectionError, aiohttp.ClientHttpProxyError) as error:
            raise Misconfigured(f"not reached: {excerpt(str(error), self._key)}", again=True) from None
        except ValueError as error:  # an invalid URL, header or proxy
            raise Misconfigured(f"not sent: {excerpt(str(error), self._key)}") from None
        except aiohttp.ClientError as error:
            raise ModelError(f"the reply broke off: {excerpt(str(error), self._key)}", again=True) from None
        if response.status != 200:
            raise _error_for_status(response.status, response.headers, body, self._key)
        return body


def _error_for_status(status: int, headers: Mapping[str, str], data: bytes, key: str) -> Exception:
    """Return the error for a status: whether a retry may help, with fewer calls in flight or a changed request."""
    body = data.decode(errors="replace")
    error = _read_error(body)
    message = f"moved to {public(headers.get('Location', ''))}" if 300 <= status < 400 else error.message
    text = f"status {status}: {excerpt(message, key)}".rstrip(": ")
    after = retry_after(headers)
    if status == 402 or _EMPTY.search(body):
        return BudgetReached(f"the provider says that there is no money or quota left: {text}")
    if status in (429, 503, 529):
        return ModelError(text, again=True, after=after, crowded=True)
    if status in (401, 403, 404) or status < 400:
        return Misconfigured(text)
    if status in (400, 413, 422):
        return Refused(text, body, error.param or "")
    return ModelError(text, again=status in (408, 409, 425) or status >= 500, after=after)


def _read_error(body: str) -> _Error:
    """Read an error: OpenAI's JSON, with the code after the message, or the text of an HTML page.

    >>> _read_error('{"error": {"message": "Slow down.", "type": "requests", "code": null}}').message
    'Slow down. (requests)'
    >>> _read_error("<html><head><style>p {}</style></head><h1>502</h1>Bad gateway</html>").message.split()
    ['502', 'Bad', 'gateway']
    """
    try:
        error = msgspec.json.decode(body, type=_ErrorBody).error
    except msgspec.DecodeError:
        return _Error(re.sub(r"(?is)<(script|style)\b.*?</\1>|<[a-z/!][^>]*>", " ", body))
    code = error.code or error.type
    return msgspec.structs.replace(error, message=f"{error.message} ({code})" if code else error.message)
