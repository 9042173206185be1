"""The columns that metrics add to a table: values, the average with its band, and why there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from neraca.errors import SpecError
from neraca.metrics.aliases import plain_heading
from neraca.metrics.counts import Counts
from neraca.metrics.metric import Metric
from neraca.metrics.text.average import band

BANDS = (0.8, 0.6, 0.4)
#: Titles of columns: the names of metrics, or lower case as in people's scripts and other libraries.
HEADINGS = ("names", "plain")
#: Title of the column of the average, whose name is long → that of its band.
BAND_OF = {"Average": "Band", "average_score": "band"}


def titles_of(metrics: Iterable[Metric], average: Metric | None, headings: str = "names") -> dict[str, str]:
    """Return metric name → title of its column; raise `SpecError` for unknown headings, or if two titles are equal."""
    if headings not in HEADINGS:
        raise SpecError(f"headings are {' or '.join(HEADINGS)}, not {headings!r}")
    title, written = list(BAND_OF)[HEADINGS.index(headings)], plain_heading if headings == "plain" else str
    titles = {str(metric): title if metric == average else written(str(metric)) for metric in metrics}
    if twice := [title for title, times in Counter(titles.values()).items() if times > 1]:
        raise SpecError(f"two metrics would have the heading {twice[0]!r}; write --headings names")
    return titles


def metric_columns(
    counts: Mapping[str, Counts], titles: Mapping[str, str], bands: Sequence[float] = BANDS
) -> dict[str, list[float | str | None]]:
    """Return title → a value for each answer, None if it is unscored; after the average its band in a word."""
    columns: dict[str, list[float | str | None]] = {}
    for name, title in titles.items():
        values = [None if value != value else value for value in counts[name].per_answer.tolist()]
        columns[title] = [*values]
        if title in BAND_OF:
            columns[BAND_OF[title]] = [None if value is None else band(value, bands) for value in values]
    return columns


def reasons_of(counts: Mapping[str, Counts], titles: Mapping[str, str]) -> dict[int, list[str]]:
    """Row of an answer → why metrics have no value, each reason once; that an average has none follows from them."""
    reasons: dict[int, dict[str, None]] = {}
    for name in [name for name, title in titles.items() if title not in BAND_OF] or titles:
        for row, why in counts[name].reasons.items():
            reasons.setdefault(row, {})[why] = None
    return {row: list(several) for row, several in reasons.items()}
