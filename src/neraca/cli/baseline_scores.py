"""Score runs together with the baseline that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from neraca.cli import options

if TYPE_CHECKING:
    from neraca.scores.scores import Scores


def score_with_baseline(
    runs: Sequence[Path],
    metrics: Sequence[str],
    comparison: options.Comparison,
    sources: options.Sources,
    *groups: options.Verdicts | options.JudgeCorrection | options.Reading,
    **shared_options: Any,
) -> tuple[Scores, dict[str, Any]]:
    """Return the scores of the runs and of the baseline, and the keywords of `compare`.

    Raise `SpecError` for options of the comparison that are wrong or do not go together, before anything is scored.
    """
    from neraca.comparisons.compare import name_of_baseline
    from neraca.scores.sources.paths import score_paths

    keywords, paths = comparison.checked(), comparison.add_baseline(runs)
    sources = sources._replace(response=comparison.add_column(sources.response))
    scores = score_paths(paths, " ".join(metrics), options.path_options(sources, *groups, **shared_options))
    keywords["against"] = name_of_baseline(scores, comparison.against, paths)
    return scores, keywords
