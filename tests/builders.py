"""Short ways to make records; nothing here computes what a test checks."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from neraca.datasets.dataset import Dataset
from neraca.metrics.batch import Batch, Relevance, opinions
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.runs.run import Run


def make_item(id: str = "1", constraints: str = "", **fields: Any) -> Item:
    """An item; `constraints` are names, their content does not matter where verdicts are given."""
    return Item(
        id=id, query=f"question {id}", constraints={c: Constraint(exact=1) for c in constraints.split()}, **fields
    )


def make_answer(docs: str = "", item: str = "1", **fields: Any) -> Answer:
    """An answer with the documents named, best first."""
    return Answer(item=item, hits=tuple(Hit(id=doc) for doc in docs.split()), **fields)


def make_verdict(
    doc: str, aspect: str, value: float | None, by: str = "rules", item: str = "1", **fields: Any
) -> Verdict:
    return Verdict(item=item, about=f"hit:{doc}", aspect=aspect, value=value, by=by, **fields)


def make_batch(
    pairs: Sequence[tuple[Item, Answer]], verdicts: Iterable[Verdict] = (), relevance: str = "auto", by: str = ""
) -> Batch:
    said = list(verdicts)
    whose = Relevance.of([item for item, _ in pairs], [said], relevance)
    return Batch(pairs, opinions(said, by), whose, verdicts=said, by=by)


def make_run(
    path: Path, items: Sequence[Item], answers: Iterable[Answer], verdicts: Iterable[Verdict] = (), trials: int = 1
) -> Run:
    """A run folder as asking and judging leave it."""
    run = Run.create(path, Dataset(tuple(items), "questions.csv"), {"kind": "test"}, trials=trials)
    with run.writing():
        run.answers_journal.append(*answers)
        run.add_verdicts(verdicts)
        run.close_books()
    return run
