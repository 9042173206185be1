"""Turn replies in any usual form into answers: text, a table with hits in it, a list of results.

If no paths are set, the usual names are tried in the order of the lists below.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from neraca.errors import TargetError
from neraca.records import Answer, Hit, Item
from neraca.targets.hits import HitReading, HitShape, plain_text
from neraca.targets.jsonpath import ABSENT, JsonPath, outline
from neraca.targets.target import Conversation

TEXT = (
    "response answer text output output_text reply generated_text completion message content result "
    "message.content choices.0.message.content choices.0.text candidates.0.content.parts[*].text "
    "content[*].text output[*].content[*].text "
    "jawaban jawaban_sistem jawaban_model respons balasan respuesta respuesta_del_sistema réponse reponse resposta "
    "إجابة الإجابة جواب الجواب رد الرد"
)
STREAMED_TEXT = (
    "delta token chunk text content response answer output message delta.text delta.content message.content "
    "choices.0.delta.content choices.0.text candidates.0.content.parts[*].text"
)
HITS = (
    "hits hits.hits properties results contexts retrieved_contexts documents sources context docs matches "
    "source_documents search_results listings products items "
    "hasil hasil_pencarian properti dokumen konteks resultados propiedades documentos contextos contexto inmuebles "
    "résultats resultats contextes biens imóveis imoveis نتائج النتائج عقارات العقارات وثائق السياق سياق"
)
CALLS = "calls tool_calls choices.0.message.tool_calls"
USAGE = "usage usageMetadata token_usage message.usage"

_NULL = "the reply is null (None), which tells nothing; an empty answer is an empty text or an empty list of hits"
_OVERLOAD = re.compile(r"overloaded|rate.?limit|too many|unavailable|timed? ?out|internal|api_error", re.IGNORECASE)


class Shape(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Paths inside a reply; for an empty path, the usual names are tried."""

    text: str = ""
    hits: str = ""
    hit: HitShape = HitShape()
    calls: str = ""
    usage: str = ""
    error: str = ""


def _paths(path: str, usual: str, where: str) -> tuple[JsonPath, ...]:
    return tuple(JsonPath(text, f"response.{where}") for text in ([path] if path else usual.split()))


class ResponseParser:
    """Reads replies, by the paths of a `Shape`, else by the usual names.

    Each method takes a reply, or one event of a stream, and returns one part of it, or None if that part is absent.
    `hide` removes secrets from quotations in messages.
    """

    def __init__(self, shape: Shape | None = None, hide: Callable[[str], str] = str) -> None:
        shape = shape or Shape()
        self.hide = hide
        self.text_path = JsonPath(shape.text, "response.text") if shape.text else None
        self.hits_path = JsonPath(shape.hits, "response.hits") if shape.hits else None
        self._text = _paths(shape.text, TEXT, "text")
        self._streamed = _paths(shape.text, STREAMED_TEXT, "text")
        self._hits = _paths(shape.hits, HITS, "hits")
        self._calls = _paths(shape.calls, CALLS, "calls")
        self._usage = _paths(shape.usage, USAGE, "usage")
        self._error = JsonPath(shape.error or "error", "response.error")
        self._hit = HitReading(shape.hit)

    def text(self, reply: Any, *, streamed: bool = False) -> str | None:
        """Return the text; null counts as empty text, unless another usual name holds text."""
        empty = None
        for path in self._streamed if streamed else self._text:
            value = path.get(reply)
            if value is ABSENT or (isinstance(value, int | float) and not self.text_path):
                continue
            text = plain_text(value)
            if text is None and self.text_path:
                raise TargetError(f"{path.text} is not text: {outline(value)}")
            if text:
                return text
            empty = text if empty is None else empty
        return empty

    def null_text(self, reply: Any) -> str:
        """Return the name of a text that is null, where no usual name holds another one; "": there is none."""
        values = [(path, value) for path in self._text if (value := path.get(reply)) is not ABSENT]
        is_null = values and all(value is None for _, value in values) and not values[0][0].optional
        return values[0][0].text if is_null else ""

    def hits(self, reply: Any) -> tuple[Hit, ...] | None:
        """Return the hits in their order; null counts as no hits."""
        for path in self._hits:
            value = path.get(reply)
            if value is None:
                return ()
            if isinstance(value, list | tuple):
                return self.list_of_hits(value)
            if value is not ABSENT and self.hits_path:
                raise TargetError(f"{path.text} is not a list of hits: {outline(value)}")
        return None

    def list_of_hits(self, values: Sequence[Any]) -> tuple[Hit, ...]:
        """Return each member as a hit."""
        return tuple([self._hit.read(value) for value in values])

    def calls(self, reply: Any) -> tuple[Mapping[str, Any], ...] | None:
        """Return the tool calls; rewrite OpenAI's form as `{"name": …, "arguments": {…}}`."""
        for path in self._calls:
            value = path.get(reply)
            if isinstance(value, list | tuple):
                return tuple(_call(call) for call in value)
        return None

    def usage(self, reply: Any) -> dict[str, float]:
        """Return all numbers of the usage table, nested ones under `outer.inner`; {} if there is no table."""
        for path in self._usage:
            value = path.get(reply)
            if isinstance(value, Mapping):
                return dict(_numbers(value, ""))
        return {}

    def refuse_error(self, reply: Any) -> None:
        """Raise `TargetError` if the reply says that it is an error; see `refuse`."""
        error = self._error.get(reply)
        if error:
            self.refuse(error)

    def refuse(self, error: Any) -> NoReturn:
        """Raise `TargetError` with the system's own message; it may be asked again if the message tells of overload."""
        message = error.get("message") if isinstance(error, Mapping) else None
        whole = error if isinstance(error, str) else msgspec.json.encode(error).decode()
        excerpt = self.hide(str(message or whole))[:300]
        raise TargetError(f"the target replied with an error: {excerpt}", again=bool(_OVERLOAD.search(whole)))

    def missing(self, reply: Any) -> TargetError:
        """Return the error for a reply that holds neither text nor hits."""
        for path in (self.text_path, self.hits_path):
            if path and not path.optional:
                try:
                    path.need(reply)
                except TargetError as error:
                    return error
        return TargetError(f"found neither text nor hits ({outline(reply)}); say where they are: response.text = PATH")


USUAL = ResponseParser()


def answer_from(
    reply: Any, item: Item, conversation: Conversation, parser: ResponseParser = USUAL, *, seconds: float | None = None
) -> Answer:
    """Make an answer of a target's reply.

    Parameters
    ----------
    reply
        Text; a table with text, hits, calls and usage in it; a list of hits; a pair (text, hits); or an
        `Answer`, whose item, trial and key are replaced.
    seconds
        The measured time; an `Answer` that has its own keeps it.

    Raises
    ------
    TargetError
        If the reply has another type or is null, holds neither text nor hits, or says that it is an error.
    """
    if isinstance(reply, Answer):
        time = seconds if reply.seconds is None else reply.seconds
        return msgspec.structs.replace(reply, item=item.id, trial=conversation.trial, key="", seconds=time)
    if reply is None or isinstance(reply, str):
        if parser.text_path or parser.hits_path:
            (parser.text_path or parser.hits_path or JsonPath("$")).need(reply)
        if reply is None:
            raise TargetError(_NULL)
        return Answer(item=item.id, trial=conversation.trial, text=reply, seconds=seconds)
    if isinstance(reply, list | tuple) and not (parser.text_path or parser.hits_path):
        text, hits = reply if _is_pair(reply) else ("", reply)
        if text is None and hits is None:
            raise TargetError(_NULL)
        read_hits = parser.list_of_hits(hits or ())
        return Answer(item=item.id, trial=conversation.trial, text=text or "", hits=read_hits, seconds=seconds)
    if not isinstance(reply, Mapping | list | tuple):
        raise TargetError(f"the reply must be text, a table or a list of hits; {outline(reply)}")
    return _answer_from_table(reply, item, conversation, parser, seconds)


def _answer_from_table(
    reply: Any, item: Item, conversation: Conversation, parser: ResponseParser, seconds: float | None
) -> Answer:
    parser.refuse_error(reply)
    text, hits, calls = parser.text(reply), parser.hits(reply), parser.calls(reply)
    pairs = ((parser.text_path, text), (parser.hits_path, hits))
    lacking = any(path and value is None and not path.optional for path, value in pairs)
    if lacking or (text is None and hits is None and calls is None and not any(path for path, _ in pairs)):
        raise parser.missing(reply)
    if not text and hits is None and not calls and (name := parser.null_text(reply)):
        raise TargetError(f"{name} is null, and there are neither hits nor tool calls")
    return Answer(
        item=item.id,
        trial=conversation.trial,
        text=text or "",
        hits=hits or (),
        calls=calls or (),
        usage=parser.usage(reply),
        seconds=seconds,
    )


def _is_pair(reply: Sequence[Any]) -> bool:
    """Return whether this is a pair (text, hits) rather than a list of hits."""
    second = reply[1] if len(reply) == 2 else ""
    return (len(reply) == 2 and (reply[0] is None or isinstance(reply[0], str))) and (
        second is None or isinstance(second, list | tuple)
    )


def _numbers(table: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, float]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _numbers(value, f"{prefix}{key}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{prefix}{key}", value


def _call(call: Any) -> Mapping[str, Any]:
    if isinstance(call, str):
        return {"name": call}
    if not isinstance(call, Mapping):
        raise TargetError(f"a tool call must be a table or a name; {outline(call)}")
    function = call.get("function")
    if not isinstance(function, Mapping):
        return call
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = msgspec.json.decode(arguments)
        except msgspec.DecodeError:
            arguments = {"": arguments}
    return {"name": function.get("name", ""), "arguments": arguments or {}}
