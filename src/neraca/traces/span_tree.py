"""The spans of one trace as a tree, and the parts of it that are turns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from neraca.traces.conventions import ASIDE, WHOLE, Found, kind_of, values
from neraca.traces.messages import USER, answer_in, messages_of, question_in
from neraca.traces.spans import Span

GENERATION, RETRIEVER, RERANKER, TOOL = "llm", "retriever", "reranker", "tool"


class Node:
    """A span with its kind and its children, by time."""

    def __init__(self, span: Span, kind: str) -> None:
        self.span, self.kind = span, kind
        self.parent: Node | None = None
        self.children: list[Node] = []

    def walk(self) -> Iterator[Node]:
        """Yield this span and all below it that belong to the system, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.kind not in ASIDE:
                yield node
                waiting.extend(reversed(node.children))

    @cached_property
    def question(self) -> tuple[str, Found] | None:
        """The question in its input, and the attribute that holds it."""
        for found in values(self.span.attributes, "question"):
            if text := question_in(found.value):
                return text, found
        return None


class Unit(NamedTuple):
    """The part of a trace that is one turn.

    Attributes
    ----------
    top
        The span that stands for the turn.
    asked
        The span whose input is the question: the same, or a call of a model.
    nodes
        All spans that belong to the turn, by time.
    is_rootless
        Whether no span holds all of them.
    """

    top: Node
    asked: Node
    nodes: Sequence[Node]
    is_rootless: bool = False

    @property
    def start(self) -> int:
        """The beginning of the turn, in nanoseconds since 1970; 0: not recorded."""
        if self.is_rootless:
            return min((node.span.start for node in self.nodes if node.span.start), default=0)
        return self.top.span.start or self.asked.span.start

    @property
    def seconds(self) -> float | None:
        """The duration of the turn; None if a time is missing."""
        if not self.is_rootless:
            return self.top.span.seconds
        end = max((node.span.end for node in self.nodes), default=0)
        return (end - self.start) / 1e9 if self.start and end >= self.start else None

    @property
    def other_questions(self) -> list[Node]:
        """The calls of models or agents with a question of their own, as of turns that are not told apart.

        Without a span for the turn, these are the calls of models whose input holds neither the question nor what an
        earlier call said, or in which the user asks on after the question.  Else they are agents beside one that has
        the question of the turn itself.
        """
        question = self.asked.question[0] if self.asked.question else ""
        if self.asked.kind == GENERATION:
            earlier, others = [question], []
            for node in self.generations:
                whole_input = " ".join(str(found.value) for found in values(node.span.attributes, "question"))
                asked = node.question[0] if node.question else ""
                follows = any(text and (text in whole_input or text in asked) for text in earlier)
                if asked and (not follows or _asks_on(node, question)):
                    others.append(node)
                replies = (answer_in(found.value) for found in values(node.span.attributes, "answer"))
                earlier += [reply for reply in replies if reply and len(reply) > 2]
            return others
        agents = [node for node in self.nodes if node.kind == "agent" and node is not self.top and node.question]
        agents = [node for node in agents if not any(above in agents for above in above_of(node))]
        questions = [node.question[0] for node in agents if node.question]
        if question not in questions:
            return []
        return [node for node, text in zip(agents, questions, strict=True) if text != question]

    @property
    def generations(self) -> list[Node]:
        """The calls of models that hold no other such call, by time."""
        return [
            node
            for node in self.nodes
            if node.kind == GENERATION and not any(inner.kind == GENERATION for inner in list(node.walk())[1:])
        ]


class SpanTree:
    """The spans of one trace.

    Parameters
    ----------
    spans
        The spans, by time.
    retrievers
        Names of spans and tools that retrieve, whatever their kind.
    """

    def __init__(self, spans: Sequence[Span], retrievers: Collection[str] = ()) -> None:
        nodes = {span.id: Node(span, _kind(span, retrievers)) for span in spans}
        self.orphans = [span for span in spans if span.parent and span.parent not in nodes]
        self.roots: list[Node] = []
        for node in nodes.values():
            above = nodes.get(node.span.parent)
            if above is None or _is_below(above, node):
                self.roots.append(node)
            else:
                node.parent = above
                above.children.append(node)

    def nodes(self) -> list[Node]:
        """Return all spans that belong to the system, by time."""
        return _by_time(node for root in self.roots for node in root.walk())

    def units(self) -> list[Unit]:
        """Return the turns, by time.

        A turn is the outermost span with a question that is no call of a model and has one below it.  If there are
        several, the trace holds several turns.  If there is none, the whole trace is one turn: its question is that of
        the first call of a model.
        """
        wholes = [node for root in self.roots for node in _outermost(root)]
        answering = [node for node in wholes if any(inner.kind == GENERATION for inner in node.walk())]
        wholes = _by_time(answering or wholes)
        everything = self.nodes()
        if len(wholes) > 1:
            return [Unit(node, node, _by_time(node.walk())) for node in wholes]
        if wholes:
            return [Unit(wholes[0], wholes[0], everything)]
        asked = next((node for node in everything if node.kind == GENERATION and node.question), None)
        if asked is None:
            return []
        if len(self.roots) == 1:
            return [Unit(self.roots[0], asked, everything)]
        return [Unit(asked, asked, everything, is_rootless=True)]


def _asks_on(node: Node, question: str) -> bool:
    """Return whether the user says something new in the input of a call after a question of an earlier turn."""
    for found in values(node.span.attributes, "question"):
        if messages := messages_of(found.value):
            texts = [message.text.strip() for message in messages if message.role == USER and message.text.strip()]
            return question in texts[:-1] and texts[-1] != question
    return False


def above_of(node: Node) -> Iterator[Node]:
    """Yield the spans above one, the nearest first."""
    while node.parent is not None:
        node = node.parent
        yield node


def names_of(span: Span) -> set[str]:
    """Return the name of a span and those of the tools that it calls, by which the user may name retrievers."""
    return {span.name, *(str(found.value) for found in values(span.attributes, "call"))}


def _kind(span: Span, retrievers: Collection[str]) -> str:
    """Return the kind of a span; spans and tools that the user names are retrievers."""
    if retrievers and not names_of(span).isdisjoint(retrievers):
        return RETRIEVER
    return kind_of(span.attributes)


def _is_below(node: Node, other: Node) -> bool:
    """Return whether a span is another or stands below it, as where spans name each other as parents."""
    above: Node | None = node
    while above is not None:
        if above is other:
            return True
        above = above.parent
    return False


def _by_time(nodes: Iterable[Node]) -> list[Node]:
    return sorted(nodes, key=lambda node: (node.span.start, -node.span.end, node.span.id))


def _outermost(root: Node) -> Iterator[Node]:
    """Yield the outermost spans with a question that may stand for a turn."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.kind in ASIDE:
            continue
        if (node.kind in WHOLE or not node.kind) and node.question:
            yield node
        else:
            waiting.extend(node.children)
