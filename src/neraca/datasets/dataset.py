"""A data set: the questions to ask, and what good answers are.  Read from any table, written to any table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets import cells
from neraca.datasets.beir import is_beir, judgments, read_beir, relevance
from neraca.datasets.columns import Plan, is_recognised, recognise
from neraca.datasets.constraints import constraints
from neraca.datasets.qrels import Qrels
from neraca.datasets.table import Table, read_table, write_table
from neraca.datasets.topics import is_numbered, is_topics, read_topics
from neraca.errors import InputError, SpecError
from neraca.files import fingerprint
from neraca.languages import AUTO, code_of, parse_language
from neraca.records import Item

#: How many errors one message tells.
TOLD = 5

_READERS: dict[str, Callable[[Any], Any]] = {
    "id": cells.identity,
    "query": cells.question,
    "session": cells.session,
    "references": cells.references,
    "relevant": cells.relevant,
    "expects": cells.expects,
    "constraints": constraints,
    "expected_calls": cells.calls,
}


@dataclass(frozen=True)
class Dataset:
    """Questions in the order of the file.

    Attributes
    ----------
    items
        The questions; every id occurs once.
    source
        Where they came from, for people.
    """

    items: tuple[Item, ...]
    source: str = ""

    def __post_init__(self) -> None:
        if len(self.by_id) < len(self.items):
            twice = next(item.id for item in self.items if self.by_id[item.id] is not item)
            raise InputError(
                f"{self.source or 'data set'}: two questions have the id {twice!r}; every id must occur once"
            )

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """Id → question."""
        return {item.id: item for item in self.items}

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the questions alone: equal for equal questions in the same order, whatever file they stood in."""
        return fingerprint([_canonical(item) for item in self.items])

    def sessions(self) -> list[list[Item]]:
        """The questions by session, sessions by first occurrence; one without a session is a session of one."""
        found: dict[tuple[str | None, str], list[Item]] = {}
        for item in self.items:
            key = (None, item.id) if item.session is None else (item.session, "")
            found.setdefault(key, []).append(item)
        return list(found.values())


def _canonical(item: Item) -> Item:
    """The item with 1.0 written as 1 where users' own values stand, because equal items must hash alike."""
    if not item.extra and not item.expected_calls:
        return item
    calls = tuple(_whole(call) for call in item.expected_calls)
    return msgspec.structs.replace(item, extra=_whole(item.extra), expected_calls=calls)


def _whole(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {key: _whole(part) for key, part in value.items()}
    return [_whole(part) for part in value] if isinstance(value, list | tuple) else value


def read_dataset(
    path: Path | str,
    *,
    columns: Mapping[str, str] | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    qrels: Path | str | None = None,
    language: str = "",
) -> Dataset:
    """Read questions from a table, a BEIR folder (`read_beir`) or TREC topics (`read_topics`).

    Topics are files that end in .topics, .xml or .sgml, that begin with `<top`, or whose lines are number, tab, text.

    Columns of a table are recognised by name (`columns.NAMES`); case, spaces, underscores and hyphens do not matter.
    Of several names for one thing the first of that list is taken: beside `ground_truth`, `answer` stays extra.
    What is not recognised becomes `Item.extra`, unchanged.  `category`, `language` and `tag:NAME` are tags; `tags`
    and `extra` may hold objects, which are opened.  Without an id column the questions are numbered from 1.

    Parameters
    ----------
    path, encoding, sheet, delimiter
        As of `read_table`.
    columns
        What you call things: `{"query": "Frage", "tag:level": "Stufe"}`.  An empty name turns recognition off:
        `{"session": ""}`.  Of topics: which field is the question, `{"query": "desc"}`.
    qrels
        Judgments, TREC's or BEIR's, that become `Item.relevant`, before what the file itself says.  Of a BEIR folder
        the questions that they judge are read, else those of its test split.
    language
        Of questions that do not say theirs: `es`, `Spanish`.  It becomes their tag `language`.

    Raises
    ------
    InputError
        The file does not hold questions: says the place, the column and the remedy of up to five errors.
    SpecError
        The language is not known.
    """
    path, judged, code = Path(path), None if qrels is None else Path(qrels), checked_language(language)
    table = {"columns": columns, "encoding": encoding, "sheet": sheet, "delimiter": delimiter}
    return _in_language(_read(path, judged, table), code)


def checked_language(language: str) -> str:
    """The code of the language that is said of a data set; raises `SpecError`, for `auto` too."""
    if parse_language(language) == AUTO:
        raise SpecError(
            "the language of a data set is said, not found; auto is for scoring: neraca score --language auto, "
            'or score.language = "auto" in a study'
        )
    return parse_language(language)


def _in_language(dataset: Dataset, code: str) -> Dataset:
    """The same questions; those that do not say their language are in this one."""
    if not code:
        return dataset
    items = (
        item if item.tags.get("language") else msgspec.structs.replace(item, tags={**item.tags, "language": code})
        for item in dataset
    )
    return Dataset(tuple(items), dataset.source)


def _read(path: Path, judged: Path | None, options: Mapping[str, Any]) -> Dataset:
    columns, encoding = options["columns"], options["encoding"]
    if path.is_dir() and is_beir(path):
        _refuse(path, "a BEIR folder", **options)
        return read_beir(path, qrels=judged)
    if is_topics(path) or (not columns and is_numbered(path)):
        others = {role: column for role, column in (columns or {}).items() if role != "query"}
        _refuse(path, "a file of topics", **{**options, "columns": others, "encoding": None})
        field = (columns or {}).get("query") or "title"
        return read_topics(path, judged, field, encoding=encoding)
    table = read_table(path, encoding=encoding, sheet=options["sheet"], delimiter=options["delimiter"])
    dataset = _of_table(table, columns or {})
    return dataset if judged is None else with_qrels(dataset, judgments(judged))


def _refuse(path: Path, what: str, **options: object) -> None:
    """Raise `InputError` for options that are for tables only."""
    if given := [name for name, value in options.items() if value]:
        raise InputError(f"{path}: {what} is no table; leave {', '.join(given)} out")


def with_qrels(dataset: Dataset, qrels: Qrels) -> Dataset:
    """The same questions, those that are judged with what is relevant to them.

    Raises
    ------
    InputError
        None of them is judged.
    """
    known = relevance(qrels, dataset.by_id, dataset.source or "the data set")
    items = (msgspec.structs.replace(item, relevant=known[item.id]) if item.id in known else item for item in dataset)
    return Dataset(tuple(items), dataset.source)


def _of_table(table: Table, columns: Mapping[str, str]) -> Dataset:
    if not table.rows:
        raise InputError(f"{table.header}: no questions; write at least one row")
    plan = recognise(table.columns, columns, table.header)
    used = {*plan.roles.values(), *plan.tags.values()} - {plan.roles.get("tags"), plan.roles.get("extra")}
    problems = _Problems(table)
    items: list[Item] = []
    first: dict[str, int] = {}
    for index, row in enumerate(table.rows):
        fields = _fields(row, plan, used, index, problems)
        name = fields.setdefault("id", str(index + 1))
        if first.setdefault(name, index) != index and name:
            words = f"{name!r} is also the id of {table.place(first[name])}; every id must occur once"
            problems.add(index, plan.roles["id"], words)
        if not problems.told:
            items.append(Item(**fields, extra=row))
    problems.raise_any()
    return Dataset(tuple(items), str(table.source))


class _Problems:
    """The first few errors of a file in words, and the number of all."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.told: list[str] = []
        self._number = 0

    def add(self, index: int, column: str, words: str) -> None:
        self._number += 1
        if len(self.told) < TOLD:
            self.told.append(f"{self._table.source} {self._table.place(index)}, column {column}: {words}")

    def raise_any(self) -> None:
        if self.told:
            more = self._number - len(self.told)
            raise InputError("\n".join([*self.told, *([f"and {more} more errors"] if more else [])]))


def _fields(row: dict[str, Any], plan: Plan, used: set[str], index: int, problems: _Problems) -> dict[str, Any]:
    """What the recognised columns of a row say; they are taken out of the row, which is then what is extra.

    A copy of the row would be made for nothing: on a large file that doubles the time and the memory.
    """
    fields: dict[str, Any] = {}
    for role, column in plan.roles.items():
        if role not in _READERS:
            continue
        try:
            fields[role] = _READERS[role](row.get(column))
        except InputError as error:
            fields[role] = ""
            problems.add(index, column, str(error))
    if tags := _tags(row, plan, index, problems):
        fields["tags"] = tags
    opened = _opened(row, plan.roles.get("extra"), index, problems)
    for column in used:
        row.pop(column, None)
    if opened:
        row.update({key: value for key, value in opened.items() if key not in row})
    return fields


def _tags(row: dict[str, Any], plan: Plan, index: int, problems: _Problems) -> dict[str, str]:
    column = plan.roles.get("tags")
    tags: dict[str, str] = {}
    try:
        tags = cells.tag_texts(_opened(row, column, index, problems))
        for name, column in plan.tags.items():
            if text := cells.words(row.get(column)):
                tags[name] = text
    except InputError as error:
        problems.add(index, column or "tags", str(error))
    if said := tags.get("language", ""):
        try:
            tags["language"] = code_of(said)
        except SpecError as error:
            problems.add(index, plan.tags.get("language") or plan.roles.get("tags", "tags"), str(error))
    return tags


def _opened(row: dict[str, Any], column: str | None, index: int, problems: _Problems) -> dict[str, Any]:
    """The object in a column, taken out of the row; nothing when there is none: then the column is left alone."""
    try:
        opened = cells.opened_object(row.get(column)) if column else None
    except InputError as error:
        problems.add(index, column or "", str(error))
        return {}
    if column and (opened is not None or cells.blank(row.get(column, 0))):
        del row[column]
    return opened or {}


def write_dataset(path: Path | str, dataset: Dataset) -> None:
    """Write questions so that `read_dataset` gives equal ones back, from every format that `write_table` knows.

    Tags and extras that are plain text get columns of their own; the others go, exact, into objects in the columns
    `tags` and `extra`.

    Raises
    ------
    InputError
        A question could not be read back (its text is empty, or has space around it).
    """
    whole = set(dataset.items[0].extra) if len(dataset) else set()
    for item in dataset:
        _check_writable(item)
        whole &= {name for name, value in item.extra.items() if isinstance(value, str) and value}
    own = {name for name in whole if name and name == name.strip(cells.EDGE) and not is_recognised(name)}
    rows = [_row(item, own) for item in dataset]
    order = dict.fromkeys(("id", "query", *(name for name in _COLUMNS if any(name in row for row in rows))))
    order.update(dict.fromkeys(name for row in rows for name in row))
    write_table(path, rows, list(order))


_COLUMNS = ("session", "references", "relevant", "expects", "constraints", "expected_calls", "category")


def _check_writable(item: Item) -> None:
    texts = {"id": item.id, "question": item.query, **({} if item.session is None else {"session": item.session})}
    for what, text in texts.items():
        if not text or text != text.strip(cells.EDGE):
            raise InputError(f"question {item.id!r}: its {what} is empty or has space around it: {cells.shown(text)}")
    if any(cells.blank(reference) for reference in item.references):
        raise InputError(f"question {item.id!r}: a reference is empty")


def _row(item: Item, own: set[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"id": item.id, "query": item.query}
    if item.references:
        alone = len(item.references) == 1 and not item.references[0].strip(cells.EDGE).startswith("[")
        row["references"] = item.references[0] if alone else list(item.references)
    if item.relevant is not None:
        row["relevant"] = item.relevant
    for role in ("session", "expects", "constraints", "expected_calls"):
        if getattr(item, role):
            row[role] = getattr(item, role)
    clear = {name: text for name, text in item.tags.items() if text and text == text.strip(cells.EDGE)}
    clear = {name: text for name, text in clear.items() if name and name == name.strip(cells.EDGE)}
    row.update({name if name == "category" else f"tag:{name}": text for name, text in clear.items()})
    for role, kept, given in (("tags", clear.keys(), item.tags), ("extra", own, item.extra)):
        if left := {name: value for name, value in given.items() if name not in kept}:
            row[role] = left
    row.update({name: value for name, value in item.extra.items() if name in own})
    return row
