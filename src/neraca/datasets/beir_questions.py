"""Read BEIR folders: questions from `queries.jsonl`, relevance judgments from `qrels/test.tsv`.

The corpus is not needed, because the system under test has it.  Every file may be packed with gzip or Zstandard.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from neraca.datasets import cells
from neraca.datasets.beir_qrels import judgment_line, questions_file, read_beir_qrels, read_qrels
from neraca.datasets.dataset import Dataset
from neraca.datasets.trec.line_blocks import LineBlock, line_blocks
from neraca.errors import InputError
from neraca.records import Item


def read_beir(folder: Path, split: str = "test", qrels: Path | None = None) -> Dataset:
    """Read the judged questions of a BEIR folder, in the order of `queries.jsonl`.

    Other fields of a line, such as `metadata`, become `Item.extra` unless they are empty.

    Parameters
    ----------
    folder
        The folder with `queries.jsonl` and `qrels/`.
    split
        The split whose judgments are read.
    qrels
        A file of judgments to read instead, BEIR's or TREC's; it may judge questions that the folder lacks.

    Raises
    ------
    InputError
        If a file or a question is missing, or a line is malformed; the message names it.
    """
    file = questions_file(folder)
    if not file.exists():
        raise InputError(f"{folder}: no queries.jsonl; a BEIR folder has its questions in it")
    judgments = read_qrels(qrels) if qrels is not None else read_beir_qrels(folder, split)
    lines: dict[str, int] = {}
    questions: dict[str, tuple[str, dict[str, Any]]] = {}
    for block, row, name, fields in beir_lines(file, '{"_id": "q1", "text": "the question"}'):
        if name in lines:
            block.fail(row, f"the _id {name!r} is already in line {lines[name]}; every id must occur once")
        lines[name] = block.first + row
        if name in judgments.grades:
            questions[name] = _question(block, row, fields)
    missing = next((query for query in judgments.grades if query not in lines), None)
    if qrels is None and missing is not None:
        where = f"{judgments.source} line {judgment_line(Path(judgments.source), missing)}"
        raise InputError(f"{where}: the query {missing!r} is not in {file}; are both files of the same data set?")
    relevant = judgments.relevant(lines, str(file))
    items = (
        Item(id=name, query=text, relevant=relevant[name], extra=extra) for name, (text, extra) in questions.items()
    )
    unasked = tuple(query for query in judgments.queries if query not in questions)
    source = f"{folder} ({Path(judgments.source).name})"
    return Dataset(tuple(items), source, unasked=(unasked, len(judgments.queries)))


def beir_lines(file: Path, example: str) -> Iterator[tuple[LineBlock, int, str, dict[str, Any]]]:
    """Yield (block, row in the block, id, other fields) of each line; read block by block.

    Parameters
    ----------
    file
        `queries.jsonl` or `corpus.jsonl`, compressed or not.
    example
        A correct line, for messages.

    Raises
    ------
    InputError
        If a line is not an object with `_id` and `text`, or the id is empty; the message names file and line.
    """
    for block in line_blocks(file):
        for row, line in enumerate(block.data.split(b"\n")[:-1]):
            if not line.strip():
                continue
            try:
                fields = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                block.fail(row, f"not a JSON object: {error}")
            if not isinstance(fields, dict) or "_id" not in fields or "text" not in fields:
                block.fail(row, f"a line must be an object such as {example}")
            try:
                name = cells.words(fields.pop("_id"))
            except InputError as error:
                block.fail(row, f"_id: {error}")
            if not name:
                block.fail(row, "the _id is empty; give every line one")
            yield block, row, name, fields


def _question(block: LineBlock, row: int, fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the question and the other fields of its line that are not empty."""
    try:
        text = cells.question(fields.pop("text"))
    except InputError as error:
        block.fail(row, f"text: {error}")
    return text, {name: value for name, value in fields.items() if value not in (None, "", {}, [])}
