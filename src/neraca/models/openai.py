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
from neraca.models.endpoint import public, shown
from neraca.models.model_session import Misconfigured

_OPENAI = "https://api.openai.com/v1"
_ACCOUNT = {"OpenAI-Organization": "OPENAI_ORG_ID", "OpenAI-Project": "OPENAI_PROJECT_ID"}
_EMPTY = re.compile(
    r'"(insufficient_quota|billing_hard_limit_reached|credit_balance_exhausted|\w+_(spend|usage)_limit_exceeded)"'
)


class Refused(ModelError):
    """The endpoint did not accept the request as it stands: 400, 413 or 422."""


class _Told(msgspec.Struct, frozen=True):
    message: str
    code: str | int | None = None
    type: str | None = None


class _Refusal(msgspec.Struct, frozen=True):
    error: _Told


def address(url: str, path: str) -> str:
    """The base URL, or OpenAI's, with a path of the API after its own and before a query.

    >>> address("http://localhost:8000/v1?a=1", "embeddings")
    'http://localhost:8000/v1/embeddings?a=1'
    """
    parts = urlsplit(url or _OPENAI)
    return parts._replace(path=f"{parts.path}/{path}").geturl()


def secret(model: str, url: str, given: str) -> str:
    """The key: the given one, else `OPENAI_API_KEY`; one's own endpoint may do with none."""
    key = given or os.environ.get("OPENAI_API_KEY", "").strip()
    if not (key or url):
        raise SpecError(f"{model}: no key; set the environment variable OPENAI_API_KEY, or key, or url")
    return key


class Connection:
    """To one address, to which anything can be posted as long as it is open; opened and closed by `async with`.

    Parameters
    ----------
    url, key
        The whole address, and the key or "".  Organisation, project and proxy are those of the environment.
    """

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        named = "@" in parts.netloc  # a name and a password of the URL go where the key would
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {key}"} if key and not named else {}
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
        """The body of the reply to some JSON.

        Raises
        ------
        Refused
            When the endpoint did not accept what was sent.
        ModelError
            When it was not reached or did not answer; `Misconfigured` where key or URL may be to blame.
        BudgetReached
            When the provider says that the account has no money left.
        """
        try:
            # Followed, a redirect would take data and key to wherever it points.
            async with self._session.post(
                self._url, data=data, headers=headers, allow_redirects=False, proxy=self._proxy
            ) as response:
                body = await response.read()
        except (aiohttp.ClientConnectionError, aiohttp.ClientHttpProxyError) as error:
            raise Misconfigured(f"not reached: {shown(str(error), self._key)}", again=True) from None
        except ValueError as error:  # what no URL, header or proxy can be
            raise Misconfigured(f"not sent: {shown(str(error), self._key)}") from None
        except aiohttp.ClientError as error:
            raise ModelError(f"the reply broke off: {shown(str(error), self._key)}", again=True) from None
        if response.status != 200:
            raise _refusal(response.status, response.headers, body, self._key)
        return body


def _refusal(status: int, headers: Mapping[str, str], body: bytes, key: str) -> Exception:
    """What a status means: whether asking again may help, with fewer at once, or with something else."""
    said = body.decode(errors="replace")
    told = f"moved to {public(headers.get('Location', ''))}" if 300 <= status < 400 else _told(said)
    text = f"status {status}: {shown(told, key)}".rstrip(": ")
    after = retry_after(headers)
    if status == 402 or _EMPTY.search(said):
        return BudgetReached(f"the provider says that there is no money or quota left: {text}")
    if status in (429, 503, 529):
        return ModelError(text, again=True, after=after, crowded=True)
    if status in (401, 403, 404) or status < 400:
        return Misconfigured(text)
    if status in (400, 413, 422):
        return Refused(text)
    return ModelError(text, again=status in (408, 409, 425) or status >= 500, after=after)


def _told(said: str) -> str:
    """What an error says: the message and code of JSON as OpenAI writes it, or the words of a page.

    >>> _told('{"error": {"message": "Slow down.", "type": "requests", "code": null}}')
    'Slow down. (requests)'
    >>> _told("<html><head><style>p {}</style></head><h1>502</h1>Bad gateway</html>").split()
    ['502', 'Bad', 'gateway']
    """
    try:
        error = msgspec.json.decode(said, type=_Refusal).error
    except msgspec.DecodeError:
        return re.sub(r"(?is)<(script|style)\b.*?</\1>|<[a-z/!][^>]*>", " ", said)
    code = error.code or error.type
    return f"{error.message} ({code})" if code else error.message
