"""A pool as a run folder, which is rated and judged like any other run, and whose verdicts are copied back.

Its answers hold the documents to judge as hits in the order of judging, without ranks and scores of a system.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.errors import InputError
from neraca.people.pool import Pool
from neraca.people.write_verdicts import subject_of
from neraca.records import Answer, Item, Verdict
from neraca.runs.run import Run, now
from neraca.translation import say

KIND = "pool"


def is_pool(run: Run) -> bool:
    """Return whether a run folder is a pool, and not the answers of a system."""
    return run.manifest.target.get("kind") == KIND


def write_pool_run(pool: Pool, path: Path | str) -> Run:
    """Write a run folder with the documents to judge, for questions that have any.

    Raises
    ------
    InputError
        If there is nothing to judge, or the folder exists.
    """
    if not pool.documents:
        raise InputError(say("{path}: there is nothing to judge, so no folder is made", path=path))
    path = Path(path)
    if path.exists():
        raise InputError(
            say("{path}: is there already; give each pool a folder of its own, so that no verdict is lost", path=path)
        )
    by_question = [(name, list(documents)) for name, documents in groupby(pool.documents, attrgetter("query_id"))]
    items = tuple(_with_conversation(pool, question) for question, _ in by_question)
    run = Run.create(path, Dataset(items, "pool"), {"kind": KIND, "depth": pool.depth, **pool.settings})
    at = now()
    with run.writing():
        for question, documents in by_question:
            hits = tuple(pool.shown(question, document.document_id) for document in documents)
            run.answers_journal.append(Answer(item=question, hits=hits, at=at))
        run.record_end()
    return run


def _with_conversation(pool: Pool, question: str) -> Item:
    """Return the question with the earlier questions of its session, which the pool may lack, as `conversation`."""
    item, earlier = pool.items[question], pool.conversation(question)
    return msgspec.structs.replace(item, extra={**item.extra, "conversation": earlier}) if earlier else item


def return_verdicts(pools: Sequence[Run], runs: Sequence[Run]) -> dict[str, int]:
    """Write the verdicts of pools into every run that returned the documents; return run → number of new verdicts.

    They hold for every answer of a run that has the document.  Verdicts without a value stay in the pool.
    """
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    for pool in pools:
        for verdict in pool.verdicts():
            if verdict.value is not None and verdict.about.startswith("hit:"):
                verdicts.setdefault((verdict.item, verdict.about), []).append(verdict)
    counts = {}
    for run in runs:
        with run.writing():
            values = {subject_of(verdict): verdict.value for verdict in run.verdicts()}
            of_answers = [verdict for answer in run.answers().values() for verdict in _on(answer, verdicts)]
            new = [verdict for verdict in of_answers if values.get(subject_of(verdict)) != verdict.value]
            counts[str(run.path)] = run.add_verdicts(new)
    return counts


def _on(answer: Answer, verdicts: dict[tuple[str, str], list[Verdict]]) -> Iterator[Verdict]:
    """Yield the verdicts on the hits of an answer, as verdicts on this answer."""
    for document in dict.fromkeys(hit.id for hit in answer.hits):
        for verdict in verdicts.get((answer.item, f"hit:{document}"), ()):
            yield msgspec.structs.replace(verdict, trial=answer.trial, of="")
