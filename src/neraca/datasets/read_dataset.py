"""Read a data set from any table, a BEIR folder or TREC topics."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from neraca.counts_and_lists import count
from neraca.datasets import cells
from neraca.datasets.beir_qrels import is_beir, read_qrels
from neraca.datasets.beir_questions import read_beir
from neraca.datasets.columns import Columns, Plan, one_each, recognise
from neraca.datasets.constraint_columns import ConstraintPlan, plan_constraints, without_constraints
from neraca.datasets.constraints import constraints
from neraca.datasets.dataset import Dataset
from neraca.datasets.expectations import expectation_columns, read_expectations
from neraca.datasets.row_batch import RowBatch
from neraca.datasets.row_source import NAME, read_rows
from neraca.datasets.table_reader import read_table
from neraca.datasets.trec.file_encoding import files_in
from neraca.datasets.trec.qrels import Qrels
from neraca.datasets.trec.topics import is_numbered, is_topics, read_topics
from neraca.errors import InputError, SpecError
from neraca.journal import Journal
from neraca.languages import AUTO, code_of, parse_language
from neraca.records import Constraint, Item
from neraca.translation import say

#: The file of questions in a folder of generated ones.
QUESTIONS = "questions.jsonl"
#: Files of every run; the first one holds its questions.
_OF_RUNS = ("items.jsonl", "manifest.json")
#: Most errors that one message lists.
MOST_ERRORS = 5

#: Role of a column → function that reads a cell of it.
_READERS: dict[str, Callable[[Any], Any]] = {
    "id": cells.identity,
    "query": cells.question,
    "session": cells.session,
    "references": cells.references,
    "relevant": cells.relevant,
    "expects": cells.expects,
    "constraints": constraints,
    "expected_calls": cells.expected_calls,
}


def read_dataset(
    path: Any,
    *,
    columns: Columns | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    delimiter: str | None = None,
    qrels: Path | str | None = None,
    language: str = "",
) -> Dataset:
    """Read questions from a table, a BEIR folder (`read_beir`), TREC topics (`read_topics`), or rows in memory.

    A folder with a file `questions.jsonl`, as `neraca generate` writes it, is that table.  The folder of a run has the
    questions of the run.

    A file has topics if it ends in .topics, .xml or .sgml, begins with `<top`, or has lines of number, tab, text.

    Columns of a table are recognised by name (`columns.NAMES`); case, spaces, underscores and hyphens do not matter.
    If several columns fit one role, the first name of that list is taken: beside `ground_truth`, `answer` stays extra.
    Columns that are not recognised become `Item.extra`, unchanged.  `category`, `language` and `tag:NAME` are tags.
    Columns such as `Harga Maksimum` are constraints (`constraint_columns.py`), and stay extras too.
    `tags` and `extra` may hold objects, whose fields become tags and extras.  Without an id column the questions are
    numbered from 1.

    Parameters
    ----------
    path
        A path, a list of dicts, a list of texts, or a data frame of polars or pandas.
    encoding, sheet, delimiter
        Options of a file, as in `read_table`.  Judgments that are not UTF-8 have the same encoding.
    columns
        Your names for the columns: `{"query": "Frage", "tag:level": "Stufe"}`.  An empty name turns recognition off:
        `{"session": ""}`.  Several columns of references are a list: `{"references": ["a", "b"]}`.
        For topics: the field with the question, `{"query": "desc"}`.
    qrels
        Judgments in TREC's or BEIR's format.  They replace `Item.relevant` of the questions that they judge.  From a
        BEIR folder, only the questions that they judge are read; without them, those of its test split.
    language
        Language of the questions that name none: `es`, `Spanish`.  It becomes their tag `language`.

    Raises
    ------
    InputError
        If the file does not hold questions; gives place, column and remedy of up to five errors.
    SpecError
        If the language is not known.
    """
    code = checked_language(language)
    options = {"columns": columns, "encoding": encoding, "sheet": sheet, "delimiter": delimiter}
    judgments = None if qrels is None else Path(qrels)
    if isinstance(path, str | os.PathLike):
        return _in_language(_read_file(Path(path), judgments, options), code)
    if file_options := [name for name, value in options.items() if value and name != "columns"]:
        raise InputError(
            say(
                "{source}: they are not read from a file; leave {options} out",
                source=NAME,
                options=", ".join(file_options),
            )
        )
    dataset = _of_table(read_rows(path), columns or {})
    return _in_language(dataset if judgments is None else _with_qrels(dataset, read_qrels(judgments)), code)


def checked_language(language: str) -> str:
    """Return the code of a data set's language; raise `SpecError` if it is unknown or `auto`."""
    if parse_language(language) == AUTO:
        raise SpecError(
            say(
                "the language of a data set cannot be auto; name it, or let scoring detect it: neraca score "
                '--language auto, or score.language = "auto" in a study'
            )
        )
    return parse_language(language)


def _in_language(dataset: Dataset, code: str) -> Dataset:
    """Return the same questions; a question without a language gets this one."""
    if not code:
        return dataset
    items = (
        item if item.tags.get("language") else msgspec.structs.replace(item, tags={**item.tags, "language": code})
        for item in dataset
    )
    return replace(dataset, items=tuple(items))


def _read_file(path: Path, qrels: Path | None, options: Mapping[str, Any]) -> Dataset:
    columns, encoding = options["columns"] or {}, options["encoding"]
    if (path / QUESTIONS).is_file():
        path = path / QUESTIONS
    elif path.is_dir() and is_beir(path):
        _check_no_options(path, say("a BEIR folder"), **options)
        return read_beir(path, qrels=qrels)
    elif all((path / name).is_file() for name in _OF_RUNS):
        _check_no_options(path, say("the folder of a run"), **options)
        dataset = Dataset(tuple(Journal(path / _OF_RUNS[0], Item)), str(path))
        return dataset if qrels is None else _with_qrels(dataset, _read_judgments(qrels, encoding))
    if is_topics(path) or (not columns and is_numbered(path)):
        unusable = {role: column for role, column in columns.items() if role != "query"}
        _check_no_options(path, say("a file of topics"), **{**options, "columns": unusable, "encoding": None})
        dataset = read_topics(path, one_each(columns, str(path)).get("query") or "title", encoding=encoding)
    else:
        table = read_table(path, encoding=encoding, sheet=options["sheet"], delimiter=options["delimiter"])
        dataset = _of_table(table, columns)
    return dataset if qrels is None else _with_qrels(dataset, _read_judgments(qrels, encoding))


def _check_no_options(path: Path, kind: str, **options: object) -> None:
    """Raise `InputError` for options that are for tables only."""
    if unusable := [name for name, value in options.items() if value]:
        raise InputError(
            say("{file}: {kind} is not a table; leave {options} out", file=path, kind=kind, options=", ".join(unusable))
        )


def _read_judgments(path: Path, encoding: str | None) -> Qrels:
    """Read judgments in this encoding if they are not UTF-8."""
    with files_in(encoding):
        return read_qrels(path)


def _with_qrels(dataset: Dataset, qrels: Qrels) -> Dataset:
    """Return the same questions with their judgments; raise `InputError` if none of them is judged."""
    judged = qrels.relevant(dataset.by_id, dataset.source or say("the data set"))
    items = (msgspec.structs.replace(item, relevant=judged[item.id]) if item.id in judged else item for item in dataset)
    unasked = tuple(query for query in qrels.queries if query not in judged)
    return replace(dataset, items=tuple(items), unasked=(unasked, len(qrels.queries)))


def _of_table(table: RowBatch, columns: Columns) -> Dataset:
    if not table.rows:
        raise InputError(say("{where}: no questions; write at least one row", where=table.header))
    plan = recognise(table.columns, without_constraints(columns), table.header)
    taken = set(table.columns) - set(plan.unused(table.columns))
    constraint_plan = plan_constraints(table.columns, taken, columns, table.header, "constraints" in plan.roles)
    used = {*plan.roles.values(), *plan.tags.values(), *plan.more_references} - {
        plan.roles.get("tags"),
        plan.roles.get("extra"),
    }
    problems = _Problems(table)
    read = used | set(expectation_columns(table.columns))
    counted = {column: sum(map(cells.marked, table.column(column))) for column in table.columns if column in read}
    items: list[Item] = []
    first: dict[str, int] = {}
    for index, row in enumerate(table.rows):
        by_column = _constraints(row, constraint_plan, index, problems)
        fields = _fields(row, plan, used, index, problems)
        if by_column:
            fields["constraints"] = {**by_column, **fields.get("constraints", {})}
        name = fields.setdefault("id", str(index + 1))
        if first.setdefault(name, index) != index and name:
            problem = say(
                "{name!r} is also the id of {place}; every id must occur once",
                name=name,
                place=table.place(first[name]),
            )
            problems.add(index, plan.roles["id"], problem)
        if not problems.messages:
            items.append(Item(**fields, extra=row))
    checks = _check_expectations(table, items, problems)
    problems.raise_if_any()
    as_constraints = {column.column for column in constraint_plan.read}
    unused = tuple(column for column in plan.unused(table.columns) if column not in {*as_constraints, *checks})
    marks = {column: times for column, times in counted.items() if times}
    return Dataset(tuple(items), str(table.path), unused, constraint_plan, checks, marks, columns=plan.roles)


def _check_expectations(table: RowBatch, items: Iterable[Item], problems: _Problems) -> tuple[str, ...]:
    """Return the columns with checks of answers; note the cells of these that cannot be read."""
    checks = expectation_columns(table.columns)
    for index, item in enumerate(items if checks else ()):
        by_column: dict[str, str] = {}
        read_expectations(item.extra, by_column)
        for column, problem in by_column.items():
            problems.add(index, column, problem)
    return checks


def _constraints(
    row: Mapping[str, Any], plan: ConstraintPlan, index: int, problems: _Problems
) -> dict[str, Constraint]:
    """Return the constraints in the columns of a row that hold one part of a constraint each."""
    parts: dict[str, dict[str, Any]] = {}
    for column in plan.read:
        try:
            if (part := column.part(row.get(column.column))) is not None:
                constraint = parts.setdefault(column.name, {"fields": []})
                constraint[column.kind] = part
                constraint["fields"] = list(dict.fromkeys([*constraint["fields"], *column.fields]))
        except InputError as error:
            problems.add(index, column.column, str(error))
    try:
        return constraints(parts)
    except InputError as error:
        problems.add(index, ", ".join(column.column for column in plan.read), str(error))
        return {}


class _Problems:
    """The messages of the first few errors in a file, and the number of all errors."""

    def __init__(self, table: RowBatch) -> None:
        self._table = table
        self.messages: list[str] = []
        self._number = 0

    def add(self, index: int, column: str, problem: str) -> None:
        self._number += 1
        if len(self.messages) < MOST_ERRORS:
            where = say("{place}, column {column}", place=self._table.place(index), column=column)
            self.messages.append(f"{self._table.path} {where}: {problem}")

    def raise_if_any(self) -> None:
        if self.messages:
            more = self._number - len(self.messages)
            raise InputError(
                "\n".join([*self.messages, *([say("and {errors}", errors=count(more, "more error"))] if more else [])])
            )


def _fields(row: dict[str, Any], plan: Plan, used: set[str], index: int, problems: _Problems) -> dict[str, Any]:
    """Return the fields in the recognised columns of a row, and remove them from it; the rest of the row is extra.

    The row is not copied, because on a large file that doubles the time and the memory.
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
    for column in plan.more_references:
        fields["references"] = (*fields["references"], *cells.references(row.get(column)))
    if tags := _tags(row, plan, index, problems):
        fields["tags"] = tags
    extra = _take_object(row, plan.roles.get("extra"), index, problems)
    for column in used:
        row.pop(column, None)
    row.update({key: value for key, value in extra.items() if key not in row})
    return fields


def _tags(row: dict[str, Any], plan: Plan, index: int, problems: _Problems) -> dict[str, str]:
    column = plan.roles.get("tags")
    tags: dict[str, str] = {}
    try:
        tags = cells.tag_texts(_take_object(row, column, index, problems))
        for name, column in plan.tags.items():
            if text := cells.words(row.get(column)):
                tags[name] = text
    except InputError as error:
        problems.add(index, column or "tags", str(error))
    if language := tags.get("language", ""):
        try:
            tags["language"] = code_of(language)
        except SpecError as error:
            problems.add(index, plan.tags.get("language") or plan.roles.get("tags", "tags"), str(error))
    return tags


def _take_object(row: dict[str, Any], column: str | None, index: int, problems: _Problems) -> dict[str, Any]:
    """Remove the object in a column from the row and return it; if there is none, leave the column alone."""
    try:
        opened = cells.opened_object(row.get(column)) if column else None
    except InputError as error:
        problems.add(index, column or "", str(error))
        return {}
    if column and (opened is not None or cells.blank(row.get(column, 0))):
        del row[column]
    return opened or {}
