"""Ask a system over HTTP: a search or chat API, with or without streaming, by a request from a template."""

from __future__ import annotations

import asyncio
import codecs
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from time import perf_counter
from typing import Any, Literal
from urllib.parse import quote, urlencode

import aiohttp
import msgspec
from yarl import URL

from neraca.backoff import retry_after
from neraca.errors import SpecError, TargetError
from neraca.records import Answer, Item
from neraca.targets.response_parser import ResponseParser, Shape, answer_from
from neraca.targets.settings import Secrets, Settings, read
from neraca.targets.stream import DECODERS, Assembly, Decoder, Kind
from neraca.targets.target import TARGETS, Conversation
from neraca.targets.template import Template, as_text
from neraca.translation import say

_STREAMS: Mapping[str, Kind] = {
    "text/event-stream": "sse",
    "application/x-ndjson": "jsonl",
    "application/ndjson": "jsonl",
    "application/jsonl": "jsonl",
    "application/x-jsonlines": "jsonl",
}
_SNIPPET_CHARACTERS = 300
_RETRY_STATUSES = frozenset({408, 425, 429})
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_MOST_REDIRECTS = 5
_QUESTION_PLACEHOLDERS = frozenset({"query", "messages", "contents"})

_NOT_A_NUMBER = re.compile(rb"[:,\[]\s*-?(?:NaN|Infinity)\s*[,}\]]")


class HttpSettings(Settings, frozen=True, kw_only=True):
    """Settings of an `http` target; text in url, headers, params, body and form may hold placeholders."""

    url: str
    method: str = "POST"
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    params: dict[str, Any] = msgspec.field(default_factory=dict)
    body: dict[str, Any] | list[Any] | str | None = None
    form: dict[str, Any] | None = None
    response: Shape = Shape()
    stream: Kind | None = None
    stream_text: Literal["delta", "whole"] = "delta"
    stream_events: list[str] = msgspec.field(default_factory=list)
    verify_tls: bool = True
    proxy: str = ""
    connect_timeout: float = 10.0
    max_megabytes: float = 20.0
    redirects: Literal["none", "same-origin"] = "none"


@TARGETS.register("http")
class HttpTarget:
    """Asks a service over HTTP.

    Parameters
    ----------
    settings
        `url`, and optionally `method` (POST), `headers`, `params`, `body` or `form`, `response`, `stream` and
        more: see `HttpSettings`, `neraca.targets.template` for placeholders and `neraca.targets.response_parser` for
        the names that are recognised in a reply.

    Without body, form and params a POST sends `{"query": "{query}", "session": "{session}"}`.  Cookies are not kept,
    so that conversations stay separate.  A redirect is followed only with `redirects = "same-origin"`, to the same
    scheme, host and port, and with method and body unchanged; any other is an error, because it would send the question
    and its headers to somebody else.  An empty or null text is a complete answer.  After the statuses 408, 425, 429
    and 5xx the question may be asked again, after the delay of a `Retry-After` header.  Any other status outside 2xx
    is a refusal.
    """

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._settings = spec = read(HttpSettings, settings)
        self._who = f"target {spec.name or 'http'!r}"
        self._secrets = secrets = Secrets()
        self._method = spec.method.upper()
        self._check()
        is_unset = spec.body is None and spec.form is None and not spec.params and "{query}" not in spec.url
        default_body = {"query": "{query}", "session": "{session}"} if is_unset and self._method != "GET" else None
        self._url = Template(spec.url, f"{self._who}: url", secrets, lambda text: quote(text, safe=""))
        self._headers = Template(spec.headers, f"{self._who}: headers", secrets, str)
        self._params = Template(spec.params, f"{self._who}: params", secrets)
        self._body = Template(spec.body if default_body is None else default_body, f"{self._who}: body", secrets)
        self._form = Template(spec.form, f"{self._who}: form", secrets)
        self._proxy = secrets.fill(spec.proxy, f"{self._who}: proxy") or None
        self._fixed_url = None if self._url.fixed is None else self._read_url(self._url.fixed)
        self.parser = ResponseParser(spec.response, secrets.hide)
        self._limit = int(spec.max_megabytes * 1e6)
        self._session: aiohttp.ClientSession | None = None
        parts = (self._url, self._headers, self._params, self._body, self._form)
        uses = frozenset[str]().union(*(part.uses for part in parts))
        if not uses & _QUESTION_PLACEHOLDERS and not any(use.startswith("item.") for use in uses):
            raise SpecError(
                say(
                    '{who}: the question is nowhere in the request; write for example params = {{q = "{{query}}"}}',
                    who=self._who,
                )
            )
        relies_on_session = "session" in uses and not uses & {"history", "messages", "contents"}
        self.stateful = relies_on_session if spec.stateful is None else spec.stateful

    def _check(self) -> None:
        spec = self._settings
        if not re.fullmatch(r"[A-Z]+", self._method):
            raise SpecError(say("{who}: {method!r} is not an HTTP method", who=self._who, method=spec.method))
        if spec.body is not None and spec.form is not None:
            raise SpecError(say("{who}: give body or form, not both", who=self._who))
        if spec.connect_timeout <= 0 or spec.max_megabytes <= 0:
            raise SpecError(say("{who}: connect_timeout and max_megabytes must be above 0", who=self._who))

    def _read_url(self, text: str) -> URL:
        try:
            url = URL(text)
            valid = url.scheme in ("http", "https") and bool(url.host)
        except ValueError:
            valid = False
        if not valid:
            without_user = re.sub(r"//[^/@]*@", "//", self._settings.url)
            raise SpecError(
                say(
                    "{who}: {without_user!r} is not a URL; write http://HOST/PATH or https://HOST/PATH",
                    who=self._who,
                    without_user=without_user,
                )
            )
        if url.user is not None and any(name.lower() == "authorization" for name in self._settings.headers):
            raise SpecError(
                say("{who}: give a user name in the URL or an Authorization header, not both", who=self._who)
            )
        return url

    def _url_of(self, item: Item, conversation: Conversation) -> URL:
        try:
            return self._fixed_url or self._read_url(self._url.fill(item, conversation))
        except SpecError as error:
            raise TargetError(f"item {item.id!r}: {error}") from None

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Send one request and read the reply; see `Target.ask`."""
        url = self._url_of(item, conversation)
        try:
            return await self._ask(url, self._request(item, conversation), item, conversation)
        except TargetError as error:
            message = self._secrets.hide(f"{self._method} {_public_url(url)}: {error}")
            raise TargetError(message, again=error.again, after=error.after, refused=error.refused) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise TargetError(
                self._secrets.hide(_describe_failure(self._method, url, error)), again=_may_help(error)
            ) from None

    async def close(self) -> None:
        """Close all connections; asking once more opens new ones."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    def _request(self, item: Item, conversation: Conversation) -> dict[str, Any]:
        """Return the arguments of `ClientSession.request`: headers, parameters, proxy and body."""
        headers: dict[str, str] = self._headers.fill(item, conversation)
        request: dict[str, Any] = {"headers": headers}
        if params := self._params.fill(item, conversation):
            request["params"] = _pairs(params)
        if self._proxy:
            request["proxy"] = self._proxy
        body, kind = self._body.fill(item, conversation), "text/plain; charset=utf-8"
        if (form := self._form.fill(item, conversation)) is not None:
            body, kind = urlencode(_pairs(form)), "application/x-www-form-urlencoded"
        elif body is not None and not isinstance(self._settings.body, str):
            body, kind = msgspec.json.encode(body), "application/json"
        if body is not None:
            request["data"] = body if isinstance(body, bytes) else as_text(body).encode()
            if not any(name.lower() == "content-type" for name in headers):
                request["headers"] = {"Content-Type": kind, **headers}
        return request

    async def _ask(self, url: URL, request: dict[str, Any], item: Item, conversation: Conversation) -> Answer:
        session = self._session = self._session or self._open()
        spec = self._settings
        assembly = Assembly(self.parser, whole=spec.stream_text == "whole", only=spec.stream_events)
        async with await self._send(session, url, request) as response:
            if not 200 <= response.status < 300:
                raise await self._refusal(response)
            kind = spec.stream or _STREAMS.get(response.content_type)
            if kind is None:
                body = await self._read_body(response, self._limit)
                seconds = perf_counter() - assembly.started
                reply = self._decode(response, body)
                return answer_from(reply, item, conversation, self.parser, seconds=seconds)
            with assembly.partial_when_stopped(item, conversation):
                await self._follow(response, kind, assembly)
            answer = assembly.answer(item, conversation)
            await _finish(response)
            return answer

    async def _send(self, session: aiohttp.ClientSession, url: URL, request: dict[str, Any]) -> aiohttp.ClientResponse:
        """Send a request, and again to where the settings let it be redirected."""
        for _ in range(_MOST_REDIRECTS + 1):
            response = await session.request(self._method, url, allow_redirects=False, **request)
            location = response.headers.get("Location", "")
            if response.status not in _REDIRECTS or not location:
                return response
            response.release()
            url = self._redirected(url, response.status, location)
            request.pop("params", None)  # the new address holds all its parameters
        raise TargetError(f"more than {_MOST_REDIRECTS} redirects", refused=True)

    def _redirected(self, url: URL, status: int, location: str) -> URL:
        """Return the address of a redirect; raise `TargetError` if it must not be followed."""
        try:
            pointed = url.join(URL(location))
        except ValueError:
            raise TargetError(f"{status}: redirected to what is no address: {location[:80]!r}", refused=True) from None
        same = pointed.origin() == url.origin() if pointed.scheme in ("http", "https") and pointed.host else False
        keeps = status in (307, 308) or self._method in ("GET", "HEAD")
        where = f"{status}: it redirects to {_public_url(pointed)}"
        if not same:
            why = "another server would get the question and the headers; if it is yours, write its address as url"
        elif not keeps:
            why = f"where {self._method} would become GET; write this address as url"
        elif self._settings.redirects == "none":
            why = 'write this address as url, or redirects = "same-origin"'
        else:
            return pointed
        raise TargetError(f"{where}; {why}", refused=True)

    def _open(self) -> aiohttp.ClientSession:
        """Open a session without limits on connections and answer time: the runner sets both."""
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, ssl=self._settings.verify_tls),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=self._settings.connect_timeout),
            cookie_jar=aiohttp.DummyCookieJar(),
        )

    async def _read_body(self, response: aiohttp.ClientResponse, limit: int) -> bytes:
        body = await response.content.readany()
        if response.content.at_eof() and len(body) <= limit:
            return body
        pieces, size = [body], len(body)
        while size <= limit and (piece := await response.content.readany()):
            pieces.append(piece)
            size += len(piece)
        if size > limit:
            raise self._too_long()
        return b"".join(pieces)

    def _too_long(self) -> TargetError:
        return TargetError(f"the reply is longer than {self._settings.max_megabytes:g} MB; raise max_megabytes")

    async def _follow(self, response: aiohttp.ClientResponse, kind: Kind, assembly: Assembly) -> None:
        """Read a stream to its end and add its events to the assembly."""
        decoder: Decoder = DECODERS[kind]()
        size = count = 0
        start = b""
        async for chunk in response.content.iter_any():
            size += len(chunk)
            start = start or chunk
            if size > self._limit:
                raise self._too_long()
            for event in decoder.feed(chunk):
                count += 1
                if not assembly.take(event, kind):
                    return
        for event in decoder.close():
            count += 1
            assembly.take(event, kind)
        if not count and kind != "text":
            excerpt = f"; it began with {self._snippet(start)!r}" if start else ""
            raise TargetError(f"the stream ended without an event{excerpt}", again=not start)

    def _decode(self, response: aiohttp.ClientResponse, body: bytes) -> Any:
        """Decode JSON; return a plain-text reply as text if no `response.text` is set."""
        charset = response.charset or "utf-8"
        try:
            if response.content_type == "text/plain" and self.parser.text_path is None and not _is_object(body):
                return body.decode(charset, "replace")
            utf8 = charset.lower() in ("utf-8", "utf8", "us-ascii", "ascii")
            text = body.removeprefix(codecs.BOM_UTF8) if utf8 else body.decode(charset)
            if _NOT_A_NUMBER.search(body):  # not valid JSON, but Python's json module writes it
                return json.loads(text)
            return msgspec.json.decode(text)
        except RecursionError:
            raise TargetError(
                f"the reply is JSON that is nested too deeply; it begins with {self._snippet(body)!r}"
            ) from None
        except (ValueError, UnicodeDecodeError, LookupError) as error:
            excerpt = f"it begins with {self._snippet(body)!r}" if body.strip() else "it is empty"
            raise TargetError(f"the reply is not JSON ({error}); {excerpt}") from None

    def _snippet(self, body: bytes) -> str:
        """Return the start of a body for a message.  Secrets are hidden before the cut, which could halve one."""
        return " ".join(self._secrets.hide(body[:20_000].decode("utf-8", "replace")).split())[:_SNIPPET_CHARACTERS]

    async def _refusal(self, response: aiohttp.ClientResponse) -> TargetError:
        """Return the error for a reply whose status is not 2xx."""
        body = b""
        with suppress(aiohttp.ClientError, TargetError):
            body = await self._read_body(response, 1_000_000)
        status = response.status
        again = status in _RETRY_STATUSES or status >= 500
        why = f"{status} {response.reason or ''}".rstrip()
        text = self._snippet(body)
        why += f": {text}" if text else ""
        return TargetError(why, again=again, after=retry_after(response.headers) if again else None, refused=not again)


def _pairs(table: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return a table as URL parameters; a list repeats its name, null is left out."""
    pairs: list[tuple[str, str]] = []
    for name, value in table.items():
        is_plain_list = isinstance(value, list) and not any(isinstance(part, dict | list) for part in value)
        pairs += [(name, as_text(part)) for part in (value if is_plain_list else [value]) if part is not None]
    return pairs


def _is_object(body: bytes) -> bool:
    return body.lstrip()[:1] == b"{" and body.rstrip()[-1:] == b"}"


def _public_url(url: URL) -> str:
    """Return a URL for messages: without user name, password, query and fragment, which may hold secrets."""
    return str(url.with_user(None).with_query(None).with_fragment(None))


def _may_help(error: Exception) -> bool:
    """Return whether asking again may help, as after a lost connection, but not after a wrong certificate."""
    if isinstance(error, aiohttp.ClientSSLError | aiohttp.InvalidURL):
        return False
    return isinstance(error, aiohttp.ClientConnectionError | aiohttp.ClientPayloadError | OSError)


def _describe_failure(method: str, url: URL, error: Exception) -> str:
    """Describe a failed request, without the parts of its URL that may be secret."""
    error_type = type(error).__name__
    if isinstance(error, aiohttp.ClientResponseError):
        return f"{method} {_public_url(url)}: not understood as HTTP: {error.message or error_type}"
    return f"{method} {_public_url(url)}: {error_type}: {error}".rstrip(": ")


async def _finish(response: aiohttp.ClientResponse) -> None:
    """Wait briefly for the end of a stream whose answer is complete, so that its connection can be reused."""
    if not response.content.at_eof():
        with suppress(TimeoutError, aiohttp.ClientError):
            async with asyncio.timeout(0.05):
                await response.content.readany()
