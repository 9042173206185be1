"""Conclude from scores and their differences which run is better, by how much and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from neraca.comparisons.compare import primary_of
from neraca.comparisons.difference import Difference
from neraca.metrics.metric import Metric
from neraca.reports.blocks.corrected import led_by_labels
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.finding import elsewhere, finding
from neraca.reports.sentences.losses import with_losses
from neraca.reports.sentences.parts import Facts, Finding
from neraca.reports.sentences.reasons import reason
from neraca.reports.sentences.standings import is_crowd, standings
from neraca.reports.sentences.untested_questions import changed_result, unpaired, untested_questions
from neraca.scores.scores import Scores
from neraca.stats.tests.paired import name_of_test
from neraca.translation import say


def conclude(scores: Scores, differences: Sequence[Difference], primary: str = "") -> Finding:
    """Return the result in the primary metric, how sure it is, and the results in the other metrics."""
    primary_metric = str(primary_of(scores.metrics, primary))
    facts = facts_of(scores, differences, primary_metric)
    conclusion = finding(facts)
    unpaired_questions = unpaired(scores, differences, primary_metric)
    change = changed_result(unpaired_questions)
    result = Finding(
        with_losses(f"{conclusion.headline} {change}".strip(), facts, differences),
        (
            *conclusion.details,
            *untested_questions(unpaired_questions),
            *elsewhere(differences, primary_metric),
            *undeclared(scores, primary),
        ),
        change,
        standings(facts) if is_crowd(facts) else None,
    )
    return result if scores.labels is None else led_by_labels(result, scores, differences, primary_metric)


def undeclared(scores: Scores, primary: str = "") -> Iterator[str]:
    """If several metrics were scored and none declared primary, name the metric that the decision rests on."""
    if not primary and len(scores.metrics) > 1:
        metric = primary_of(scores.metrics)
        which = say("first one scored" if metric == scores.metrics[0] else "first one that is no diagnostic")
        yield say(
            "No primary metric was declared; the {which}, {first}, stands for it here.", which=which, first=metric
        )


def facts_of(scores: Scores, differences: Sequence[Difference], primary: str) -> Facts:
    """Gather the facts for the sentences on the primary metric."""
    of_primary = tuple(d for d in differences if d.metric == primary)
    reason_by_run = {}
    metric = Metric.of(primary)
    for run in scores.runs:
        reasons = Counter(run.why(primary).values())
        reason_by_run[run.name] = line(reason(reasons.most_common(1)[0][0])) if reasons else ""
        if not reasons and metric.definition.total:
            reason_by_run[run.name] = say("none of their outcomes enters this ratio")
    overall = tuple(score for score in scores.overall() if score.metric == primary)
    common = {(d.a, d.b): values for d in of_primary if (values := _common(scores, d))}
    return Facts(
        primary, metric.higher_is_better, overall, of_primary, reason_by_run, scores.level, scores.unit, common
    )


def _common(scores: Scores, d: Difference) -> tuple[float, float] | None:
    """Return the values of a pair on the questions that its test compares; None if all of both are these.

    None also if their difference is not that of the pair, as in a metric whose test weighs the questions otherwise.
    """
    runs = scores.runs if name_of_test(d.test) == "tukey" else (scores.run(d.a), scores.run(d.b))
    scored = [~np.isnan(run.rows(d.metric)).any(axis=1) for run in runs]
    in_all = np.logical_and.reduce(scored)
    own = [~np.isnan(scores.run(name).rows(d.metric)).any(axis=1) for name in (d.a, d.b)]
    if not in_all.any() or all(np.array_equal(rows, in_all) for rows in own):
        return None
    a, b = (scores.run(name).total(d.metric, in_all) for name in (d.a, d.b))
    return (a, b) if abs(a - b - d.difference) <= 1e-9 else None
