"""SQLEquivalent: whether a query returns what the expected query returns."""

from __future__ import annotations

from neraca.metrics.counts import Reasoned
from neraca.metrics.metric import metric
from neraca.metrics.rag.judge_verdicts import JudgeVerdicts, judged_on


@metric(
    "SQLEquivalent",
    not_for="on a database too small to tell queries apart: two that differ may return the same",
    binary=True,
    judge="sql",
)
@judged_on("sql_equivalent")
def sql_equivalent(verdicts: JudgeVerdicts, *, by: str = "") -> Reasoned:
    r"""Share of answers whose query returns the same as the expected one (execution accuracy).

    $$ \frac{1}{n} \sum_{i=1}^{n} v_i $$

    with $v_i$ the verdict on answer i, of n that are scored.

    The verdict has aspect `sql_equivalent` and value 1 or 0.  The judge `sql` runs both queries on your data and
    compares the results.  Equal results on one set of data do not prove that the queries are equivalent, least of all
    two empty results, which the verdict's reason mentions.  Without data the judge compares the text of the queries,
    and asks a model if that decides nothing.

    A failed answer, no query, or a query that cannot be run is 0.  Unscored, with the reason, if no expected query runs
    or nobody judged.  People come before judges, results before models; `by` names one of several judges.

    References
    ----------
    Zhong, R., Yu, T. and Klein, D. (2020). Semantic evaluation for text-to-SQL with distilled test suites. EMNLP
    2020, 396-411.

    Examples
    --------
    >>> from neraca.metrics.rag.example import judged
    >>> sql_equivalent(judged(sql_equivalent=0)).values
    array([0.])
    """
    return verdicts.rating("sql_equivalent", by)
