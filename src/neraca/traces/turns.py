"""A turn: a question of a user and all that the system did about it, read from the spans of a trace."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from neraca.records import Hit
from neraca.traces.attributes import decoded, number
from neraca.traces.conventions import CONVENTIONS, Found, dialects_of, kind_of, switch_of, values
from neraca.traces.documents import hits_in
from neraca.traces.losses import Losses
from neraca.traces.messages import answer_in, call, calls_in, is_blank, is_stopped, messages_of
from neraca.traces.span_tree import GENERATION, RERANKER, RETRIEVER, TOOL, Node, SpanTree, Unit, above_of
from neraca.traces.spans import Span, commonest_attributes
from neraca.traces.times import nanoseconds
from neraca.traces.usage import amount_of, negative_in

#: Why a turn is `suspect`.
NO_ANSWER = "the trace records no answer"
CUT = "a text of the trace was cut off"
STOPPED = "the model ended its answer at its limit of tokens"
MIXED = "the trace holds further questions that are not told apart as turns"
#: The end of a text that a program cut off and said so.
_CUT = re.compile(r"(\.\.\.|…)?\s*[\[<(]\s*(\.\.\.|…)?\s*truncated[^\[<(]{0,40}$", re.IGNORECASE)
#: A prompt of more characters is more than a question.
_LONG_PROMPT = 1_000
NO_RETRIEVAL = "the trace records no retrieval"


class Origin(NamedTuple):
    """The place where a field of a turn was read: the attribute, and the name and id of the span."""

    attribute: str
    span: str
    id: str


class Turn(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One question and its answer, as they were recorded.

    Attributes
    ----------
    id, trace, span
        The id of the turn; those of its trace and of the span that stands for it.
    session, user
        The ids of the conversation and the user; "": not recorded.
    question
        The last text of the user in the input.
    text
        The answer; None: not recorded.
    hits
        The documents of the last retrieval before the answer; None: not recorded, and `unknown_hits` says why.
    retrievals
        Name of each retrieving span, and the ids of its documents.
    origins
        Field → where it was read.
    doubt
        Why the pair of question and answer is not to be scored; "": nothing speaks against it.
    start
        The beginning, in nanoseconds since 1970.
    """

    id: str
    trace: str
    span: str
    start: int
    question: str
    text: str | None
    hits: tuple[Hit, ...] | None
    unknown_hits: str
    session: str = ""
    user: str = ""
    retrievals: tuple[tuple[str, tuple[str, ...]], ...] = ()
    calls: tuple[Mapping[str, Any], ...] = ()
    usage: Mapping[str, float] = {}
    seconds: float | None = None
    first_token_seconds: float | None = None
    error: str = ""
    model: str = ""
    version: str = ""
    doubt: str = ""
    origins: Mapping[str, Origin] = {}


def turns_of(spans: Sequence[Span], losses: Losses, retrievers: Collection[str] = ()) -> list[Turn]:
    """Return the turns of one trace, by time, and count what it does not say."""
    tree = SpanTree(spans, retrievers)
    trace = spans[0].trace
    if tree.orphans:
        losses.add("orphan", f"span {tree.orphans[0].id} of trace {trace}", count=len(tree.orphans))
    for span in spans:
        if span.dropped:
            losses.add("dropped", f"span {span.id} of trace {trace}")
    units = tree.units()
    if not units:
        _count_unread(spans, losses)
    return [_TurnReader(unit, len(units) > 1, losses).read() for unit in units]


def _count_unread(spans: Sequence[Span], losses: Losses) -> None:
    """Count a trace without a turn, as one without content or as one in an unknown dialect."""
    where = f"trace {spans[0].trace}"
    dialects = sorted({name for span in spans for name in dialects_of(span.attributes)})
    if dialects:
        losses.add("no question", where, switches(dialects))
    else:
        losses.add("unknown dialect", where, ", ".join(commonest_attributes(spans)) or "none at all")


def switches(dialects: Iterable[str]) -> str:
    """Return what turns the recording of content on in these dialects."""
    return "; ".join(f"{name}: {switch_of(name)}" for name in dialects)


class _TurnReader:
    """Read the fields of one turn, and remember where each stood."""

    def __init__(self, unit: Unit, is_one_of_several: bool, losses: Losses) -> None:
        self.unit, self.losses = unit, losses
        self.several = is_one_of_several
        self.origins: dict[str, Origin] = {}
        self.generations = unit.generations
        top = unit.top.span
        self.where = f"span {top.id} of trace {top.trace}"

    def read(self) -> Turn:
        """Return the turn."""
        top, asked = self.unit.top.span, self.unit.asked
        text, answer_cut = self._answer()
        question, found = asked.question or ("", Found("", ""))
        self._remember("question", found.attribute, asked.span)
        hits, why, retrievals = self._hits()
        cut = answer_cut or _is_cut(found.value)
        stopped = self._is_stopped()
        error = top.error
        self._count(question, text, hits, cut, error)
        if stopped:
            self.losses.add("stopped", self.where)
        is_mixed = asked.kind == GENERATION and bool(self.unit.other_questions)
        doubts = ((CUT, cut), (STOPPED, stopped), (NO_ANSWER, text is None), (MIXED, is_mixed))
        start = self.unit.start
        if not start:
            self.losses.add("no time", self.where)
        usage = self._usage()
        return Turn(
            id=f"{top.trace}.{top.id}" if self.several else top.trace,
            trace=top.trace,
            span=top.id,
            start=start,
            question=question,
            text=text,
            hits=hits,
            unknown_hits=why,
            session=self._first("session") or (top.trace if self.several else ""),
            user=self._first("user"),
            retrievals=retrievals,
            calls=self._calls(),
            usage=usage,
            seconds=self._seconds(),
            first_token_seconds=self._first_token(start),
            error=error,
            model=self._first("model", [*reversed(self.generations), *self.unit.nodes]),
            version=self._first("version"),
            doubt="; ".join(reason for reason, holds in doubts if holds),
            origins=self.origins,
        )

    def _count(self, question: str, text: str | None, hits: tuple[Hit, ...] | None, cut: bool, error: str) -> None:
        """Count what the turn does not say."""
        if text is None and not error:
            names = sorted({name for node in self.unit.nodes for name in dialects_of(node.span.attributes)})
            self.losses.add("no answer", self.where, switches(names))
        if cut:
            self.losses.add("truncated", self.where)
        if self.unit.is_rootless and len(self.unit.nodes) > 1:
            self.losses.add("no root", self.where)
        if others := self.unit.other_questions:
            self.losses.add(
                "other questions", f"span {others[0].span.id} of trace {others[0].span.trace}", "", len(others)
            )
        if self.unit.asked.kind == GENERATION:
            beginnings = [hit.text.strip()[:80] for hit in hits or () if len(hit.text.strip()) > 20]
            if len(question) > _LONG_PROMPT or any(beginning in question for beginning in beginnings):
                self.losses.add("prompt", self.where)

    def _remember(self, field: str, attribute: str, span: Span) -> None:
        self.origins.setdefault(field, Origin(attribute, span.name, span.id))

    def _first(self, field: str, nodes: Iterable[Node] | None = None) -> str:
        """Return the first value of a field: in the turn's own span, those above it, and then all others."""
        above, node = [], self.unit.top
        while node is not None:
            above.append(node)
            node = node.parent  # type: ignore[assignment]
        for each in nodes if nodes is not None else [*above, *self.unit.nodes]:
            for found in values(each.span.attributes, field):
                value = decoded(found.value)
                if isinstance(value, str | int) and not isinstance(value, bool):
                    self._remember(field, found.attribute, each.span)
                    return str(value)
        return ""

    def _answer(self) -> tuple[str | None, bool]:
        """Return the answer, None if none was recorded, and whether it was cut off.

        It stands in the output of the turn's own span, else of the last call of a model that said something.  If the
        final call records no output, the answer is lost: what earlier ones said is none.
        """
        calls = self.generations
        if calls and not _records_answer(calls[-1].span):
            calls = []
        own = [] if self.unit.top.kind == RETRIEVER else [self.unit.top]
        recorded: list[tuple[Found, Span]] = []
        for node in (*own, *reversed(calls)):
            for found in values(node.span.attributes, "answer"):
                if text := answer_in(found.value):
                    self._remember("answer", found.attribute, node.span)
                    return text, _is_cut(found.value)
                recorded.append((found, node.span))
        for found, span in recorded:
            self._remember("answer", found.attribute, span)
            if messages_of(found.value) is not None:  # calls of tools, and no word
                return "", False
            if is_blank(found.value):
                return ("" if '""' in _as_text(found.value) else None), False
            return _as_text(found.value), _is_cut(found.value)
        for node in (*own, *reversed(calls)):
            if name := _empty_answer(node.span):
                self._remember("answer", name, node.span)
                return "", False
        return None, False

    def _is_stopped(self) -> bool:
        """Return whether the output of the turn's own span or of the final call of a model ended at a limit."""
        spans = [self.unit.top.span, *(node.span for node in self.generations[-1:])]
        return any(
            is_stopped({"finish_reasons": decoded(found.value)} if field == "finish" else found.value)
            for span in spans
            for field in ("finish", "answer")
            for found in values(span.attributes, field)
        )

    def _hits(self) -> tuple[tuple[Hit, ...] | None, str, tuple[tuple[str, tuple[str, ...]], ...]]:
        """Return the hits, why they are unknown, and all retrievals."""
        final = self.generations[-1].span if self.generations else None
        retrieving = [node for node in self.unit.nodes if node.kind in (RETRIEVER, RERANKER)]
        before = [node for node in retrieving if not (final and final.start and node.span.start > final.start)]
        if not retrieving:
            names = dict.fromkeys(node.span.name for node in self.unit.nodes if node.kind in ("", TOOL))
            self.losses.add("no retrieval", self.where, _listed([name for name in names if name]))
            return None, NO_RETRIEVAL, ()
        if not before:
            self.losses.add("no retrieval", self.where, "")
            return None, "the trace records no retrieval before the answer", ()
        before.sort(key=lambda node: (node.span.end, node.span.start, node.span.id))
        read = [(node, _documents(node.span)) for node in before]
        last, (hits, attribute) = read[-1]
        if len({node for node, _ in read if not _holds(last, node)}) > 1 and last.kind == RETRIEVER:
            self.losses.add("several retrievals", self.where)
        all_ids = tuple((node.span.name, tuple(hit.id for hit in found or ())) for node, (found, _) in read)
        if hits is None:
            spoken = dialects_of(last.span.attributes)
            self.losses.add("no documents", f"span {last.span.id} of trace {last.span.trace}", switches(spoken))
            return None, f"the retrieval {last.span.name!r} records no documents", all_ids
        self._remember("hits", attribute, last.span)
        return hits, "", all_ids

    def _calls(self) -> tuple[Mapping[str, Any], ...]:
        """Return the calls of tools: their spans, else those in the replies of models."""
        calls: list[Mapping[str, Any]] = []
        for node in self.unit.nodes:
            named = next((found for found in values(node.span.attributes, "call")), None)
            if kind_of(node.span.attributes) == TOOL:  # also one that the user calls a retriever
                arguments = next((found.value for found in values(node.span.attributes, "arguments")), None)
                name = str(named.value) if named else node.span.name
                calls.append(call(name or "(unnamed)", arguments))
                self._remember("calls", named.attribute if named else "name of the span", node.span)
        if calls:
            return tuple(calls)
        for node in self.generations:
            for found in values(node.span.attributes, "answer"):
                if inner := calls_in(found.value):
                    calls.extend(inner)
                    self._remember("calls", found.attribute, node.span)
                    break
        return tuple(calls)

    def _usage(self) -> dict[str, float]:
        """Return tokens and cost; where only a part of the calls has a value, it is counted and none is given."""
        usage, partial = {}, []
        amounts = ("input_tokens", "output_tokens", "cost")
        if negative := next(filter(None, (negative_in(name, self.unit.nodes) for name in amounts)), ""):
            self.losses.add("negative usage", self.where, negative)
        for name in amounts:
            amount = amount_of(name, self.unit.nodes, self.generations)
            if amount is None:
                continue
            if amount.is_partial:
                partial.append(name)
                continue
            usage[name] = amount.total
            for node, found in amount.sources:
                self._remember(name, found.attribute, node.span)
        if partial:
            self.losses.add("part of usage", self.where, " and ".join(partial))
        if usage and "cost" not in usage and "cost" not in partial:
            self.losses.add("no cost", self.where)
        return usage

    def _seconds(self) -> float | None:
        seconds = self.unit.seconds
        if seconds is not None:
            whose = "start and end of all spans" if self.unit.is_rootless else "start and end"
            self._remember("seconds", whose, self.unit.top.span)
        return seconds

    def _first_token(self, start: int) -> float | None:
        """Return the seconds from the beginning of the turn to the first part of the final reply."""
        for node in reversed(self.generations):
            span = node.span
            for found in values(span.attributes, "first_token_at"):
                moment = nanoseconds({"t": found.value}, "t")
                if start and moment >= start:
                    self._remember("first token", found.attribute, span)
                    return (moment - start) / 1e9
            for field, scale in (("first_token_seconds", 1.0), ("first_token_ms", 1e-3)):
                for found in values(span.attributes, field):
                    seconds = number(found.value)
                    if seconds is not None and seconds >= 0 and start and span.start >= start:
                        self._remember("first token", found.attribute, span)
                        return (span.start - start) / 1e9 + seconds * scale
        return None


def _holds(last: Node, node: Node) -> bool:
    """Return whether a retrieval is a part of the last one."""
    return node is not last and last in above_of(node)


def _documents(span: Span) -> tuple[tuple[Hit, ...] | None, str]:
    """Return the documents of a retrieving span and their attribute; None: not recorded."""
    for field in ("documents", "documents_in_output"):
        for found in values(span.attributes, field):
            if (hits := hits_in(found.value)) is not None:
                return hits, found.attribute
    return None, ""


def _records_answer(span: Span) -> bool:
    """Return whether a span records an output, even an empty one."""
    return any(True for _ in values(span.attributes, "answer")) or bool(_empty_answer(span))


def _empty_answer(span: Span) -> str:
    """Return the attribute of an answer that was recorded as empty text; "" if there is none."""
    names = (name for dialect in CONVENTIONS.dialects for name in dialect.answer)
    return next((name for name in names if span.attributes.get(name) == ""), "")


def _is_cut(value: Any) -> bool:
    """Return whether a text was cut off: it says so, or it is the beginning of JSON.

    >>> _is_cut('{"answer": "Two flo'), _is_cut("Two flo... [truncated]"), _is_cut("[sic] two floors")
    (True, True, False)
    """
    if not isinstance(value, str):
        return False
    begins_json = re.match(r'\s*(\{\s*"|\[\s*[\[{"])', value) is not None
    return bool(_CUT.search(value[-80:])) or (begins_json and isinstance(decoded(value), str))


def _as_text(value: Any) -> str:
    value = decoded(value)
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _listed(names: Sequence[str], most: int = 5) -> str:
    """Return names as the end of an advice, such as ` (there are: search, rerank)`."""
    return f" (there are: {', '.join(names[:most])}{', …' if len(names) > most else ''})" if names else ""
