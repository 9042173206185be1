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
from neraca.runs.session_contents import SESSION, TURN
from neraca.runs.verdict_table import Ints
from neraca.verdicts.source import is_human, judge_of, source_of

#: Aspects of an answer with parts (claims, questions) that people can decide on one by one.
_WITH_PARTS = frozenset({"claims", "reference_claims", "question"})


def decided_by(metric: Metric, part: Scorable) -> Counter[str]:
    """Count the verdicts of each source that a metric uses; people are `human`.

    The result is empty if the metric uses no judged aspect, or if several judges decided and none is named.
    """
    aspects = aspects_of(metric)
    if not aspects or not part.offers("verdicts"):
        return Counter()
    try:
        judged = part.view(JudgeVerdicts).of_judge(aspects, str(metric.settings.get("by", "")))
    except SpecError:
        return Counter()
    table = judged.table
    on_aspect = table.aspect.isin(aspects)[judged.rows]
    whole = np.array([about in ("answer", SESSION) for about in judged.abouts], dtype=bool)
    others = ("hit:", "answer", "item", SESSION, TURN)
    in_parts = np.array([not about.startswith(others) for about in judged.abouts], dtype=bool)
    counts = whole & on_aspect | (in_parts if _WITH_PARTS.intersection(aspects) else False)
    rows = judged.rows[counts]
    rows = rows[~np.isnan(table.value[rows])]
    names = ("human" if is_human(table.by[row]) else judge_of(table.by[row]) for row in rows.tolist())
    return Counter(names)


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
        by_model = table.by.where(lambda name: source_of(name) == "llm") & ~np.isnan(table.value)
        rows = judged.rows[by_model & is_evidence(table, decided)]
        if len(rows):
            yield ModelVerdicts(judge_of(judged.judge), kind, decided, rows)


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
