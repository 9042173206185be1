"""The roles of columns in a table of texts: references, responses, languages, groups, people's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from neraca.datasets.cells import blank, shown, words
from neraca.datasets.columns import ALL, column_named, columns_named, is_known
from neraca.datasets.expectations import expectation_columns
from neraca.datasets.row_batch import RowBatch
from neraca.errors import InputError, SpecError
from neraca.records import ANSWER_STATUSES

#: The name of the column with the status of each answer; beside several systems it begins with the response's column.
STATUS = "status"


@dataclass(frozen=True)
class TextColumns:
    """The names of the columns in each role; "" or () without one.

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
        A column of people's scores that is not used, because it does not say which of several systems people scored.
    statuses
        For each column of responses the column with the status of its answers, or "".
    no_statuses
        Columns called status that hold something else, each with a value of it.
    further
        Columns that are read only because a metric looks at the whole row.
    others
        Unused columns with a usual name of a response or reference, if the user did not choose.
    unknown
        Unused columns without a usual name.
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
    statuses: tuple[str, ...] = ()
    no_statuses: tuple[tuple[str, str], ...] = ()
    further: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()

    def unknown_of(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a table that are not used and have no usual name."""
        used = {*self.groups, *expectation_columns(columns)}
        return tuple(name for name in self.further_of(columns) if name not in used and not is_known(name))

    def further_of(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Return the columns of a table that are neither texts nor facts about a row: they may be groups."""
        used = {*self.references, *self.responses, *self.human, *self.statuses}
        used |= {self.language, self.query, self.contexts, self.session, self.id}
        return tuple(name for name in columns if name not in used)

    def checked(self, first_rows: RowBatch) -> TextColumns:
        """Return the columns without those that are called status and, by the first rows, hold something else."""
        other_words = {
            name: next(filter(None, map(_no_status, first_rows.column(name))), "") for name in self.statuses if name
        }
        usable = tuple("" if other_words.get(name) else name for name in self.statuses)
        no_statuses = tuple((name, word) for name, word in other_words.items() if word)
        return replace(self, statuses=usable, no_statuses=no_statuses)


def read_status(value: Any) -> str:
    """Return the status in a cell; an empty cell is a complete answer.  Raise `InputError` for another word."""
    status = words(value).lower() or "complete"
    if status not in ANSWER_STATUSES:
        raise InputError(
            f"a status is one of {', '.join(ANSWER_STATUSES)}, found {shown(value)}; if the column holds something "
            "else, rename it"
        )
    return status


def _no_status(value: Any) -> str:
    """Return a value that is not the status of an answer; "" for a status."""
    is_status = blank(value) or (isinstance(value, str) and words(value).lower() in ANSWER_STATUSES)
    return "" if is_status else shown(value)


def find_columns(
    columns: Sequence[str],
    where: str,
    references: Sequence[str] = (),
    responses: Sequence[str] = (),
    groups: Sequence[str] = (),
    human: Sequence[str] = (),
    alone: bool = False,
) -> TextColumns:
    """Return the columns named by the user, and recognise the others by their names.

    A column `answer` is a response if there is another column of references, such as `ground_truth`, and the reference
    if there is another column of responses.

    Parameters
    ----------
    columns, where
        The names in the file; the file and its header, for messages.
    alone
        Whether responses need no references.

    Raises
    ------
    InputError, SpecError
        A column is missing or named twice; no column can be the reference or the response; `human` lacks a system.

    Examples
    --------
    >>> chosen = find_columns(["question", "ground_truth", "answer"], "a.csv")
    >>> chosen.references, chosen.responses
    (('ground_truth',), ('answer',))
    """
    _check_named([*references, *responses, *human], groups, columns, where)
    free = [column for column in columns if column not in {*references, *responses, *human}]
    free_references, free_responses = _free_texts(free, references, responses, alone)
    chosen = tuple(references) or tuple(free_references[:1]), tuple(responses) or tuple(free_responses[:1])
    if missing := "reference" if not (chosen[0] or alone) else "response" if not chosen[1] else "":
        problem = f"no column for the {missing} (found: {', '.join(columns) or 'none'})"
        raise InputError(f"{where}: {problem}; call it {missing}, or name it with --{missing}")
    used = {*chosen[0], *chosen[1]}

    def first_free(names: Sequence[str]) -> str:
        return next((name for name in columns_named(names, free) if name not in used), "")

    human_column = first_free(ALL["human"])
    roles = TextColumns(
        *chosen,
        groups=tuple(groups),
        language=first_free(ALL["language"]),
        query=first_free(ALL["query"]),
        contexts=first_free(ALL["contexts"]),
        session=first_free(ALL["session"]),
        id=first_free(ALL["id"]),
        human=_human_columns(tuple(human), human_column, len(chosen[1])),
        statuses=_status_columns(chosen[1], [column for column in free if column not in used]),
        whose=human_column if len(chosen[1]) > 1 and not human else "",
        others=tuple(name for name in dict.fromkeys([*free_references[1:], *free_responses[1:]]) if name not in used),
    )
    return replace(roles, unknown=roles.unknown_of(columns))


def _free_texts(
    free: Sequence[str], references: Sequence[str], responses: Sequence[str], alone: bool
) -> tuple[list[str], list[str]]:
    """Return the recognised columns of references and of responses; none of a role whose columns the user named."""
    free_references = [] if references else columns_named(ALL["references"], free)
    free_responses = [] if responses else columns_named(ALL["response"], free)
    if alone and free_responses and set(free_responses) <= set(free_references[:1]):
        return [], free_responses  # without another column, `answer` is the response
    return free_references, [name for name in free_responses if name not in free_references[:1]]


def _status_columns(responses: Sequence[str], columns: Sequence[str]) -> tuple[str, ...]:
    """Return the column with the status of each response, or ""; () without any.  `status` is of a single response."""
    alone = [STATUS] if len(responses) == 1 else []
    statuses = tuple(column_named([f"{response} {STATUS}", *alone], columns) for response in responses)
    return statuses if any(statuses) else ()


def has_texts(columns: Sequence[str]) -> bool:
    """Return whether these columns include references and responses.

    >>> has_texts(["question", "ground_truth", "answer"]), has_texts(["query", "A", "B"])
    (True, False)
    """
    references, responses = (columns_named(ALL[role], columns) for role in ("references", "response"))
    return bool(references) and bool(set(responses) - set(references[:1]))


def _check_named(named_columns: Sequence[str], groups: Sequence[str], columns: Sequence[str], where: str) -> None:
    missing = [column for column in (*named_columns, *groups) if column not in columns]
    if missing:
        raise InputError(f'{where}: no column "{missing[0]}" (found: {", ".join(columns) or "none"})')
    repeated = [column for column in dict.fromkeys(named_columns) if named_columns.count(column) > 1]
    if repeated:
        raise SpecError(
            f"column {repeated[0]!r} is named twice among --reference, --response and --human; name it once"
        )


def _human_columns(columns: tuple[str, ...], recognised: str, systems: int) -> tuple[str, ...]:
    """Return the columns of people's scores; with several systems, only named columns count."""
    if systems == 1:
        return columns or ((recognised,) if recognised else ())
    if columns and len(columns) != systems:
        raise SpecError(
            f"{systems} response columns, but {len(columns)} of people's scores: name one --human for each --response, "
            "in the same order"
        )
    return columns
