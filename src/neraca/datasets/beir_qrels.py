"""BEIR's judgments: `qrels/test.tsv` of its folder, or another split.  Every file may be packed (.gz, .zst)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from neraca.datasets.compressed import PACKED, is_packed, suffix_of
from neraca.datasets.trec.line_blocks import LineBlock, file_head, line_blocks
from neraca.datasets.trec.qrels import Qrels
from neraca.errors import InputError

#: The first line of a file of judgments.
HEADER = ("query-id", "corpus-id", "score")
#: Endings of tables that TREC's files never have; a .csv file is recognised by its first line.
_TABLES = (".xlsx", ".xlsm", ".jsonl", ".ndjson", ".json", ".parquet")


def is_beir(path: Path) -> bool:
    """Return whether this is a BEIR folder or a BEIR file of judgments; read only the beginning of a file."""
    if path.is_dir():
        return questions_file(path).exists() or (path / "qrels").is_dir()
    return _is_header(file_head(path).partition(b"\n")[0])


def questions_file(folder: Path) -> Path:
    """Return the path of the questions in a BEIR folder."""
    plain = folder / "queries.jsonl"
    packed = (folder / f"{plain.name}{ending}" for ending in PACKED)
    return plain if plain.exists() else next((file for file in packed if file.exists()), plain)


def read_qrels(path: Path) -> Qrels:
    """Read judgments: BEIR's (a folder's test split, or a .tsv), a table with grades, or TREC's; raise `InputError`."""
    if is_beir(path):
        return read_beir_qrels(path)
    if not is_table(path):
        return Qrels.read(path)
    from neraca.datasets.qrels_table import read_qrels_table  # tables take longer to import than lines to read

    return read_qrels_table(path)


def read_beir_qrels(path: Path, split: str = "test") -> Qrels:
    """Read BEIR's judgments.

    Parameters
    ----------
    path
        A BEIR folder, or a file of judgments: a header, then lines of query, document and score, separated by tabs.
    split
        The split of a folder to read.

    Raises
    ------
    InputError
        If the split or the file does not exist, or a line is malformed; the message names the line.
    """
    file = _split_file(path, split) if path.is_dir() else path
    grades: dict[str, dict[str, float]] = {}
    for block, row, (query, document, score) in _rows(file):
        of_query = grades.setdefault(query, {})
        if document in of_query:
            line = judgment_line(file, query, document)
            block.fail(row, f"query {query!r} has the document {document!r} already in line {line}")
        of_query[document] = _grade(block, row, score)
    return Qrels.of_mapping(grades, str(file))


def _split_file(folder: Path, split: str) -> Path:
    files = (file for file in sorted((folder / "qrels").glob("*.tsv*")) if not file.name.startswith("."))
    splits: dict[str, Path] = {}
    for file in files:
        splits.setdefault((file.stem if is_packed(file) else file.name).removesuffix(".tsv"), file)
    if split in splits:
        return splits[split]
    hint = "a BEIR folder has its judgments in qrels/, a .tsv for each split"
    if splits:
        example = next(iter(splits.values()))
        hint = f"the splits there are {', '.join(splits)}; give the file of one as the qrels ({example})"
    raise InputError(f"{folder}: no qrels/{split}.tsv; {hint}")


def _is_header(line: bytes) -> bool:
    names = line.decode(errors="replace").strip("\r\n").lower().replace("_", "-").split("\t")
    return tuple(map(_unquoted, names)) == HEADER


def is_table(path: Path) -> bool:
    """Return whether a file of judgments is a table rather than TREC's lines; read only its beginning."""
    suffix = suffix_of(path)
    first_line = file_head(path).partition(b"\n")[0] if suffix == ".csv" else b""
    return suffix in _TABLES or b"," in first_line or b";" in first_line


def _rows(file: Path) -> Iterator[tuple[LineBlock, int, list[str]]]:
    """Yield (block, row in the block, three fields) of each judgment; skip the header and blank lines."""
    for block in line_blocks(file):
        lines = block.text().split("\n")[:-1]
        if block.first == 1 and not _is_header(lines[0].encode()):
            rule = f"BEIR's judgments begin with the line {', '.join(HEADER)}, separated by tabs"
            block.fail(0, f"{rule}; found {lines[0][:80]!r}")
        for row in range(int(block.first == 1), len(lines)):
            fields = lines[row].split("\t")
            if '"' in lines[row]:
                fields = list(map(_unquoted, fields))
            if len(fields) == 3 and fields[0] and fields[1]:
                yield block, row, fields
            elif lines[row].strip():
                problem = f"found {len(fields)} in {lines[row][:80]!r}" if len(fields) != 3 else "an id is empty"
                block.fail(row, f"a line must have 3 fields ({', '.join(HEADER)}), separated by tabs; {problem}")


def _grade(block: LineBlock, row: int, score: str) -> int:
    try:
        if "_" not in score:  # `int` would accept 1_000
            return int(score)
    except ValueError:
        pass  # the line below raises
    block.fail(row, f"the score {score!r} is not a whole number")


def _unquoted(field: str) -> str:
    """Return the field without the quotes that Python's csv writes around a field with quotes inside."""
    return field[1:-1].replace('""', '"') if len(field) > 1 and field[0] == field[-1] == '"' else field


def judgment_line(file: Path, query: str, document: str = "") -> int:
    """Return the number of the first line that judges this query, or this document for it."""
    return next(
        block.first + row for block, row, fields in _rows(file) if fields[0] == query and document in ("", fields[1])
    )
