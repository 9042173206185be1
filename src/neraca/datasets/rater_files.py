"""Join files of judgments, one of each rater, to one table of ratings: tables of a pool, or TREC qrels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from neraca.datasets.beir_qrels import is_table, read_qrels
from neraca.datasets.cells import identity, trimmed
from neraca.datasets.columns import NAMES, fold
from neraca.datasets.compressed import suffix_of
from neraca.datasets.rater_table import RaterTable
from neraca.datasets.table_reader import read_table
from neraca.datasets.trec.data_frames import column_name
from neraca.datasets.trec.file_encoding import table_encoding
from neraca.datasets.trec.qrels import Qrels
from neraca.errors import InputError
from neraca.grades import UNJUDGED
from neraca.records import Item, Verdict
from neraca.translation import say

#: The aspect of the verdicts, as in run folders.
ASPECT = "relevance"


def read_rater_files(paths: Sequence[Path]) -> RaterTable:
    """Join files with the grades of one rater each, by query and document; each rater has the name of the file.

    The grade -1 and an empty cell are no judgment.  Raise `InputError` if a file cannot be read, if two files have the
    same name, or if no two of them judge the same document.
    """
    raters = [_rater(path) for path in paths]
    if repeated := [name for name, n in Counter(raters).items() if n > 1]:
        names = " and ".join(str(path) for path, name in zip(paths, raters, strict=True) if name == repeated[0])
        raise InputError(
            say("{names}: two raters would be called {name!r}; rename one of the files", names=names, name=repeated[0])
        )
    grades_by_rater = {name: _grades(read_qrels(path)) for name, path in zip(raters, paths, strict=True)}
    votes = Counter(place for grades in grades_by_rater.values() for place in grades)
    if max(votes.values()) < 2:
        examples = "; ".join(
            f"{path}: {', '.join(next(iter(g)))}" for path, g in zip(paths, grades_by_rater.values(), strict=True)
        )
        raise InputError(
            say("no document is judged in two of these files ({examples}); give them the same ids", examples=examples)
        )
    queries = dict.fromkeys(query for query, _ in votes)
    verdicts = tuple(
        Verdict(item=query, about=f"hit:{document}", aspect=ASPECT, by=f"human:{rater}", value=grade)
        for rater, grades in grades_by_rater.items()
        for (query, document), grade in grades.items()
    )
    alone = sum(n == 1 for n in votes.values())
    notes = (
        (say("documents that only one of the files judges: {alone:,} of {n:,}", alone=alone, n=len(votes)),)
        if alone
        else ()
    )
    texts = {query: text for path in reversed(paths) for query, text in _questions(path).items()}
    items = tuple(Item(id=query, query=texts.get(query, query)) for query in queries)
    return RaterTable(items, verdicts, tuple(raters), notes=notes)


def _rater(path: Path) -> str:
    return path.name.removesuffix(path.suffix).removesuffix(suffix_of(path)) or path.name


def _questions(path: Path) -> dict[str, str]:
    """Return query → text of the question, if the file is a table with a column for it."""
    if path.is_dir() or not is_table(path):
        return {}
    table = read_table(path, encoding=table_encoding(path))
    query, usual = column_name(table, "query"), {*map(fold, NAMES["query"])}
    question = next((name for name in table.columns if fold(name) in usual and name != query), "")
    if not question:
        return {}
    rows = zip(table.column(query), table.column(question), strict=True)
    return {identity(name): text for name, cell in rows if (text := trimmed(cell))}


def _grades(qrels: Qrels) -> Mapping[tuple[str, str], float]:
    """Return (query, document) → grade of what is judged."""
    return {
        (query, document): float(grade)
        for query, grades in qrels.grades.items()
        for document, grade in grades.items()
        if grade != UNJUDGED
    }
