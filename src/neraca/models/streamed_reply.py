"""Join a chat completion that was streamed as server-sent events to one that came in one piece."""

from __future__ import annotations

from typing import Any

import msgspec

from neraca.errors import ModelError
from neraca.models.reply_schema import Unfit

#: Parameters of a request for a streamed reply.  No reply hangs on them, so they are in no key of the cache.
STREAMING: dict[str, Any] = {"stream": True, "stream_options": {"include_usage": True}}


class _Function(msgspec.Struct, frozen=True):
    arguments: str | None = None


class _ToolCall(msgspec.Struct, frozen=True):
    function: _Function = _Function()


class _Delta(msgspec.Struct, frozen=True):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct, frozen=True):
    delta: _Delta = _Delta()
    finish_reason: str | None = None


class _Event(msgspec.Struct, frozen=True):
    choices: list[_Choice] = []
    usage: dict[str, Any] | None = None
    error: Any = None


_DECODER = msgspec.json.Decoder(_Event)
#: A reply whose last so many characters stand this often in so many is not going to end.
_TAIL, _TIMES, _WITHIN = 600, 3, 4200
#: The same within one text of the reply, which has no quotation mark.
_TEXT_TAIL, _TEXT_TIMES, _TEXT_WITHIN = 100, 4, 1000
#: A reply may be this many times as long as a plausible one, and this many characters more.
_TIMES_PLAUSIBLE, _MORE = 10, 4000
_THINKS, _THOUGHT = "<think>", "</think>"


class Endless(Unfit):
    """A reply that does not come to an end; it says nothing about how the endpoint takes schemas."""


def longest_reply(plausible: msgspec.Struct) -> int:
    """Return how many characters a reply may have, from a plausible reply to the same prompt.

    Tokens that a model thinks are not counted.  So the limit can be far below `max_tokens`, which covers them.

    >>> class Reply(msgspec.Struct):
    ...     grade: int
    >>> longest_reply(Reply(3))
    4110
    """
    return _TIMES_PLAUSIBLE * len(msgspec.json.encode(plausible).decode()) + _MORE


class Watch:
    """Watches the text of a streamed reply, and ends it if it repeats itself or is far too long.

    Small models write such replies, and the server of one would otherwise answer nobody else for minutes.  A tail of
    600 characters repeats in no good reply, because each part of a long one has an id of its own; a tail of 100
    characters of one text, such as a reason, does not do so four times.

    Parameters
    ----------
    longest
        Most characters, without those in which the model thinks.

    Attributes
    ----------
    text
        The text that has arrived.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._unread = b""
        self.text = ""
        self._checked = 0

    def add(self, part: bytes) -> None:
        r"""Add a part of the body; raise `Endless` if the reply should be ended.

        >>> event = b'data: {"choices": [{"delta": {"content": "' + b"and so on " * 300 + b'"}}]}'
        >>> Watch(9999).add(event + b"\n")
        Traceback (most recent call last):
        ...
        neraca.models.streamed_reply.Endless: the reply repeats itself without an end: …o on and so on and so on
        """
        *lines, self._unread = (self._unread + part).split(b"\n")
        for line in lines:
            data = line.removeprefix(b"data:").strip()
            if line.startswith(b"data:") and data != b"[DONE]":
                self.text += _text_of(data)
        if len(self.text) - self._checked < _TEXT_TAIL:
            return
        self._checked = len(self.text)
        shown = " ".join(self.text[-25:].split())
        if _repeats(self.text):
            raise Endless(
                f"the reply repeats itself without an end: …{shown}", remedy="it repeats itself; reply briefly"
            )
        if (length := _spoken(self.text)) > self._longest:
            raise Endless(
                f"the reply is too long: it was ended after {length} characters, of at most {self._longest}: …{shown}",
                remedy="it was far too long; reply briefly",
            )


def _repeats(text: str) -> bool:
    """Return whether the end of a text stands so often shortly before that it goes on without an end.

    >>> _repeats("The answer is incomplete. " * 20), _repeats('"x1": false, ' * 20)
    (True, False)
    """
    if text[-_WITHIN:].count(text[-_TAIL:]) >= _TIMES:
        return True
    tail = text[-_TEXT_TAIL:]
    return len(tail) == _TEXT_TAIL and '"' not in tail and text[-_TEXT_WITHIN:].count(tail) >= _TEXT_TIMES


def _spoken(text: str) -> int:
    """Return the length of a text without its thoughts.

    >>> _spoken("<think>Is it?"), _spoken("<think>Is it?</think>Yes.")
    (0, 4)
    """
    if not text.lstrip().startswith(_THINKS):
        return len(text)
    return len(text.partition(_THOUGHT)[2])


def _text_of(data: bytes) -> str:
    """Return the text in an event; "" if it is not JSON, which `joined` reports."""
    try:
        choices = _DECODER.decode(data).choices[:1]
    except msgspec.DecodeError:
        return ""
    calls = [call.function.arguments or "" for choice in choices for call in choice.delta.tool_calls or []]
    return "".join([*(choice.delta.content or "" for choice in choices), *calls])


def joined(body: bytes) -> bytes:
    r"""Return the JSON of a whole completion; a body that is no stream is returned as it is.

    Raise `ModelError` if the stream reports an error or ends early, and `msgspec.DecodeError` if an event is not JSON.

    >>> events = [b'{"choices": [{"delta": {"content": "4"}}]}', b'{"choices": [{"delta": {"content": "2"}}]}']
    >>> events += [b'{"choices": [{"delta": {}, "finish_reason": "stop"}]}', b"[DONE]"]
    >>> msgspec.json.decode(joined(b"".join(b"data: " + event + b"\n\n" for event in events)))["choices"]
    [{'message': {'content': '42'}, 'finish_reason': 'stop'}]
    """
    if not body.lstrip().startswith((b"data:", b"event:", b":")):
        return body
    texts: dict[str, list[str]] = {"content": [], "refusal": [], "arguments": []}
    reason, usage = None, None
    for line in body.splitlines():
        data = line.removeprefix(b"data:").strip()
        if not line.startswith(b"data:") or data == b"[DONE]":
            continue
        event = _DECODER.decode(data)
        if event.error:
            raise ModelError(f"the reply broke off: {msgspec.json.encode(event.error).decode()[:300]}", again=True)
        usage = event.usage or usage
        for choice in event.choices[:1]:
            reason = choice.finish_reason or reason
            texts["content"].append(choice.delta.content or "")
            texts["refusal"].append(choice.delta.refusal or "")
            texts["arguments"] += [call.function.arguments or "" for call in (choice.delta.tool_calls or [])[:1]]
    if reason is None:
        raise ModelError("the reply broke off: its stream ended early", again=True)
    return msgspec.json.encode(_completion(texts, reason, usage))


def _completion(texts: dict[str, list[str]], reason: str, usage: dict[str, Any] | None) -> dict[str, Any]:
    message: dict[str, Any] = {name: "".join(texts[name]) for name in ("content", "refusal") if any(texts[name])}
    if texts["arguments"]:
        message["tool_calls"] = [{"function": {"arguments": "".join(texts["arguments"])}}]
    choice = {"message": message, "finish_reason": reason}
    return {"choices": [choice], **({"usage": usage} if usage else {})}
