"""Send evaluations to the server of a tool: in batches, again after failures, and nothing twice."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import msgspec

from neraca.backoff import retry, retry_after
from neraca.errors import SpecError, TargetError
from neraca.files import fingerprint
from neraca.journal import Journal
from neraca.models.endpoint import excerpt, public
from neraca.traces.evaluation import Evaluation
from neraca.traces.evaluation_forms import BATCH, EvaluationForm, encode, form_of

#: How often a request is repeated.
RETRIES = 5
#: Seconds that a server may take for a reply.
_TIMEOUT = 60.0
#: Statuses after which a smaller request may be taken.
_TOO_MUCH = (400, 413, 422)


class SentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the journal of what was sent: the id of an evaluation and that of its value."""

    id: str
    version: str


@dataclass
class Sent:
    """The outcome of sending evaluations.

    Attributes
    ----------
    url
        The address, without secrets.
    new, before
        Evaluations that the server took now, and those that it took earlier with the same value.
    refused
        Reason → number of evaluations that the server did not take.
    unsent
        Evaluations that were not sent because sending stopped.
    why
        Why sending stopped; "" if it did not.
    """

    url: str
    new: int = 0
    before: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    unsent: int = 0
    why: str = ""


class _Stopped(Exception):
    """The server takes nothing, so that sending stops."""


class _Smaller(Exception):
    """The server may take a smaller request."""


@dataclass
class _Sender:
    form: EvaluationForm
    url: str
    headers: Mapping[str, str]
    session: aiohttp.ClientSession
    journal: Journal[SentRecord]
    sent: Sent
    sleep: Callable[[float], Awaitable[None]]

    async def send(self, batch: Sequence[Evaluation]) -> None:
        """Send a batch; if the server refuses it, send its halves, so that one faulty evaluation stops no other."""
        try:
            reply = await retry(lambda: self._post(batch), RETRIES, self.sleep)
        except _Smaller as error:
            if len(batch) == 1:
                self.sent.refused[str(error)] += 1
                return
            for part in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
                await self.send(part)
            return
        if isinstance(reply, _Unknown):
            self.sent.refused[reply.reason] += len(reply.ids)
            if others := [each for each in batch if each.id not in reply.ids]:
                await self.send(others)
            return
        refused = self.form.refused(reply, batch)
        self.sent.refused.update(map(self._shown, refused.values()))
        taken = [each for each in batch if each.id not in refused]
        self.journal.append(*(SentRecord(id=each.id, version=each.version) for each in taken))
        self.sent.new += len(taken)

    async def _post(self, batch: Sequence[Evaluation]) -> Any:
        """Make one request; return the reply, or the evaluations whose spans are unknown."""
        data, headers = encode(self.form.body(batch)), {"Content-Type": "application/json", **self.headers}
        try:
            # Redirects are not followed: they would send the keys to another address.
            async with self.session.post(self.url, data=data, headers=headers, allow_redirects=False) as response:
                body = await response.read()
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            message = self._shown(str(error) or type(error).__name__)
            raise TargetError(f"not reached: {message}", again=True) from None
        text = self._shown(body.decode(errors="replace"))
        if response.status < 300:
            return _decoded(body)
        if response.status in (408, 425, 429) or response.status >= 500:
            after = retry_after(response.headers)
            raise TargetError(f"status {response.status}: {text}", again=True, after=after)
        if response.status == 404 and (unknown := self.form.unknown(body.decode(errors="replace"), batch)):
            return _Unknown(unknown, "the server does not know the span")
        if response.status in _TOO_MUCH:
            raise _Smaller(f"status {response.status}: {text}")
        raise _Stopped(f"status {response.status}: {text}".rstrip(": "))

    def _shown(self, text: str) -> str:
        """Return a text of the server for a message, without secrets."""
        for value in self.headers.values():
            text = text.replace(value.rpartition(" ")[2] or value, "…")
        return excerpt(text, "")


@dataclass(frozen=True)
class _Unknown:
    ids: set[str]
    reason: str


def _decoded(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body) if body.strip() else {}
    except (msgspec.DecodeError, UnicodeDecodeError):
        return {}


def journal_of(folder: Path, tool: str, url: str) -> Journal[SentRecord]:
    """Return the journal of what was sent to a server, a file in the run's folder; it holds neither keys nor texts."""
    server = fingerprint(public(url).rstrip("/"))
    return Journal(folder / f"sent-{tool}-{server}.jsonl", SentRecord)


async def send(
    evaluations: Sequence[Evaluation],
    tool: str,
    url: str,
    folder: Path,
    *,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Sent:
    """Send evaluations that the tool can take, in batches of `BATCH`.

    Evaluations that the server took earlier with the same value are not sent again.  After a kill the same call goes
    on: at most one batch is sent twice, and Langfuse and Phoenix know it by its ids.

    Parameters
    ----------
    tool
        `langfuse`, `otlp` or `phoenix`.
    url
        The address of the server; the path of its interface is added.
    folder
        The run's folder, which keeps a journal of what was sent.
    sleep
        Waits a number of seconds.

    Raises
    ------
    SpecError
        If the address is none, or a key is missing in the environment.
    """
    form, parts = form_of(tool), urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
        raise SpecError(
            f"{public(url)!r} is no address of a server: write such as https://cloud.langfuse.com, without keys, which "
            "belong in environment variables"
        )
    headers = form.headers(os.environ)
    journal = journal_of(folder, tool, url)
    earlier = {record.id: record.version for record in journal} if journal.path.exists() else {}
    new = [each for each in evaluations if earlier.get(each.id) != each.version]
    sent = Sent(public(url), before=len(evaluations) - len(new))
    timeout = aiohttp.ClientTimeout(total=_TIMEOUT)
    async with aiohttp.ClientSession(timeout=timeout, cookie_jar=aiohttp.DummyCookieJar()) as session:
        with journal:
            sender = _Sender(form, url.rstrip("/") + form.path, headers, session, journal, sent, sleep)
            for start in range(0, len(new), BATCH):
                try:
                    await sender.send(new[start : start + BATCH])
                except (_Stopped, TargetError) as error:
                    sent.why = str(error)
                    break
                if not sent.new and sent.refused:
                    sent.why = "the first were all refused"
                    break
    sent.unsent = len(new) - sent.new - sent.refused.total()
    return sent
