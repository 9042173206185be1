"""NoiseSensitivity: the wrong claims that an answer takes from its contexts."""

from __future__ import annotations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, reasoned, rests_on


@metric(
    "NoiseSensitivity",
    better="lower",
    described={
        "contexts=irrelevant": "Wrong claims of the answer that only contexts support which are not relevant / claims "
        "of the answer."
    },
    why_undefined="the answer claims nothing, or its reference does not",
    not_for="where no context is judged for relevance, or references are short: what they leave out counts as wrong",
    judge="claims",
)
@rests_on("claim supported", "claim correct", "claim hit", "reference supported", "reference hit")
def noise_sensitivity(verdicts: JudgeVerdicts, *, by: str = "", contexts: str = "relevant") -> Reasoned:
    r"""Wrong claims of the answer that a relevant context supports / claims of the answer.

    $$ |\{c \in C : \text{the reference does not state } c,\ \text{a relevant context supports } c\}| / |C| $$

    with C the claims of the answer.  A context is relevant if it supports a claim of the reference.  With
    `contexts=irrelevant`, a claim counts if some context supports it, but no relevant one.  0 to 1, less is better; 0
    if nothing was retrieved.  The two variants exclude each other, so their sum is the share of wrong claims from
    contexts.  Undefined if the answer or the reference has no claims, or there is no reference.  Unscored if a person
    says that a claim is supported, but nobody says by which context.  `by` and failures of the judge are as in
    Faithfulness.

    References
    ----------
    Ru, D. and others (2024). RAGChecker: a fine-grained framework for diagnosing RAG. NeurIPS, sec. 3.3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> view = judged([("a", 1), ("a", 0), ("b", 0), ("", 0)], [("a", 1)])  # only a supports the reference
    >>> noise_sensitivity(view).values, noise_sensitivity(view, contexts="irrelevant").values
    (array([0.25]), array([0.25]))
    """
    if contexts not in ("relevant", "irrelevant"):
        raise SpecError(f"NoiseSensitivity: contexts is relevant or irrelevant, not {contexts!r}")
    all_claims = Claims.by(verdicts, by)
    claims, reference = all_claims.answer, all_claims.reference
    relevant = np.zeros(all_claims.contexts.count, dtype=bool)
    relevant[reference.context] = True
    from_relevant = claims.within(relevant)
    if contexts == "irrelevant":
        from_relevant = claims.within(~relevant) & ~from_relevant
    values = claims.share((from_relevant & (claims.agreed == 0)) * 1.0)
    values[reference.n == 0] = np.nan
    return reasoned(values, claims.why, reference.why, claims.why_context, claims.why_agreed, reference.why_context)
