"""The verdicts behind a metric of judged answers: how many are by each source, and which are by a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.rag.claims import ASPECTS
from neraca.metrics.rag.corpus import NUMBER
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, aspects_of, evidence_of, is_evidence
from neraca.metrics.scorable import Scorable
from neraca.runs.verdict_table import Ints
from neraca.verdicts.judge_verdicts import JudgedAnswers
from neraca.verdicts.source import is_human, judge_of, source_of


def decided_by(metric: Metric, part: Scorable) -> Counter[str]:
    """Count the verdicts of each source that decide on a metric's value (`evidence_of`); people are `human`.

    The result is empty if no judge's verdicts decide on it, or if several judges decided and none is named.
    """
    counts = Counter[str]()
    for _, _, judged, rows in _decisive(metric, part):
        names = (judged.table.by[row] for row in rows.tolist())
        counts.update("human" if is_human(name) else judge_of(name) for name in names)
    return counts


@dataclass(frozen=True, eq=False)
class ModelVerdicts:
    """The verdicts of one model that decide on the values of a metric in one run.

    Attributes
    ----------
    judge
        The model, `llm:NAME` without its prompt.
    kind
        The name of the judge that asks it, such as `valid`.
    evidence
        The kinds of these verdicts, as in `evidence_of`.
    rows
        Shape (k,): the rows of the run's verdicts that count, without those that people overruled.
    """

    judge: str
    kind: str
    evidence: frozenset[str]
    rows: Ints


def verdicts_of_models(metric: Metric, part: Scorable) -> Iterator[ModelVerdicts]:
    """Yield the verdicts of each model that decide on a metric of judged answers; nothing without a model."""
    for kind, evidence, judged, rows in _decisive(metric, part):
        of_model = rows[judged.table.by.where(lambda name: source_of(name) == "llm")[rows]]
        if len(of_model):
            yield ModelVerdicts(judge_of(judged.judge), kind, evidence, of_model)


def overruled_models(metric: Metric, part: Scorable) -> Iterator[tuple[str, str, frozenset[str], int]]:
    """Yield the models whose verdicts people replace behind a metric: judge, kind, evidence, and people's verdicts.

    Judge, kind and evidence are as in `ModelVerdicts`; nothing where people alone were asked for.
    """
    for kind, evidence, judged, rows in _decisive(metric, part):
        n_people = int(np.count_nonzero(judged.table.by.where(is_human)[rows]))
        if n_people and source_of(judged.judge) == "llm":
            yield judge_of(judged.judge), kind, evidence, n_people


def _decisive(metric: Metric, part: Scorable) -> Iterator[tuple[str, frozenset[str], JudgedAnswers, Ints]]:
    """Yield the judges behind a metric: name, kinds of its verdicts, what counts, and the rows of these kinds."""
    evidence = evidence_of(metric)
    if not evidence or not part.offers("verdicts"):
        return
    view, by = part.view(JudgeVerdicts), str(metric.settings.get("by", ""))
    for kind, aspects, decided in _judges(metric, evidence):
        try:
            judged = view.of_judge(aspects, by)
        except SpecError:  # several judges: the metric itself cannot be scored
            continue
        table = judged.table.take(judged.rows)
        yield kind, decided, judged, judged.rows[is_evidence(table, decided) & ~np.isnan(table.value)]


def _judges(metric: Metric, evidence: frozenset[str]) -> Iterator[tuple[str, tuple[str, ...], frozenset[str]]]:
    """Yield the name of each judge behind a metric, the aspects that identify it, and its part of the evidence."""
    judge = metric.definition.judge
    on_corpus = frozenset(kind for kind in evidence if kind.endswith(" in_corpus"))
    if on_corpus:
        yield "corpus", (NUMBER,), on_corpus
    if judge in ("claims", "corpus") and evidence > on_corpus:
        yield "claims", ASPECTS, evidence - on_corpus
    elif not on_corpus:
        aspects = aspects_of(metric) or tuple(kind.partition(" ")[2] for kind in sorted(evidence))
        yield "claims" if judge == "declines" else judge, aspects, evidence  # by a model, `claims` decides that
