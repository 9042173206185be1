"""Find answers on which metrics of texts disagree most, and what differs between answer and reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from neraca.metrics.metric import Metric
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.text_difference import TextDifference, difference_of
from neraca.scores.scores import Scores
from neraca.scores.sources.answer_records import AnswerRecord, answers_of
from neraca.stats.agreement.correlation import ranks
from neraca.translation import say

#: The most answers that are shown, and the least distance of the two metrics as a share of all answers.
SHOWN = 10
LEAST = 0.4
#: Among fewer answers than this a rank says nothing.
FEW = 10
CAPTION = (
    "Answers that stand high among all by one metric, and low by another that looks at something else. Above 80 %: it "
    "is better than 80 % of the answers by that metric. What differs is read from the two texts; what it may mean is a "
    "place to look, not a finding."
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
#: Pairs of properties; an answer is shown if it is high by a metric of the first and low by a metric of the second.
PATTERNS = frozenset(
    {
        ("words", "order"),
        ("recall", "order"),
        ("recall", "precision"),
        ("recall", "words"),
        ("precision", "recall"),
        ("precision", "words"),
        ("characters", "words"),
        ("characters", "recall"),
        ("meaning", "words"),
        ("meaning", "order"),
        ("meaning", "recall"),
        ("words", "meaning"),
        ("recall", "meaning"),
    }
)


@dataclass(frozen=True)
class Disagreement:
    """An answer, a metric by which it is among the better ones, and a metric by which it is among the worse.

    Attributes
    ----------
    number, question, run
        The number of the question from 1, its id, and the run of the answer.
    high, low
        Names of metrics; `high_value` and `low_value` are their values, `above_high` and `above_low` the shares of all
        answers that are worse by them, 0 to 1.
    means
        The difference between the answer and its reference, and what it may mean.
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
    """Return the key of `LOOKS_AT` for a metric of texts; "" for any other metric.

    >>> looks_at(Metric.of("ROUGE-L")), looks_at(Metric.of("ROUGE-1(stat=recall)")), looks_at(Metric.of("nDCG@10"))
    ('order', 'recall', '')
    """
    name, part = metric.spec.name, str(metric.settings.get("stat", ""))
    if name == "ROUGE-1" and part in ("recall", "precision"):
        return part
    return next((kind for kind, names in LOOKS_AT.items() if name in names), "")


class AnswerText(NamedTuple):
    """A response with its references and the code of their language, or ""."""

    response: str
    references: Sequence[str]
    language: str


def disagreements(scores: Scores) -> tuple[Disagreement, ...] | None:
    """Find the answers on which two metrics that look at different things disagree most.

    Ranks count, not values, because a usual value of one metric may be unusual for another.  An answer is shown once.

    Returns
    -------
    tuple or None
        The largest disagreement first; None if no two such metrics were scored, or on fewer than `FEW` answers.
    """
    metrics = [metric for metric in scores.metrics if looks_at(metric)]
    patterns = [
        (high, low)
        for high in range(len(metrics))
        for low in range(len(metrics))
        if (looks_at(metrics[high]), looks_at(metrics[low])) in PATTERNS
    ]
    values = np.array([np.concatenate([run.values(m) for run in scores.runs]) for m in metrics])
    if not patterns or (~np.isnan(values).any(axis=0)).sum() < FEW:
        return None
    ranks_by_metric = np.array(
        [_relative_ranks(row if m.higher_is_better else -row) for m, row in zip(metrics, values, strict=True)]
    )
    gaps = np.array([ranks_by_metric[high] - ranks_by_metric[low] for high, low in patterns])
    gaps[np.isnan(gaps)] = -1
    widest = gaps.max(axis=0)
    order = [answer for answer in np.argsort(-widest, kind="stable").tolist() if widest[answer] >= LEAST][:SHOWN]
    rows = [divmod(answer, len(scores.runs[0])) for answer in order]
    records = answers_of(scores, rows)
    result = []
    for answer, (run, item) in zip(order, rows, strict=True):
        high, low = patterns[int(gaps[:, answer].argmax())]
        scored = scores.runs[run]
        high_values = (str(metrics[high]), float(values[high, answer]), float(ranks_by_metric[high, answer]))
        low_values = (str(metrics[low]), float(values[low, answer]), float(ranks_by_metric[low, answer]))
        name = line(str(scored.ids[item]), 60)
        means = _meaning(
            list(map(_texts, records.get((run, item), ()))), looks_at(metrics[high]), looks_at(metrics[low])
        )
        result.append(Disagreement(item + 1, name, line(scored.name), *high_values, *low_values, means))
    return tuple(result)


def _texts(record: AnswerRecord) -> AnswerText:
    answer = record.answer
    return AnswerText("" if answer.failed else answer.text, record.item.references, record.language)


def _meaning(texts: Sequence[AnswerText], high: str, low: str) -> str:
    """Describe how the texts of an answer differ, over all trials; if words differ, what the two metrics may mean."""
    differences = [difference_of(*texts_of_trial) for texts_of_trial in texts]
    if not differences:
        return say("the texts are not at hand")
    sentences = {difference.sentence or _other_words(difference, high, low) for difference in differences}
    return sentences.pop() if len(sentences) == 1 else say("what differs is another thing in each trial")


def _other_words(difference: TextDifference, high: str, low: str) -> str:
    """Say what it may mean that an answer and its reference have different words."""
    if high == "meaning":
        return say("may say the same in other words")
    if difference.forms:
        return say("other forms or spellings of the right words")
    if not difference.shared:
        return say("shares no word with what is expected")
    if low == "meaning":
        return say("shares words and may say something else: look for a negation, a name or a number")
    if difference.ordered:
        return say("shares words with what is expected, with others among them")
    return say("shares words with what is expected, in another order and with others among them")


def _relative_ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the other values below each value; equal ones count half, NaN stays NaN."""
    defined = ~np.isnan(values)
    shares = np.full(len(values), np.nan)
    shares[defined] = (ranks(values[defined]) - 1) / max(1, defined.sum() - 1)
    return shares
