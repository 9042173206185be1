"""Average: the mean of several metrics for each answer, and the word for a mean, from poor to excellent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric, metric
from neraca.metrics.scorable import Scorable

if TYPE_CHECKING:
    from neraca.stats.intervals.interval import Floats

BANDS = ("excellent", "good", "acceptable", "poor")


@metric(
    "Average",
    why_undefined="one of its metrics has no value for this answer",
    not_for="to decide: it hides which metric moved, and metrics that say the same count twice",
)
def average(part: Scorable, *metrics: str) -> Floats:
    r"""The mean of other metrics: `Average(ROUGE-L,BLEU(smoothing=method1),MyScore)`.

    $$ \frac{1}{m} \sum_{j=1}^{m} M_j $$

    with $M_j$ the values of the m metrics.  Each must have a range within 0 to 1 and be better when higher; others
    raise `SpecError`.  0 to 1.  An answer that one of the metrics cannot score is undefined, because the average of the
    others is another number.  Over items it is the mean, even if a metric has another total (CorpusBLEU).  `Average`
    alone is the average of TFIDF, ROUGE-L, ExactMatch, TokenF1, METEOR and TokenRecall, as `neraca browser` prints it.

    ROUGE-1, ROUGE-L, BLEU and TokenF1 correlate by .92 to .98, so their average says hardly more than one of them.
    TokenRecall or a metric of meaning adds more.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.answers import scorable_of_answers
    >>> from neraca.records import Answer, Item
    >>> item = Item(id="1", query="?", references=("two floors",))
    >>> answer = Answer(item="1", text="It has two floors.")
    >>> average(scorable_of_answers([item], [answer]), "TokenPrecision", "TokenRecall")  # (2/4 + 2/2) / 2
    array([0.75])
    """
    import numpy as np

    averaged_metrics = [_checked(Metric.of(name)) for name in metrics]
    values = np.zeros(part.n)
    for averaged_metric in averaged_metrics:
        values += score_metric(averaged_metric, part).per_answer
    return values / len(averaged_metrics)


def _checked(metric: Metric) -> Metric:
    """Return the metric if it can be averaged; raise `SpecError` if not."""
    definition = metric.definition
    if definition.better != "higher" or definition.low < 0 or definition.high > 1:
        better = {"higher": "more", "lower": "less"}.get(definition.better, "neither more nor less")
        raise SpecError(
            f"{metric} cannot be averaged: {better} is better, from {definition.low:g} to {definition.high:g}; "
            f"Average takes metrics of which more is better, from 0 to 1"
        )
    return metric


def average_of(metrics: Sequence[Metric]) -> Metric | None:
    """Return the first `Average`; without one, the average of the metrics that fit, or None for fewer than two.

    >>> str(average_of([Metric.of("ROUGE-1"), Metric.of("Words"), Metric.of("TokenF1")]))
    'Average(ROUGE-1,TokenF1)'
    """
    averages = [metric for metric in metrics if metric.spec.name == "Average"]
    if averages:
        return averages[0]
    names = [str(metric) for metric in metrics if _fits(metric)]
    return Metric.of(f"Average({','.join(names)})") if len(names) > 1 else None


def _fits(metric: Metric) -> bool:
    """Return whether a metric is from 0 to 1, better when higher, and a mean of answers; not whether checks hold."""
    declared = metric.definition
    within = declared.low >= 0 and declared.high <= 1
    compares_texts = "expectations" not in metric.needs
    return metric.higher_is_better and not metric.neutral and within and declared.total is None and compares_texts


def band(value: float, bounds: Sequence[float] = (0.8, 0.6, 0.4)) -> str:
    """Return the word for an average: excellent above 0.8, good from 0.6, acceptable from 0.4, otherwise poor.

    A value on a bound (within 1e-9) is good, good or acceptable, and NaN is "unscored".  The bounds are a convention:
    what is good depends on metrics, language and task.

    Raise `SpecError` if the bounds are not three falling numbers.

    >>> band(0.81), band(0.8), band(0.6), band(0.4), band(0.39)
    ('excellent', 'good', 'good', 'acceptable', 'poor')
    """
    if len(bounds) != 3 or not bounds[0] > bounds[1] > bounds[2]:
        raise SpecError(f"the bounds of excellent, good and acceptable are three numbers that fall, not {bounds}")
    if value != value:
        return "unscored"
    excellent, *lower_bounds = bounds
    return BANDS[0] if value > excellent + 1e-9 else BANDS[1 + sum(value < bound - 1e-9 for bound in lower_bounds)]
