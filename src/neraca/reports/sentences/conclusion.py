"""Conclude from scores and their differences which run is better, by how much and how sure that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from neraca.comparisons.compare import primary_of
from neraca.comparisons.difference import Difference
from neraca.metrics.metric import Metric
from neraca.reports.blocks.corrected import led_by_labels
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.finding import elsewhere, finding
from neraca.reports.sentences.losses import with_losses
from neraca.reports.sentences.parts import Facts, Finding
from neraca.reports.sentences.reasons import reason
from neraca.reports.sentences.untested_questions import changed_result, unpaired, untested_questions
from neraca.reports.translation import say
from neraca.scores.scores import Scores


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
    return Facts(primary, metric.higher_is_better, overall, of_primary, reason_by_run, scores.level, scores.unit)
