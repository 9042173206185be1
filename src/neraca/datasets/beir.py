"""BEIR's folders: `queries.jsonl` has the questions, `qrels/test.tsv` (or another split) what is relevant to them.

The corpus is not needed: whoever is asked has it.  Every file may be packed with gzip.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neraca.datasets.qrels import Qrels
from neraca.datasets.trec import BOM, LineBlock, blocks, opened
from neraca.errors import InputError

if TYPE_CHECKING:
    from neraca.datasets.dataset import Dataset

#: The first line of a file of judgments.
HEADER = ("query-id", "corpus-id", "score")


def is_beir(path: Path) -> bool:
    """Whether it is a BEIR folder or a BEIR file of judgments; reads no more than the beginning of a file."""
    if path.is_dir():
        return _queries(path).exists() or (path / "qrels").is_dir()
    return _is_header(head(path).partition(b"\n")[0])


def head(path: Path, size: int = 4096) -> bytes:
    """The first bytes of a file, unpacked, without a byte order mark; none where it cannot be read."""
    try:
        with opened(path) as file:
            return file.read(size).removeprefix(BOM)
    except (InputError, OSError):
        return b""


def judgments(path: Path) -> Qrels:
    """Read judgments, whether they are BEIR's (a folder's test split, or a .tsv) or TREC's; raises `InputError`."""
    return read_qrels(path) if is_beir(path) else Qrels.read(path)


def read_qrels(path: Path, split: str = "test") -> Qrels:
    """Read BEIR's judgments.

    Parameters
    ----------
    path
        A BEIR folder, or a file of judgments itself: a header, then query, document and score with tabs between.
    split
        Which judgments of a folder.

    Raises
    ------
    InputError
        The split or the file is not there, or a line is not as it must be: names it.
    """
    file = _split_file(path, split) if path.is_dir() else path
    grades: dict[str, dict[str, float]] = {}
    for block, row, (query, document, score) in _rows(file):
        known = grades.setdefault(query, {})
        if document in known:
            line = _line(file, query, document)
            block.fail(row, f"query {query!r} has the document {document!r} already in line {line}")
        known[document] = _grade(block, row, score)
    return Qrels.of_mapping(grades, str(file))


def _split_file(folder: Path, split: str) -> Path:
    files = (found for found in sorted((folder / "qrels").glob("*.tsv*")) if not found.name.startswith("."))
    there: dict[str, Path] = {}
    for file in files:
        there.setdefault(file.name.removesuffix(".gz").removesuffix(".tsv"), file)
    if split in there:
        return there[split]
    told = "a BEIR folder has its judgments in qrels/, a .tsv for each split"
    if there:
        told = (
            f"the splits there are {', '.join(there)}; give the file of one as the qrels ({next(iter(there.values()))})"
        )
    raise InputError(f"{folder}: no qrels/{split}.tsv; {told}")


def _is_header(line: bytes) -> bool:
    names = line.decode(errors="replace").strip("\r\n").lower().replace("_", "-").split("\t")
    return tuple(map(_unquoted, names)) == HEADER


def _rows(file: Path) -> Iterator[tuple[LineBlock, int, list[str]]]:
    """Each judgment's three fields, with the block and the row in it; the header and blank lines are left out."""
    for block in blocks(file):
        lines = block.text().split("\n")[:-1]
        if block.first == 1 and not _is_header(lines[0].encode()):
            told = f"BEIR's judgments begin with a line of {', '.join(HEADER)}, tabs between"
            block.fail(0, f"{told}; found {lines[0][:80]!r}")
        for row in range(int(block.first == 1), len(lines)):
            fields = lines[row].split("\t")
            if '"' in lines[row]:
                fields = list(map(_unquoted, fields))
            if len(fields) == 3 and fields[0] and fields[1]:
                yield block, row, fields
            elif lines[row].strip():
                found = f"found {len(fields)} in {lines[row][:80]!r}" if len(fields) != 3 else "an id is empty"
                block.fail(row, f"a line has 3 fields ({', '.join(HEADER)}), a tab between; {found}")


def _grade(block: LineBlock, row: int, score: str) -> int:
    try:
        if "_" not in score:  # which Python takes for a part of a number
            return int(score)
    except ValueError:
        pass
    block.fail(row, f"the score {score!r} is not a whole number")


def _unquoted(field: str) -> str:
    """The field without the quotes that Python's csv puts around one with quotes inside."""
    return field[1:-1].replace('""', '"') if len(field) > 1 and field[0] == field[-1] == '"' else field


def _line(file: Path, query: str, document: str = "") -> int:
    """The first line that judges this query, or this document for it."""
    return next(
        block.first + row for block, row, found in _rows(file) if found[0] == query and document in ("", found[1])
    )


def relevance(qrels: Qrels, ids: Collection[str], source: str) -> dict[str, dict[str, float]]:
    """Query → document → grade of the judged ones among these ids.

    Raises
    ------
    InputError
        None of them is judged: shows some ids of both sides.
    """
    found = {
        query: {document: float(grade) for document, grade in documents.items()}
        for query, documents in qrels.grades.items()
        if query in ids
    }
    if not found:
        judged, asked = (", ".join(map(repr, islice(names, 3))) for names in (qrels.grades, ids))
        told = f"it judges {judged}, the questions are called {asked}"
        raise InputError(f"{qrels.source}: no question of {source} is judged there: {told}; give both the same ids")
    return found


def read_beir(folder: Path, split: str = "test", qrels: Path | None = None) -> Dataset:
    """Read the judged questions of a BEIR folder, in the order of `queries.jsonl`.

    What else a line has, such as `metadata`, becomes `Item.extra`, unless it is empty.

    Parameters
    ----------
    folder
        With `queries.jsonl` and `qrels/`.
    split
        Whose judgments count.
    qrels
        Judgments to take instead, BEIR's or TREC's; they may judge questions that the folder has not.

    Raises
    ------
    InputError
        A file or a question is missing, or a line is not as it must be: names it.
    """
    # Here, because whoever only wants judgments should not wait for what questions need.
    from neraca.datasets.dataset import Dataset
    from neraca.records import Item

    file = _queries(folder)
    if not file.exists():
        raise InputError(f"{folder}: no queries.jsonl; a BEIR folder has its questions in it")
    judged = judgments(qrels) if qrels is not None else read_qrels(folder, split)
    lines: dict[str, int] = {}
    asked: dict[str, tuple[str, dict[str, Any]]] = {}
    for block, row, name, rest in _questions(file):
        if name in lines:
            block.fail(row, f"the _id {name!r} is already in line {lines[name]}; every id must occur once")
        lines[name] = block.first + row
        if name in judged.grades:
            asked[name] = _asked(block, row, rest)
    if qrels is None and (missing := next((query for query in judged.grades if query not in lines), None)) is not None:
        where = f"{judged.source} line {_line(Path(judged.source), missing)}"
        raise InputError(f"{where}: the query {missing!r} is not in {file}; are both files of the same data set?")
    relevant = relevance(judged, lines, str(file))
    items = (Item(id=name, query=text, relevant=relevant[name], extra=rest) for name, (text, rest) in asked.items())
    return Dataset(tuple(items), f"{folder} ({Path(judged.source).name})")


def _queries(folder: Path) -> Path:
    plain, packed = folder / "queries.jsonl", folder / "queries.jsonl.gz"
    return packed if packed.exists() and not plain.exists() else plain


def _questions(file: Path) -> Iterator[tuple[LineBlock, int, str, dict[str, Any]]]:
    """Each question's id and the rest of its line, with the block and the row in it."""
    import msgspec

    from neraca.datasets.cells import words

    for block in blocks(file):
        for row, line in enumerate(block.data.split(b"\n")[:-1]):
            if not line.strip():
                continue
            try:
                found = msgspec.json.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                block.fail(row, f"not a JSON object: {error}")
            if not isinstance(found, dict) or "_id" not in found or "text" not in found:
                block.fail(row, 'a line is an object such as {"_id": "q1", "text": "the question"}')
            try:
                name = words(found.pop("_id"))
            except InputError as error:
                block.fail(row, f"_id: {error}")
            if not name:
                block.fail(row, "the _id is empty; give every question one")
            yield block, row, name, found


def _asked(block: LineBlock, row: int, rest: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The question and what its line says besides."""
    from neraca.datasets.cells import question

    try:
        text = question(rest.pop("text"))
    except InputError as error:
        block.fail(row, f"text: {error}")
    return text, {name: value for name, value in rest.items() if value not in (None, "", {}, [])}
