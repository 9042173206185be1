"""Tokens and cost of a turn, summed over the spans that record them without counting any twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from neraca.traces.attributes import decoded, number
from neraca.traces.conventions import CONVENTIONS, Found, values
from neraca.traces.span_tree import Node, above_of


class Amount(NamedTuple):
    """The amount that a turn used, where each part of it was read, and whether that is a part only."""

    total: float
    sources: Sequence[tuple[Node, Found]]
    is_partial: bool


def amount_of(name: str, nodes: Sequence[Node], generations: Sequence[Node]) -> Amount | None:
    """Return the tokens or the cost of a turn; None if no span records any.

    A span counts what the spans below it record, or its own value where that is larger: it may hold calls that are not
    recorded.  It is a part only if a call of a model that did not fail has no value, and no span above it has one.
    """
    own: dict[Node, tuple[float, Found]] = {}
    for node in nodes:
        if node.kind != "embedding" and (pair := _recorded(node, name)) is not None:
            own[node] = pair
    if not own:
        return None
    sums: dict[Node, tuple[float, list[tuple[Node, Found]]]] = {}
    members = set(nodes)
    order = [node for root in nodes if root.parent not in members for node in root.walk()]
    for node in reversed(order):  # children before parents
        below = [sums[child] for child in node.children if child in sums]
        total, sources = sum(each for each, _ in below), [source for _, each in below for source in each]
        if node in own and (own[node][0] > total or not sources):
            total, sources = own[node][0], [(node, own[node][1])]
        sums[node] = total, sources
    tops = [sums[node] for node in order if node.parent not in members]
    is_partial = any(
        not sums[node][1] and not node.span.error and not any(above in own for above in above_of(node))
        for node in generations
    )
    return Amount(sum(total for total, _ in tops), [source for _, each in tops for source in each], is_partial)


def negative_in(name: str, nodes: Sequence[Node]) -> str:
    """Return the first attribute that records a negative amount, which is no amount; "" if none does."""
    for node in nodes:
        for found in values(node.span.attributes, name):
            if (amount := number(found.value)) is not None and amount < 0:
                return found.attribute
    return ""


def _recorded(node: Node, name: str) -> tuple[float, Found] | None:
    """Return what a span itself records; a cost also as the sum of its parts."""
    for found in values(node.span.attributes, name):
        if (amount := number(found.value)) is not None and amount >= 0:
            return amount, found
    return _sum_of_parts(node) if name == "cost" else None


def _sum_of_parts(node: Node) -> tuple[float, Found] | None:
    """Return the cost of a span whose dialect records only the costs of input, output and the like."""
    all_parts = list(values(node.span.attributes, "cost_parts"))
    for dialect in CONVENTIONS.dialects if all_parts else ():
        parts = [each for each in all_parts if each.attribute in dialect.cost_parts]
        amounts = [amount for part in parts for amount in _numbers(decoded(part.value))]
        if amounts:
            return sum(amounts), Found(sum(amounts), " + ".join(part.attribute for part in parts))
    return None


def _numbers(value: object) -> list[float]:
    parts = value.values() if isinstance(value, Mapping) else [value]
    return [amount for part in parts if (amount := number(part)) is not None and amount >= 0]
