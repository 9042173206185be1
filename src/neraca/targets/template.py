"""Templates of requests: fill in placeholders such as `{query}` inside text, tables and lists.

=================  =====================================================================================
placeholder        becomes
=================  =====================================================================================
`{query}`          the question
`{session}`        the conversation's id, new for every start of a session
`{trial}`          the repetition, from 0
`{history}`        earlier turns, oldest first: a list of `{"query": …, "text": …}`
`{messages}`       earlier turns and the question: a list of `{"role": "user" | "assistant", "content": …}`
`{contents}`       the same in Gemini's form: `{"role": "user" | "model", "parts": [{"text": …}]}`
`{item.id}`        the item's id; also `{item.session}`, `{item.tags.NAME}`, `{item.extra.NAME}`
`${NAME}`          an environment variable
=================  =====================================================================================

A string that is exactly one placeholder becomes the value itself (a list, a number).  Inside longer text the value is
written out, lists as JSON.  A list member that is exactly `{history}`, `{messages}` or `{contents}` is replaced by all
members of that list, so that a system message can come before them.  `{{` and `}}` are literal braces.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import msgspec

from neraca.errors import SpecError, TargetError
from neraca.nearest import nearest
from neraca.records import Item
from neraca.targets.settings import Secrets
from neraca.targets.target import Conversation
from neraca.translation import say

Fill = Callable[[Item, Conversation], Any]
_PART = re.compile(r"\{\{|\}\}|\$\{([A-Za-z_]\w*)\}|\{([^{}]*)\}|[{}]")
_LISTS = ("history", "messages", "contents")


def history(conversation: Conversation) -> list[dict[str, str]]:
    """Return the earlier turns, oldest first, as `{"query": …, "text": …}`."""
    return [{"query": turn.query, "text": turn.text} for turn in conversation.turns]


def messages(item: Item, conversation: Conversation) -> list[dict[str, str]]:
    """Return the earlier turns and the question as chat messages."""
    dialogue: list[dict[str, str]] = []
    for turn in conversation.turns:
        dialogue += ({"role": "user", "content": turn.query}, {"role": "assistant", "content": turn.text})
    return [*dialogue, {"role": "user", "content": item.query}]


def contents(item: Item, conversation: Conversation) -> list[dict[str, Any]]:
    """Return the earlier turns and the question in the form that Gemini takes."""
    roles = {"user": "user", "assistant": "model"}
    dialogue = messages(item, conversation)
    return [{"role": roles[message["role"]], "parts": [{"text": message["content"]}]} for message in dialogue]


_VALUES: dict[str, Fill] = {
    "query": lambda item, _: item.query,
    "session": lambda _, conversation: conversation.id,
    "trial": lambda _, conversation: conversation.trial,
    "history": lambda _, conversation: history(conversation),
    "messages": messages,
    "contents": contents,
    "item.id": lambda item, _: item.id,
    "item.session": lambda item, _: item.session,
}


def as_text(value: Any) -> str:
    """Write a value out inside longer text: text as it is, null as "", anything else as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else msgspec.json.encode(value).decode()


class Template:
    """A text, table or list with placeholders, parsed once and filled often.

    Parameters
    ----------
    tree
        The value of the setting.
    where
        The setting's name, for messages.
    secrets
        The source of the values of `${NAME}`.
    escape
        Function to apply to each filled-in text, such as percent-encoding in a URL; None: keep values as they are.

    Attributes
    ----------
    uses
        The placeholders that occur.
    """

    def __init__(self, tree: Any, where: str, secrets: Secrets, escape: Callable[[str], str] | None = None) -> None:
        self._where = where
        self._secrets = secrets
        self._escape = escape
        self._used: set[str] = set()
        fill = self._compile(tree)
        self.uses = frozenset(self._used)
        self.fixed = None if callable(fill) else fill[0]
        self._fill = fill if callable(fill) else None

    def fill(self, item: Item, conversation: Conversation) -> Any:
        """Return the template filled for this question; raise `TargetError` if the item lacks a column."""
        return self.fixed if self._fill is None else self._fill(item, conversation)

    def _compile(self, tree: Any) -> Fill | tuple[Any]:
        """Return a function that fills this part, or a tuple of its value if it has no placeholder."""
        if isinstance(tree, str):
            return self._compile_text(tree)
        if isinstance(tree, dict):
            return self._compile_table(tree)
        if isinstance(tree, list):
            return self._compile_list(tree)
        return (tree,)

    def _compile_table(self, tree: dict[str, Any]) -> Fill | tuple[Any]:
        parts = {key: self._compile(value) for key, value in tree.items()}
        fixed = {key: part[0] for key, part in parts.items() if not callable(part)}
        if len(fixed) == len(parts):
            return (fixed,)
        fills = {key: part for key, part in parts.items() if callable(part)}
        order = dict.fromkeys(parts)
        return lambda item, conversation: order | fixed | {key: fill(item, conversation) for key, fill in fills.items()}

    def _compile_list(self, tree: list[Any]) -> Fill | tuple[Any]:
        parts = [self._compile(value) for value in tree]
        if not any(callable(part) for part in parts):
            return ([part[0] for part in parts if not callable(part)],)
        spread = [isinstance(value, str) and value.strip("{ }") in _LISTS for value in tree]

        def fill(item: Item, conversation: Conversation) -> list[Any]:
            filled: list[Any] = []
            for part, is_spread in zip(parts, spread, strict=True):
                value = part(item, conversation) if callable(part) else part[0]
                filled += value if is_spread and isinstance(value, list) else [value]
            return filled

        return fill

    def _compile_text(self, text: str) -> Fill | tuple[str]:
        parts: list[str | Fill] = []
        at = 0
        for match in _PART.finditer(text):
            parts += [text[at : match.start()], self._part(match, text)]
            at = match.end()
        parts = [part for part in [*parts, text[at:]] if part != ""]
        if all(isinstance(part, str) for part in parts):
            return ("".join(part for part in parts if isinstance(part, str)),)
        if len(parts) == 1 and self._escape is None and callable(parts[0]):
            return parts[0]
        escape = self._escape or str
        return lambda item, conversation: "".join(
            part if isinstance(part, str) else escape(as_text(part(item, conversation))) for part in parts
        )

    def _part(self, match: re.Match[str], text: str) -> str | Fill:
        if match.group() in ("{{", "}}"):
            return match.group()[0]
        if match.group(1):
            return self._secrets.value(match.group(1), self._where)
        if match.group(2) is None:
            raise SpecError(
                say(
                    "{where}: a lone {brace!r} in {text!r}; write {doubled} for the brace itself",
                    where=self._where,
                    brace=match.group(),
                    text=text,
                    doubled=match.group() * 2,
                )
            )
        return self._placeholder(match.group(2).strip())

    def _placeholder(self, name: str) -> Fill:
        for group in ("item.extra.", "item.tags."):
            if name.startswith(group):
                self._used.add(name)
                return _column(group.split(".")[1], name.removeprefix(group))
        if name not in _VALUES:
            placeholders = [*_VALUES, "item.tags.NAME", "item.extra.NAME"]
            hint = f"{nearest(name, placeholders)} Write {{{{ and }}}} for literal braces"
            raise SpecError(say("{where}: no placeholder {{{name}}}; {hint}", where=self._where, name=name, hint=hint))
        self._used.add(name)
        return _VALUES[name]


def _column(group: str, name: str) -> Fill:
    def fill(item: Item, conversation: Conversation) -> Any:
        columns = item.extra if group == "extra" else item.tags
        if name not in columns:
            listed = ", ".join(columns) or "nothing"
            raise TargetError(f"item {item.id!r} has no {group} column {name!r} (it has: {listed})", refused=True)
        return columns[name]

    return fill
