"""Read the documents that questions are written about, and say what was lost of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from neraca.datasets.compressed import suffix_of
from neraca.datasets.corpus import Corpus, beir_corpus
from neraca.datasets.document_files import READERS, DocumentFile, read_document_file
from neraca.datasets.table_reader import READABLE
from neraca.errors import InputError, MissingExtra
from neraca.translation import say


@dataclass(frozen=True, slots=True)
class Document:
    """A text that a question can be written about.

    Attributes
    ----------
    id
        Its id: the path of its file in the folder, with `#` and the address of its section (`pay.md#refunds`,
        `rules.pdf#page=3`); in a table, the value of the column of ids, or the row, as in `line 7`.
    title
        The title of its file or row; "" if it has none.
    text
        Its text, without its heading.
    source
        Its file: the path in the folder, or the name of the table.
    section
        The headings above it, joined by ` > `; "" if there are none.
    """

    id: str
    title: str
    text: str
    source: str
    section: str = ""


class Loss(NamedTuple):
    """A file, and why it or a part of it was not read."""

    source: str
    reason: str


@dataclass(frozen=True)
class Documents:
    """The documents of a folder or table.

    Attributes
    ----------
    path
        The folder or file.
    documents
        The documents, in the order of their files.
    losses
        What was lost: files of other kinds, empty files, wrong encodings, scanned pages, rows without text.
    """

    path: Path
    documents: tuple[Document, ...]
    losses: tuple[Loss, ...]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Document]:
        return iter(self.documents)


def read_documents(
    path: Path | str,
    *,
    by_section: bool = True,
    text_column: str = "",
    id_column: str = "",
    encoding: str = "",
) -> Documents:
    """Read the documents of a folder, a file, a BEIR folder, or a table.

    Parameters
    ----------
    path
        A folder with text, Markdown, HTML and PDF, also in folders inside; one such file; a BEIR folder; or a table
        with a column of texts.
    by_section
        Whether a file with several headings (Markdown, HTML) or pages (PDF) is several documents, or one.
    text_column, id_column
        Columns of a table; "": recognise them by their usual names.
    encoding
        Encoding of the texts; "": that of the byte order mark or the page, else UTF-8.

    Raises
    ------
    InputError
        If there is no such file or folder, it holds no text, or a table has no column of texts.
    """
    path = Path(path)
    if path.is_dir() and beir_corpus(path) is None:
        if text_column or id_column:
            raise InputError(say("{path}: only a table has columns; leave text_column and id_column out", path=path))
        read = _folder(path, by_section, encoding or None)
    elif path.is_file() and suffix_of(path) in READERS:
        read = _files(path.parent, [path], by_section, encoding or None)
    else:
        read = _table(path, text_column, id_column, encoding)
    if not read.documents:
        reasons = "; ".join(f"{loss.source}: {loss.reason}" for loss in read.losses[:5]) or "it is empty"
        raise InputError(
            say(
                "{path}: no document in it ({reasons}); put texts there ({names}), or name a table of "
                "documents ({tables}) or a BEIR folder",
                path=path,
                reasons=reasons,
                names=" ".join(READERS),
                tables=" ".join(READABLE),
            )
        )
    return read


def _folder(folder: Path, by_section: bool, encoding: str | None) -> Documents:
    """Read a folder; skip hidden files and folders."""
    files = [
        file
        for file in sorted(folder.rglob("*"))
        if not any(part.startswith(".") for part in file.relative_to(folder).parts) and file.is_file()
    ]
    return _files(folder, files, by_section, encoding)


def _files(folder: Path, files: list[Path], by_section: bool, encoding: str | None) -> Documents:
    documents: list[Document] = []
    losses: list[Loss] = []
    others: Counter[str] = Counter()
    for file in files:
        source = file.relative_to(folder).as_posix()
        if suffix_of(file) not in READERS:
            others[file.suffix or file.name] += 1
            continue
        try:
            content = read_document_file(file, encoding)
        except (InputError, MissingExtra) as error:
            losses.append(Loss(source, str(error).removeprefix(str(file)).lstrip(": ")))
            continue
        documents += _of_file(source, content, by_section)
        if content.lost or not content.sections:
            losses.append(Loss(source, content.lost or "it has no text"))
    losses += [Loss(f"*{ending}", f"files of this kind are not read: {number}") for ending, number in others.items()]
    return Documents(folder, tuple(documents), tuple(losses))


def _of_file(source: str, content: DocumentFile, by_section: bool) -> Iterator[Document]:
    """Yield the documents of a file; a file with one section is one document with the name of the file."""
    sections = content.sections
    if len(sections) > 1 and not by_section:
        whole = "\n\n".join("\n".join([*section.headings[-1:], section.text]) for section in sections)
        yield Document(source, content.title, whole, source)
        return
    for section in sections:
        name = f"{source}#{section.anchor}" if section.anchor and len(sections) > 1 else source
        yield Document(name, content.title, section.text, source, " > ".join(section.headings))


def _table(path: Path, text_column: str, id_column: str, encoding: str) -> Documents:
    """Read a BEIR folder or a table; of rows with one id the first counts, and rows without text are lost."""
    corpus = Corpus(path, text_column=text_column, id_column=id_column, encoding=encoding)
    source = (beir_corpus(path) or path).name
    documents: list[Document] = []
    ids: set[str] = set()
    empty = repeated = 0
    for name, title, text in corpus:
        if name in ids:
            repeated += 1
        elif not text.strip():
            empty += 1
        else:
            ids.add(name)
            documents.append(Document(name, title, text, source))
    losses = [
        Loss(source, f"{reason}: {number}")
        for reason, number in (("rows without text", empty), ("rows with the id of an earlier row", repeated))
        if number
    ]
    return Documents(path, tuple(documents), tuple(losses))
