"""The scales on which people or a judge graded runs: metrics of grades take their range from them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.rag.rubric import QUALITY, ends_of_scale
from neraca.runs.run import Run
from neraca.stats.intervals.interval import Range
from neraca.verdicts.source import is_human

#: Between the lowest and the highest grade, either of which may be below zero.
_BETWEEN_ENDS = re.compile(r"(?<=\d)-")


def with_rated_scales(metrics: Sequence[Metric], runs: Sequence[Run]) -> list[Metric]:
    """Give each `Rubric` without a scale of its own the range of the scale that the runs state.

    Raises
    ------
    SpecError
        If the criterion was graded on different scales: means of grades on these say nothing about the systems.
    """
    return [_with_scale(metric, runs) for metric in metrics]


def check_one_scale(runs: Sequence[Run], aspect: str, remedy: str) -> str:
    """Return the ends of the scale on which an aspect was graded in these runs, "" if none is stated.

    Raise `SpecError` with the remedy if there are several.  A run that states none was rated on the usual scale, or on
    one within it.
    """
    stated = [(run.name, run.manifest.scales[aspect]) for run in runs if aspect in run.manifest.scales]
    _, highest = ends_of_scale(aspect)
    if any(ends_of_scale(aspect, ends)[1] > highest for _, ends in stated):
        unstated = [run for run in runs if aspect not in run.manifest.scales]
        stated += [(run.name, QUALITY) for run in unstated if _is_rated(run, aspect)]
    if len({ends for _, ends in stated}) > 1:
        names = ", ".join(f"{name} {_BETWEEN_ENDS.sub(' to ', ends, count=1)}" for name, ends in stated)
        raise SpecError(f"{aspect} was graded on different scales ({names}); {remedy}")
    return next((ends for _, ends in stated), "")


def scale_ends(runs: Sequence[Run]) -> dict[str, Range]:
    """Return aspect → the lowest and the highest grade of its scale, of all runs together.

    Aspects without a stated scale are left out, except the quality, which has a usual scale.
    """
    ends_by_aspect: dict[str, list[Range]] = {}
    for run in runs:
        for aspect, ends in ({"quality": ""} | dict(run.manifest.scales)).items():
            ends_by_aspect.setdefault(aspect, []).append(ends_of_scale(aspect, ends))
    return {
        aspect: (min(low for low, _ in ends), max(high for _, high in ends)) for aspect, ends in ends_by_aspect.items()
    }


def _with_scale(metric: Metric, runs: Sequence[Run]) -> Metric:
    settings = dict(metric.params)
    if metric.spec.name != "Rubric" or settings.get("scale") or settings.get("share"):
        return metric
    metric = Metric.of(str(metric))  # without the range of other runs
    name = str(settings["name"])
    ends = check_one_scale(runs, name, f"compare their shares of the scale: Rubric({name},share=true)")
    if not ends:
        return metric
    low, high = ends_of_scale(name, ends)
    return replace(metric, definition=replace(metric.definition, low=low, high=high))


def _is_rated(run: Run, aspect: str) -> bool:
    """Whether a person's grade on this aspect stands in the run."""
    return any(v.aspect == aspect and v.value is not None and is_human(v.by) for v in run.verdicts())
