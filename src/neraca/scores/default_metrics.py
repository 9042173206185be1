"""Default metrics: the metrics for which questions and verdicts have the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import aspects_of
from neraca.metrics.scorable import Scorable
from neraca.runs.verdict_table import STATUSES
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.source import judge_of, matches, source_of

#: Of hits, where the questions say what is relevant or what a hit must be; or where they say whether there should be
#: any, and some answer has one: answers in words alone are no searches that found nothing.
RANKED = ("P@5", "RR", "nDCG@10", "Success", "Coverage")
#: Of answers, where the questions have references.  TokenRecall leads: see there.
WORDED = ("TokenRecall", "TokenF1", "ROUGE-L", "METEOR", "TFIDF", "ExactMatch")
#: Of answers, where the questions have checks, in columns such as must_contain.
EXPECTED = ("Expectations",)
#: Of tool calls, where the questions have expected ones.
CALLED = ("ToolCallAccuracy",)
#: Of whether answers decline, where a question cannot be answered and somebody decided which answers decline.
DECLINING = ("RefusalF1",)
#: Of what one judge said.
JUDGED = (
    *("CorpusCoverage", "ContextRecall", "FindableRecall"),
    *("ContextPrecision", "Faithfulness", "ClaimF", "AnswerCorrectness", "AnswerRelevance"),
    *("Valid", "Supported", "SQLEquivalent"),
    *("KnowledgeRetention", "Consistency", "RoleAdherence", "SessionGoalReached"),
)


def default_metrics(parts: Sequence[Scorable], by: str = "") -> tuple[str, ...]:
    """Return the names of metrics for which these runs have the data; if they have none, metrics of hits.

    What a metric needs is declared with it: columns, and aspects of an answer on which a judge must have decided.  A
    judge by the user's own criterion brings the metric of that criterion.  With `by` only that judge's verdicts are
    looked at; what several judges decided is left out where nobody chose one.  People overrule judges and choose no
    metric.
    """
    decided = _decided(parts, by)
    judged = [name for name in JUDGED if decided.issuperset(aspects_of(Metric.of(name)))]
    available: frozenset[str] = parts[0].column("available")
    called = CALLED if "expected_calls" in available else ()
    ranked = RANKED if "grades" in available or ("expects" in available and _have_hits(parts)) else ()
    worded = WORDED if "references" in available else ()
    expected = EXPECTED if "expectations" in available else ()
    declining = DECLINING if "declines" in decided and _unanswerable(parts) else ()
    return (*judged, *_criteria(parts, decided), *called, *ranked, *worded, *expected, *declining) or RANKED


def _criteria(parts: Iterable[Scorable], decided: Collection[str]) -> list[str]:
    """Return the metrics of criteria in the user's own words: `Rubric` if a scale is stated, else `Aspect`.

    Grades on different scales are scored as shares of their scales.
    """
    ours = {aspect for name in JUDGED for aspect in aspects_of(Metric.of(name))}
    scales: dict[str, set[str]] = {}
    for part in parts:
        if not part.offers("verdicts") or not part.offers("run"):
            continue
        manifest, table = part.column("run").manifest, part.column("verdicts").table
        rows = np.flatnonzero(table.on_answers & table.by.isin([*manifest.criteria]))
        for code in np.unique(table.aspect.codes[rows]).tolist():
            aspect = table.aspect.words[code]
            if aspect in decided and aspect not in ours:
                scales.setdefault(aspect, set()).add(manifest.scales.get(aspect, ""))
    return sorted(_metric_of(aspect, of_runs) for aspect, of_runs in scales.items())


def _metric_of(criterion: str, scales: Collection[str]) -> str:
    if "" in scales:
        return f"Aspect({criterion})" if len(scales) == 1 else f"Rubric({criterion})"
    return f"Rubric({criterion},share=true)" if len(scales) > 1 else f"Rubric({criterion})"


def _have_hits(parts: Iterable[Scorable]) -> bool:
    """Whether any answer has a hit."""
    return any(bool((np.asarray(part.column("grades").returned) > 0).any()) for part in parts)


def _unanswerable(parts: Iterable[Scorable]) -> bool:
    """Whether some question expects `none`, and some of its answers were judged."""
    return any("none" in part.column("expects", "") for part in parts if part.offers("verdicts"))


def _decided(parts: Iterable[Scorable], by: str) -> set[str]:
    """Aspects of answers as a whole on which exactly one judge decided, and that apply to some answer."""
    judges: dict[str, set[str]] = {}
    for part in parts:
        if not part.offers("verdicts"):
            continue
        verdicts: AnswerVerdicts = part.column("verdicts")
        table = verdicts.table
        by_judge = table.by.where(
            lambda name: (
                source_of(name) == "embed" or (source_of(name) in ("llm", "rules", "phrases") and matches(name, by))
            )
        )
        applies = table.status != STATUSES.index("not_applicable")
        rows = np.flatnonzero(table.on_answers & by_judge & applies)
        for pair in {(table.aspect.codes[row], table.by.codes[row]) for row in rows.tolist()}:
            judges.setdefault(table.aspect.words[pair[0]], set()).add(judge_of(table.by.words[pair[1]]))
    return {aspect for aspect, names in judges.items() if len(names) == 1 or len(names - {"phrases"}) == 1}
