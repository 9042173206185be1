"""The stages of a RAG system, from retrieval to answer: which are weak, and which weak stage comes first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.scores.causes import Causes, causes
from neraca.scores.estimate import Place, estimate
from neraca.scores.scores import RunScores, Score, Scores
from neraca.stats.tests.correction import holm
from neraca.stats.tests.paired import t_test

Verdict = Literal["weak", "good", "open"]
#: The value from which a stage is good enough, by convention.
ENOUGH = 0.8
#: The fewest observations (questions or sessions) for a verdict on a stage.
FEWEST = 20
#: Stage → metrics that measure it; the first scored metric counts.  Each stage depends on the stages before it.
STAGES: Mapping[str, tuple[str, ...]] = {
    "knowledge": ("CorpusCoverage",),
    "finding": ("FindableRecall", "ContextRecall"),
    "ranking": ("ContextPrecision",),
    "grounding": ("Faithfulness", "Supported"),
    "answering": ("AnswerCorrectness", "ClaimF", "ClaimRecall"),
}
#: The metric of the share of a reference that the contexts hold.
RECALL = "ContextRecall"


@dataclass(frozen=True)
class Standing:
    """The score of one run at one stage.

    Attributes
    ----------
    stage
        A name of `STAGES`.  If possible, `finding` counts only facts that the corpus has, and `answering` only
        questions with the whole reference in their contexts, so that no stage is blamed for an earlier one.
        `outcome` is the metric of `answering` over all questions.
    score
        The metric's value; its interval and the intervals of the run's other stages hold simultaneously.
    clusters
        The number of independent observations.
    verdict
        `weak`: the whole interval is below `enough`; `good`: none of it is; `open`: the data do not tell.
    worst
        Places of the items with the lowest values below `enough`, lowest first.
    chosen
        Whether it counts only questions for which the earlier stages were complete.
    """

    stage: str
    metric: str
    score: Score
    clusters: int
    verdict: Verdict
    worst: tuple[int, ...]
    chosen: bool = False


@dataclass(frozen=True)
class Lower:
    """A stage that is significantly lower than another, on the n questions scored in both; p is adjusted by Holm."""

    lower: str
    higher: str
    difference: float
    p: float
    n: int


@dataclass(frozen=True)
class Stages:
    """The scores of one run at all its stages.

    Attributes
    ----------
    standings
        The stages with a scored metric, in the order of the pipeline.
    lower
        The lower of two weak stages, for each pair with a significant difference.
    level
        Confidence of each interval, so high that all intervals hold simultaneously at the level of the scores.
    causes
        The stages that bad answers come from; None without scores of answers and hits, or without a bad answer.
    absent
        Places of questions for which the corpus has too little of the reference, lowest first.  Questions with enough
        in their contexts or with a good answer are left out.
    """

    run: str
    standings: tuple[Standing, ...]
    lower: tuple[Lower, ...]
    level: float
    causes: Causes | None = None
    absent: tuple[int, ...] = ()

    def of(self, stage: str) -> Standing | None:
        """Return the score of the run at this stage, if it was measured."""
        return next((standing for standing in self.standings if standing.stage == stage), None)

    @property
    def weak(self) -> tuple[Standing, ...]:
        """Stages that are shown to be weak."""
        return tuple(
            standing for standing in self.standings if standing.verdict == "weak" and standing.stage != "outcome"
        )

    @property
    def first(self) -> Standing | None:
        """The stage to mend first; None if none is shown to need it.

        If answers and hits were scored, it is the stage that most bad answers come from, if that is shown, however good
        the mean answer is.  If that is not shown and answers are good, only weak grounding needs mending.  Otherwise it
        is the earliest weak stage that is not significantly higher than another.
        """
        outcome = self.of("outcome")
        if outcome and self.causes and self.causes.shown and outcome.clusters >= FEWEST:
            return self.of(self.causes.first)
        if outcome and outcome.verdict == "good":
            return next((standing for standing in self.weak if standing.stage == "grounding"), None)
        if outcome and self.of("answering"):
            return None
        beaten = {pair.higher for pair in self.lower}
        unbeaten = [standing for standing in self.weak if standing.stage not in beaten]
        return next(iter(unbeaten or self.weak), None)


def stages(scores: Scores, enough: float = ENOUGH, most: int = 5) -> tuple[Stages, ...]:
    r"""Judge the stages of each run by the intervals of their metrics.

    With m intervals for a run, each has the confidence $1 - \alpha / m$ (Bonferroni), so that all hold simultaneously
    with the confidence of the scores, $1 - \alpha$.  Weak stages are compared question by question with paired t-tests,
    corrected by Holm.  `answering` is compared with no stage, because its questions depend on finding; nor is
    `knowledge`, because nothing can be found and ranked that is not in the corpus.

    Parameters
    ----------
    scores
        With some of the metrics of `STAGES`.
    enough
        The value from which a stage is good enough, 0 to 1.
    most
        The number of items to name for each stage.

    Returns
    -------
    tuple
        One per run; empty if none of the metrics was scored.
    """
    names = {
        stage: metric for stage, metric_names in STAGES.items() if (metric := _measure(scores.metrics, metric_names))
    }
    return tuple(_stages_of_run(scores, run, names, enough, most) for run in scores.runs) if names else ()


def _measure(metrics: Sequence[Metric], metric_names: Sequence[str]) -> Metric | None:
    """Return the first of the known metrics that was scored."""
    by_name = {metric.spec.name: metric for metric in reversed(metrics)}
    return next((by_name[name] for name in metric_names if name in by_name), None)


def _stages_of_run(scores: Scores, run: RunScores, names: Mapping[str, Metric], enough: float, most: int) -> Stages:
    recall, answering = _measure(scores.metrics, [RECALL]), names.get("answering")
    all_items = np.ones(len(run), dtype=bool)
    chosen = {stage: (metric, all_items) for stage, metric in names.items() if stage != "answering"}
    if "knowledge" in names and "finding" in names and names["finding"] is recall:
        chosen["finding"] = recall, _complete(run, names["knowledge"])
    if answering and recall:
        chosen["answering"] = answering, _complete(run, recall)
    if answering:
        chosen["outcome"] = answering, all_items
    level = 1 - (1 - scores.level) / len(chosen)
    standings = []
    for stage, (metric, where) in chosen.items():
        rows, groups = run.rows(str(metric))[where], run.clusters[where]
        score = estimate(Place(run.name), metric, rows, groups, level, scores.intervals)
        sources = len(np.unique(groups[~np.isnan(rows).any(axis=1)]))
        values = np.where(where, run.values(str(metric)), np.nan)
        low = [place for place in np.argsort(values, kind="stable").tolist() if values[place] < enough]
        verdict = _verdict(score, sources, enough)
        part = where is not all_items
        standings.append(Standing(stage, str(metric), score, sources, verdict, tuple(low[:most]), part))
    measured, alpha = Stages(run.name, tuple(standings), (), level), 1 - scores.level
    origins = None
    if answering and recall:
        by_stage = {stage: str(metric) for stage, metric in names.items()} | {"finding": str(recall)}
        origins = causes(run, scores.runs, by_stage, enough, alpha)
    absent = _absent(run, names.get("knowledge"), [metric for metric in (recall, answering) if metric], enough)
    return Stages(run.name, measured.standings, _compared(run, measured.weak, alpha), level, origins, absent)


def _complete(run: RunScores, metric: Metric) -> NDArray[np.bool_]:
    """Return the questions for which an earlier stage, measured by this metric, was complete."""
    with np.errstate(invalid="ignore"):
        complete: NDArray[np.bool_] = run.values(str(metric)) >= 1 - 1e-9
    return complete


def _absent(
    run: RunScores, knowledge: Metric | None, outcome_metrics: Sequence[Metric], enough: float
) -> tuple[int, ...]:
    """Return the places of questions that the corpus cannot answer, unless an outcome metric is good all the same."""
    if knowledge is None:
        return ()
    coverage = run.values(str(knowledge))
    with np.errstate(invalid="ignore"):
        lacks_reference: NDArray[np.bool_] = coverage < enough
        for metric in outcome_metrics:
            lacks_reference &= ~(run.values(str(metric)) >= enough)
    return tuple(place for place in np.argsort(coverage, kind="stable").tolist() if lacks_reference[place])


def _verdict(score: Score, sources: int, enough: float) -> Verdict:
    if sources < FEWEST or math.isnan(score.low):
        return "open"
    return "weak" if score.high < enough else "good" if score.low >= enough else "open"


def _compared(run: RunScores, weak: Sequence[Standing], alpha: float) -> tuple[Lower, ...]:
    """Return the lower of two stages, for all pairs that `stages` compares, if it is shown to be lower."""
    pairs = list(combinations([standing for standing in weak if standing.stage not in ("knowledge", "answering")], 2))
    tests = []
    for a, b in pairs:
        d = run.values(a.metric) - run.values(b.metric)
        scored = ~np.isnan(d)
        tests.append(t_test(d[scored], run.clusters_in(scored)))
    adjusted = holm(np.array([test.p for test in tests]))
    lower_pairs = []
    for (a, b), test, p in zip(pairs, tests, adjusted.tolist(), strict=True):
        if p < alpha:
            low, high = (a, b) if test.difference < 0 else (b, a)
            lower_pairs.append(Lower(low.stage, high.stage, abs(test.difference), p, test.n))
    return tuple(lower_pairs)
