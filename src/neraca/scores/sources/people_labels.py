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
from neraca.people.review_task import CHOSEN
from neraca.registry import Spec
from neraca.runs.run import Run
from neraca.scores.rated_scales import with_rated_scales
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
    """People's labels on some items of runs, which correct a judge's scores of all items.

    Attributes
    ----------
    method
        One of `METHODS`.
    runs
        Scores by people alone, of the same runs and items as the judge's.
    sure
        Scores without any verdict: they follow from questions and answers alone.  An answer without hits, for example,
        has no relevant hit.
    names
        Name of a metric → name of the same metric by people, without `by`.
    whole
        Name of a metric → the metric that gives the share of its hits that people graded; "" if it reads no hits.
    why
        Name of a metric → why people's verdicts do not score it.
    sample
        Item id → how it was drawn; None: the labelled items count as drawn at random.
    """

    method: str
    runs: tuple[RunScores, ...]
    sure: tuple[RunScores, ...]
    names: Mapping[str, str]
    whole: Mapping[str, str]
    why: Mapping[str, str]
    sample: Mapping[str, Draw] | None = None

    def of(self, metric: Metric, run: int) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the label of each item (NaN without one), and whether it is sure without people; shapes (n,), (n,).

        For a metric of hits, an item counts only if people graded every hit that the metric reads.  With a sample, only
        drawn items count.
        """
        name, run_labels = self.names[str(metric)], self.runs[run]
        values, sure = run_labels.values(name).copy(), ~np.isnan(self.sure[run].values(name))
        if whole := self.whole[str(metric)]:
            values[run_labels.values(whole) < 1] = np.nan
        if self.sample is not None:
            is_drawn = [str(item) in self.sample and self.sample[str(item)].drawn for item in run_labels.ids]
            values[~np.array(is_drawn, dtype=bool) & ~sure] = np.nan
        values[sure] = self.sure[run].values(name)[sure]
        return values, sure

    def of_runs(self, metric: Metric, runs: Sequence[int]) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the labels of one run, or of the difference of two, and whether they are sure, as `of` does."""
        labels, sure = zip(*(self.of(metric, run) for run in runs), strict=True)
        return difference_of(labels), np.all(sure, axis=0)

    def strata(self, items: Sequence[str]) -> Ints | None:
        """Return the number of the stratum of each item, shape (n,); None if the items were not drawn by strata."""
        if self.sample is None or not any(draw.stratum for draw in self.sample.values()):
            return None
        return clusters_of(f"={self.sample[item].stratum}" for item in items)

    def chances(self, items: Sequence[str], sure: NDArray[np.bool_]) -> Floats | None:
        """Return each item's chance to be drawn, shape (n,); None if all are equal or unknown.

        Items that are sure without people have the chance 1.  NaN: the sample gives chances, but none for this item.
        """
        if self.sample is None:
            return None
        chances = np.array([self.sample[item].probability for item in items])
        chances[sure] = np.nan
        distinct = np.unique(chances[~np.isnan(chances)])
        if not len(distinct) or (len(distinct) == 1 and not np.isnan(chances[~sure]).any()):
            return None
        return np.where(sure, 1.0, chances)


def difference_of(values: Sequence[Floats]) -> Floats:
    """Return the values of one run, or the differences of two."""
    return values[0] if len(values) == 1 else values[0] - values[1]


def _check_random(runs: Sequence[Run]) -> None:
    """Raise `InputError` if people labelled some questions of a run because programs disagree on them."""
    for run in runs:
        table = run.verdicts()
        chosen = table.take(table.aspect.isin([CHOSEN]))
        items, people = ({getattr(verdict, name) for verdict in chosen} for name in ("item", "by"))
        if 0 < len(items) < len(run.items):
            raise InputError(
                f"{run.path}: {len(items):,} of {len(run.items):,} questions were labelled by "
                f"{', '.join(sorted(people))} because programs disagree on them. They are no random sample, and "
                "corrected scores would be wrong. Label the questions of a plan (neraca agree RUN --plan plan.csv) and "
                "give --sample plan.csv"
            )


def people_labels(
    runs: Sequence[Run], metrics: Sequence[Metric], method: str, sample: Path | str | None = None, language: str = ""
) -> PeopleLabels:
    """Score runs by people's verdicts alone.

    Raise `SpecError` if no person wrote a verdict in these runs, or the method is unknown.  Raise `InputError` if the
    sample cannot be read, or lacks a question of the runs, or if there is no sample and labels were chosen because
    programs disagree.
    """
    check_method(method)
    if sample is None:
        _check_random(runs)
    draws = None if sample is None else read_sample(sample)
    if draws is not None and (missing := [item.id for item in runs[0].items if item.id not in draws]):
        raise InputError(
            f"{sample}: question {missing[0]!r} of {runs[0].path} is not in it; it lists all questions, those that "
            "were not drawn too (neraca agree --plan writes it)"
        )
    by_people, by_nobody = (scorables_of_runs(runs, "human", "human", People(people))[0] for people in (True, False))
    metrics_by_people, why = {}, {}
    for metric in metrics:
        (without_judge,) = with_rated_scales([_without_judge(metric)], runs)
        try:
            score_parts(by_people, [without_judge], Prepared(language))
            score_parts(by_nobody, [without_judge], Prepared(language))
        except SpecError as error:
            why[str(metric)] = str(error)
        else:
            metrics_by_people[str(metric)] = without_judge
    whole = {name: _judged_metric(metric) for name, metric in metrics_by_people.items()}
    judged = with_rated_scales(Metric.several([name for name in whole.values() if name]), runs)
    score_parts(by_people, judged)
    scored_by_people = tuple(run_scores(part, [*metrics_by_people.values(), *judged]) for part in by_people)
    scored_without_people = tuple(run_scores(part, metrics_by_people.values()) for part in by_nobody)
    return PeopleLabels(
        method,
        scored_by_people,
        scored_without_people,
        {name: str(m) for name, m in metrics_by_people.items()},
        whole,
        why,
        draws,
    )


def check_method(method: str) -> None:
    """Raise `SpecError` for an unknown method of correction."""
    if method not in METHODS:
        raise SpecError(f"a judge's numbers are corrected by {' or '.join(METHODS)}, not {method!r}")


def _without_judge(metric: Metric) -> Metric:
    """Return the metric without its judge: `Valid` for `Valid(by=llm:m)`."""
    params = {name: value for name, value in metric.spec.params.items() if name != "by"}
    return Metric.of(str(Spec(metric.spec.name, params, metric.spec.values)))


def _judged_metric(metric: Metric) -> str:
    """Return the metric of the judged share of the hits that a metric reads; "" if it reads no hits."""
    if metric.view is None or not issubclass(metric.view, Ranking):
        return ""
    depths = [int(inner.settings["at"]) for inner in metric.with_inner() if "at" in inner.settings]
    return "Judged" if not depths or 0 in depths else f"Judged@{max(depths)}"
