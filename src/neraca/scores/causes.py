"""The stages that bad answers come from, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.scores.scores import RunScores
from neraca.stats.tests.paired import t_test

Mask = NDArray[np.bool_]
#: Stages in the order in which a question's bad answer is put down to one of them.
ORDER = ("knowledge", "finding", "grounding", "ranking", "answering")


@dataclass(frozen=True)
class Causes:
    """The common causes of questions with bad answers.

    Attributes
    ----------
    metric
        The metric of the answers; a bad answer is below `enough`.
    bad, scored
        The number of questions with a bad answer, and the number that were scored.
    places
        Stage → places of the questions whose bad answer comes from it, the worst answer first.
    first, second
        The stages with the most questions; `second` is "" where all come from one.
    p
        P of the hypothesis that `first` has no more questions than `second` (0 if there is no second), by a paired
        t-test over all questions; 0 if all answers are bad and come from one stage.
    shown
        Whether p is below 1 - level.
    cleared
        The number of questions on which another run answered well from the same contexts, so that neither the contexts
        nor their order is the cause.
    others
        The names of these runs.
    """

    metric: str
    bad: int
    scored: int
    places: Mapping[str, tuple[int, ...]]
    first: str
    second: str
    p: float
    shown: bool
    cleared: int
    others: tuple[str, ...]


def causes(
    run: RunScores, runs: Sequence[RunScores], names: Mapping[str, str], enough: float, alpha: float
) -> Causes | None:
    """Attribute each bad answer to one stage.

    The stage is the first of these that applies:

    - `knowledge`: the contexts lack too much of the reference, and so does the corpus; no retriever could find it.
    - `finding`: the contexts lack too much of the reference.
    - `grounding`: too much of the answer is not in the contexts.
    - `ranking`: the order of the contexts is bad, and it is shown to be worse on questions with bad answers, tested
      over all questions whose contexts are complete.
    - `answering`: all other bad answers.

    If another run answers well from the same contexts, neither they nor their order is the cause.

    Parameters
    ----------
    run, runs
        The run, and all runs that were scored together.
    names
        Stage → its metric; `finding` (the part of the reference in the contexts) and `answering` are required.  See
        `neraca.scores.stages.STAGES`.
    enough
        The lowest good value of an answer or a stage.
    alpha
        A claim is shown if p is below this.

    Returns
    -------
    Causes
        None if no answer is bad, or no bad answer was scored at both required stages.
    """
    right, recall = run.values(names["answering"]), run.values(names["finding"])
    with np.errstate(invalid="ignore"):
        bad: Mask = (right < enough) & ~np.isnan(recall)
        missed: Mask = recall < enough
        good: Mask = (right >= enough) & ~np.isnan(recall)
    if not bad.any():
        return None
    cleared, others = _cleared(run, runs, names["answering"], enough)
    disordered = _out_of_order(run, names, bad & ~missed, good & ~missed, enough, alpha) & ~cleared
    stage = _stage_of_each(run, names, missed & ~cleared, disordered, enough)
    stage[~bad] = ""
    worst = np.argsort(right, kind="stable")
    places = {name: tuple(int(p) for p in worst if stage[p] == name) for name in ORDER}
    ranked = sorted((name for name in ORDER if places[name]), key=lambda name: -len(places[name]))
    first, second = ranked[0], ranked[1] if len(ranked) > 1 else ""
    scored = bad | good
    excess = (stage == first).astype(float) - (stage == second).astype(float) * bool(second)
    p = 0.0 if (excess[scored] == 1).all() else float(t_test(excess[scored], run.clusters[scored]).p)
    spared = int((cleared & bad).sum())
    counts = int(bad.sum()), int(scored.sum()), places, first, second
    return Causes(names["answering"], *counts, p, p < alpha, spared, others if spared else ())


def _stage_of_each(
    run: RunScores, names: Mapping[str, str], missed: Mask, disordered: Mask, enough: float
) -> NDArray[np.object_]:
    """Return the stage that a bad answer to each question comes from; later assignments override earlier ones."""
    stage = np.full(len(run), "answering", dtype=object)
    stage[disordered] = "ranking"
    with np.errstate(invalid="ignore"):
        if grounding := names.get("grounding"):
            stage[run.values(grounding) < enough] = "grounding"
        stage[missed] = "finding"
        if knowledge := names.get("knowledge"):
            stage[missed & (run.values(knowledge) < enough)] = "knowledge"
    return stage


def _out_of_order(run: RunScores, names: Mapping[str, str], bad: Mask, good: Mask, enough: float, alpha: float) -> Mask:
    """Return the questions with badly ordered contexts; none if bad order is not shown to go with bad answers."""
    none = np.zeros(len(run), dtype=bool)
    if "ranking" not in names:
        return none
    order = run.values(names["ranking"])
    scored = (bad | good) & ~np.isnan(order)
    if not (bad & scored).any() or not (good & scored).any():
        return none
    fails, places = bad[scored].astype(float), order[scored]
    together = (fails - fails.mean()) * (places - places.mean())
    test = t_test(together, run.clusters[scored])
    if not (test.difference < 0 and test.p < alpha):
        return none
    with np.errstate(invalid="ignore"):
        return order < enough


def _cleared(run: RunScores, runs: Sequence[RunScores], metric: str, enough: float) -> tuple[Mask, tuple[str, ...]]:
    """Return the questions on which another run answered well from the same contexts, and these runs' names."""
    cleared, names = np.zeros(len(run), dtype=bool), list[str]()
    contexts = _contexts(run)
    for other in runs:
        if other is run or list(other.ids) != list(run.ids):
            continue
        other_contexts = _contexts(other)
        same = np.array([bool(a) and a == b for a, b in zip(contexts, other_contexts, strict=True)], dtype=bool)
        with np.errstate(invalid="ignore"):
            well = same & (other.values(metric) >= enough)
        if well.any():
            cleared |= well
            names.append(other.name)
    return cleared, tuple(names)


def _contexts(run: RunScores) -> list[tuple[str, ...]]:
    """Return the contexts of each item in order; () if they were not kept or items were asked several times."""
    empty: list[tuple[str, ...]] = [()] * len(run)
    if run.scorable is None or run.trials > 1:
        return empty
    contexts = [tuple(texts) for texts in run.scorable.column("contexts", ())]
    if run.item is None:
        return contexts or empty
    for place, texts in zip(run.item.tolist(), contexts, strict=True):
        empty[place] = texts
    return empty
