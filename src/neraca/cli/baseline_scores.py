"""Score runs together with the baseline that they are compared with, by the metrics that their study declares."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neraca.cli import options, speak
from neraca.translation import say, written_in

if TYPE_CHECKING:
    from neraca.scores.scores import Scores


def score_with_baseline(
    runs: Sequence[Path],
    metrics: Sequence[str],
    comparison: options.Comparison,
    sources: options.Sources,
    *groups: options.Verdicts | options.JudgeCorrection | options.Reading,
    report_language: str = "en",
    **shared_options: Any,
) -> tuple[Scores, dict[str, Any]]:
    """Return the scores of the runs and of the baseline, and the keywords of `compare`.

    Runs of one phase of a study are scored by its metrics, and its primary metric decides, unless options name others.

    Raise `SpecError` for options of the comparison that are wrong or do not go together, before anything is scored.
    """
    from neraca.comparisons.baseline_name import name_of_baseline
    from neraca.scores.sources.paths import score_paths

    paths = comparison.add_baseline(runs)
    with written_in(report_language):
        metrics, comparison = _as_declared(paths, metrics, comparison)
    keywords = comparison.checked()
    sources = sources._replace(response=comparison.add_column(sources.response))
    scores = score_paths(paths, " ".join(metrics), options.path_options(sources, *groups, **shared_options))
    keywords["against"] = name_of_baseline(scores, comparison.against, paths)
    return scores, keywords


def _as_declared(
    paths: Sequence[Path], metrics: Sequence[str], comparison: options.Comparison
) -> tuple[Sequence[str], options.Comparison]:
    """Return the metrics and the comparison, with those of the runs' study where no option names any; say so."""
    from neraca.metrics.aliases import split_names
    from neraca.metrics.metric import Metric
    from neraca.runs.study_record import common_phase

    place = common_phase(paths)
    if place is None or not place[1].primary:
        return metrics, comparison
    study, phase = place
    named = [Metric.of(name) for name in split_names(" ".join(metrics))]
    parts = [] if named else [say("the metrics are those of study {name!r} (-m names others)", name=study.name)]
    if not comparison.primary and (not named or Metric.of(phase.primary) in named):
        comparison = comparison._replace(primary=phase.primary)
        parts.append(
            say(
                "{metric} decides, as study {name!r} declares (--primary names another)",
                metric=phase.primary,
                name=study.name,
            )
        )
    if parts:
        speak("; ".join(parts))
    return metrics or phase.metrics, comparison
