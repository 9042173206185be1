"""The effect of one more judgment on the comparison of runs, to find the documents to judge first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from neraca.errors import SpecError
from neraca.metrics.counts import score_metric
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.graded import GradedHits, KnownGrades
from neraca.metrics.scorable import Scorable, constant
from neraca.stats.intervals.interval import Floats

Grades = Mapping[str, float]


def grade_chances(grades: Iterable[float]) -> dict[float, float]:
    """Return grade → how likely an unjudged document gets it: its share of the judgments so far, and of a 0 and a 1.

    The two stand for what is not known before anything is judged.

    >>> grade_chances([]), grade_chances([0, 2])
    ({0.0: 0.5, 1.0: 0.5}, {0.0: 0.5, 1.0: 0.25, 2.0: 0.25})
    """
    counts = Counter([0.0, 1.0, *(max(0.0, float(grade)) for grade in grades)])
    return {grade: count / counts.total() for grade, count in sorted(counts.items())}


def expected_changes(
    rankings: Sequence[Mapping[str, Sequence[str]]],
    judged: Mapping[str, Grades],
    candidates: Mapping[str, Sequence[str]],
    metric: Metric,
) -> dict[tuple[str, str], float]:
    r"""Return (question, document) → expected change of the difference between two runs, if it were judged now.

    $$ E(d) = \frac{1}{n} \sum_g p_g \; \overline{\left| \Delta_{ab}(d := g) - \Delta_{ab} \right|} $$

    $\Delta_{ab}$ is the difference of the runs a and b in the metric on the document's question; the mean is over all
    pairs of runs; n is the number of questions.  $p_g$ is the chance of grade g, see `grade_chances`.  The metric is
    computed with the document judged so, whatever metric it is.  Other documents stay as they are, which is the greedy
    step of minimal test collections.

    Parameters
    ----------
    rankings
        Question → documents for each run, best first, at least as deep as the metric looks.
    judged
        Question → document → grade so far.
    candidates
        Question → its documents to choose from.
    metric
        One that needs judged documents alone.

    Raises
    ------
    SpecError
        There are fewer than two runs, or the metric needs more.

    References
    ----------
    Carterette, B., Allan, J. and Sitaraman, R. (2006). Minimal test collections for retrieval evaluation. SIGIR,
    268-275.
    """
    if len(rankings) < 2:
        raise SpecError("which documents would change the comparison needs two runs at least")
    chances = grade_chances(grade for grades in judged.values() for grade in grades.values())
    top = max([*chances, *(grade for grades in judged.values() for grade in grades.values())])
    changes: dict[tuple[str, str], float] = {}
    for question, documents in candidates.items():
        grades = judged.get(question, {})
        values = np.stack([_values(run.get(question, ()), grades, documents, chances, top, metric) for run in rankings])
        moved = values[:, 1:] - values[:, :1]
        pairs = [np.abs(moved[a] - moved[b]) for a, b in combinations(range(len(rankings)), 2)]
        by_grade = np.mean(pairs, axis=0).reshape(len(documents), len(chances))
        expected = by_grade @ np.array(list(chances.values())) / len(candidates)
        changes.update(((question, document), float(each)) for document, each in zip(documents, expected, strict=True))
    return changes


def _values(
    ranking: Sequence[str],
    judged: Grades,
    documents: Sequence[str],
    chances: Iterable[float],
    top: float,
    metric: Metric,
) -> Floats:
    """The metric of one ranking as things are, and for each document with each grade; shape (1 + d * g,).

    Where it is not defined it counts as 0.
    """
    possible = list(chances)
    variants = [(document, grade) for document in documents for grade in possible]
    ranks = {document: rank for rank, document in reversed(list(enumerate(ranking, start=1)))}
    judged_ranks = sorted((ranks[document], grade) for document, grade in judged.items() if document in ranks)
    added = [[(ranks[document], grade)] if document in ranks else [] for document, grade in variants]
    rows: list[list[tuple[int, float]]] = [judged_ranks, *(sorted([*judged_ranks, *one]) for one in added)]
    flat = np.array([pair for row in rows for pair in row], dtype=np.float64).reshape(-1, 2)
    owner = np.repeat(np.arange(len(rows)), list(map(len, rows)))
    returned = np.full(len(rows), len(ranking))
    hits = GradedHits(flat[:, 1], flat[:, 0].astype(np.int64), owner, returned)
    all_grades = [[*judged.values()], *([*judged.values(), grade] for _, grade in variants)]
    columns = {"grades": constant(hits), "known": constant(KnownGrades.of(all_grades, top))}
    part = Scorable("run", len(rows), columns, holds="judged documents, such as texts or verdicts")
    return np.nan_to_num(score_metric(metric, part).per_answer)
