"""The stages of a RAG system, from retrieval to answer: which are shown to be weak, and which of these comes first."""

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
from neraca.scores.scores import Place, RunScores, Score, Scores, estimate
from neraca.stats.tests.correction import holm
from neraca.stats.tests.paired import t_test

Verdict = Literal["weak", "good", "open"]
#: From which value on a stage needs no mending: a convention.
ENOUGH = 0.8
#: With fewer sources of chance (questions, or sessions) nothing is said of a stage.
FEWEST = 20
#: Stage → metrics that measure it; the first one that was scored counts.  Each stage rests on those before it.
STAGES: Mapping[str, tuple[str, ...]] = {
    "knowledge": ("CorpusCoverage",),
    "finding": ("FindableRecall", "ContextRecall"),
    "ranking": ("ContextPrecision",),
    "grounding": ("Faithfulness", "Supported"),
    "answering": ("AnswerCorrectness", "ClaimF", "ClaimRecall"),
}
#: What the contexts have of a reference, wherever the rest of it is.
RECALL = "ContextRecall"


@dataclass(frozen=True)
class Standing:
    """The score of one run at one stage.

    Attributes
    ----------
    stage
        A name of `STAGES`; `finding` looks only at what stands in the corpus, where that is known, and `answering`
        only at questions whose contexts have all that the reference says, so that they are not blamed for what is not
        there or was not found.  `outcome` is the metric of `answering` over all questions.
    score
        The metric's value, with an interval that holds together with those of the run's other stages.
    clusters
        The number of independent observations.
    verdict
        `weak`: the whole interval is below what is enough; `good`: none of it is; `open`: the data do not tell.
    worst
        Places of the items with the lowest values below enough, lowest first.
    chosen
        Whether it looks only at questions of which nothing is missing before this stage.
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
    """A stage that is shown to be lower than another on the n questions scored in both; p is Holm's."""

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
        The lower of two weak stages, if it is shown.
    level
        Confidence of each interval, so high that all of them hold together at that of the scores.
    causes
        The stages that bad answers come from; None without scores of answers and hits, or without a bad answer.
    absent
        Places of questions for which the corpus does not have enough of the reference, those with least first; not
        of those that have enough in their contexts or a good answer all the same.
    """

    run: str
    standings: tuple[Standing, ...]
    lower: tuple[Lower, ...]
    level: float
    causes: Causes | None = None
    absent: tuple[int, ...] = ()

    def of(self, stage: str) -> Standing | None:
        """Return the score of the run at this stage, if it was measured."""
        return next((one for one in self.standings if one.stage == stage), None)

    @property
    def weak(self) -> tuple[Standing, ...]:
        """Stages that are shown to be weak."""
        return tuple(one for one in self.standings if one.verdict == "weak" and one.stage != "outcome")

    @property
    def first(self) -> Standing | None:
        """The stage to mend first; None if none is shown to need it.

        Where answers were scored beside what was found, it is the stage that most bad answers come from, if that is
        shown, however good the mean of all answers is.  Where answers are shown to be good and that is not, only claims
        that no context supports need mending.  Otherwise it is the earliest weak stage of which none is shown to be
        lower.
        """
        outcome = self.of("outcome")
        if outcome and self.causes and self.causes.shown and outcome.clusters >= FEWEST:
            return self.of(self.causes.first)
        if outcome and outcome.verdict == "good":
            return next((one for one in self.weak if one.stage == "grounding"), None)
        if outcome and self.of("answering"):
            return None
        beaten = {one.higher for one in self.lower}
        unbeaten = [one for one in self.weak if one.stage not in beaten]
        return next(iter(unbeaten or self.weak), None)


def stages(scores: Scores, enough: float = ENOUGH, most: int = 5) -> tuple[Stages, ...]:
    r"""Judge the stages of each run by the intervals of their metrics.

    With m statements on a run each interval has the confidence $1 - \alpha / m$ (Bonferroni), so that all of them are
    right with the confidence of the scores, $1 - \alpha$.  Weak stages are compared question by question with paired
    t-tests, corrected by Holm; `answering` with none, since it looks at questions that finding chose; nor
    `knowledge`, because nothing can be found and ranked that is not there.

    Parameters
    ----------
    scores
        With some of the metrics of `STAGES`; those whose range is not 0 to 1 say nothing here.
    enough
        From which value on a stage needs no mending, 0 to 1.
    most
        The number of items to name for each stage.

    Returns
    -------
    tuple
        One per run; empty where none of the metrics was scored.
    """
    names = {
        stage: metric for stage, metric_names in STAGES.items() if (metric := _measure(scores.metrics, metric_names))
    }
    return tuple(_stand(scores, run, names, enough, most) for run in scores.runs) if names else ()


def _measure(metrics: Sequence[Metric], metric_names: Sequence[str]) -> Metric | None:
    """Return the first of the known metrics that was scored."""
    by_name = {metric.spec.name: metric for metric in reversed(metrics)}
    return next((by_name[name] for name in metric_names if name in by_name), None)


def _stand(scores: Scores, run: RunScores, names: Mapping[str, Metric], enough: float, most: int) -> Stages:
    recall, end = _measure(scores.metrics, [RECALL]), names.get("answering")
    every = np.ones(len(run), dtype=bool)
    chosen = {stage: (metric, every) for stage, metric in names.items() if stage != "answering"}
    if "knowledge" in names and "finding" in names and names["finding"] is recall:
        chosen["finding"] = recall, _complete(run, names["knowledge"])
    if end and recall:
        chosen["answering"] = end, _complete(run, recall)
    if end:
        chosen["outcome"] = end, every
    level = 1 - (1 - scores.level) / len(chosen)
    standings = []
    for stage, (metric, where) in chosen.items():
        rows, groups = run.rows(str(metric))[where], run.clusters[where]
        score = estimate(Place(run.name), metric, rows, groups, level, scores.intervals)
        sources = len(np.unique(groups[~np.isnan(rows).any(axis=1)]))
        values = np.where(where, run.values(str(metric)), np.nan)
        low = [place for place in np.argsort(values, kind="stable").tolist() if values[place] < enough]
        verdict = _verdict(score, sources, enough)
        part = where is not every
        standings.append(Standing(stage, str(metric), score, sources, verdict, tuple(low[:most]), part))
    made, alpha = Stages(run.name, tuple(standings), (), level), 1 - scores.level
    why = None
    if end and recall:
        by_stage = {stage: str(metric) for stage, metric in names.items()} | {"finding": str(recall)}
        why = causes(run, scores.runs, by_stage, enough, alpha)
    gone = _absent(run, names.get("knowledge"), [one for one in (recall, end) if one], enough)
    return Stages(run.name, made.standings, _compared(run, made.weak, alpha), level, why, gone)


def _complete(run: RunScores, metric: Metric) -> NDArray[np.bool_]:
    """The questions of which nothing is missing before a stage."""
    with np.errstate(invalid="ignore"):
        complete: NDArray[np.bool_] = run.values(str(metric)) >= 1 - 1e-9
    return complete


def _absent(run: RunScores, knowledge: Metric | None, well: Sequence[Metric], enough: float) -> tuple[int, ...]:
    """Places of the questions that no retriever could have answered; `well` are metrics that speak against it."""
    if knowledge is None:
        return ()
    there = run.values(str(knowledge))
    with np.errstate(invalid="ignore"):
        gone: NDArray[np.bool_] = there < enough
        for metric in well:
            gone &= ~(run.values(str(metric)) >= enough)
    return tuple(place for place in np.argsort(there, kind="stable").tolist() if gone[place])


def _verdict(score: Score, sources: int, enough: float) -> Verdict:
    if sources < FEWEST or math.isnan(score.low):
        return "open"
    return "weak" if score.high < enough else "good" if score.low >= enough else "open"


def _compared(run: RunScores, weak: Sequence[Standing], alpha: float) -> tuple[Lower, ...]:
    """Return the lower of two stages, for all pairs that `stages` compares, if it is shown to be lower."""
    pairs = list(combinations([one for one in weak if one.stage not in ("knowledge", "answering")], 2))
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
