"""Short ways to make records; nothing here computes what a test checks."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from neraca.datasets.dataset import Dataset
from neraca.generation.question_folder import write_written
from neraca.metrics.answers import scorable_of_answers
from neraca.metrics.counts import Counts
from neraca.metrics.metric import Metric
from neraca.metrics.scorable import RunGroup, Scorable
from neraca.records import Answer, Constraint, Hit, Item, Verdict
from neraca.runs.run import Run
from neraca.scores.scores import RunScores, Scores
from neraca.verdicts.relevance import Relevance


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


def make_scorable(
    pairs: Sequence[tuple[Item, Answer]],
    verdicts: Iterable[Verdict] = (),
    relevance: str = "auto",
    by: str = "",
    language: str = "",
) -> Scorable:
    """Answers beside their items; what is relevant is known from these items and verdicts alone."""
    said = list(verdicts)
    pooled = Relevance.of([item for item, _ in pairs], [said], relevance)
    part = scorable_of_answers(
        [item for item, _ in pairs], [answer for _, answer in pairs], said, relevance=pooled, by=by
    )
    RunGroup([part], language)
    return part


def make_run(
    path: Path, items: Sequence[Item], answers: Iterable[Answer], verdicts: Iterable[Verdict] = (), trials: int = 1
) -> Run:
    """A run folder as asking and judging leave it."""
    run = Run.create(path, Dataset(tuple(items), "questions.csv"), {"kind": "test"}, trials=trials)
    with run.writing():
        run.answers_journal.append(*answers)
        run.add_verdicts(verdicts)
        run.record_end()
    return run


def make_scores(runs: Mapping[str, Mapping[str, Any]], level: float = 0.95) -> Scores:
    """Scores of runs whose values, shape (n,), or counts, shape (n, w), are given by the names of metrics."""
    scored = []
    for run, columns in runs.items():
        values = {str(metric): np.asarray(given, float) for metric, given in columns.items()}
        counts = {name: Counts.of(Metric.of(name), given, [""] * len(given)) for name, given in values.items()}
        n = len(next(iter(values.values())))
        scored.append(RunScores(run, list(map(str, range(n))), counts, np.arange(n)))
    return Scores(tuple(scored), tuple(counts.metric for counts in scored[0].counts.values()), level)


def make_question_folder(path: Path, passed: Sequence[bool], tags: Mapping[int, Mapping[str, str]] = {}) -> None:
    """A folder of questions d1, d2 … about documents of their own, of which these passed all checks.

    The others failed the check `answerable` of a reader.
    """
    path.mkdir(parents=True)
    items, answers, verdicts = [], [], []
    for number, accepted in enumerate(passed, 1):
        name = f"d{number}"
        items.append(
            Item(id=name, query=f"When does hall {number} open?", tags={"kind": "single", **tags.get(number, {})})
        )
        hit = Hit(id=f"hall{number}.md", text=f"Hall {number} opens at nine.", fields={"quote": "opens at nine"})
        answers.append(Answer(item=name, text="at nine", hits=(hit,)))
        by_check = {"grounded": ("rules", 1.0), "answerable": ("llm:r", float(accepted))}
        by_check["accepted"] = ("rules", float(accepted))
        verdicts += [
            Verdict(item=name, about="item", aspect=aspect, by=by, value=value)
            for aspect, (by, value) in by_check.items()
        ]
    write_written(path, items, answers, verdicts)
    refused = [item for item, accepted in zip(items, passed, strict=True) if not accepted]
    (path / "refused.jsonl").write_bytes(b"".join(msgspec.json.encode(item) + b"\n" for item in refused))
