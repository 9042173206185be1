"""Scores of run folders: each metric overall, per group and per item."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Unpack

from neraca.errors import InputError, SpecError
from neraca.languages import parse_language
from neraca.metrics.metric import Metric
from neraca.runs.run import Run
from neraca.scores.default_metrics import default_metrics
from neraca.scores.of_runs import scorables_of_runs
from neraca.scores.people_labels import check_method, people_labels
from neraca.scores.scores import Scores
from neraca.scores.scoring import INTERVALS, ChanceOptions, Prepared, check_level, run_scores, score_parts, scores_of
from neraca.verdicts.relevance import Relevance
from neraca.verdicts.source import source_of


def score(
    runs: Iterable[Run | str | Path],
    metrics: str | Iterable[str | Metric] = "",
    *,
    relevance: str = "auto",
    by: str = "",
    language: str = "",
    **chance: Unpack[ChanceOptions],
) -> Scores:
    """Score runs over the same dataset.

    Parameters
    ----------
    runs
        Runs or their folders; equal names get a number.
    metrics
        Names (`"P@5 nDCG@10"`, or a list); default `default_metrics`: those for which there is what they need.
    relevance
        Whose word on the relevance of a hit counts: `auto` (the first of people, qrels, rules, LLM that has an
        opinion), `human`, `qrels`, `rules`, `rules(missing=skip)`, `rules(at=0.8)`, `llm`, `human:NAME`, …; see
        `Relevance.of`.
    by
        Whose verdicts count in metrics of verdicts; "" is the first in the same order.  In metrics of claims and
        ratings it names the judge (`llm:gpt-4o-mini`), whom people overrule; of several judges one must be named.
    language
        Of questions that do not say theirs: `es`, `Spanish`, or `auto` (found in their references); text metrics
        read words accordingly.
    chance
        `level` (0.95) of the intervals, and `intervals`, how they are made: `t` (Student's), `bca` or `percentile`
        (bootstrap); of values that are all 0 or 1 it is Wilson's.  `unit` is what counts as one observation in
        intervals and tests: `session`, `question`, or a tag; `auto` is by session, but by question where all are of
        one session.  Fewer than six observations of several questions each get no interval and no test.  With
        `correct` (`ppi` or `rogan-gladen`) the scores are by the judge alone, and people's labels of some questions
        stand beside them, by which `corrections`, `compare`, `gate` and `report` correct them; `sample` is the file
        that says how these questions were drawn (`neraca agree --plan`); without it they count as drawn at random.

    Raises
    ------
    SpecError, InputError
        For an unknown metric, with what may have been meant; when the runs do not answer the same questions.

    Notes
    -----
    What is relevant is pooled over all runs given, so recall, AP and nDCG of a run are relative to what these runs
    found together; a failed answer counts as an empty one, an answer that may not be whole is unscored.
    """
    opened = [run if isinstance(run, Run) else Run(run) for run in runs]
    if not opened:
        raise InputError("there is no run to score; name at least one run folder")
    asked = Metric.several(metrics)
    check_scoring(relevance, chance.get("level", 0.95), language, chance.get("intervals", "t"))
    correct, sample = chance.pop("correct", ""), chance.pop("sample", None)
    check_correcting(correct, sample, relevance, by)
    parts, pooled = scorables_of_runs(opened, relevance, by, people=not correct)
    chosen = asked or Metric.several(default_metrics(parts, by))
    group = score_parts(parts, chosen, Prepared(language))
    scored = [run_scores(part, chosen) for part in parts]
    labels = people_labels(opened, chosen, correct, sample, language) if correct else None
    return scores_of(scored, chosen, group, relevance=pooled, labels=labels, **chance)


def check_correcting(correct: str, sample: Path | str | None = None, relevance: str = "auto", by: str = "") -> None:
    """Raise `SpecError` where scores could not be corrected so."""
    if correct:
        check_method(correct)
    elif sample:
        raise SpecError("a sample says how the questions were drawn by which scores are corrected; add --correct ppi")
    asked = [word for word in (relevance, by) if correct and source_of(word) == "human"]
    if asked:
        raise SpecError(f"people's labels correct a judge, and {asked[0]!r} is no judge; name another with --by")


def check_scoring(relevance: str, level: float, language: str = "", intervals: str = "t") -> None:
    """Raise `SpecError` where these could not be used to score."""
    Relevance.of([], [], relevance)
    parse_language(language)
    check_level(level)
    if intervals not in INTERVALS:
        raise SpecError(f"no interval is called {intervals!r}; known: {', '.join(INTERVALS)}")
