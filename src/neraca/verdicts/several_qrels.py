"""Combine judgments of the same documents in several files, by the rule that combines people's verdicts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from neraca.counts_and_lists import count
from neraca.datasets.trec.qrels import Qrels
from neraca.grades import UNJUDGED
from neraca.translation import say
from neraca.verdicts.raters import RELEVANCE, Rule, agreed, rule_in_words, rule_of


@dataclass(frozen=True)
class CombinedQrels:
    """The judgments of several files.

    Attributes
    ----------
    grades
        Query → document → the grade that counts.
    rule
        The rule for documents that several files judge: the lower median of grades, or the majority if all are 0 or 1.
    sources
        The names of the files.
    shared, differing
        The number of documents that several files judge, and of those to which they give different grades.
    undecided
        Query → the documents without a majority; they count as not judged.
    """

    grades: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    rule: Rule = "median"
    sources: tuple[str, ...] = ()
    shared: int = 0
    differing: int = 0
    undecided: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def sentences(self, remedy: str = "") -> Iterator[str]:
        """Say how many documents several files judge, how many of them differently, and which grade counts.

        `remedy` says how another rule is chosen, or is empty.
        """
        if not self.shared:
            return
        judged = count(self.shared, "document is judged in several files", "documents are judged in several files")
        if not self.differing:
            yield say("{judged}, each with the same grade everywhere.", judged=judged)
            return
        yield say(
            "{judged}, {n:,} of them differently: the {rule} counts{remedy}.",
            judged=judged,
            n=self.differing,
            rule=say(rule_in_words(self.rule)),
            remedy=remedy,
        )
        if n := sum(map(len, self.undecided.values())):
            template = "{n:,} of these have no majority and count as not judged: let one more person judge."
            if n == 1:
                template = "{n:,} of these has no majority and counts as not judged: let one more person judge."
            yield say(template, n=n)
        if len({*self.sources}) > 1 and all(Path(source).is_file() for source in self.sources):
            yield say("How far the files agree: neraca agree {files}", files=shlex.join(self.sources))


def combine_qrels(judgments: Sequence[Qrels], combine: Rule | None = None) -> CombinedQrels:
    """Combine judgments; `combine` replaces the rule, and with `newest` the last file that judges a document counts.

    The grade -1 is no judgment.

    >>> ana = Qrels({"q": {"d1": 1, "d2": 0, "d3": 1}})
    >>> combined = combine_qrels([ana, Qrels({"q": {"d1": 1, "d2": 1, "d4": 0}})])
    >>> combined.rule, combined.shared, combined.differing, combined.undecided
    ('majority', 2, 1, {'q': frozenset({'d2'})})
    >>> combined.grades
    {'q': {'d1': 1.0, 'd3': 1.0, 'd4': 0.0}}
    """
    votes: dict[str, dict[str, list[float]]] = {}
    for qrels in judgments:
        for query, grades in qrels.grades.items():
            of_query = votes.setdefault(query, {})
            for document, grade in grades.items():
                if grade != UNJUDGED:
                    of_query.setdefault(document, []).append(float(grade))
    every_grade = {grade for of_query in votes.values() for several in of_query.values() for grade in several}
    rule = rule_of(RELEVANCE, np.array(sorted(every_grade)), combine)
    combined: dict[str, dict[str, float]] = {}
    undecided: dict[str, set[str]] = {}
    shared = differing = 0
    for query, of_query in votes.items():
        combined[query] = {}
        for document, several in of_query.items():
            shared, differing = shared + (len(several) > 1), differing + (len({*several}) > 1)
            grade = several[-1] if rule == "newest" or len(several) == 1 else agreed(np.array(several), rule)
            if grade == grade:
                combined[query][document] = grade
            else:
                undecided.setdefault(query, set()).add(document)
    sources = tuple(qrels.source for qrels in judgments)
    open_documents = {query: frozenset(documents) for query, documents in undecided.items()}
    return CombinedQrels(combined, rule, sources, shared, differing, open_documents)
