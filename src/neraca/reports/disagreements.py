"""Answers on which metrics of texts disagree most, and what such a pattern may mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.reports.escape import line
from neraca.reports.translation import say
from neraca.scores.scores import Scores
from neraca.stats.correlation import ranks

#: So many answers are shown, and none whose two metrics are nearer to each other than this share of all answers.
SHOWN = 10
LEAST = 0.4
#: Among fewer answers than this a place says nothing.
FEW = 10
CAPTION = (
    "Answers that stand high among all by one metric, and low by another that looks at something else. Above 80 %: it "
    "is better than 80 % of the answers by that metric. What it may mean is a place to look, not a finding."
)
#: What a metric looks at.
LOOKS_AT = {
    "words": ("TokenF1", "ROUGE-1", "TFIDF"),
    "order": ("ROUGE-2", "ROUGE-3", "ROUGE-4", "ROUGE-L", "BLEU", "WER", "TER"),
    "recall": ("TokenRecall",),
    "precision": ("TokenPrecision",),
    "characters": ("chrF", "CER", "Levenshtein", "DamerauLevenshtein"),
    "meaning": ("Similarity", "ClaimF", "AnswerCorrectness"),
}
_OTHER_WORDS = "may say the same in other words"
_SAME_WORDS = "shares words and may say something else: look for a negation, a name or a number"
#: What it may mean that the first is high beside others, and the second low.
MEANS = {
    ("words", "order"): "the right words, in another order",
    ("recall", "order"): "the right words, in another order or among many others",
    ("recall", "precision"): "says what is expected, and more besides",
    ("recall", "words"): "says what is expected, and more besides",
    ("precision", "recall"): "what it says is expected, and part is missing",
    ("precision", "words"): "what it says is expected, and part is missing",
    ("characters", "words"): "other forms or spellings of the right words",
    ("characters", "recall"): "other forms or spellings of the right words",
    ("meaning", "words"): _OTHER_WORDS,
    ("meaning", "order"): _OTHER_WORDS,
    ("meaning", "recall"): _OTHER_WORDS,
    ("words", "meaning"): _SAME_WORDS,
    ("recall", "meaning"): _SAME_WORDS,
}


@dataclass(frozen=True)
class Disagreement:
    """An answer, the metric by which it is among the better ones, and the one by which it is among the worse.

    Attributes
    ----------
    number, question, run
        The number of the question from 1, its id, and whose answer it is.
    high, low
        Names of metrics; `high_value` and `low_value` are what they give, `above_high` and `above_low` the shares of
        all answers that stand below it by them, 0 to 1.
    means
        What the pattern may mean.
    """

    number: int
    question: str
    run: str
    high: str
    high_value: float
    above_high: float
    low: str
    low_value: float
    above_low: float
    means: str


def looks_at(metric: Metric) -> str:
    """What a metric of texts looks at, a key of `LOOKS_AT`; "" for any other.

    >>> looks_at(Metric.of("ROUGE-L")), looks_at(Metric.of("ROUGE-1(stat=recall)")), looks_at(Metric.of("nDCG@10"))
    ('order', 'recall', '')
    """
    name, part = metric.spec.name, str(metric.settings.get("stat", ""))
    if name == "ROUGE-1" and part in ("recall", "precision"):
        return part
    return next((kind for kind, names in LOOKS_AT.items() if name in names), "")


def disagreements(scores: Scores) -> tuple[Disagreement, ...] | None:
    """Find the answers on which two metrics that look at different things disagree most.

    Places count, not values: what is usual for one metric is unusual for another.  An answer is shown once.

    Returns
    -------
    tuple or None
        The largest disagreement first; None where no two such metrics were scored, or on fewer than `FEW` answers.
    """
    metrics = [metric for metric in scores.metrics if looks_at(metric)]
    patterns = [
        (high, low, MEANS[looks_at(metrics[high]), looks_at(metrics[low])])
        for high in range(len(metrics))
        for low in range(len(metrics))
        if (looks_at(metrics[high]), looks_at(metrics[low])) in MEANS
    ]
    values = np.array([np.concatenate([run.values(m) for run in scores.runs]) for m in metrics])
    if not patterns or (~np.isnan(values).any(axis=0)).sum() < FEW:
        return None
    places = np.array([_places(row if m.higher_is_better else -row) for m, row in zip(metrics, values, strict=True)])
    gaps = np.array([places[high] - places[low] for high, low, _ in patterns])
    gaps[np.isnan(gaps)] = -1
    widest = gaps.max(axis=0)
    order = [answer for answer in np.argsort(-widest, kind="stable").tolist() if widest[answer] >= LEAST]
    found = []
    for answer in order[:SHOWN]:
        high, low, means = patterns[int(gaps[:, answer].argmax())]
        run, item = divmod(answer, len(scores.runs[0]))
        scored = scores.runs[run]
        of_high = (str(metrics[high]), float(values[high, answer]), float(places[high, answer]))
        of_low = (str(metrics[low]), float(values[low, answer]), float(places[low, answer]))
        name = line(str(scored.ids[item]), 60)
        found.append(Disagreement(item + 1, name, line(scored.name), *of_high, *of_low, say(means)))
    return tuple(found)


def _places(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the other values below each, equal ones counting half; NaN stays NaN."""
    known = ~np.isnan(values)
    shares = np.full(len(values), np.nan)
    shares[known] = (ranks(values[known]) - 1) / max(1, known.sum() - 1)
    return shares
