"""Scores of runs by qrels, as trec_eval computes them: of TREC files, mappings, data frames and run folders."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import Any

from neraca.datasets.trec.file_encoding import files_in
from neraca.errors import SpecError
from neraca.metrics.aliases import of_trec_eval
from neraca.metrics.metric import Metric
from neraca.scores.scores import Scores
from neraca.scores.scoring import run_scores, score_parts, scores_of
from neraca.scores.sources.judged_rankings import scorable_of_ranking
from neraca.scores.sources.trec_sources import columns_of_topics, named_sources, read_qrels, read_run
from neraca.scores.unit import AUTO


def trec(
    qrels: Any,
    runs: Any,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    only_answered: bool = False,
    relevant_from: float | None = None,
    single: bool = False,
    topics: Any = None,
    documents: Any = None,
    unit: str = AUTO,
    encoding: str | None = None,
) -> Scores:
    """Score runs with qrels.

    Parameters
    ----------
    qrels
        A TREC file, a BEIR folder or its `qrels/*.tsv`, query → document → grade, or a data frame (polars, pandas).
    runs
        A TREC file, query → document → score, a data frame, or the folder of a run; or a list of them, or a mapping
        from names to them.
    metrics
        Names (`"nDCG@10 AP RBP(p=0.8)"`, or a list), ours or trec_eval's (`map`, `P_5,10`).
    only_answered
        Average over the judged queries for which a run has documents; if False, the other queries count as 0, as with
        `trec_eval -c`.
    relevant_from
        Smallest grade that is relevant, in metrics that take `rel` and are not given one; None: their own default, 1.
    single
        Rank by scores rounded to single precision, as pytrec_eval does.
    topics
        A data set, or its path, with questions, tags and sessions of the queries; other queries in it are ignored.
    documents
        The texts of the documents, for reports: a table, or its path, with columns such as `docno` and `text`; a BEIR
        folder; a file of `<DOC>`; lines of id, tab and text.  Only the documents that a report shows are kept.
    unit
        As in `score`, by these sessions and tags.
    encoding
        The encoding of all these files, such as `cp1252`; None: that of their byte order mark, else UTF-8.

    Raises
    ------
    InputError
        For files that cannot be read, documents that stand twice, scores and grades that are no numbers, and where
        no query of a run is judged.
    SpecError
        For an unknown metric, or one that needs more than judged documents.

    Examples
    --------
    >>> scores = trec({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d1": 0.5, "d2": 0.9}}, ["RR", "nDCG@10"])
    >>> scores.mean("RR"), scores.by_item("RR")
    (0.5, {'q1': 0.5})
    """
    chosen = trec_metrics(metrics, relevant_from)
    if not chosen:
        raise SpecError("there is no metric to score with; name at least one, such as nDCG@10")
    with files_in(encoding):
        judgments = read_qrels(qrels)
        topic_columns = {} if topics is None else columns_of_topics(topics, judgments.queries)
        parts = [
            scorable_of_ranking(
                name, run, read_run(name, run, judgments, single), judgments, only_answered, topic_columns, single
            )
            for name, run in named_sources(runs)
        ]
    group = score_parts(parts, chosen)
    scored = [run_scores(part, chosen) for part in parts]
    read_names = partial(trec_metrics, relevant_from=relevant_from)
    facts = {
        "complete": not only_answered,
        "contested": (judgments.contested, judgments.groups) if any(map(_looks_at_grades, chosen)) else (0, ()),
        "documents": documents,
        "encoding": encoding,
        "relevant_from": relevant_from,
    }
    return scores_of(scored, chosen, group, unit=unit, read=read_names, facts=facts)


def _looks_at_grades(metric: Metric) -> bool:
    """Whether a metric looks at one grade of a document, and not at its subtopics."""
    return "subtopics" not in metric.needs


def trec_metrics(metrics: Any, relevant_from: float | None = None) -> list[Metric]:
    """Return the metrics of these names, ours or trec_eval's, each once; raise `SpecError` for an unknown name."""
    if relevant_from is not None and not (isinstance(relevant_from, int | float) and math.isfinite(relevant_from)):
        raise SpecError(f"the smallest relevant grade is a number, not {relevant_from!r}")
    defaults = {} if relevant_from is None else {"rel": relevant_from}
    several = [metrics] if isinstance(metrics, str | Metric) else metrics
    if isinstance(several, Iterable):
        several = [of_trec_eval(name) if isinstance(name, str) else name for name in several]
    return Metric.several(several, **defaults)
