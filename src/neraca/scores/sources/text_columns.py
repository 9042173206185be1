"""The roles of columns in a table of texts: references, responses, languages, groups, people's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from neraca.datasets.columns import ALL, fold, is_known
from neraca.errors import InputError, SpecError


@dataclass(frozen=True)
class TextColumns:
    """The columns by what they are; "" or () where there is none.

    Attributes
    ----------
    references, responses
        Every response column is a system of its own; no references where metrics need none.
    language, query, contexts, session, id
        One column each.
    groups
        Columns to group by.
    human
        Columns of people's scores; with several systems one for each, in their order.
    whose
        A column of people's scores that is not used, because nobody can tell which of several systems it is of.
    others
        Columns that could have been the response or the reference too, where nobody chose.
    unknown
        Columns that are not used, and no usual name says what they are.
    """

    references: tuple[str, ...]
    responses: tuple[str, ...]
    language: str = ""
    groups: tuple[str, ...] = ()
    query: str = ""
    contexts: str = ""
    session: str = ""
    id: str = ""
    human: tuple[str, ...] = ()
    whose: str = ""
    others: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def unknown_of(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a table that are not used and not called as any that is known."""
        used = {*self.references, *self.responses, *self.groups, *self.human}
        used |= {self.language, self.query, self.contexts, self.session, self.id}
        return tuple(name for name in columns if name not in used and not is_known(name))


def find_columns(
    columns: Sequence[str],
    where: str,
    references: Sequence[str] = (),
    responses: Sequence[str] = (),
    groups: Sequence[str] = (),
    human: Sequence[str] = (),
    alone: bool = False,
) -> TextColumns:
    """Take the columns that were named, and recognise the others by their names.

    Beside `ground_truth` or another name of references, `answer` is a response; else, beside another name of
    responses, it is the reference.

    Parameters
    ----------
    columns, where
        The names in the file; the file and its header, for messages.
    alone
        Whether responses can do without references.

    Raises
    ------
    InputError, SpecError
        A column is not there, or is to be two things; none can be the reference or the response; people's scores are
        not one per system.

    Examples
    --------
    >>> chosen = find_columns(["question", "ground_truth", "answer"], "a.csv")
    >>> chosen.references, chosen.responses
    (('ground_truth',), ('answer',))
    """
    _check_named([*references, *responses, *human], groups, columns, where)
    named_columns = {*references, *responses, *human}
    free = {fold(column): column for column in reversed(columns) if column not in named_columns}
    found_references = [] if references else _all_of(ALL["references"], free)
    found_responses = (
        [] if responses else [name for name in _all_of(ALL["response"], free) if name not in found_references[:1]]
    )
    chosen = tuple(references) or tuple(found_references[:1]), tuple(responses) or tuple(found_responses[:1])
    if missing := "reference" if not (chosen[0] or alone) else "response" if not chosen[1] else "":
        problem = f"no column for the {missing} (found: {', '.join(columns) or 'none'})"
        raise InputError(f"{where}: {problem}; call it {missing}, or name it with --{missing}")
    used = {*chosen[0], *chosen[1]}
    one = partial(_first_of, free=free, used=used)
    recognised = one(ALL["human"])
    found = TextColumns(
        *chosen,
        groups=tuple(groups),
        language=one(ALL["language"]),
        query=one(ALL["query"]),
        contexts=one(ALL["contexts"]),
        session=one(ALL["session"]),
        id=one(ALL["id"]),
        human=_human(tuple(human), recognised, len(chosen[1])),
        whose=recognised if len(chosen[1]) > 1 and not human else "",
        others=tuple(name for name in dict.fromkeys([*found_references[1:], *found_responses[1:]]) if name not in used),
    )
    return replace(found, unknown=found.unknown_of(columns))


def has_texts(columns: Sequence[str]) -> bool:
    """Whether columns of these names are references and responses.

    >>> has_texts(["question", "ground_truth", "answer"]), has_texts(["query", "A", "B"])
    (True, False)
    """
    free = {fold(column): column for column in reversed(columns)}
    references, responses = _all_of(ALL["references"], free), _all_of(ALL["response"], free)
    return bool(references) and bool(set(responses) - set(references[:1]))


def _check_named(named: Sequence[str], groups: Sequence[str], columns: Sequence[str], where: str) -> None:
    missing = [column for column in (*named, *groups) if column not in columns]
    if missing:
        raise InputError(f'{where}: no column "{missing[0]}" (found: {", ".join(columns) or "none"})')
    twice = [column for column in dict.fromkeys(named) if named.count(column) > 1]
    if twice:
        raise SpecError(f"column {twice[0]!r} is named twice among --reference, --response and --human; name it once")


def _human(named: tuple[str, ...], recognised: str, systems: int) -> tuple[str, ...]:
    """Columns of people's scores; with several systems nobody can guess whose scores they are."""
    if systems == 1:
        return named or ((recognised,) if recognised else ())
    if named and len(named) != systems:
        raise SpecError(
            f"{systems} response columns, but {len(named)} of people's scores: name one --human for each --response, "
            "in the same order"
        )
    return named


def _first_of(names: Sequence[str], free: dict[str, str], used: set[str]) -> str:
    return next((name for name in _all_of(names, free) if name not in used), "")


def _all_of(names: Sequence[str], free: dict[str, str]) -> list[str]:
    return [free[fold(name)] for name in names if fold(name) in free]
