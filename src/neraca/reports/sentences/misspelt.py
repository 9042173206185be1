"""Aspects of verdicts that no metric reads and that look like a misspelt name of another aspect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.reports.counts_and_lists import count
from neraca.reports.formats.escape import line
from neraca.reports.translation import say
from neraca.scores.scores import Scores
from neraca.verdicts.raters import RELEVANCE, SCALES, TOGETHER, YES_NO

#: Aspects that people and judges of Neraca decide on, beside those that metrics declare.
_KNOWN = (
    *(RELEVANCE, *SCALES, *YES_NO, "claim", "claims", "contexts", "correct", "corpus_claims", "in_corpus"),
    *("question", "reference_claims", "similarity", "sql_equivalent", "stated", "subtopic"),
)
#: Two names are alike from this share of common letters on: `relevence` is, `invalid` is not `valid`.
_ALIKE = 0.85


def misspelt_aspects(scores: Scores) -> Iterator[str]:
    """Say how many verdicts no metric reads because their aspect is one or two letters off a known one.

    Constraints of questions and aspects that a metric names, such as those of `Rubric` and `Aspect`, are none.
    """
    read = {aspect for metric in scores.metrics for inner in metric.with_inner() for aspect in aspects_of(inner)}
    known = sorted({*_KNOWN, *read})
    counts = Counter[str]()
    for part in (run.scorable for run in scores.runs):
        if part is None or not part.offers("verdicts"):
            continue
        constraints = {name for each in part.column("constraints", {}) for name in each}
        table = part.column("verdicts").table
        single = table.by.where([name != TOGETHER for name in table.by.words])
        for code, aspect in enumerate(table.aspect.words):
            if aspect.isidentifier() and aspect not in {*known, *constraints}:
                counts[aspect] += int((single & (table.aspect.codes == code)).sum())
    for aspect, verdicts in sorted(counts.items()):
        near = get_close_matches(aspect.casefold(), known, n=1, cutoff=_ALIKE)
        if verdicts and near and not any(map(str.isdigit, aspect)):
            yield say(
                "no metric reads {verdicts} of the aspect {aspect}; is {known} meant?",
                verdicts=count(verdicts, "verdict"),
                aspect=line(aspect),
                known=near[0],
            )
