"""The report: what was found, as data that is computed once and then written as a page or as Markdown."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from neraca.comparisons.compare import primary_of
from neraca.comparisons.difference import Difference, baseline_of, indistinct
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.metrics.ranking.graded import GradedHits
from neraca.records import FAILED
from neraca.reports import sentences_untested
from neraca.reports.advice import Advised, advice
from neraca.reports.corrected import CorrectedSection, led_by_labels
from neraca.reports.corrected import section as corrected
from neraca.reports.correlations import CorrelationTable, correlations
from neraca.reports.escape import line
from neraca.reports.method import Method, method
from neraca.reports.notes import notes
from neraca.reports.number_format import count, listed, number
from neraca.reports.questions import Question, questions
from neraca.reports.reliability import ReliabilitySection
from neraca.reports.reliability import section as reliability
from neraca.reports.run_summary import RunSummary, card
from neraca.reports.sentences_decision import Decision, decision
from neraca.reports.sentences_finding import FEW, elsewhere, finding
from neraca.reports.sentences_many import braced
from neraca.reports.sentences_parts import Facts, Finding
from neraca.reports.tables import (
    AspectRow,
    CountRow,
    GroupTable,
    MetricRow,
    PairChart,
    about_hits,
    aspect_rows,
    count_rows,
    group_tables,
    metric_rows,
    pair_chart,
)
from neraca.reports.unread import unread
from neraca.reports.untested_questions import untested_questions
from neraca.result import Shown, Table
from neraca.scores.scores import RunScores, Scores

MAIN = 4
#: Names that take more characters than this together are no title.
LONG = 60
_KIND = ("report", "comparison")
CHARTS = 6
POOLED = (
    "What is relevant is pooled over the runs shown here: recall, AP and nDCG are relative to what these runs found "
    "together, and change when another run is added."
)


@dataclass(frozen=True, repr=False)
class Report(Shown):
    """All that a report says: numbers and plain words; whoever writes them out escapes them.

    Attributes
    ----------
    decision
        The same in plain words, for the first screen.
    finding
        Who is better, by how much, how sure; then the other metrics.
    notes
        What a reader must know before trusting the numbers, the gravest first.
    relevance
        Whose word on relevance counted.
    about_hits
        Whether hits matter, or only the texts of the answers.
    metrics, pairs
        Values of every run; differences of every pair.
    charts
        The primary metric's differences question by question; `more_charts` pairs are not drawn.
    success_at
        The pass ratio at which a question counts as a success in the confusion matrix.
    scores
        What is reported, for formats that hand on every number.
    advice
        Which stage of each run to mend first; None where no stage was measured.
    corrected
        The judge's numbers corrected by people's labels; None where nobody asked.
    """

    title: str
    primary: str
    level: float
    decision: Decision
    finding: Finding
    notes: tuple[str, ...]
    relevance: str
    about_hits: bool
    cards: tuple[RunSummary, ...]
    metrics: tuple[MetricRow, ...]
    pairs: tuple[Difference, ...]
    charts: tuple[PairChart, ...]
    more_charts: int
    groups: tuple[GroupTable, ...]
    correlations: CorrelationTable | None
    reliability: ReliabilitySection | None
    counts: tuple[CountRow, ...]
    success_at: float
    aspects: tuple[AspectRow, ...]
    questions: tuple[Question, ...]
    method: Method
    scores: Scores
    advice: Advised | None = None
    corrected: CorrectedSection | None = None

    def _tables(self) -> Iterator[Table]:
        rows = [[row.metric, *(number(cell.score.value) for cell in row.cells)] for row in self.metrics]
        yield Table(["metric", *self.runs], rows, self.title)

    def _sentences(self) -> Iterator[str]:
        yield from (self.finding.headline, *self.finding.details)

    @property
    def asked(self) -> bool:
        """Whether the answers of run folders are reported, and not only what was scored elsewhere."""
        return any(card.folder for card in self.cards)

    @property
    def left_out(self) -> int:
        """How many questions are not shown."""
        return len(self.scores.runs[0]) - len(self.questions)

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher value of the primary metric is better."""
        return Metric.of(self.primary).higher_is_better

    @property
    def pooled(self) -> bool:
        """Whether what is relevant comes from these runs themselves, and from several of them."""
        return self.asked and len(self.cards) > 1

    @property
    def counted(self) -> bool:
        """Whether there is anything to say in the section of counts."""
        return bool(self.counts) and (self.about_hits or bool(self.aspects) or any(row.counted for row in self.counts))

    @property
    def checked(self) -> bool:
        """Whether any answer that is shown has checks or hits."""
        return any(r.checks or r.hits for q in self.questions for side in q.sides for r in side.replies)

    @property
    def groups_cut(self) -> str:
        """Which metrics have no table of groups, and how to see them by group; "" where all have one."""
        left = [row.metric for row in self.metrics[MAIN:]]
        if not self.groups or not left:
            return ""
        tags = " ".join(dict.fromkeys(f"-g {shlex.quote(table.tag)}" for table in self.groups))
        return (
            f"These tables are of {MAIN} of {len(self.metrics)} metrics. Not shown by group: "
            f"{listed(left, at_most=len(left))}. neraca score with the same -m and {tags} prints them all; those that "
            "are named first stand here."
        )

    @property
    def shortened(self) -> bool:
        """Whether a text or a list of any question that is shown is cut short."""
        replies = [(side.more, r) for q in self.questions for side in q.sides for r in side.replies]
        cut = any(more or r.cut or any(map(_clipped, (r.text, *(h.text for h in r.hits)))) for more, r in replies)
        return cut or any(q.more_references or any(map(_clipped, q.references)) for q in self.questions)

    @property
    def margins(self) -> bool:
        """Whether any pair was compared with a margin."""
        return any(d.equivalence for d in self.pairs)

    @property
    def intervals_are(self) -> str:
        """What the intervals of the pairs promise."""
        if any(d.correction == "tukey" for d in self.pairs):
            return "The intervals of a metric hold together, on the questions scored in all runs."
        return "The interval is that of one comparison alone; the result rests on the adjusted p."

    @property
    def groups_alike(self) -> tuple[str, ...]:
        """With three runs and more, for each metric the groups in which none is called better than another.

        Where a pair could not be tested there are no groups, and that is said.
        """
        if len(self.cards) < 3 or baseline_of(self.pairs):  # groups rest on every pair
            return ()
        by_metric = {row.metric: indistinct(self.pairs, row.metric) for row in self.metrics if row.better != "neither"}
        named = {m: ", ".join(braced(group) for group in groups if len(group) > 1) for m, groups in by_metric.items()}
        alike = [f"Groups not told apart in {metric}: {groups}" for metric, groups in named.items() if groups]
        return (*alike, *sentences_untested.without_groups([d for d in self.pairs if d.metric in by_metric]))

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs."""
        return tuple(card.name for card in self.cards)


def report(
    scores: Scores,
    differences: Sequence[Difference] = (),
    *,
    title: str = "",
    primary: str = "",
    groups: Sequence[str] | None = None,
    limit: int = 300,
) -> Report:
    """Compute a report.

    Parameters
    ----------
    scores
        Of one or more runs.
    differences
        What `compare(scores)` found; without them no run is called better.
    primary
        The metric on which the decision rests; the first one scored where none was declared.
    groups
        Tags to report by; default `scores.tags()`.
    limit
        With more questions than this, those are shown on which the runs differ most.

    Raises
    ------
    SpecError
        When the primary metric was not scored, no item has a tag, or the differences are not of these scores.
    """
    _check(scores, differences)
    first = str(primary_of(scores.metrics, primary))
    rows = metric_rows(scores, differences, first)
    facts, found = _facts(scores, differences, first), conclude(scores, differences, first)
    cards, pairs, at = tuple(map(card, scores.runs)), _pairs(scores, facts.differences), _success_at(scores)
    return Report(
        title=line(title) or _title(cards),
        primary=first,
        level=scores.level,
        decision=decision(facts, found.headline) if scores.labels is None else Decision(found.headline),
        finding=found,
        notes=(*unread(scores), *_notes(scores, differences, facts, cards), *undeclared(scores, primary)),
        relevance=str(scores.relevance or "qrels"),
        about_hits=about_hits(scores),
        cards=cards,
        metrics=rows,
        pairs=tuple(sorted(differences, key=lambda d: d.metric != first)),
        charts=tuple(pair_chart(scores, Metric.of(first), a, b) for a, b in pairs[:CHARTS]),
        more_charts=max(0, len(pairs) - CHARTS),
        groups=group_tables(scores, scores.tags() if groups is None else groups, [row.metric for row in rows[:MAIN]]),
        correlations=correlations(scores),
        reliability=reliability(scores),
        counts=count_rows(scores, at),
        success_at=at,
        aspects=aspect_rows(scores),
        questions=questions(scores, first, limit),
        method=method(scores, differences, scores.overall()),
        scores=scores,
        advice=advice(scores),
        corrected=corrected(scores, differences, first),
    )


def conclude(scores: Scores, differences: Sequence[Difference], primary: str = "") -> Finding:
    """The report's sentences alone: who is better in the primary metric, by how much, how sure; then the others."""
    first = str(primary_of(scores.metrics, primary))
    conclusion = finding(_facts(scores, differences, first))
    untested = untested_questions(scores, differences, first)
    found = Finding(
        conclusion.headline,
        (*conclusion.details, *untested, *elsewhere(differences, first), *undeclared(scores, primary)),
    )
    return found if scores.labels is None else led_by_labels(found, scores, differences, first)


def undeclared(scores: Scores, primary: str = "") -> Iterator[str]:
    """Which metric the decision rests on, where nobody said and there are several."""
    if not primary and len(scores.metrics) > 1:
        first = primary_of(scores.metrics)
        which = "first one scored" if first == scores.metrics[0] else "first one that is no diagnostic"
        yield f"No primary metric was declared; the {which}, {first}, stands for it here."


def _clipped(text: str) -> bool:
    return text.endswith("…")


def _title(cards: Sequence[RunSummary]) -> str:
    names = listed([c.name for c in cards])
    named = names if len(names) <= LONG or len(cards) < 2 else f"{len(cards)} runs"
    return f"{named}: {_KIND[len(cards) > 1]}"


def _check(scores: Scores, differences: Sequence[Difference]) -> None:
    known = [str(metric) for metric in scores.metrics]
    runs = {run.name for run in scores.runs}
    for d in differences:
        if not {d.a, d.b} <= runs or d.metric not in known:
            raise SpecError(
                f"the difference of {d.a} and {d.b} in {d.metric} is not of these scores "
                f"(runs {', '.join(sorted(runs))}; metrics {', '.join(known)}); compare the scores that you report"
            )


def _pairs(scores: Scores, differences: Sequence[Difference]) -> list[tuple[str, str]]:
    """The pairs that were compared, or all where none was."""
    return [(d.a, d.b) for d in differences] or list(combinations((run.name for run in scores.runs), 2))


def _facts(scores: Scores, differences: Sequence[Difference], primary: str) -> Facts:
    of_primary = tuple(d for d in differences if d.metric == primary)
    why = {}
    for run in scores.runs:
        reasons = Counter(run.why(primary).values())
        why[run.name] = line(reasons.most_common(1)[0][0]) if reasons else ""
    metric = Metric.of(primary)
    overall = tuple(score for score in scores.overall() if score.metric == primary)
    return Facts(primary, metric.higher_is_better, overall, of_primary, why, scores.level, scores.unit)


def _notes(
    scores: Scores, differences: Sequence[Difference], facts: Facts, cards: Sequence[RunSummary]
) -> Iterable[str]:
    items = len(scores.runs[0])
    if items < FEW:
        yield f"These are only {count(items, 'question')}: read the result as an example, not as evidence."
    for c in cards:
        if troubles := list(_troubles(c)):
            yield f"{c.name}: {'; '.join(troubles)}."
    for score in facts.scores:
        if score.unscored:
            why = facts.why.get(score.run, "")
            reason = f", most often because: {why}" if why else ""
            yield f"{facts.metric} is unscored on {score.unscored} of {items} questions of {line(score.run)}{reason}."
    used = scores.relevance.used if scores.relevance else {}
    for run in scores.runs if used else ():
        unjudged, returned = _unjudged_hits(run)
        if unjudged:
            share = f"{unjudged} of {returned} hits were judged by nobody"
            yield f"{line(run.name)}: {share}; ranking metrics take them for not relevant, which may be unjust."
    if scores.relevance and not used and about_hits(scores):
        yield "Nobody judged the relevance of any hit."
    for note in notes(scores, unscored=False):
        of_run = any(note.startswith(f"{run.name}: ") for run in scores.runs)  # a name stays as it is
        yield f"{note if of_run else note[:1].upper() + note[1:]}."
    if len(differences) > 1 and {d.correction for d in differences} & {"none", ""}:
        yield f"The p-values of {len(differences)} comparisons are not corrected: some may be low by chance."


def _unjudged_hits(run: RunScores) -> tuple[int, int]:
    """How many hits nobody judged, and of how many; without those of questions for which nothing can be relevant."""
    if run.scorable is None:
        return 0, 0
    hits: GradedHits = run.scorable.column("grades")
    can_be_relevant = run.scorable.column("expects") != "none"
    judged = np.bincount(hits.owner, minlength=len(hits.returned))
    unjudged = (hits.returned - judged)[can_be_relevant]
    return int(unjudged.sum()), int(hits.returned[can_be_relevant].sum())


def _troubles(c: RunSummary) -> Iterable[str]:
    if c.unanswered:
        yield f"{count(c.unanswered, 'answer is', 'answers are')} still missing (the run is not finished)"
    if c.failed:
        failures = [f"{n} {status}" for status, n in c.statuses if status in FAILED]
        yield f"{count(c.failed, 'answer')} failed ({', '.join(failures)}); a failed answer counts as an empty one"
    if c.suspect:
        yield f"{count(c.suspect, 'answer')} may not be whole and {'is' if c.suspect == 1 else 'are'} left unscored"


def _success_at(scores: Scores) -> float:
    """The threshold of the first query metric that was scored, or its default."""
    for metric in scores.metrics:
        if metric.spec.name in ("QuerySuccess", "QueryPrecision", "QueryRecall", "QueryF1", "QueryAccuracy"):
            return float(dict(metric.params).get("at", 0.6))
    return 0.6
