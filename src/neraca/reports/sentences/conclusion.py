"""Conclusions from scores and their differences: who is better, by how much, how sure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from neraca.comparisons.compare import primary_of
from neraca.comparisons.difference import Difference
from neraca.metrics.metric import Metric
from neraca.reports.blocks.corrected import led_by_labels
from neraca.reports.formats.escape import line
from neraca.reports.sentences.finding import elsewhere, finding
from neraca.reports.sentences.losses import with_losses
from neraca.reports.sentences.parts import Facts, Finding
from neraca.reports.sentences.untested_questions import changed_result, unpaired, untested_questions
from neraca.reports.translation import reason, say
from neraca.scores.scores import Scores


def conclude(scores: Scores, differences: Sequence[Difference], primary: str = "") -> Finding:
    """Return the report's sentences alone: who is better in the primary metric, how sure that is, and the others."""
    first = str(primary_of(scores.metrics, primary))
    facts = facts_of(scores, differences, first)
    conclusion = finding(facts)
    pairs = unpaired(scores, differences, first)
    changed = changed_result(pairs)
    found = Finding(
        with_losses(f"{conclusion.headline} {changed}".strip(), facts, differences),
        (*conclusion.details, *untested_questions(pairs), *elsewhere(differences, first), *undeclared(scores, primary)),
        changed,
    )
    return found if scores.labels is None else led_by_labels(found, scores, differences, first)


def undeclared(scores: Scores, primary: str = "") -> Iterator[str]:
    """Name the metric that the decision rests on if none of several was declared primary."""
    if not primary and len(scores.metrics) > 1:
        first = primary_of(scores.metrics)
        which = say("first one scored" if first == scores.metrics[0] else "first one that is no diagnostic")
        yield say("No primary metric was declared; the {which}, {first}, stands for it here.", which=which, first=first)


def facts_of(scores: Scores, differences: Sequence[Difference], primary: str) -> Facts:
    """Gather the facts for the sentences on the primary metric."""
    of_primary = tuple(d for d in differences if d.metric == primary)
    why = {}
    metric = Metric.of(primary)
    for run in scores.runs:
        reasons = Counter(run.why(primary).values())
        why[run.name] = line(reason(reasons.most_common(1)[0][0])) if reasons else ""
        if not reasons and metric.definition.total:
            why[run.name] = say("what came of them is in none of the counts that it divides")
    overall = tuple(score for score in scores.overall() if score.metric == primary)
    return Facts(primary, metric.higher_is_better, overall, of_primary, why, scores.level, scores.unit)
