"""A pool as a run folder, so that raters and judges take it like any other run; and its verdicts given back.

Its answers are the documents to judge, as hits in the order of judging; their ranks and scores are those of no system.
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
from neraca.records import Answer, Item, Verdict
from neraca.runs.run import Run, now

KIND = "pool"


def is_pool(run: Run) -> bool:
    """Tell whether a run folder is a pool, and not what a system returned."""
    return run.manifest.target.get("kind") == KIND


def write_pool_run(pool: Pool, path: Path | str) -> Run:
    """Make a run folder with the documents to judge, for questions that have some.

    Raises
    ------
    InputError
        There is nothing to judge, or the folder is there already.
    """
    if not pool.documents:
        raise InputError(f"{path}: there is nothing to judge, so no folder is made")
    path = Path(path)
    if path.exists():
        raise InputError(f"{path}: is there already; give each pool a folder of its own, so that no verdict is lost")
    by_question = [(name, list(documents)) for name, documents in groupby(pool.documents, attrgetter("query_id"))]
    items = tuple(_with_conversation(pool, question) for question, _ in by_question)
    run = Run.create(path, Dataset(items, "pool"), {"kind": KIND, "depth": pool.depth, **pool.settings})
    at = now()
    with run.writing():
        for question, documents in by_question:
            hits = tuple(pool.shown(question, one.document_id) for one in documents)
            run.answers_journal.append(Answer(item=question, hits=hits, at=at))
        run.close_books()
    return run


def _with_conversation(pool: Pool, question: str) -> Item:
    """The question with the earlier ones of its session, `conversation`, since these may not be in the pool."""
    item, earlier = pool.items[question], pool.conversation(question)
    return msgspec.structs.replace(item, extra={**item.extra, "conversation": earlier}) if earlier else item


def return_verdicts(pools: Sequence[Run], runs: Sequence[Run]) -> dict[str, int]:
    """Write the verdicts on a pool's documents into every run that returned them; return run → how many are new.

    They hold for whatever answer of a run has the document.  Verdicts without a value stay in the pool.
    """
    verdicts: dict[tuple[str, str], list[Verdict]] = {}
    for pool in pools:
        for verdict in pool.verdicts():
            if verdict.value is not None and verdict.about.startswith("hit:"):
                verdicts.setdefault((verdict.item, verdict.about), []).append(verdict)
    counts = {}
    for run in runs:
        with run.writing():
            known = {_place(verdict): verdict.value for verdict in run.verdicts()}
            new = [one for answer in run.answers().values() for one in _on(answer, verdicts)]
            counts[str(run.path)] = run.add_verdicts(one for one in new if known.get(_place(one)) != one.value)
    return counts


def _on(answer: Answer, verdicts: dict[tuple[str, str], list[Verdict]]) -> Iterator[Verdict]:
    """Yield the verdicts on the hits of an answer, as verdicts on this answer."""
    for document in dict.fromkeys(hit.id for hit in answer.hits):
        for verdict in verdicts.get((answer.item, f"hit:{document}"), ()):
            yield msgspec.structs.replace(verdict, trial=answer.trial, of="")


def _place(verdict: Verdict) -> tuple[str, int, str, str, str]:
    return verdict.item, verdict.trial, verdict.about, verdict.aspect, verdict.by
