"""Find aspects of verdicts that no metric reads and that look like misspelt names of other aspects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

from neraca.counts_and_lists import count
from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.reports.formats.visible_text import line
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.raters import RELEVANCE, SCALES, TOGETHER, YES_NO

#: Aspects that people and judges of Neraca decide on, beside those that metrics declare.
_ASPECTS = (
    *(RELEVANCE, *SCALES, *YES_NO, "claim", "claims", "contexts", "correct", "corpus_claims", "in_corpus"),
    *("question", "reference_claims", "similarity", "sql_equivalent", "stated", "subtopic"),
)
#: The least similarity of two spellings of a name: `relevence` is near enough to `relevance`, `invalid` not to `valid`.
_ALIKE = 0.85


def misspelt_aspects(scores: Scores) -> Iterator[str]:
    """Say how many verdicts no metric reads because their aspect is one or two letters off another name.

    Constraints of questions and aspects that a metric names, as in `Rubric` and `Aspect`, are not misspelt.
    """
    aspects_read = {
        aspect for metric in scores.metrics for inner in metric.with_inner() for aspect in aspects_of(inner)
    }
    correct_names = sorted({*_ASPECTS, *aspects_read})
    counts = Counter[str]()
    for part in (run.scorable for run in scores.runs):
        if part is None or not part.offers("verdicts"):
            continue
        constraints = {name for constraints_of_item in part.column("constraints", {}) for name in constraints_of_item}
        table = part.column("verdicts").table
        of_one_judge = ~table.by.isin([TOGETHER])
        for code, aspect in enumerate(table.aspect.words):
            if aspect.isidentifier() and aspect not in {*correct_names, *constraints}:
                counts[aspect] += int((of_one_judge & (table.aspect.codes == code)).sum())
    for aspect, verdicts in sorted(counts.items()):
        nearest_names = get_close_matches(aspect.casefold(), correct_names, n=1, cutoff=_ALIKE)
        if verdicts and nearest_names and not any(map(str.isdigit, aspect)):
            yield say(
                "no metric reads {verdicts} of the aspect {aspect}; is {known} meant?",
                verdicts=count(verdicts, "verdict"),
                aspect=line(aspect),
                known=nearest_names[0],
            )
