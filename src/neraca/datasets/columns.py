"""The role of each column of a table, by the names that people use for questions, references, sessions and the rest."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from neraca.errors import InputError, nearest

#: The one list of what columns are called: role → language → names.
FILE = Path(__file__).with_name("headings.json")
BY_LANGUAGE: dict[str, dict[str, tuple[str, ...]]] = msgspec.json.decode(
    FILE.read_bytes(), type=dict[str, dict[str, tuple[str, ...]]]
)
#: What each column may be called; of several in one table the first named here is taken, the others stay extra.
#: `answer` stands last among the references in each language: beside `ground_truth` it is what a system said.
ALL: dict[str, tuple[str, ...]] = {
    role: tuple(dict.fromkeys(name for names in languages.values() for name in names))
    for role, languages in BY_LANGUAGE.items()
}
#: Roles that only tables of texts have: what a system said, its contexts, people's scores.
OF_TEXTS = ("response", "contexts", "human")
NAMES: dict[str, tuple[str, ...]] = {role: names for role, names in ALL.items() if role not in OF_TEXTS}


#: What a user calls things: role (or `tag:NAME`) → column; of references also several columns.
Columns = Mapping[str, str | Sequence[str]]


class Plan(NamedTuple):
    """Which column plays which role: role → column, and name of a tag → column.

    `more_references` are the columns of references after the first.
    """

    roles: dict[str, str]
    tags: dict[str, str]
    more_references: tuple[str, ...] = ()

    def unused(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns that play no role."""
        used = {*self.roles.values(), *self.tags.values(), *self.more_references}
        return tuple(column for column in columns if column not in used)


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
    """Return a name without case, accents, spaces, `_` and `-`; one `_` in front counts (`_id` is not `id`).

    >>> fold("User-Input") == fold("user input ") == "userinput", fold("Sesión")
    (True, 'sesion')
    """
    name = name.strip().casefold()
    if not name.isascii():
        name = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return ("_" if name.startswith("_") else "") + re.sub(r"[\s_-]+", "", name)


def not_used(columns: Sequence[str]) -> str:
    """Say which columns are not used, and what may have been meant; "" where there is none.

    >>> not_used(["sesion_", "kategry", "colour"])
    'columns not used: sesion_, kategry, colour; did you mean session for sesion_, category for kategry?'
    """
    if not columns:
        return ""
    import difflib

    meant = []
    for column in columns:
        if near := difflib.get_close_matches(fold(column), _ROLE_OF, n=1, cutoff=0.8):
            meant.append(f"{_ROLE_OF[near[0]]} for {column}")
    question = f"; did you mean {', '.join(meant)}?" if meant else ""
    return f"columns not used: {', '.join(columns)}{question}"


def is_known(name: str) -> bool:
    """Tell whether a usual name of any role is this, those of tables of texts included."""
    return fold(name) in _ROLE_OF


def is_recognised(name: str) -> bool:
    """Tell whether a column of this name has a role, and is not kept as extra."""
    return fold(name) in _KNOWN or name.strip().casefold().startswith("tag:")


_KNOWN = frozenset(fold(name) for names in NAMES.values() for name in names)
#: Folded name → its role, by the first that has it.
_ROLE_OF = {fold(name): role for role, names in reversed(ALL.items()) for name in names}


def one_each(mapping: Columns, where: str) -> dict[str, str]:
    """Return the first column of each role; raise `InputError` where a role other than `references` has several.

    >>> one_each({"query": "Frage", "references": ["A", "B"]}, "a.csv")
    {'query': 'Frage', 'references': 'A'}
    """
    first: dict[str, str] = {}
    for role, named in mapping.items():
        several = [named] if isinstance(named, str) else [*dict.fromkeys(named)]
        if len(several) > 1 and (role != "references" or "" in several):
            raise InputError(
                f"{where}: {role} is one column, not {' and '.join(map(repr, several))}; name one "
                "(only references may be several)"
            )
        first[role] = several[0] if several else ""
    return first


def recognise(columns: Sequence[str], mapping: Columns, where: str) -> Plan:
    """Decide which column plays which role.

    Parameters
    ----------
    columns
        The names in the file.
    mapping
        Role (or `tag:NAME`) → column, before recognition.  An empty text says that no column plays the role.
        Several columns for `references` are several references.
    where
        File and line of the header, for messages.
    """
    roles: dict[str, str] = {}
    tags: dict[str, str] = {}
    given, more = _mapped(mapping, columns, where)
    for role, column in given.items():
        if column:
            (tags if role.startswith("tag:") else roles)[role.removeprefix("tag:")] = column
    taken = {*given.values(), *more}
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
    return Plan(roles, tags, more)


def _mapped(mapping: Columns, columns: Sequence[str], where: str) -> tuple[dict[str, str], tuple[str, ...]]:
    """The first column of each role, and the further ones of references; all of them are there."""
    given, named = one_each(mapping, where), mapping.get("references", "")
    more = () if isinstance(named, str) else tuple(dict.fromkeys(named))[1:]
    for role, column in [*given.items(), *(("references", column) for column in more)]:
        _check_mapped(role, column, columns, where)
    return given, more


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
