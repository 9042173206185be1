"""CitationPrecision and CitationRecall: whether the contexts that an answer cites support what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.claims import Claims, divide
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, reasoned
from neraca.records import Answer

_BRACKETS = re.compile(r"\[([^\[\]]+)\]|【([^【】]+)】")
_NUMBER = re.compile(r"\^?([1-9]\d{0,2})(?:†.*)?")
_RANGE = re.compile(r"\^?([1-9]\d{0,2})\s?[-–]\s?\^?([1-9]\d{0,2})")


def cited(answer: Answer) -> set[str]:
    """Return the citations of an answer: ids of its hits, and `?N` for a number N without a hit.

    A citation stands in brackets: the id of a hit, or its rank among all hits from 1 (at most 999); several are
    separated by commas or semicolons, `[2-4]` is three; 【4†report.pdf】 is the fourth.  Where the words between the
    brackets are an id they are not read as a rank.  Anything else in brackets is no citation.

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
            names.update([part] if part in ids else _numbered(part, ids))
    return names


def _numbered(part: str, ids: list[str]) -> Iterator[str]:
    number, several = _NUMBER.fullmatch(part), _RANGE.fullmatch(part)
    first, last = (several[1], several[2]) if several else (number[1], number[1]) if number else (1, 0)
    for rank in range(int(first), int(last) + 1):
        yield ids[rank - 1] if rank <= len(ids) else f"?{rank}"


@metric(
    "CitationPrecision",
    why_undefined="the answer cites nothing",
    not_for="to say that claims are right: a citation may support a false source; and beside answers that cite nothing",
    judge="claims",
)
def citation_precision(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Cited contexts that support a claim of the answer / contexts cited; the mean over answers.

    $$ |C \cap S| / |C| $$

    with C the contexts that are cited, and S those that support a claim of the answer.

    `cited` says what counts as a citation; one that points to nothing is a wrong one.  0 to 1; 0 for an answer that
    failed or is empty, unless the question expects `none`; not defined where it cites nothing otherwise.  The verdicts
    do not tell beside which sentence a citation stands, so a context counts that supports any claim of the answer: an
    upper bound of what a reader finds.  Unscored where a person says that a claim is supported, but nobody by which
    context; `by` and the judge's failures as in Faithfulness.

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
def citation_recall(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Claims of the answer that a cited context supports / claims of the answer; the mean over answers.

    $$ \frac{1}{|A|} \sum_{a \in A} [S_a \cap C \ne \emptyset] $$

    with A the claims of the answer, $S_a$ the contexts that support a, and C those that are cited.

    `cited` says what counts as a citation.  0 to 1; 0 where it claims something and cites nothing, and for an answer
    that failed or is empty, unless the question expects `none`; not defined where it claims nothing otherwise.  At most
    Faithfulness, since a claim that nothing supports cannot be cited rightly. Otherwise as CitationPrecision.

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
    of_judge = Claims.by(verdicts, by)
    claims, contexts = of_judge.answer, of_judge.contexts
    chosen, right = np.zeros(contexts.count, dtype=bool), np.zeros(contexts.count, dtype=bool)
    right[claims.context] = True
    number, good = np.zeros(verdicts.part.n), np.zeros(verdicts.part.n)
    for row, answer in enumerate(verdicts.part.column("answers")):
        if answer.failed:
            continue
        names = cited(answer)
        places = [contexts.place[row][doc] for doc in names if doc in contexts.place[row]]
        chosen[places] = True
        number[row], good[row] = len(names), right[places].sum()
    reasons = claims.why, claims.why_context
    recalled = claims.share(claims.within(chosen) * 1.0)
    precise, recalling = reasoned(divide(good, number), *reasons), reasoned(recalled, *reasons)
    return verdicts.with_silence(precise, of_judge.silent), verdicts.with_silence(recalling, of_judge.silent)
