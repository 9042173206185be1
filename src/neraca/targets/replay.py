"""Replay recorded answers, from a run of Neraca, a table of questions and answers, or a TREC run."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

import msgspec

from neraca.datasets.cells import EDGE, marked, words
from neraca.datasets.columns import ALL, OF_ANSWERS, fold
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.datasets.trec.file_encoding import declared_encoding, files_in, table_encoding
from neraca.datasets.trec.line_blocks import file_head
from neraca.datasets.trec.top_documents import top_documents
from neraca.errors import InputError, SpecError, TargetError
from neraca.journal import Journal
from neraca.nearest import nearest
from neraca.records import Answer, Hit, Item, Status
from neraca.targets.hits import is_id
from neraca.targets.response_parser import answer_from
from neraca.targets.settings import Settings, read
from neraca.targets.target import TARGETS, Conversation
from neraca.translation import say

_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "item", "item_id", *ALL["id"]),
    "query": ALL["query"],
    "session": ALL["session"],
    "trial": ("trial", "repeat"),
    **OF_ANSWERS,
}
#: Roles of a number that becomes a part of `Answer.usage`, under the name of the role.
_USAGE = ("cost", "input_tokens", "output_tokens", "total_tokens")
_STATUSES: Mapping[str, str] = {
    **{status: status for status in get_args(Status)},
    **dict.fromkeys(("ok", "success", "succeeded", "done", "200"), "complete"),
    **dict.fromkeys(("failed", "failure", "fail"), "error"),
}


class Columns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names of the columns that are not called by one of the usual names."""

    id: str = ""
    query: str = ""
    session: str = ""
    trial: str = ""
    text: str = ""
    hits: str = ""
    calls: str = ""
    usage: str = ""
    cost: str = ""
    input_tokens: str = ""
    output_tokens: str = ""
    total_tokens: str = ""
    seconds: str = ""
    milliseconds: str = ""
    first_token_seconds: str = ""
    status: str = ""
    error: str = ""


class ReplaySettings(Settings, frozen=True, kw_only=True):
    """Settings of a `replay` target."""

    file: str
    columns: Columns = Columns()
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None
    depth: int = 1000


@dataclass(frozen=True, slots=True)
class _Recorded:
    """A recorded answer and the keys to find it by; a key is None if the file does not have it."""

    answer: Answer
    id: str | None
    query: str | None
    session: str | None
    trial: int | None


@TARGETS.register("replay")
class ReplayTarget:
    """Replays recorded answers.

    Parameters
    ----------
    settings
        `file`: `answers.jsonl` of a run, any table that `read_table` reads, or a TREC run; `encoding`, `sheet` and
        `delimiter` as there.  `columns`: names of its columns that are not among the usual ones.  `depth`: the number
        of first documents of each query of a TREC run.

    An answer is found by the item's id if the file has ids, else by exactly the same question.  If a question has
    several answers, those of the same session count; within a session, answers are given in their order.  If the file
    names trials, only an answer of the same trial counts.  A question that a TREC run lacks has an empty answer.
    Seconds are those of the recording, or None.
    """

    stateful = False
    answers_are_recorded = True

    def __init__(self, settings: Mapping[str, Any]) -> None:
        spec = read(ReplaySettings, settings)
        self._file = Path(spec.file)
        if not self._file.is_file():
            raise InputError(say("{file}: no such file; a replay target needs recorded answers", file=self._file))
        self._ranked = _read_trec_run(self._file, spec) if _is_trec_run(self._file) else None
        if self._ranked is not None:
            return
        self._by_id: dict[str, list[_Recorded]] = {}
        self._by_query: dict[str, list[_Recorded]] = {}
        for recorded in _read_recording(self._file, spec):
            if recorded.id is not None:
                self._by_id.setdefault(recorded.id, []).append(recorded)
            if recorded.query is not None:
                self._by_query.setdefault(recorded.query, []).append(recorded)

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Find the recorded answer; see `Target.ask`."""
        if self._ranked is not None:
            hits = tuple(Hit(id=document) for document in self._ranked.get(item.id, ()))
            return Answer(item=item.id, trial=conversation.trial, hits=hits)
        answers = self._candidates(item)
        of_trial = [answer for answer in answers if answer.trial is None or answer.trial == conversation.trial]
        if not of_trial:
            trial = f", trial {conversation.trial}" if answers else ""
            raise TargetError(f"{self._file} has no recorded answer for item {item.id!r}{trial}", refused=True)
        chosen, note = _choose(of_trial, item, conversation)
        if chosen.trial is None and conversation.trial:
            note = "the recording names no trials: each trial gets the same answer"
        answer = answer_from(chosen.answer, item, conversation)
        return msgspec.structs.replace(answer, note="; ".join(filter(None, (answer.note, note))))

    def _candidates(self, item: Item) -> list[_Recorded]:
        """Return the answers under the item's id, unless they are to other questions, else those to its question."""
        under_id = self._by_id.get(item.id, [])
        same_query = [a for a in under_id if a.query is None or a.query.split() == item.query.split()]
        candidates = same_query or self._by_query.get(words(item.query), [])
        if under_id and not candidates:
            conflict = f"{self._file}: under item {item.id!r} another question was recorded"
            raise TargetError(f"{conflict}: {(under_id[0].query or '')[:100]!r}", refused=True)
        return candidates

    async def close(self) -> None:
        """Nothing to give back."""


def _choose(answers: list[_Recorded], item: Item, conversation: Conversation) -> tuple[_Recorded, str]:
    """Choose one of several answers; return it with a note about the choice for the reader."""
    if len(answers) == 1:
        return answers[0], ""
    if answers[0].id == item.id:
        return answers[-1], "" if answers[-1].trial is not None else f"the last of {len(answers)} recorded answers"
    same_session = [a for a in answers if a.session is not None and a.session == item.session]
    if not same_session and item.session is None:
        return answers[0], f"the first of {len(answers)} recorded answers to this question"
    times = sum(turn.query == item.query for turn in conversation.turns)
    answers = same_session or answers
    return answers[min(times, len(answers) - 1)], ""


def _is_trec_run(file: Path) -> bool:
    """Return whether the first line of a file is one of a TREC run: six fields, with a rank and a score."""
    lines = file_head(file).decode(errors="replace").splitlines()
    fields = next((line.split() for line in lines if line.strip() and not line.startswith("#")), [])
    if len(fields) != 6 or not fields[3].isdecimal():
        return False
    with suppress(ValueError):
        return math.isfinite(float(fields[4]))
    return False


def _read_trec_run(file: Path, spec: ReplaySettings) -> Mapping[str, Sequence[str]]:
    """Return query → the first documents; raise `InputError` for a broken run, `SpecError` for a depth below 1."""
    if spec.depth < 1:
        raise SpecError(f"depth: at least 1, not {spec.depth}")
    with files_in(spec.encoding or declared_encoding()):
        return top_documents(file, spec.depth)


def _read_recording(file: Path, spec: ReplaySettings) -> Iterator[_Recorded]:
    if _is_run(file):
        for answer in Journal(file, Answer):
            yield _Recorded(answer, answer.item, None, None, answer.trial)
        return
    table = _table(file, spec)
    column_by_role = _columns_by_role(table, spec.columns)
    first_by_key: dict[tuple[Any, ...], tuple[int, Answer]] = {}
    for index, row in enumerate(table.rows):
        cells = {role: row[name] for role, name in column_by_role.items() if row.get(name) not in (None, "")}
        marks = [column_by_role[role] for role, cell in cells.items() if marked(cell)]
        try:
            recorded = _parse_cells({role: cell for role, cell in cells.items() if not marked(cell)})
        except (TargetError, msgspec.ValidationError, ValueError, TypeError) as error:
            raise InputError(f"{file} {table.place(index)}: {error}") from error
        if marks:
            note = f"a mark such as NaN, read as an empty cell: {', '.join(marks)}"
            recorded = replace(recorded, answer=msgspec.structs.replace(recorded.answer, note=note))
        if recorded.id is not None:
            key = (recorded.id, recorded.query, recorded.session, recorded.trial)
            earlier, answer = first_by_key.setdefault(key, (index, recorded.answer))
            if answer != recorded.answer:
                raise InputError(
                    f"{file} {table.place(index)}: {recorded.id!r} has another answer in {table.place(earlier)}; leave "
                    "one of them out, or number them from 0 in a column trial"
                )
            if earlier != index:
                continue  # a repeated line
        yield recorded


def _table(file: Path, spec: ReplaySettings) -> RowBatch:
    """Return the table of the answers; an error advises settings of the target, not options of the command."""
    try:
        encoding = spec.encoding or table_encoding(file)
        return read_table(file, encoding=encoding, sheet=spec.sheet, delimiter=spec.delimiter)
    except InputError as error:
        advice = error.remedies.get("replay", "")
        raise InputError(f"{error}, or {advice}" if advice else str(error)) from error


def _is_run(file: Path) -> bool:
    """Return whether a file is the `answers.jsonl` of a run: lines with the keys `v` (schema version) and `item`."""
    with file.open("rb") as lines:
        first_line = lines.readline()
    with suppress(msgspec.DecodeError, msgspec.ValidationError, UnicodeError):
        return {"v", "item"} <= msgspec.json.decode(first_line, type=dict[str, Any]).keys()
    return False


def _columns_by_role(table: RowBatch, columns: Columns) -> dict[str, str]:
    """Return role → column; raise `InputError` if the table lacks a question or an answer."""
    file, column_names = table.path, table.columns
    folded = {fold(name): name for name in reversed(column_names)}
    column_by_role: dict[str, str] = {}
    for role, usual in _NAMES.items():
        setting = getattr(columns, role)
        if setting and setting not in column_names:
            raise SpecError(f"{file}: columns.{role}: no column {setting!r}; {nearest(setting, column_names)}")
        name = setting or next((folded[key] for key in map(fold, usual) if key in folded), "")
        if name and name not in column_by_role.values():
            column_by_role[role] = name
    for needed in (("id", "query"), ("text", "hits", "calls", "status")):
        if not any(role in column_by_role for role in needed):
            listed = ", ".join(column_names) or "nothing"
            remedy = " or ".join(f"columns.{role}" for role in needed[:2])
            raise InputError(
                say(
                    "{file}: no column for {names} (found: {listed}); name it in {remedy}",
                    file=file,
                    names=" or ".join(needed[:2]),
                    listed=listed,
                    remedy=remedy,
                )
            )
    return column_by_role


def _parse_cells(cells: Mapping[str, Any]) -> _Recorded:
    reply = {role: _nested(cells[role]) for role in ("hits", "calls", "usage") if role in cells}
    if isinstance(reply.get("hits", []), str):
        reply["hits"] = _ids_or_text(reply["hits"])
    text = cells.get("text", "")
    answer = answer_from({"text": text if isinstance(text, str) else words(text), **reply}, _NO_ITEM, _NO_CONVERSATION)
    usage = {role: float(cells[role]) for role in _USAGE if role in cells}
    seconds = _seconds(cells, "seconds")
    if seconds is None and "milliseconds" in cells:
        seconds = float(cells["milliseconds"]) / 1000
    error = str(cells["error"]) if "error" in cells else None
    measured: dict[str, Any] = {
        "usage": {**usage, **answer.usage},
        "seconds": seconds,
        "first_token_seconds": _seconds(cells, "first_token_seconds"),
        "error": error,
        "status": _status(str(cells["status"])) if "status" in cells else "error" if error else "complete",
    }
    answer = msgspec.structs.replace(answer, **measured)
    id_, query, session = (words(cells[role]) if role in cells else None for role in ("id", "query", "session"))
    return _Recorded(answer, id_, query, session, int(cells["trial"]) if "trial" in cells else None)


_NO_ITEM = Item(id="", query="")
_NO_CONVERSATION = Conversation(id="")


def _status(word: str) -> str:
    status = _STATUSES.get(word.strip().lower())
    if status is None:
        raise ValueError(f"the status {word!r} is unknown; write one of {', '.join(get_args(Status))}")
    return status


def _seconds(cells: Mapping[str, Any], role: str) -> float | None:
    return float(cells[role]) if role in cells else None


def _ids_or_text(text: str) -> list[str]:
    """Return the ids in a cell, separated by `;` or `|` as in `relevant`; any other text is one passage.

    >>> _ids_or_text("d9; d1"), _ids_or_text("A pool; a garden.")
    (['d9', 'd1'], ['A pool; a garden.'])
    """
    parts = [part for raw in text.replace("|", ";").split(";") if (part := raw.strip(EDGE))]
    return parts if parts and all(map(is_id, parts)) else [text]


def _nested(cell: Any) -> Any:
    """Return the list or table in a cell, written as JSON or as Python does (pandas); return other text as it is."""
    text = cell.strip() if isinstance(cell, str) else ""
    if text[:1] not in ("[", "{") or not text:
        return cell
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        pass
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return cell
