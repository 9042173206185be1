"""CitationPrecision and CitationRecall: whether the cited contexts support the claims of an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, divide
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, reasoned, rests_on
from neraca.records import Answer

_BRACKETS = re.compile(r"\[([^\[\]]+)\]|【([^【】]+)】")
_NUMBER = re.compile(r"\^?([1-9]\d{0,2})(?:†.*)?")
_RANGE = re.compile(r"\^?([1-9]\d{0,2})\s?[-–]\s?\^?([1-9]\d{0,2})")


def cited(answer: Answer) -> set[str]:
    """Return the citations of an answer: ids of its hits, and `?N` for a number N without a hit.

    A citation is a hit's id or rank (1 to 999) in brackets.  Commas or semicolons separate citations.  `[2-4]` is
    three of them, and 【4†report.pdf】 is the fourth hit.  Brackets that hold an id are not read as a rank.
    Anything else in brackets is not a citation.

    >>> from neraca.records import Hit
    >>> hits = (Hit(id="a7"), Hit(id="b-1"))
    >>> sorted(cited(Answer(item="1", text="Three rooms [1, b-1], a garden [5] [sic].", hits=hits)))
    ['?5', 'a7', 'b-1']
    """
    ids = [hit.id for hit in answer.hits]
    names: set[str] = set()
    for bracketed in {(match[1] or match[2]).strip() for match in _BRACKETS.finditer(answer.text)}:
        if bracketed in ids:
            names.add(bracketed)
            continue
        for part in re.split(r"\s*[,;]\s*", bracketed):
            names.update([part] if part in ids else _hits_at(part, ids))
    return names


def _hits_at(part: str, ids: list[str]) -> Iterator[str]:
    """Yield the hits at a rank or a range of ranks; nothing for other texts."""
    number, number_range = _NUMBER.fullmatch(part), _RANGE.fullmatch(part)
    first, last = (number_range[1], number_range[2]) if number_range else (number[1], number[1]) if number else (1, 0)
    for rank in range(int(first), int(last) + 1):
        yield ids[rank - 1] if rank <= len(ids) else f"?{rank}"


@metric(
    "CitationPrecision",
    why_undefined="the answer cites nothing",
    not_for="to say that claims are right: a cited source may be false; and beside answers that cite nothing",
    judge="claims",
)
@rests_on("claim supported", "claim hit")
def citation_precision(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Cited contexts that support a claim of the answer / contexts cited; the mean over answers.

    $$ |C \cap S| / |C| $$

    with C the cited contexts (see `cited`), and S the contexts that support a claim of the answer.  A citation of a
    missing context counts as wrong.  0 to 1.  A failed or empty answer has 0, unless the question expects `none`.  In
    all other cases, precision is undefined without citations.  Verdicts do not show which sentence a citation belongs
    to.  So any cited context that supports any claim counts, and the value is an upper bound.  Unscored if a person
    says that a claim is supported, and nobody says by which context.  `by` and failures of the judge are as in
    Faithfulness.

    References
    ----------
    Gao, T. and others (2023). Enabling large language models to generate text with citations. EMNLP, sec. 3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> citation_precision(judged([("a", 1), ("b", 1)], useful=[1, 1, 0], text="So [1] and so [c].")).values
    array([0.5])
    """
    return verdicts.once((_citations, by), lambda: _citations(verdicts, by))[0]


@metric(
    "CitationRecall",
    why_undefined="the answer claims nothing",
    not_for="alone: citing everything raises it; look at `CitationPrecision` too",
    judge="claims",
)
@rests_on("claim supported", "claim hit")
def citation_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the answer that a cited context supports / claims of the answer; the mean over answers.

    $$ \frac{1}{|A|} \sum_{a \in A} [S_a \cap C \ne \emptyset] $$

    with A the claims of the answer, $S_a$ the contexts that support claim a, and C the cited contexts (see `cited`).
    0 to 1, at most Faithfulness; 0 if the answer has claims and cites nothing.  A failed or empty answer has 0, unless
    the question expects `none`.  In all other cases, recall is undefined without claims.  The rest is as in
    CitationPrecision.

    References
    ----------
    Gao, T. and others (2023). Enabling large language models to generate text with citations. EMNLP, sec. 3.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> citation_recall(judged([("a", 1), ("b", 1)], useful=[1, 1, 0], text="So [1] and so [c].")).values
    array([0.5])
    """
    return verdicts.once((_citations, by), lambda: _citations(verdicts, by))[1]


def _citations(verdicts: JudgeVerdicts, by: str) -> tuple[Reasoned, Reasoned]:
    """Return CitationPrecision and CitationRecall."""
    all_claims = Claims.by(verdicts, by)
    claims, contexts = all_claims.answer, all_claims.contexts
    is_cited, is_supporting = np.zeros(contexts.count, dtype=bool), np.zeros(contexts.count, dtype=bool)
    is_supporting[claims.context] = True
    citations, right_citations = np.zeros(verdicts.part.n), np.zeros(verdicts.part.n)
    for row, answer in enumerate(verdicts.part.column("answers")):
        if answer.failed:
            continue
        names = cited(answer)
        places = [contexts.place[row][doc] for doc in names if doc in contexts.place[row]]
        is_cited[places] = True
        citations[row], right_citations[row] = len(names), is_supporting[places].sum()
    precision, recall = (
        verdicts.with_silence(reasoned(values, claims.why, claims.why_context), all_claims.silent)
        for values in (divide(right_citations, citations), claims.share(claims.within(is_cited) * 1.0))
    )
    return precision, recall
