"""Make run folders of TREC runs, so that people can rate their results like any other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError, SpecError
from neraca.files import fingerprint, is_portable_name
from neraca.records import Answer, Hit
from neraca.runs.run import Run, now
from neraca.scores.sources.documents import read_documents
from neraca.scores.sources.pool_sources import read_pool_sources

#: The folder of the run folders.
INTO = Path("rated")
#: The kind of target in the manifest of such a folder.
KIND = "trec"
_REMEDY = "Rename that folder, which keeps its ratings, or give the run another name: NAME=FILE"


def folders_of_trec_runs(
    files: Sequence[Path],
    topics: Path,
    documents: Path,
    depth: int,
    into: Path = INTO,
    notice: Callable[[str], object] = lambda _: None,
) -> list[Run]:
    """Write a run folder for each TREC run into a folder, or open the one that was made of the same run before.

    Every run has the same questions: those that any of the runs ranks, and an answer without hits where it ranks none.
    A ranked document that is not in the table has no text, and its id as the field `id`.

    Parameters
    ----------
    files
        TREC runs of different names.
    topics
        The data set with the questions.
    documents
        The table with the texts of the documents.
    depth
        The number of top documents of each question.
    into
        The folder of the run folders, which have the names of the runs.
    notice
        Receives a sentence on the ranked documents that are not in the table, if there are any.

    Raises
    ------
    InputError
        If a run, the topics or the documents cannot be read, a question has no text, or no ranked document is in the
        table.
    RunError
        If a folder of this name was made of another run.
    """
    sources = read_pool_sources(list(files), depth, topics=topics, whole_names=True)
    if unnamed := [item.id for item in sources.items.values() if not item.query]:
        raise InputError(f"{topics}: it has no text for question {unnamed[0]!r} of the runs; raters could not rate it")
    ids = {document for ranking in sources.rankings.values() for ranked in ranking.values() for document in ranked}
    texts = read_documents(documents, ids)
    if missing := sorted(ids - texts.keys()):
        notice(
            f"{len(missing):,} of {len(ids):,} ranked documents are not in {documents}, such as {missing[0]!r}; "
            "raters see their ids and no text"
        )
        texts |= {document: Hit(id=document, fields={"id": document}) for document in missing}
    dataset = Dataset(tuple(sources.items.values()), str(topics))
    runs = []
    for name, ranking in sources.rankings.items():
        if not is_portable_name(name):
            raise SpecError(f"{name!r} cannot be the name of a folder; rename the run's file")
        answers = [
            Answer(item=question, hits=tuple(texts[document] for document in ranking.get(question, ())))
            for question in sources.items
        ]
        runs.append(_folder(into / name, dataset, answers, depth))
    return runs


def _folder(path: Path, dataset: Dataset, answers: Sequence[Answer], depth: int) -> Run:
    run = Run.create(path, dataset, {"kind": KIND, "depth": depth, "content": fingerprint(answers)}, remedy=_REMEDY)
    if not run.answers():
        at = now()
        with run.writing():
            run.answers_journal.append(*(_dated(answer, at) for answer in answers))
            run.record_end()
    return run


def _dated(answer: Answer, at: str) -> Answer:
    return Answer(item=answer.item, hits=answer.hits, at=at)
