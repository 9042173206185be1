"""Read the documents of a knowledge base from a folder of texts, a table, or the corpus of a BEIR folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from neraca.datasets.beir_questions import beir_lines
from neraca.datasets.cells import plain_text
from neraca.datasets.columns import column_named
from neraca.datasets.compressed import PACKED, suffix_of
from neraca.datasets.table_reader import READABLE, TableReader
from neraca.datasets.text_encoding import SAVE, read_text
from neraca.errors import InputError
from neraca.nearest import nearest

#: Endings of files that are one document each.
TEXTS = (".txt", ".md", ".markdown")
#: Usual names of the columns of a table of documents; if a table has several, the first one here is taken.
IDS = ("_id", "id", "doc_id", "docid", "document_id", "docno", "pid", "passage_id", "chunk_id")
TITLES = ("title", "judul", "título", "titre", "عنوان")
BODIES = (
    *("text", "contents", "content", "body", "passage", "page_content", "chunk", "document"),
    *("teks", "isi", "texto", "contenido", "texte", "نص"),
)
_BEIR = ("corpus.jsonl", *(f"corpus.jsonl{packed}" for packed in PACKED))


class Document(NamedTuple):
    """One document; its id is the path of its file in the folder, the value of a column, or its row, as in `line 7`."""

    id: str
    title: str
    text: str


class Corpus:
    """The documents of a knowledge base; each iteration reads them again, a table block by block.

    Parameters
    ----------
    path
        A folder with files `.txt` and `.md`, also in folders inside; one such file; a BEIR folder; or a
        table (see `TableReader`) with a column of texts.
    text_column, id_column
        Columns of a table; "": recognise them by their usual names.  Without a column of ids, the id is the row.
    encoding
        Encoding of texts and tables; "": that of the byte order mark, else UTF-8.

    Attributes
    ----------
    skipped
        Files of the folder that are not read, because they are neither `.txt` nor `.md`.

    Raises
    ------
    InputError
        If there is no such file or folder, or it holds no documents.  During iteration: if a file cannot be decoded,
        a table lacks the column, or a line is not a document; the message gives the place and the remedy.
    """

    def __init__(self, path: Path | str, *, text_column: str = "", id_column: str = "", encoding: str = "") -> None:
        self.path = Path(path)
        self._columns = text_column, id_column
        self._encoding = encoding or None
        self.skipped: tuple[Path, ...] = ()
        self._files: tuple[Path, ...] = ()
        if not self.path.exists():
            raise InputError(f"{path}: no such file or folder (looked from {Path.cwd()})")
        self._beir = beir_corpus(self.path)
        self._table = None
        if self.path.is_dir() and self._beir is None:
            self._files, self.skipped = _files_in(self.path)
        elif self._beir is None and suffix_of(self.path) in TEXTS:
            self._files = (self.path,)
        elif self._beir is None:
            self._table = TableReader(self.path, encoding=self._encoding)
        if self._table is None and (text_column or id_column):
            raise InputError(f"{path}: only a table has columns; leave text_column and id_column out")

    def __iter__(self) -> Iterator[Document]:
        if self._beir is not None:
            for _, _, name, fields in beir_lines(self._beir, '{"_id": "d1", "text": "the document"}'):
                yield Document(name, plain_text(fields.get("title")), plain_text(fields["text"]))
        elif self._table is not None:
            yield from _rows(self._table, *self._columns)
        folder = self.path if self.path.is_dir() else self.path.parent
        remedy = f'{SAVE}, or give its encoding (--set encoding=cp1252, or in a study encoding = "cp1252")'
        for file in self._files:
            yield Document(file.relative_to(folder).as_posix(), "", read_text(file, self._encoding, remedy))

    def stamp(self) -> tuple[Any, ...]:
        """Return the names, sizes and times of the files, which change if the corpus does."""
        files = self._files or (self._beir or self.path,)
        states = ((str(file), file.stat()) for file in files)
        return tuple((name, state.st_size, state.st_mtime_ns) for name, state in states)


def beir_corpus(folder: Path) -> Path | None:
    """Return the path of the corpus in a BEIR folder; None if there is none."""
    return next((folder / name for name in _BEIR if (folder / name).is_file()), None)


def _files_in(folder: Path) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the texts of a folder and its other files; skip hidden files and folders."""
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if file.is_file() and not any(part.startswith(".") for part in file.relative_to(folder).parts)
    ]
    texts = tuple(file for file in files if suffix_of(file) in TEXTS)
    skipped = tuple(file for file in files if suffix_of(file) not in TEXTS)
    if not texts:
        endings = ", ".join(sorted({file.suffix or file.name for file in skipped}))
        reason = f"there are only {endings}" if endings else "the folder is empty"
        raise InputError(
            f"{folder}: no document in it{';' if endings else ','} {reason}; put texts there "
            f"({' '.join(TEXTS)}), or name a table of documents ({' '.join(READABLE)}) or a BEIR folder"
        )
    return texts, skipped


def _rows(table: TableReader, text_column: str, id_column: str) -> Iterator[Document]:
    """Yield the documents of a table."""
    names: tuple[str, str, str] | None = None
    for batch in table:
        names = names or _document_columns(batch.columns, text_column, id_column, table.header)
        texts, ids, titles = (batch.column(name) if name else [None] * len(batch) for name in names)
        for index, (text, name, title) in enumerate(zip(texts, ids, titles, strict=True)):
            yield Document(plain_text(name) or batch.place(index), plain_text(title), plain_text(text))


def _document_columns(columns: Sequence[str], text_column: str, id_column: str, where: str) -> tuple[str, str, str]:
    """Return the columns of texts, ids and titles; "" if there is no column of ids or titles."""
    for name in filter(None, (text_column, id_column)):
        if name not in columns:
            raise InputError(f"{where}: no column {name!r}; {nearest(name, columns)}")
    text = text_column or column_named(BODIES, columns)
    if not text:
        raise InputError(
            f"{where}: no column of texts (there are {', '.join(columns) or 'none'}); name it: "
            '--set text_column=NAME, or in a study text_column = "NAME"'
        )
    title = column_named(TITLES, (name for name in columns if name != text))
    return text, id_column or column_named(IDS, columns), title
