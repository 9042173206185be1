"""RefusalPrecision, RefusalRecall and RefusalF1: whether the system declines where it should, and only there."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from neraca.metrics.constraints.query_success import f1_total, precision_total, recall_total
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on
from neraca.stats.intervals.interval import Floats
from neraca.verdicts.declined import DECLINES, declined

UNDECIDED, UNANSWERABLE_ANSWERED = "not decided", "answered what cannot be answered"
#: Outcomes of an answer in words; `neraca.metrics.ranking.outcome.OUTCOMES` are those of hits.
ANSWER_OUTCOMES = ("answered", "rightly refused", "wrongly refused", UNANSWERABLE_ANSWERED, "failed", UNDECIDED)
#: The outcomes that are TP, FP, FN and TN of refusals.
_CELLS = ("rightly refused", "wrongly refused", UNANSWERABLE_ANSWERED, "answered")
UNSAID = "the question does not say whether anything answers it (expects)"


def refusal_confusion(verdicts: JudgeVerdicts, by: str = "") -> Reasoned:
    """Return the counts TP, FP, FN and TN of each answer, shape (n, 4), with reasons for missing ones.

    TP: rightly refused, as the question expects `none`.  FP: wrongly refused.  FN: answered what cannot be answered.
    TN: answered.  A complete answer without content declines.  A failed answer is none of the four.

    >>> from neraca.metrics.rag.example import refusal
    >>> refusal_confusion(refusal("none", 1)).values
    array([[1., 0., 0., 0.]])
    """
    judged = verdicts.of_judge([DECLINES], by)
    decisions = judged.on_answers(DECLINES)
    if by or verdicts.verdicts.by:
        values = [decision.value if decision and decision.value is not None else np.nan for decision in decisions]
        outcomes = _outcomes(verdicts, np.array(values, dtype=np.float64))
    else:  # phrases decide on answers that the judge did not decide on
        outcomes = _outcomes(verdicts, declined(verdicts.verdicts))
    counts = np.array([[name == cell for cell in _CELLS] for name in outcomes], dtype=np.float64).reshape(-1, 4)
    expected = np.isin(verdicts.part.column("expects"), ("none", "results"))
    why = [
        ""
        if name != UNDECIDED
        else judged.reason(decision, judged.silent("whether it declines"))
        if is_expected
        else UNSAID
        for name, decision, is_expected in zip(outcomes, decisions, expected.tolist(), strict=True)
    ]
    return Reasoned(np.where(np.array([bool(text) for text in why])[:, None], np.nan, counts), why)


def outcomes_in_words(verdicts: JudgeVerdicts) -> list[str]:
    """Return for each answer one of `ANSWER_OUTCOMES`, by the verdict `declines` that counts.

    An answer is undecided if nobody decided whether it declines or what its question expects, or if it may not be
    whole.

    >>> from neraca.metrics.rag.example import refusal
    >>> outcomes_in_words(refusal("none", 1)), outcomes_in_words(refusal("results", 1))
    (['rightly refused'], ['wrongly refused'])
    """
    outcomes = _outcomes(verdicts, declined(verdicts.verdicts))
    return [UNDECIDED if why else name for why, name in zip(verdicts.unscored, outcomes, strict=True)]


def _outcomes(verdicts: JudgeVerdicts, declines: Floats) -> list[str]:
    expects, empty = np.asarray(verdicts.part.column("expects")), verdicts.silent
    refused = empty | (declines == 1)
    names = np.where(refused, "wrongly refused", "answered")
    names = np.where(expects == "none", np.where(refused, "rightly refused", UNANSWERABLE_ANSWERED), names)
    names = np.where(np.isnan(declines) & ~empty | ~np.isin(expects, ("none", "results")), UNDECIDED, names)
    outcomes: list[str] = np.where(verdicts.failed, "failed", names).tolist()
    return outcomes


def _of_refusals(
    word: str, total: Callable[[Floats], Floats], not_for: str, documentation: str
) -> Callable[..., Reasoned]:
    """Register the metric `RefusalWORD`: a total of the confusion matrix of refusals."""

    def counts(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
        return refusal_confusion(verdicts, by)

    counts.__name__ = counts.__qualname__ = f"refusal_{word.lower()}"
    counts.__doc__ = documentation
    declare = metric(f"Refusal{word}", total=total, why_undefined=UNSAID, not_for=not_for, judge="declines")
    return declare(judged_on("declines")(counts))


refusal_precision = _of_refusals(
    "Precision",
    precision_total,
    "alone: declining rarely raises it; look at `RefusalRecall`",
    r"""Share of refusals that are right: the question cannot be answered.

    $$ \frac{TP}{TP + FP} $$

    with TP rightly refused and FP wrongly refused, see `RefusalRecall`; summed over questions.  Undefined if nothing
    was refused.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import refusal
    >>> right, wrong = refusal("none", 1), refusal("results", 1)
    >>> float(precision_total(sum(refusal_precision(view).values[0] for view in (right, right, wrong, wrong))))
    0.5
    """,
)
refusal_recall = _of_refusals(
    "Recall",
    recall_total,
    "alone: declining always raises it; look at `RefusalPrecision`",
    r"""Share of the questions that cannot be answered which the system declines.

    $$ \frac{TP}{TP + FN} $$

    with TP rightly refused, and FN answered although nothing answers the question.  A question cannot be answered if it
    expects `none`; a question that does not say what it expects is unscored.  A person, the judge `declines` (phrases)
    or the judge `claims` (a model) decides whether an answer declines; a complete, empty answer declines.  A failed
    answer neither answers nor declines.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import refusal
    >>> right, missed = refusal("none", 1), refusal("none", 0)
    >>> float(recall_total(sum(refusal_recall(view).values[0] for view in (right, missed, missed, missed))))
    0.25
    """,
)
refusal_f1 = _of_refusals(
    "F1",
    f1_total,
    "to see whether answers are right: it only asks whether there is one",
    r"""F1 of refusals, the harmonic mean of RefusalPrecision and RefusalRecall.

    $$ \frac{2\, TP}{2\, TP + FP + FN} $$

    with TP, FP and FN as in `RefusalPrecision` and `RefusalRecall`.

    References
    ----------
    Neraca, as defined here.

    Examples
    --------
    >>> from neraca.metrics.rag.example import refusal
    >>> right, missed = refusal("none", 1), refusal("none", 0)
    >>> float(f1_total(sum(refusal_f1(view).values[0] for view in (right, missed)))).__round__(4)
    0.6667
    """,
)
