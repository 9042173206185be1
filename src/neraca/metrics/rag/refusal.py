"""RefusalPrecision, RefusalRecall, RefusalF1: does the system decline where it should, and only there."""

from __future__ import annotations

import numpy as np

from neraca.metrics.constraints.query_success import f1_total, precision_total, recall_total
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on

UNSAID = "the question does not say whether anything answers it (expects)"


def refusal_confusion(verdicts: JudgeVerdicts, by: str = "") -> Reasoned:
    """Counts per answer: TP, FP, FN, TN; shape (n, 4), with the reason where there are none.

    TP rightly refused: the question expects `none` and the answer declines.  FP wrongly refused.  FN answered what
    cannot be answered, or failed.  TN answered.  A complete answer without text and hits declines.  A failed answer
    to an answerable question is none of the four.

    Examples
    --------
    >>> from neraca.metrics.rag.example import refusal
    >>> refusal_confusion(refusal("none", 1)).values
    array([[1., 0., 0., 0.]])
    """
    part = verdicts.part
    judged = verdicts.of_judge(["declines"], by)
    expects, failed = part.column("expects"), verdicts.failed
    counts, why = np.zeros((part.n, 4)), [""] * part.n
    empty = np.array([not text.strip() and not hits for text, hits in _contents(verdicts)], dtype=bool)
    for row, decision in enumerate(judged.on_answers("declines")):
        none = expects[row] == "none"
        if expects[row] not in ("none", "results"):
            why[row] = UNSAID
        elif failed[row]:
            counts[row, 2] = float(none)
        elif not empty[row] and (decision is None or decision.value is None):
            why[row] = judged.reason(decision, judged.silent("whether it declines"))
        else:
            declines = bool(empty[row]) or (decision is not None and decision.value == 1)
            counts[row, (1 - none) if declines else 2 + (1 - none)] = 1
    return Reasoned(np.where(np.array([bool(text) for text in why])[:, None], np.nan, counts), why)


def _contents(verdicts: JudgeVerdicts) -> list[tuple[str, tuple[object, ...]]]:
    return [(answer.text, answer.hits) for answer in verdicts.part.column("answers")]


@metric(
    "RefusalPrecision",
    total=precision_total,
    why_undefined=UNSAID,
    not_for="alone: declining rarely raises it; look at `RefusalRecall`",
    judge="declines",
)
@judged_on("declines")
def refusal_precision(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of refusals that are right: the question cannot be answered.

    $$ \frac{TP}{TP + FP} $$

    TP rightly refused, FP wrongly refused; see `RefusalRecall`.  From counts summed over questions; undefined if
    nothing was refused.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import refusal
    >>> right, wrong = refusal("none", 1), refusal("results", 1)
    >>> float(precision_total(sum(refusal_precision(view).values[0] for view in (right, right, wrong, wrong))))
    0.5
    """
    return refusal_confusion(verdicts, by)


@metric(
    "RefusalRecall",
    total=recall_total,
    why_undefined=UNSAID,
    not_for="alone: declining always raises it; look at `RefusalPrecision`",
    judge="declines",
)
@judged_on("declines")
def refusal_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of the questions that cannot be answered which the system declines.

    $$ \frac{TP}{TP + FN} $$

    TP rightly refused, FN answered what cannot be answered, or failed.  A question cannot be answered if it expects
    `none`; one that does not say what it expects is unscored.  An answer declines by verdict of a person, of the judge
    `declines` (phrases) or of `claims` (a model), or if it is complete and has neither text nor hits.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import refusal
    >>> right, missed = refusal("none", 1), refusal("none", 0)
    >>> float(recall_total(sum(refusal_recall(view).values[0] for view in (right, missed, missed, missed))))
    0.25
    """
    return refusal_confusion(verdicts, by)


@metric(
    "RefusalF1",
    total=f1_total,
    why_undefined=UNSAID,
    not_for="to see whether answers are right: it only asks whether there is one",
    judge="declines",
)
@judged_on("declines")
def refusal_f1(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""F1 of refusals, the harmonic mean of RefusalPrecision and RefusalRecall.

    $$ \frac{2\, TP}{2\, TP + FP + FN} $$

    TP, FP and FN as in `RefusalRecall`.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import refusal
    >>> right, missed = refusal("none", 1), refusal("none", 0)
    >>> float(f1_total(sum(refusal_f1(view).values[0] for view in (right, missed)))).__round__(4)
    0.6667
    """
    return refusal_confusion(verdicts, by)
