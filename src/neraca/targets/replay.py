"""Recorded answers as a system under test: of a run of Neraca, or a table of questions and what was answered."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import msgspec

from neraca.datasets.cells import words
from neraca.datasets.columns import ALL, fold
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.table_reader import read_table
from neraca.errors import InputError, SpecError, TargetError, nearest
from neraca.files import Journal
from neraca.records import Answer, Item, Status
from neraca.targets.response_parser import answer_from
from neraca.targets.settings import Settings, read
from neraca.targets.target import TARGETS, Conversation

#: What `answer` and its like are in any language: of recorded answers, what is named more plainly comes first.
_LAST = tuple(name for name in ALL["response"] if name in ALL["references"])
_NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "item", "item_id", *ALL["id"]),
    "query": ALL["query"],
    "session": ALL["session"],
    "trial": ("trial", "repeat"),
    "text": (*(name for name in ALL["response"] if name not in _LAST), "answer_text", *_LAST, "text"),
    "hits": ("hits", *ALL["contexts"], "results", "documents", "properties"),
    "calls": ("calls", "tool_calls"),
    "usage": ("usage",),
    "seconds": ("seconds", "latency", "latency_s", "latency_seconds", "response_time", "duration", "elapsed"),
    "milliseconds": ("milliseconds", "latency_ms", "response_time_ms", "duration_ms"),
    "first_token_seconds": ("first_token_seconds", "ttft"),
    "status": ("status",),
    "error": ("error",),
}
_STATUSES: Mapping[str, str] = {
    **{status: status for status in get_args(Status)},
    **dict.fromkeys(("ok", "success", "succeeded", "done", "200"), "complete"),
    **dict.fromkeys(("failed", "failure", "fail"), "error"),
}


class Columns(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Names of columns that differ from the usual ones."""

    id: str = ""
    query: str = ""
    session: str = ""
    trial: str = ""
    text: str = ""
    hits: str = ""
    calls: str = ""
    usage: str = ""
    seconds: str = ""
    milliseconds: str = ""
    first_token_seconds: str = ""
    status: str = ""
    error: str = ""


class ReplaySettings(Settings, frozen=True, kw_only=True):
    """The settings of a `replay` target."""

    file: str
    columns: Columns = Columns()
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None


@dataclass(frozen=True, slots=True)
class _Recorded:
    """One recorded answer and what it can be found by; None where the file does not say."""

    answer: Answer
    id: str | None
    query: str | None
    session: str | None
    trial: int | None


@TARGETS.register("replay")
class ReplayTarget:
    """Gives recorded answers.

    Parameters
    ----------
    settings
        `file`: `answers.jsonl` of a run, or any table that `read_table` reads; `encoding`, `sheet` and `delimiter`
        as there.  `columns`: names of its columns where they are not among the usual ones.

    An answer is found by the item's id if the file has ids, else by exactly the same question.  If a question was
    answered several times, it is narrowed down by session, and within a session the first time it is asked gets
    the first answer.  Where the file names trials, only an answer of the same trial counts.
    """

    stateful = False

    def __init__(self, settings: Mapping[str, Any]) -> None:
        spec = read(ReplaySettings, settings)
        self._file = Path(spec.file)
        if not self._file.is_file():
            raise InputError(f"{self._file}: no such file; a replay target needs recorded answers")
        self._by_id: dict[str, list[_Recorded]] = {}
        self._by_query: dict[str, list[_Recorded]] = {}
        for recorded in _read(self._file, spec):
            if recorded.id is not None:
                self._by_id.setdefault(recorded.id, []).append(recorded)
            if recorded.query is not None:
                self._by_query.setdefault(recorded.query, []).append(recorded)

    async def ask(self, item: Item, conversation: Conversation) -> Answer:
        """Find the recorded answer; see `Target.ask`."""
        answers = self._candidates(item)
        of_trial = [one for one in answers if one.trial is None or one.trial == conversation.trial]
        if not of_trial:
            which = f", trial {conversation.trial}" if answers else ""
            raise TargetError(f"{self._file} has no recorded answer for item {item.id!r}{which}", refused=True)
        chosen, note = _choose(of_trial, item, conversation)
        if chosen.trial is None and conversation.trial:
            note = "the recording knows no trials: the same answer for each"
        answer = answer_from(chosen.answer, item, conversation)
        return msgspec.structs.replace(answer, note="; ".join(filter(None, (answer.note, note))))

    def _candidates(self, item: Item) -> list[_Recorded]:
        """Answers under the item's id, unless they are to other questions; else answers to exactly its question."""
        under_id = self._by_id.get(item.id, [])
        same = [one for one in under_id if one.query is None or one.query.split() == item.query.split()]
        candidates = same or self._by_query.get(words(item.query), [])
        if under_id and not candidates:
            other = f"{self._file}: under item {item.id!r} another question was recorded"
            raise TargetError(f"{other}: {(under_id[0].query or '')[:100]!r}", refused=True)
        return candidates

    async def close(self) -> None:
        """Nothing to give back."""


def _choose(answers: list[_Recorded], item: Item, conversation: Conversation) -> tuple[_Recorded, str]:
    """One of several answers, and what a reader must know about the choice."""
    if len(answers) == 1:
        return answers[0], ""
    if answers[0].id == item.id:
        return answers[-1], "" if answers[-1].trial is not None else f"the last of {len(answers)} recorded answers"
    same = [one for one in answers if one.session is not None and one.session == item.session]
    if not same and item.session is None:
        return answers[0], f"the first of {len(answers)} recorded answers to this question"
    times = sum(turn.query == item.query for turn in conversation.turns)
    answers = same or answers
    return answers[min(times, len(answers) - 1)], ""


def _read(file: Path, spec: ReplaySettings) -> Iterator[_Recorded]:
    if _is_run(file):
        for answer in Journal(file, Answer):
            yield _Recorded(answer, answer.item, None, None, answer.trial)
        return
    table = read_table(file, encoding=spec.encoding, sheet=spec.sheet, delimiter=spec.delimiter)
    names = _recognised(table, spec.columns)
    for index, row in enumerate(table.rows):
        cells = {what: row[name] for what, name in names.items() if row.get(name) not in (None, "")}
        try:
            yield _recorded(cells)
        except (TargetError, msgspec.ValidationError, ValueError, TypeError) as error:
            raise InputError(f"{file} {table.place(index)}: {error}") from error


def _is_run(file: Path) -> bool:
    """Whether these are answers of a run of Neraca: each line an `Answer` with the version of its schema."""
    with file.open("rb") as lines:
        first = lines.readline()
    with suppress(msgspec.DecodeError, msgspec.ValidationError, UnicodeError):
        return {"v", "item"} <= msgspec.json.decode(first, type=dict[str, Any]).keys()
    return False


def _recognised(table: RowBatch, columns: Columns) -> dict[str, str]:
    """What is in which column; raises `InputError` when a table cannot be recorded answers."""
    file, column_names = table.path, table.columns
    folded = {fold(name): name for name in reversed(column_names)}
    names: dict[str, str] = {}
    for what, usual in _NAMES.items():
        given = getattr(columns, what)
        if given and given not in column_names:
            raise SpecError(f"{file}: columns.{what}: no column {given!r}; {nearest(given, column_names)}")
        name = given or next((folded[fold(one)] for one in usual if fold(one) in folded), "")
        if name and name not in names.values():
            names[what] = name
    for needed in (("id", "query"), ("text", "hits", "calls", "status")):
        if not any(what in names for what in needed):
            there = ", ".join(column_names) or "nothing"
            remedy = " or ".join(f"columns.{what}" for what in needed[:2])
            raise InputError(f"{file}: no column for {' or '.join(needed[:2])} (found: {there}); name it in {remedy}")
    return names


def _recorded(cells: Mapping[str, Any]) -> _Recorded:
    reply = {what: _nested(cells[what]) for what in ("hits", "calls", "usage") if what in cells}
    if isinstance(reply.get("hits", []), str):
        reply["hits"] = [reply["hits"]]
    text = cells.get("text", "")
    answer = answer_from({"text": text if isinstance(text, str) else words(text), **reply}, _NOBODY, _NOWHERE)
    seconds = _seconds(cells, "seconds")
    if seconds is None and "milliseconds" in cells:
        seconds = float(cells["milliseconds"]) / 1000
    extra: dict[str, Any] = {"seconds": seconds, "first_token_seconds": _seconds(cells, "first_token_seconds")}
    extra["error"] = str(cells["error"]) if "error" in cells else None
    extra["status"] = _status(str(cells["status"])) if "status" in cells else "error" if extra["error"] else "complete"
    answer = msgspec.structs.replace(answer, **extra)
    id_, query, session = (words(cells[what]) if what in cells else None for what in ("id", "query", "session"))
    return _Recorded(answer, id_, query, session, int(cells["trial"]) if "trial" in cells else None)


_NOBODY = Item(id="", query="")
_NOWHERE = Conversation(id="")


def _status(word: str) -> str:
    status = _STATUSES.get(word.strip().lower())
    if status is None:
        raise ValueError(f"the status {word!r} is none of {', '.join(get_args(Status))}")
    return status


def _seconds(cells: Mapping[str, Any], what: str) -> float | None:
    return float(cells[what]) if what in cells else None


def _nested(cell: Any) -> Any:
    """A list or table that a cell holds as JSON, or as Python writes it (pandas does); other text as it is."""
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
