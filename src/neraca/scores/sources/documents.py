"""The documents of a collection: the texts of some of them, read from a table, a BEIR folder or TREC's own files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from neraca.datasets.cells import blank
from neraca.datasets.corpus import beir_corpus
from neraca.datasets.row_source import read_rows
from neraca.datasets.table_reader import TableReader
from neraca.datasets.trec.document_files import is_document_file, read_document_file, tagged_files
from neraca.datasets.trec.file_encoding import table_encoding
from neraca.errors import InputError
from neraca.records import Hit
from neraca.targets.hits import HIT_NAMES, HitReading, HitShape


def read_documents(source: Any, ids: Collection[str], longest: int | None = None) -> dict[str, Hit]:
    """Read the documents with these ids: id, text, and the other columns of a table as fields.

    Parameters
    ----------
    source
        A table or its path, whose columns may have the names that the hits of a system may have (`id`, `_id`,
        `docno`, `text`, …); a BEIR folder; a file of `<DOC>`, or a folder of such files; lines of id, tab and text.
    longest
        The number of characters to keep of each text, so that memory does not grow with long documents; None: all.

    Raises
    ------
    InputError
        If none of these documents is there.
    """
    first_id, documents = "", {}
    for hit in _hits(source):
        first_id = first_id or hit.id
        if hit.id in ids:
            fields = {name: value for name, value in hit.fields.items() if value != hit.id}  # the id once more
            documents[hit.id] = Hit(id=hit.id, text=hit.text[:longest], fields=fields)
    if ids and not documents:
        name = source if isinstance(source, str | os.PathLike) else "documents"
        problem = f"no ranked document is there: it has {first_id!r}, the runs {min(ids)!r}"
        raise InputError(f"{name}: {problem}; name the collection that these runs ranked")
    return documents


def _hits(source: Any) -> Iterator[Hit]:
    path = Path(source) if isinstance(source, str | os.PathLike) else None
    files = [path] if path is not None and path.is_file() and is_document_file(path, HIT_NAMES) else []
    if path is not None and path.is_dir():
        folder, path = path, beir_corpus(path)
        files = [] if path else tagged_files(folder)
        if not (path or files):
            raise InputError(f"{folder}: no corpus.jsonl and no file of <DOC> in this folder; name the documents")
    if files:
        yield from (Hit(id=name, text=text) for file in files for name, text in read_document_file(file))
        return
    reading = HitReading(HitShape())
    for batch in [read_rows(source)] if path is None else TableReader(path, encoding=table_encoding(path)):
        for row in batch.rows:
            yield reading.read({name: value for name, value in row.items() if not blank(value)})
