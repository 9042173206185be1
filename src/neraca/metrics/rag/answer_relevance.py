"""AnswerRelevance: how well an answer fits the question that was asked."""

from __future__ import annotations

from statistics import fmean

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on, reasoned, rests_on

NOT_COMPARED = "nobody compared the questions that it answers with the question asked"


@metric(
    "AnswerRelevance",
    not_for=(
        "as a sign of truth: a false answer to the point scores high; and with an embedding that does not know "
        "the language"
    ),
    judge="claims",
)
@judged_on("claims", "question")
@rests_on()
def answer_relevance(verdicts: JudgeVerdicts, *, by: str = "", embed: str = "") -> Reasoned:
    r"""Mean cosine of the question with questions that the answer would answer; 0 where it declines to answer.

    $$ \max\Big(0, \frac{1}{Q} \sum_{j=1}^{Q} \cos(q, q_j)\Big) $$

    with q the question asked, and $q_j$ the Q (usually 3) questions that a model made from the answer alone.  0 to 1; 0
    for a failed or empty answer; undefined if the question expects `none`.  It does not say whether the answer is
    right.  Unscored, with the reason, if the judge failed or the questions were not compared.  If there are several,
    `by` must name the judge that wrote the questions and decided whether the answer declines, and `embed` the
    embeddings.

    References
    ----------
    Es, S. and others (2024). RAGAs: automated evaluation of retrieval augmented generation. EACL Demonstrations.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> answer_relevance(judged(questions=[0.9, 0.6, 0.6])).values.round(4)
    array([0.7])
    >>> answer_relevance(judged(questions=[0.9, 0.6, 0.6], declines=1)).values
    array([0.])
    """
    claims = Claims.by(verdicts, by)
    compared = verdicts.of_judge(["question"], f"embed:{embed}" if embed else "", kind="embed", asker=claims.judge)
    values, why = np.zeros(verdicts.part.n), list(claims.why_declines)
    for row, decisions in enumerate(compared):
        if why[row] or claims.declines[row] == 1:
            continue
        questions = [decision for (_, aspect), decision in decisions.items() if aspect == "question"]
        cosines = [decision.value for decision in questions if decision.value is not None]
        if cosines and len(cosines) == len(questions):
            values[row] = max(0.0, fmean(cosines))
        else:
            failed = (compared.reason(question, NOT_COMPARED) for question in questions if question.value is None)
            why[row] = next(failed, NOT_COMPARED)
    return verdicts.with_silence(reasoned(values, verdicts.unanswerable, why), claims.silent)
