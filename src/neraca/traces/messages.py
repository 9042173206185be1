"""Read what people and models said, in whatever form a dialect writes it: text, messages, inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from neraca.datasets.columns import ALL
from neraca.targets.jsonpath import ABSENT, JsonPath
from neraca.targets.response_parser import TEXT
from neraca.traces.attributes import decoded, flattened

USER, ASSISTANT = "user", "assistant"
_ROLES = {"human": USER, "humanmessage": USER, "humanmessagechunk": USER, "user": USER} | dict.fromkeys(
    ("ai", "aimessage", "aimessagechunk", "model", "assistant", "bot"), ASSISTANT
)
#: Types of the parts of a message that are said; all others, such as `reasoning`, are not.
_SAID = frozenset({"", "text", "input_text", "output_text"})
_CALLS = frozenset({"tool_call", "tool-call", "tool_use", "function_call"})
#: Types of parts that belong to a text and are not said.
_SILENT = _CALLS | {"thinking", "redacted_thinking", "reasoning", "reasoning_content"}
#: Keys of an object that hold its messages, and those below which the question or answer stands.
_LISTS = ("messages", "input_messages", "output_messages", "choices", "generations", "contents")
_INNER = ("inputs", "input", "kwargs", "args", "outputs", "output", "prompt", "data", "value")
_TEXT_PATHS = tuple(JsonPath(path, "text") for path in TEXT.split())
_CALL_NAMES = ("name", "tool_name", "toolName")
_CALL_ARGUMENTS = ("arguments", "args", "input", "parameters")
_REASONS = frozenset({"finish_reason", "finishReason", "finish_reasons", "stop_reason", "stopReason", "done_reason"})
_LIMITS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "max_length"})
#: Levels of objects to look into.
_DEEPEST = 4


class Message(NamedTuple):
    """A message: the role, the text, and the calls of tools."""

    role: str
    text: str
    calls: tuple[Mapping[str, Any], ...] = ()


def messages_of(value: Any) -> list[Message] | None:
    """Return the messages of a conversation; None if the value is none.

    >>> messages_of([{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}])
    [Message(role='user', text='Hi', calls=())]
    >>> messages_of([{"type": "human", "content": "Hi"}]) == messages_of('[{"role": "user", "content": "Hi"}]')
    True
    """
    value = decoded(value)
    if isinstance(value, Mapping):
        for name in _LISTS:
            inner = decoded(value.get(name))
            if not isinstance(inner, Sequence) or isinstance(inner, str):
                continue
            if messages := messages_of(inner[:1] if name == "choices" else inner):  # the first choice is the reply
                return messages
        message = _message(value)
        return None if message is None else [message]
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    if all(isinstance(part, Sequence) and not isinstance(part, str) for part in value):  # one list for each prompt
        return messages_of(value[-1])
    read = [message for part in value if isinstance(part, Mapping) and (message := _message(part)) is not None]
    return read if len(read) == len(value) else None


def _message(value: Mapping[str, Any]) -> Message | None:
    """Read one message; None if this is none."""
    if isinstance(inner := decoded(value.get("message")), Mapping):
        value = {**value, **inner}
    elif any(key.startswith("message.") for key in value):
        value = {**value, **{key.removeprefix("message."): part for key, part in value.items()}}
    if isinstance(inner := value.get("kwargs"), Mapping) and isinstance(value.get("id"), Sequence):  # LangChain's own
        value = {"type": value["id"][-1] if value["id"] else "", **inner}
    role = value.get("role") or value.get("type")
    if role is None and "finish_reason" in value:
        role = ASSISTANT
    if not isinstance(role, str) or not {"content", "parts", "contents", "tool_calls"} & value.keys():
        return None
    content = next((value[key] for key in ("parts", "contents", "content") if value.get(key) is not None), "")
    texts = list(_texts(decoded(content) if isinstance(content, str) and content[:2] == "[{" else content))
    calls = [*_calls(content), *_calls(value.get("tool_calls"))]
    return Message(_ROLES.get(role.casefold(), role.casefold()), "\n".join(filter(None, texts)), tuple(calls))


def _texts(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, Sequence):
        for part in content:
            part = part.get("message_content", part) if isinstance(part, Mapping) else part
            if isinstance(part, str):
                yield part
            elif isinstance(part, Mapping):
                part = {key.removeprefix("message_content."): value for key, value in part.items()}
                text = part.get("content") or part.get("text")
                if str(part.get("type", "")) in _SAID and isinstance(text, str):
                    yield text


def _calls(parts: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the calls of tools among the parts of a message, or in its list of calls."""
    parts = decoded(parts)
    if isinstance(parts, str) or not isinstance(parts, Sequence):
        return
    for part in parts:
        if not isinstance(part, Mapping):
            continue
        flat = {key.removeprefix("tool_call.").removeprefix("function."): v for key, v in flattened(part).items()}
        named = next((flat[key] for key in _CALL_NAMES if isinstance(flat.get(key), str)), "")
        if named and part.get("type") in (None, "function", *_CALLS):
            nested = part.get("tool_call", part)
            nested = nested.get("function", nested) if isinstance(nested, Mapping) else {}
            yield call(named, next((nested[key] for key in _CALL_ARGUMENTS if key in nested), flat.get("arguments")))


def call(name: str, arguments: Any) -> dict[str, Any]:
    """Return a call of a tool in the form in which answers hold it.

    >>> call("search", '{"city": "Medan"}')
    {'name': 'search', 'arguments': {'city': 'Medan'}}
    """
    value = decoded(arguments)
    return {"name": name, "arguments": {} if value is None or value == "" else value}


def question_in(value: Any, depth: int = 0) -> str:
    """Return the last text of the user in an input; "" if there is none.

    >>> question_in('{"question": "Where?", "k": 4}'), question_in("Where?"), question_in({"args": ["Where?"]})
    ('Where?', 'Where?', 'Where?')
    >>> question_in([{"role": "user", "content": "A"}, {"role": "ai", "content": "B"}])
    'A'
    """
    value = decoded(value)
    if isinstance(value, str):
        return value.strip()
    messages = messages_of(value)
    if messages is not None:
        return next((m.text.strip() for m in reversed(messages) if m.role == USER and m.text.strip()), "")
    if depth >= _DEEPEST:
        return ""
    if isinstance(value, Mapping):
        names = {name for name in ALL["query"] if isinstance(value.get(name), str)}
        for name in (*(name for name in ALL["query"] if name in names), *_INNER, "text"):
            if name in value and (text := question_in(value[name], depth + 1)):
                return text
        texts = [text for text in value.values() if isinstance(text, str) and text.strip()]
        return texts[0].strip() if len(texts) == 1 else ""
    if isinstance(value, Sequence) and value:
        return question_in(value[0], depth + 1)
    return ""


def answer_in(value: Any, depth: int = 0) -> str | None:
    """Return the last text of the assistant in an output; None if it holds none, such as mere calls of tools.

    >>> answer_in([{"role": "assistant", "parts": [{"type": "reasoning", "content": "?"}]}]) is None
    True
    >>> answer_in('{"answer": "Here.", "sources": []}'), answer_in({"a": {"b": 1}}) is None
    ('Here.', True)
    >>> answer_in(["KTP", " and"]), answer_in({"content": [{"type": "thinking"}, {"type": "text", "text": "A"}]})
    ('KTP and', 'A')
    """
    value = decoded(value)
    if isinstance(value, str):
        return value
    if (pieces := _pieces(value)) is not None:
        return pieces or None
    messages = messages_of(value)
    if messages is not None:
        return next((m.text for m in reversed(messages) if m.role == ASSISTANT and m.text.strip()), None)
    if isinstance(value, Mapping):
        for path in _TEXT_PATHS:
            text = path.get(value)
            if text is not ABSENT and isinstance(text, str) and text.strip():
                return text
        if depth < _DEEPEST:
            for name in (*_LISTS, *_INNER, "content", "parts"):
                if name in value and (inner := answer_in(value[name], depth + 1)):
                    return inner
        texts = [text for text in value.values() if isinstance(text, str)]
        return texts[0] if len(texts) == 1 == len(value) else None
    if isinstance(value, Sequence) and value and depth < _DEEPEST:
        return answer_in(value[-1], depth + 1)
    return None


def _pieces(value: Any) -> str | None:
    """Return a list of the pieces of one text put together, without those that are not said; None if it is none."""
    if not isinstance(value, Sequence) or isinstance(value, str) or not value:
        return None
    texts = [_piece(decoded(part) if not isinstance(part, str) else part) for part in value]
    return None if None in texts else "".join(text for text in texts if text)


def _piece(part: Any) -> str | None:
    """Return what a piece of a text says, "" if it is a part that is not said; None if it is no piece."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or "role" in part:
        return None
    if isinstance(choices := part.get("choices"), Sequence):
        deltas = [choice.get("delta") for choice in choices[:1] if isinstance(choice, Mapping)]
        streamed = [delta.get("content") or "" for delta in deltas if isinstance(delta, Mapping)]
        return "".join(map(str, streamed)) if len(streamed) == len(choices[:1]) else None
    kind = part.get("type")
    if kind == "AIMessageChunk":
        return "".join(_texts(part.get("content")))
    if kind in _SILENT:
        return ""
    return "".join(_texts([part])) if isinstance(kind, str) and kind in _SAID and kind else None


def is_blank(value: Any, depth: int = 0) -> bool:
    """Return whether an output holds nothing that could be an answer: nulls, empty texts, mere reasoning.

    >>> is_blank({"answer": None}), is_blank("{}"), is_blank({"content": [{"type": "thinking", "thinking": "?"}]})
    (True, True, True)
    >>> is_blank({"rows": 0})
    False
    """
    value = decoded(value)
    if isinstance(value, Mapping) and depth < _DEEPEST:
        content = value.get("content")
        silent = isinstance(content, Sequence) and not isinstance(content, str) and is_blank(content, depth + 1)
        return silent or all(is_blank(part, depth + 1) for part in value.values())
    if isinstance(value, Sequence) and not isinstance(value, str) and depth < _DEEPEST:
        return _pieces(value) == "" or all(is_blank(part, depth + 1) for part in value)
    return value is None or (isinstance(value, str) and not value.strip())


def _first_choice(name: str, value: Any) -> Any:
    """Return the first of the choices of a reply, or any other value as it is."""
    return value[:1] if name == "choices" and isinstance(value, Sequence) else value


def is_stopped(value: Any, depth: int = 0) -> bool:
    """Return whether a model says that it ended its reply because it reached a limit of tokens.

    >>> is_stopped({"choices": [{"finish_reason": "length"}]}), is_stopped({"stop_reason": "end_turn"})
    (True, False)
    """
    value = decoded(value)
    if isinstance(value, Mapping) and depth < 2 * _DEEPEST:
        for name, part in value.items():
            if name in _REASONS:
                reasons = [part] if isinstance(part, str) else part if isinstance(part, Sequence) else []
                if any(str(reason).casefold() in _LIMITS for reason in reasons[:1]):
                    return True
            elif not isinstance(part, str) and is_stopped(_first_choice(name, part), depth + 1):
                return True
    elif isinstance(value, Sequence) and not isinstance(value, str) and value and depth < 2 * _DEEPEST:
        return is_stopped(value[-1], depth + 1)
    return False


def calls_in(value: Any) -> Sequence[Mapping[str, Any]]:
    """Return the calls of tools in the last message of the assistant."""
    calls = [message.calls for message in messages_of(value) or () if message.role == ASSISTANT]
    return calls[-1] if calls else ()
