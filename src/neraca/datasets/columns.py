"""Recognise the role of each column of a table by the names that people give to questions, references and so on."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from neraca.counts_and_lists import listed
from neraca.errors import InputError
from neraca.nearest import nearest
from neraca.records import COSTS
from neraca.translation import say

#: The list of usual column names: role → language → names.
FILE = Path(__file__).with_name("headings.json")
BY_LANGUAGE: dict[str, dict[str, tuple[str, ...]]] = msgspec.json.decode(
    FILE.read_bytes(), type=dict[str, dict[str, tuple[str, ...]]]
)
#: Role → usual names of its column.  If a table has several, the first one here is taken and the others stay extra.
#: In each language `answer` is the last name of `references`: beside `ground_truth` it means the system's answer.
ALL: dict[str, tuple[str, ...]] = {
    role: tuple(dict.fromkeys(name for names in languages.values() for name in names))
    for role, languages in BY_LANGUAGE.items()
}
#: Roles that only tables of texts have: the system's response, its contexts, people's scores.
OF_TEXTS = ("response", "contexts", "human")
#: Column names, such as `answer`, that may mean a response or a reference; less ambiguous names come before them.
_AMBIGUOUS = tuple(name for name in ALL["response"] if name in ALL["references"])
#: Part of a recorded answer → usual names of its column.
OF_ANSWERS: Mapping[str, tuple[str, ...]] = {
    "text": (*(name for name in ALL["response"] if name not in _AMBIGUOUS), "answer_text", *_AMBIGUOUS, "text"),
    "hits": ("hits", *ALL["contexts"], "results", "documents", "properties"),
    "calls": ("calls", "tool_calls"),
    "usage": ("usage",),
    "cost": COSTS,
    "input_tokens": ("input_tokens", "prompt_tokens"),
    "output_tokens": ("output_tokens", "completion_tokens"),
    "total_tokens": ("total_tokens", "tokens"),
    "seconds": ("seconds", "latency", "latency_s", "latency_seconds", "response_time", "duration", "elapsed"),
    "milliseconds": ("milliseconds", "latency_ms", "response_time_ms", "duration_ms"),
    "first_token_seconds": ("first_token_seconds", "ttft"),
    "status": ("status",),
    "error": ("error",),
}
NAMES: dict[str, tuple[str, ...]] = {role: names for role, names in ALL.items() if role not in OF_TEXTS}


#: A user's names: role (or `tag:NAME`) → column; `references` may have several columns.
Columns = Mapping[str, str | Sequence[str]]


class Plan(NamedTuple):
    """The columns of a table by role: role → column, and name of a tag → column.

    `more_references` are the columns of references after the first.
    """

    roles: dict[str, str]
    tags: dict[str, str]
    more_references: tuple[str, ...] = ()

    def unused(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that have no role."""
        used = {*self.roles.values(), *self.tags.values(), *self.more_references}
        return tuple(column for column in columns if column not in used)


def headings(cells: Sequence[object], where: str) -> tuple[str, ...]:
    """Return the names in a header, stripped; drop empty names at the end, raise `InputError` for other empty ones."""
    names = ["" if cell is None else str(cell).strip("\ufeff \t\r\n") for cell in cells]
    while names and not names[-1]:
        names.pop()
    if "" in names:
        raise InputError(
            say(
                "{where}: column {n} has no name; every column of the header needs one",
                where=where,
                n=names.index("") + 1,
            )
        )
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise InputError(say("{where}: two columns are called {name!r}; rename one", where=where, name=repeated[0]))
    return tuple(names)


def fold(name: str) -> str:
    """Return a name without case, accents, spaces, `_` and `-`; one `_` in front counts (`_id` is not `id`).

    >>> fold("User-Input") == fold("user input ") == "userinput", fold("Sesión")
    (True, 'sesion')
    """
    name = name.strip().casefold()
    if not name.isascii():
        name = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return ("_" if name.startswith("_") else "") + re.sub(r"[\s_-]+", "", name)


def columns_named(names: Iterable[str], columns: Iterable[str]) -> list[str]:
    """Return the columns that have one of these names, in the order of the names; of equal columns only the first.

    >>> columns_named(["answer", "response"], ["id", "Response", "answer", "response"])
    ['answer', 'Response']
    """
    column_by_name = {fold(column): column for column in reversed([*columns])}
    return [column_by_name[fold(name)] for name in names if fold(name) in column_by_name]


def column_named(names: Iterable[str], columns: Iterable[str]) -> str:
    """Return the column that has the first of these names; "" if there is none."""
    return next(iter(columns_named(names, columns)), "")


def tag_named(name: str, tags: Iterable[str]) -> str:
    """Return the tag that a name means: the tag itself, or the one whose column may have this name.

    >>> tag_named("kategori", ["category", "language"]), tag_named("level", ["category"])
    ('category', 'level')
    """
    tags = list(tags)
    role = _ROLE_OF.get(fold(name), "")
    return role if name not in tags and role in tags else name


def not_used(columns: Sequence[str]) -> str:
    """Say which columns are not used and which roles they may have been meant for; "" if all are used.

    Columns of recorded answers are left to a target that replays them.

    >>> not_used(["sesion_", "kategry", "colour", "seconds"])
    'columns not used: sesion_, kategry, colour; did you mean session for sesion_, category for kategry?'
    """
    columns = [column for column in columns if not is_of_answers(column)]
    if not columns:
        return ""
    import difflib

    guesses = []
    for column in columns:
        if near := difflib.get_close_matches(fold(column), _ROLE_OF, n=1, cutoff=0.8):
            guesses.append(say("{role} for {column}", role=_ROLE_OF[near[0]], column=column))
    question = say("; did you mean {names}?", names=", ".join(guesses)) if guesses else ""
    return say("columns not used: {names}{question}", names=", ".join(columns), question=question)


def is_of_answers(name: str) -> bool:
    """Return whether a column that is no part of a question has a usual name of a part of recorded answers."""
    return fold(name) in _FOLDED_OF_ANSWERS


def is_known(name: str) -> bool:
    """Return whether this is a usual name of any role, including the roles of tables of texts."""
    return fold(name) in _ROLE_OF


def is_recognised(name: str) -> bool:
    """Return whether a column of this name has a role, rather than being kept as extra."""
    return fold(name) in _FOLDED_NAMES or name.strip().casefold().startswith("tag:")


_FOLDED_NAMES = frozenset(fold(name) for names in NAMES.values() for name in names)
_FOLDED_OF_ANSWERS = frozenset(fold(name) for names in OF_ANSWERS.values() for name in names)
#: Folded name → the first role that has it.
_ROLE_OF = {fold(name): role for role, names in reversed(ALL.items()) for name in names}


def one_each(mapping: Columns, where: str) -> dict[str, str]:
    """Return the first column of each role; raise `InputError` if a role other than `references` has several.

    >>> one_each({"query": "Frage", "references": ["A", "B"]}, "a.csv")
    {'query': 'Frage', 'references': 'A'}
    """
    first: dict[str, str] = {}
    for role, value in mapping.items():
        names = [value] if isinstance(value, str) else [*dict.fromkeys(value)]
        if len(names) > 1 and (role != "references" or "" in names):
            raise InputError(
                say(
                    "{where}: {role} is one column, not {names}; name one (only references may be several)",
                    where=where,
                    role=role,
                    names=listed(list(map(repr, names))),
                )
            )
        first[role] = names[0] if names else ""
    return first


def recognise(columns: Sequence[str], mapping: Columns, where: str) -> Plan:
    """Return the role of each column; raise `InputError` if there is no question, or a role is ambiguous.

    Parameters
    ----------
    columns
        The names in the file.
    mapping
        Role (or `tag:NAME`) → column, which overrides recognition.  "" says that no column has the role.
        `references` may have several columns.
    where
        File and line of the header, for messages.
    """
    roles: dict[str, str] = {}
    tags: dict[str, str] = {}
    mapped, more = _mapped(mapping, columns, where)
    for role, column in mapped.items():
        if column:
            (tags if role.startswith("tag:") else roles)[role.removeprefix("tag:")] = column
    mapped_columns = {*mapped.values(), *more}
    free: dict[str, list[str]] = {}
    for column in columns:
        if column not in mapped_columns:
            free.setdefault(fold(column), []).append(column)
    for role, names in NAMES.items():
        candidates = next((free[fold(name)] for name in names if fold(name) in free), [])
        if candidates and role not in mapping:
            roles[role] = _only(candidates, role, where)
    for column in columns:
        name = column.strip()[4:].strip()
        if (
            column not in mapped_columns
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
            say(
                "{where}: no column for the question (found: {columns}); call it query or question",
                where=where,
                columns=", ".join(columns) or say("none"),
            ),
            remedies("query"),
        )
    return Plan(roles, tags, more)


def _mapped(mapping: Columns, columns: Sequence[str], where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the first column of each role, and the other references; raise `InputError` if a column is missing."""
    first, references = one_each(mapping, where), mapping.get("references", "")
    more = () if isinstance(references, str) else tuple(dict.fromkeys(references))[1:]
    for role, column in [*first.items(), *(("references", column) for column in more)]:
        _check_mapped(role, column, columns, where)
    return first, more


def _check_mapped(role: str, column: str, columns: Sequence[str], where: str) -> None:
    if role not in NAMES and not (role.startswith("tag:") and role != "tag:"):
        roles = (*NAMES, "tag:NAME", "constraint:NAME")
        raise InputError(
            say(
                "{where}: columns.{role}: there is no such role; {advice}",
                where=where,
                role=role,
                advice=nearest(role, roles),
            )
        )
    if column and column not in columns:
        names = ", ".join(columns) or say("none")
        raise InputError(
            say(
                '{where}: no column "{column}" for {role} (found: {names}); name one of these',
                where=where,
                column=column,
                role=role,
                names=names,
            )
        )


def _only(candidates: Sequence[str], role: str, where: str) -> str:
    """Return the only candidate for a role; raise `InputError` if there are two."""
    if len(candidates) > 1:
        raise InputError(
            say(
                "{where}: columns {first!r} and {second!r} could both be {role}; rename one",
                where=where,
                first=candidates[0],
                second=candidates[1],
                role=role,
            ),
            remedies(role),
        )
    return candidates[0]


def remedies(role: str) -> dict[str, str]:
    """Return the advice to name the column of a role, by the parameter of a command that it needs."""
    return {
        "column": say("name its column with --column {role}=NAME", role=role),
        "study": say('name its column in the study: columns = {{ "{role}" = "NAME" }}', role=role),
    }
