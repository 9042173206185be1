"""Find out how a service over HTTP wants to be asked: try the usual requests, and look where its reply has what."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from neraca.errors import TargetError
from neraca.records import Answer, Item
from neraca.targets.http import HttpTarget
from neraca.targets.response_parser import ResponseParser, Shape
from neraca.targets.target import Conversation
from neraca.translation import say

_ASKED = "{query}"
#: A name that no service reads: the reply to a question under it is what the service says without a question.
UNREAD = "neraca_unread"
#: The usual requests, in the order in which they are tried, beside the address.
REQUESTS: tuple[Mapping[str, Any], ...] = (
    {"body": {"query": _ASKED, "session": "{session}"}},
    {"body": {"message": _ASKED, "session_id": "{session}"}},
    {"body": {"question": _ASKED, "session_id": "{session}"}},
    {"body": {"messages": "{messages}"}},
    *({"body": {name: _ASKED}} for name in ("input", "prompt", "text", "q", "user_input", "inputs")),
    *({"body": {name: _ASKED}} for name in ("pertanyaan", "pesan", "kueri", "pregunta", "mensaje", "consulta")),
    *({"body": {name: _ASKED}} for name in ("requête", "pergunta", "mensagem", "سؤال")),
    {"form": {"query": _ASKED}},
    {"form": {"message": _ASKED}},
    *({"method": "GET", "params": {name: _ASKED}} for name in ("q", "query", "question", "message")),
)
#: Failures after which no other request would do better: no connection, no rights, no such address, no answer.
_HOPELESS = re.compile(r"ClientConnector|\b(?:401|403|404)\b|no answer within")
#: Steps into a reply below which nothing is looked for.
DEEPEST = 5


@dataclass(frozen=True)
class ProbedTarget:
    """The result of trying requests.

    Attributes
    ----------
    settings
        The settings of the target that answered, without `kind` and `url`; None if none did.
    answer
        Its answer.
    failures
        The requests that gave no answer, and why.
    reads_question
        Whether the answer was another one without the question, or the service refused to answer then.
    """

    settings: Mapping[str, Any] | None = None
    answer: Answer | None = None
    failures: tuple[tuple[Mapping[str, Any], str], ...] = ()
    reads_question: bool = True


class _ReplyKeeper(ResponseParser):
    """A parser that keeps the last reply in which it found neither text nor hits."""

    unread: Any = None

    def missing(self, reply: Any) -> TargetError:
        """Keep the reply; see `ResponseParser.missing`."""
        self.unread = reply
        return super().missing(reply)


async def probe_http(url: str, question: str, timeout: float) -> ProbedTarget:
    """Ask one question by the usual requests until one is answered; `timeout` is for each.

    A request whose answer is the same without the question does not count, unless no other one does better.  A
    connection that fails ends the search: no other request would do better.
    """
    failures: list[tuple[Mapping[str, Any], str]] = []
    same_anyway: ProbedTarget | None = None
    for request in REQUESTS:
        settings, answer, failure = await _try(url, request, question, timeout)
        if answer is not None:
            if await _reads_question(url, settings, answer, question, timeout):
                return ProbedTarget(settings, answer, tuple(failures))
            failure = say("the answer is the same without the question")
            same_anyway = same_anyway or ProbedTarget(settings, answer, tuple(failures), reads_question=False)
        failures.append((request, failure))
        if _HOPELESS.search(failure):
            break
    return same_anyway or ProbedTarget(failures=tuple(failures))


async def _try(
    url: str, request: Mapping[str, Any], question: str, timeout: float
) -> tuple[Mapping[str, Any], Answer | None, str]:
    """Return the settings by which a request was answered, and the answer; or None and the reason."""
    answer, failure, reply = await _ask(url, request, question, timeout)
    if answer is not None:
        return request, answer, ""
    for shape in guess_shapes(reply):
        settings = {**request, "response": shape}
        answer, _, _ = await _ask(url, settings, question, timeout)
        if answer is not None:
            return settings, answer, ""
    return request, None, failure


async def _reads_question(url: str, settings: Mapping[str, Any], answer: Answer, question: str, timeout: float) -> bool:
    """Return whether the service says something else if the question stands under a name that it does not read."""
    without = {key: _with_unread_name(value) for key, value in settings.items()}
    other, _, _ = await _ask(url, without, question, timeout, session="doctor without the question")
    return other is None or (other.text, other.hits) != (answer.text, answer.hits)


def _with_unread_name(setting: Any) -> Any:
    """Return the fields of a request with the question under a name that no service reads.

    >>> _with_unread_name({"query": "{query}", "session": "{session}"})
    {'neraca_unread': '{query}', 'session': '{session}'}
    """
    if not isinstance(setting, Mapping):
        return setting
    return {UNREAD if value in {_ASKED, "{messages}"} else name: value for name, value in setting.items()}


async def _ask(
    url: str, request: Mapping[str, Any], question: str, timeout: float, session: str = "doctor"
) -> tuple[Answer | None, str, Any]:
    """Return the answer, or the reason why there is none and the reply in which nothing was found."""
    target = HttpTarget({"kind": "http", "url": url, **request})
    shape = request.get("response", {})
    target.parser = parser = _ReplyKeeper(Shape(**shape))
    try:
        async with asyncio.timeout(timeout):
            answer = await target.ask(Item(id="1", query=question), Conversation(session))
    except TimeoutError:
        return None, f"no answer within {timeout:g} s", None
    except TargetError as error:
        return None, str(error), parser.unread
    finally:
        await target.close()
    if not answer.replied or not (answer.text.strip() or answer.hits):
        return None, answer.error or "the answer is empty", None
    return answer, "", None


def target_file(url: str, settings: Mapping[str, Any]) -> str:
    """Write the settings of a target as TOML.

    >>> print(target_file("http://127.0.0.1/chat", {"body": {"message": "{query}"}}))
    kind = "http"
    url = "http://127.0.0.1/chat"
    body = { message = "{query}" }
    """
    lines = [("kind", "http"), ("url", url), *settings.items()]
    return "\n".join(f"{key} = {in_toml(value)}" for key, value in lines)


def in_toml(value: Any) -> str:
    """Write a value as TOML."""
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key_in_toml(str(key))} = {in_toml(inner)}' for key, inner in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)


def _key_in_toml(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def guess_shapes(reply: Any) -> list[dict[str, str]]:
    """Return the likely paths of text and hits in a reply without a usual name, the likeliest first.

    The text is the longest string outside lists, the hits are the longest list of tables.

    >>> guess_shapes({"data": {"isi_pesan": "Ada dua rumah.", "daftar": [{"id": 1}, {"id": 2}]}, "ok": "1"})
    [{'text': 'data.isi_pesan', 'hits': 'data.daftar'}]
    >>> guess_shapes(None)
    []
    """
    texts: list[tuple[int, str]] = []
    lists: list[tuple[int, str]] = []
    for path, value in _walk(reply, ()):
        if isinstance(value, str) and value.strip():
            texts.append((len(value), path))
        elif isinstance(value, list) and value and all(isinstance(member, Mapping) for member in value):
            lists.append((len(value), path))
    shape = {}
    if texts:
        shape["text"] = max(texts)[1]
    if lists:
        shape["hits"] = max(lists)[1]
    return [shape] if shape else []


def _walk(value: Any, steps: Sequence[str]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping) and len(steps) < DEEPEST:
        for key, inner in value.items():
            yield from _walk(inner, (*steps, _step(str(key))))
    elif steps:
        yield ".".join(steps).replace(".[", "["), value


def _step(key: str) -> str:
    return f'["{key}"]' if set(key) & set(".[]?$") else key
