"""The role of each column of a table, by the names that people use for questions, references, sessions and the rest."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from neraca.errors import InputError, nearest

#: What each column may be called; of several in one table the first named here is taken, the others stay extra.
#: `answer` stands last among the references: beside `ground_truth` it is what a system said (ragas until 0.1).
NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id", "query_id", "question_id", "qid", "_id"),
    "query": ("query", "question", "user_input", "input", "prompt", "pertanyaan", "pregunta"),
    "session": ("session", "session_id", "conversation", "conversation_id", "thread", "thread_id"),
    "references": (
        *("references", "reference", "ground_truths", "ground_truth", "reference_answers", "reference_answer"),
        *("golden_answers", "golden_answer", "gold_answers", "gold_answer", "expected_answers", "expected_answer"),
        *("expected_output", "expected", "answers", "answer"),
    ),
    "relevant": ("relevant", "relevant_docs", "relevant_ids", "relevant_doc_ids", "qrels"),
    "expects": ("expects", "expect", "expected_results"),
    "constraints": ("constraints",),
    "expected_calls": ("expected_calls", "expected_tool_calls", "reference_tool_calls"),
    "category": ("category",),
    "language": ("language", "lang"),
    "tags": ("tags",),
    "extra": ("extra",),
}


class Plan(NamedTuple):
    """Which column plays which role: role → column, and name of a tag → column."""

    roles: dict[str, str]
    tags: dict[str, str]


def headings(cells: Sequence[object], where: str) -> tuple[str, ...]:
    """Return the names in a header without surrounding space; cut empty ones at the end, and raise for others."""
    names = ["" if cell is None else str(cell).strip("\ufeff \t\r\n") for cell in cells]
    while names and not names[-1]:
        names.pop()
    if "" in names:
        raise InputError(f"{where}: column {names.index('') + 1} has no name; every column of the header needs one")
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(f"{where}: two columns are called {repeated[0]!r}; rename one")
    return tuple(names)


def fold(name: str) -> str:
    """Return a name without case, spaces, underscores and hyphens; an underscore in front counts (`_id` is not `id`).

    >>> fold("User-Input") == fold("user input ") == "userinput"
    True
    """
    name = name.strip().casefold()
    return ("_" if name.startswith("_") else "") + re.sub(r"[\s_-]+", "", name)


def is_recognised(name: str) -> bool:
    """Tell whether a column of this name has a role, and is not kept as extra."""
    return fold(name) in _KNOWN or name.strip().casefold().startswith("tag:")


_KNOWN = frozenset(fold(name) for names in NAMES.values() for name in names)


def recognise(columns: Sequence[str], mapping: Mapping[str, str], where: str) -> Plan:
    """Decide which column plays which role.

    Parameters
    ----------
    columns
        The names in the file.
    mapping
        Role (or `tag:NAME`) → column, before recognition.  An empty text says that no column plays the role.
    where
        File and line of the header, for messages.
    """
    roles: dict[str, str] = {}
    tags: dict[str, str] = {}
    for role, column in mapping.items():
        _check_mapped(role, column, columns, where)
        if column:
            (tags if role.startswith("tag:") else roles)[role.removeprefix("tag:")] = column
    taken = set(mapping.values())
    free: dict[str, list[str]] = {}
    for column in columns:
        if column not in taken:
            free.setdefault(fold(column), []).append(column)
    for role, names in NAMES.items():
        candidates = next((free[fold(name)] for name in names if fold(name) in free), [])
        if candidates and role not in mapping:
            roles[role] = _only(candidates, role, where)
    for column in columns:
        name = column.strip()[4:].strip()
        if (
            column not in taken
            and column.strip().casefold().startswith("tag:")
            and name
            and f"tag:{name}" not in mapping
        ):
            tags[name] = _only([tags[name], column] if name in tags else [column], f"tag:{name}", where)
    for name in ("category", "language"):
        if name in roles:
            column = roles.pop(name)
            tags[name] = _only([column, tags[name]] if name in tags else [column], name, where)
    if "query" not in roles:
        raise InputError(
            f"{where}: no column for the question (found: {', '.join(columns) or 'none'}); "
            "call it query or question, or map it with columns.query / --query-column"
        )
    return Plan(roles, tags)


def _check_mapped(role: str, column: str, columns: Sequence[str], where: str) -> None:
    if role not in NAMES and not (role.startswith("tag:") and role != "tag:"):
        raise InputError(f"{where}: columns.{role} maps nothing that is read; {nearest(role, (*NAMES, 'tag:NAME'))}")
    if column and column not in columns:
        option = " / --query-column" if role == "query" else ""
        raise InputError(
            f'{where}: no column "{column}" (found: {", ".join(columns) or "none"}); map it with columns.{role}{option}'
        )


def _only(candidates: Sequence[str], role: str, where: str) -> str:
    """Return the only column that may play a role; raise `InputError` where there are two."""
    if len(candidates) > 1:
        raise InputError(
            f"{where}: columns {candidates[0]!r} and {candidates[1]!r} could both be {role}; "
            f"rename one, or choose with columns.{role}"
        )
    return candidates[0]
