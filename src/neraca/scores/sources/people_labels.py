"""People's labels on items of runs that a judge scored, which correct the judge's numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from neraca.datasets.sample_table import Draw, read_sample
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.ranking import Ranking
from neraca.registry import Spec
from neraca.runs.run import Run
from neraca.scores.scores import RunScores
from neraca.scores.scoring import Prepared, run_scores, score_parts
from neraca.scores.sources.runs import People, scorables_of_runs
from neraca.scores.unit import Ints, clusters_of
from neraca.stats.intervals.interval import Floats

PPI, ROGAN_GLADEN = "ppi", "rogan-gladen"
#: How a judge's numbers can be corrected by people's labels.
METHODS = (PPI, ROGAN_GLADEN)


@dataclass(frozen=True, eq=False)
class PeopleLabels:
    """People's word on some items of runs, to correct what a judge says of all.

    Attributes
    ----------
    method
        One of `METHODS`.
    runs
        Scores by people alone, of the same runs and items as the judge's.
    sure
        The same by nobody: what follows from the questions and the answers themselves, such as that an answer without
        hits has none that are relevant.
    names
        Name of a metric → that of the same metric by people, which names no judge.
    whole
        Name of a metric → the share of the hits it looks at that people graded, as a metric; "" where it is of no hits.
    why
        Name of a metric → why people's word on it cannot be told.
    sample
        Item id → how it was drawn; None: the items that people labelled count as drawn at random.
    """

    method: str
    runs: tuple[RunScores, ...]
    sure: tuple[RunScores, ...]
    names: Mapping[str, str]
    whole: Mapping[str, str]
    why: Mapping[str, str]
    sample: Mapping[str, Draw] | None = None

    def of(self, metric: Metric, run: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the label of each item (NaN without one), and whether it needs no people; shapes (n,), (n,).

        Of a metric of hits only items count of which people graded every hit that it looks at.  With a sample, only
        items that were drawn.
        """
        name, of_run = self.names[str(metric)], self.runs[run]
        values, sure = of_run.values(name).copy(), ~np.isnan(self.sure[run].values(name))
        if whole := self.whole[str(metric)]:
            values[of_run.values(whole) < 1] = np.nan
        if self.sample is not None:
            drawn = [str(item) in self.sample and self.sample[str(item)].drawn for item in of_run.ids]
            values[~np.array(drawn, dtype=bool) & ~sure] = np.nan
        values[sure] = self.sure[run].values(name)[sure]
        return values, sure

    def strata(self, items: Sequence[str]) -> Ints | None:
        """Number of the stratum of each item, shape (n,); None where the items were not drawn by strata."""
        if self.sample is None or not any(draw.stratum for draw in self.sample.values()):
            return None
        return clusters_of(f"={self.sample[item].stratum}" for item in items)

    def chances(self, items: Sequence[str]) -> Floats | None:
        """The chance of each item to be drawn, shape (n,); None where all have the same."""
        if self.sample is None:
            return None
        chances = np.array([self.sample[item].probability for item in items])
        return None if np.isnan(chances).any() else chances


def people_labels(
    runs: Sequence[Run], metrics: Sequence[Metric], method: str, sample: Path | str | None = None, language: str = ""
) -> PeopleLabels:
    """Score runs by people's verdicts alone.

    Raises
    ------
    SpecError
        No person wrote a verdict in these runs, or the method is unknown.
    InputError
        The sample cannot be read, or lacks a question of the runs.
    """
    check_method(method)
    drawn = None if sample is None else read_sample(sample)
    if drawn is not None and (missing := [item.id for item in runs[0].items if item.id not in drawn]):
        raise InputError(
            f"{sample}: question {missing[0]!r} of {runs[0].path} is not in it; it lists all questions, those that "
            "were not drawn too (neraca agree --plan writes it)"
        )
    by_people, by_nobody = (scorables_of_runs(runs, "human", "human", People(people))[0] for people in (True, False))
    possible, why = {}, {}
    for metric in metrics:
        named = _without_judge(metric)
        try:
            score_parts(by_people, [named], Prepared(language))
            score_parts(by_nobody, [named], Prepared(language))
        except SpecError as error:
            why[str(metric)] = str(error)
        else:
            possible[str(metric)] = named
    whole = {name: _judged(metric) for name, metric in possible.items()}
    judged = Metric.several([name for name in whole.values() if name])
    score_parts(by_people, judged)
    scored = tuple(run_scores(part, [*possible.values(), *judged]) for part in by_people)
    sure = tuple(run_scores(part, possible.values()) for part in by_nobody)
    return PeopleLabels(method, scored, sure, {name: str(m) for name, m in possible.items()}, whole, why, drawn)


def check_method(method: str) -> None:
    """Raise `SpecError` where no correction is called so."""
    if method not in METHODS:
        raise SpecError(f"a judge's numbers are corrected by {' or '.join(METHODS)}, not {method!r}")


def _without_judge(metric: Metric) -> Metric:
    """The metric by whoever is asked: `Valid` of `Valid(by=llm:m)`."""
    params = {name: value for name, value in metric.spec.params.items() if name != "by"}
    return Metric.of(str(Spec(metric.spec.name, params, metric.spec.values)))


def _judged(metric: Metric) -> str:
    """The metric that says which share of the hits that a metric looks at is judged; "" where it looks at none."""
    if metric.view is None or not issubclass(metric.view, Ranking):
        return ""
    depths = [int(each.settings["at"]) for each in metric.with_inner() if "at" in each.settings]
    return "Judged" if not depths or 0 in depths else f"Judged@{max(depths)}"
