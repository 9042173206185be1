"""OpenAI-compatible endpoints over HTTP: where they are, how they are called, what a refusal means."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import msgspec

from neraca.concurrency import retry_after
from neraca.errors import BudgetReached, ModelError, SpecError
from neraca.models.endpoint import excerpt, public
from neraca.models.model_session import Misconfigured

_OPENAI = "https://api.openai.com/v1"
_ACCOUNT = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
_EMPTY = re.compile(
    r'"(insufficient_quota|billing_hard_limit_reached|credit_balance_exhausted|\w+_(spend|usage)_limit_exceeded)"'
)


class Refused(ModelError):
    """The endpoint did not accept the request as it stands: 400, 413 or 422.

    Attributes
    ----------
    body
        What it wrote.
    parameter
        The parameter of the request that it says is to blame, or "".
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
    """Return the base URL, or OpenAI's, with a path of the API after its own path and before a query.

    >>> address("http://localhost:8000/v1?a=1", "embeddings")
    'http://localhost:8000/v1/embeddings?a=1'
    """
    parts = urlsplit(url or _OPENAI)
    return parts._replace(path=f"{parts.path}/{path}").geturl()


def secret(model: str, url: str, given: str) -> str:
    """Return the given key, else `OPENAI_API_KEY`; raises `SpecError` where there is neither a key nor a URL."""
    key = given or os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key or url):
        raise SpecError(f"{model}: no key; set the environment variable OPENAI_API_KEY, or key, or url")
    return key


class Connection:
    """A connection to one address, to which anything can be posted while it is open; a context manager.

    Parameters
    ----------
    url, key
        The whole address, and the key or "".  Organisation, project and proxy are those of the environment.
    """

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        in_url = "@" in parts.netloc  # a name and a password of the URL go where the key would
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key and not in_url else {}
        headers |= {name: os.environ[variable] for name, variable in _ACCOUNT.items() if os.environ.get(variable)}
        self._url, self._key = url, key
        # By itself aiohttp would look for the proxy at every call, in a thread, and read a `.netrc` besides.
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

    async def post(self, data: bytes, headers: Mapping[str, str] | None = None) -> bytes:
        """Send JSON and return the body of the reply.

        Raises
        ------
        Refused
            When the endpoint did not accept what was sent.
        ModelError
            When it was not reached or did not answer; `Misconfigured` where key or URL look wrong.
        BudgetReached
            When the provider says that its account has no money left.
        """
        try:
            # Followed, a redirect would take data and key to wherever it points.
            async with self._session.post(
                self._url, data=data, headers=headers, allow_redirects=False, proxy=self._proxy
            ) as response:
                body = await response.read()
        except (aiohttp.ClientConnectionError, aiohttp.ClientHttpProxyError) as error:
            raise Misconfigured(f"not reached: {excerpt(str(error), self._key)}", again=True) from None
        except ValueError as error:  # what no URL, header or proxy can be
            raise Misconfigured(f"not sent: {excerpt(str(error), self._key)}") from None
        except aiohttp.ClientError as error:
            raise ModelError(f"the reply broke off: {excerpt(str(error), self._key)}", again=True) from None
        if response.status != 200:
            raise _refusal(response.status, response.headers, body, self._key)
        return body


def _refusal(status: int, headers: Mapping[str, str], data: bytes, key: str) -> Exception:
    """Return what a status means: whether asking again may help, with fewer calls at once, or with something else."""
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
    """Read an error: JSON as OpenAI writes it, with the code after the message; else the words of a page.

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
