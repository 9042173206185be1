"""Compute the report of a comparison as data; `comparison_blocks.py` makes blocks of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from neraca.comparisons.compare import primary_of
from neraca.comparisons.difference import Difference, baseline_of
from neraca.counts_and_lists import listed
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.number_format import number
from neraca.reports.blocks.conversations import section as conversations
from neraca.reports.blocks.corrected import section as corrected
from neraca.reports.blocks.correlations import CorrelationTable, correlations
from neraca.reports.blocks.disagreements import Disagreement, disagreements
from neraca.reports.blocks.factors import section as factors
from neraca.reports.blocks.judges import section as judges
from neraca.reports.blocks.method import Method, method
from neraca.reports.blocks.metric_rows import MetricRow, metric_rows
from neraca.reports.blocks.pair_matrix import PairMatrix, pair_matrix
from neraca.reports.blocks.preferences import section as preferences
from neraca.reports.blocks.questions import (
    LISTED,
    Question,
    many_answers,
    questions,
    questions_heading,
)
from neraca.reports.blocks.ratings import RatingCounts, rating_counts
from neraca.reports.blocks.reliability import ReliabilitySection
from neraca.reports.blocks.reliability import section as reliability
from neraca.reports.blocks.run_summary import RunSummary, best_first, pairs_best_first, summarise_run, title_of
from neraca.reports.blocks.sections import FinishedSection, Section, named_sections, with_reasons
from neraca.reports.blocks.tables import (
    AspectRow,
    CountRow,
    GroupTable,
    PairChart,
    about_hits,
    aspect_rows,
    count_rows,
    group_tables,
    pair_chart,
    success_at,
)
from neraca.reports.formats.visible_text import line
from neraca.reports.savable import Savable
from neraca.reports.sentences import untested as sentences_untested
from neraca.reports.sentences.advice import Advised, advice
from neraca.reports.sentences.cautions import cautions
from neraca.reports.sentences.conclusion import conclude, facts_of, undeclared
from neraca.reports.sentences.decision import Decision, decision
from neraca.reports.sentences.interval_words import beside_differences
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.reports.sentences.parts import Finding
from neraca.reports.sentences.people_words import PeopleWords, people_words
from neraca.reports.sentences.relevance_words import sources
from neraca.reports.sentences.unread import unread
from neraca.result import Shown, Table
from neraca.scores.scores import Scores
from neraca.translation import say, written_in

#: Formats without folds show groups by this many metrics.
MAIN = 4
#: The most pairs of runs that are drawn question by question.
CHARTS = 6
#: If there are more questions than this, half of those shown are where the runs differ most, half are drawn at random.
LIMIT = 2000


@dataclass(frozen=True, repr=False)
class Report(Savable, Shown):
    """A comparison's report as data: numbers and plain words, which the formats escape.

    Attributes
    ----------
    decision
        The result in plain words, for the first screen.
    finding
        Which run is better, by how much and how sure; then the other metrics.
    notes
        Cautions to read before trusting the numbers, the gravest first.
    metrics, pairs
        The values of every run, the best first; the differences of every pair in this order.
    compared
        The pairs of runs that were compared, in the same order; if none was, all pairs.
    scores
        The scores, for formats that write every number.
    advice, corrected, judges, words
        Which stage to mend first (None: no stage was measured); numbers corrected by people's labels (None: not asked
        for); how far judges agree (None: no two judged the same); what people wrote about the answers.
    conversations, factors, preferences, disagreements
        Conversations that broke a criterion; a study's matrix; which answers are preferred; answers on which metrics of
        texts disagree most.  None: there are none.
    sections, language, declared
        The sections that were asked for, in order; the language's code; whether the primary metric was declared.
    """

    title: str
    primary: str
    decision: Decision
    finding: Finding
    notes: tuple[str, ...]
    cards: tuple[RunSummary, ...]
    metrics: tuple[MetricRow, ...]
    pairs: tuple[Difference, ...]
    compared: tuple[tuple[str, str], ...]
    groups: tuple[GroupTable, ...]
    correlations: CorrelationTable | None
    reliability: ReliabilitySection | None
    counts: tuple[CountRow, ...]
    aspects: tuple[AspectRow, ...]
    ratings: tuple[RatingCounts, ...]
    questions: tuple[Question, ...]
    method: Method
    scores: Scores
    advice: Advised | None
    corrected: FinishedSection | None
    conversations: FinishedSection | None
    factors: FinishedSection | None
    preferences: FinishedSection | None
    judges: FinishedSection | None
    words: PeopleWords
    disagreements: tuple[Disagreement, ...] | None
    sections: tuple[Section, ...]
    language: str = "en"
    declared: bool = True

    def _tables(self) -> Iterator[Table]:
        rows = [[row.metric, *(number(cell.score.value) for cell in row.cells)] for row in self.metrics]
        yield Table(["metric", *self.runs], rows, self.title)

    def _sentences(self) -> Iterator[str]:
        yield from (self.finding.headline, *self.finding.details)

    def plot(self, kind: str = "forest", metric: str = "") -> Any:
        """Return a figure for a paper, by default of the primary metric; see `Scores.plot`."""
        return self.scores.plot(kind, metric or self.primary, differences=self.pairs, language=self.language)

    @property
    def primary_row(self) -> MetricRow:
        """The values of the primary metric, which is the first."""
        return self.metrics[0]

    @property
    def metric_labels(self) -> MetricLabels:
        """The short names of the metrics."""
        return MetricLabels.of(map(str, self.scores.metrics))

    @property
    def level(self) -> float:
        """The level of all intervals and tests."""
        return self.scores.level

    @property
    def relevance(self) -> str:
        """The sources of the verdicts on relevance that counted, in words."""
        return sources(self.scores)

    @property
    def about_hits(self) -> bool:
        """Whether the report is about hits, or only about the texts of the answers."""
        return about_hits(self.scores)

    @property
    def success_at(self) -> float:
        """The pass ratio at which a question counts as a success in the confusion matrix."""
        return success_at(self.scores)

    @property
    def charts(self) -> list[PairChart]:
        """The primary metric's differences question by question, of pairs of the best runs that share a question."""
        metric = Metric.of(self.primary)
        places = {cell.score.run: place for place, cell in enumerate(self.metrics[0].cells)}  # the best run first
        pairs = sorted(self.compared, key=lambda pair: sorted((places[run] for run in pair), reverse=True))
        return [chart for a, b in pairs[:CHARTS] if (chart := pair_chart(self.scores, metric, a, b)).values]

    @property
    def more_charts(self) -> int:
        """The number of pairs that are not drawn."""
        return max(0, len(self.compared) - CHARTS)

    @property
    def outline(self) -> list[tuple[Section, bool]]:
        """Each section that was asked for and that these runs can have, and whether it has content."""
        content_by_section = {
            "differences": self.pairs,
            "by_question": self.charts,
            "groups": self.groups,
            "counts": self.counted,
            "corrected": self.corrected,
            "judges": self.judges,
            "words": self.words.questions,
            "correlations": self.correlations,
            "reliability": self.reliability,
            "advice": self.advice,
            "disagreements": self.disagreements,
        }
        available = {name: getattr(self, name) is not None for name in ("conversations", "factors", "preferences")}
        available |= {"answers": self.asked, "texts": self.disagreements is not None}
        headings = {
            "questions": questions_heading(self.questions, self.asked, self.about_hits),
            "correlations": self.correlations.title if self.correlations else "",
            "reliability": self.reliability.title if self.reliability else "",
        }
        return [
            (
                section._replace(heading=headings.get(section.name) or section.heading),
                bool(content_by_section.get(section.name, 1)),
            )
            for section in self.sections
            if not section.only or available[section.only]
        ]

    @property
    def asked(self) -> bool:
        """Whether answers from run folders are reported, not only values that were scored elsewhere."""
        return any(card.folder for card in self.cards)

    @property
    def left_out(self) -> int:
        """The number of questions that are not in the report."""
        return len(self.scores.runs[0]) - len(self.questions)

    @property
    def listed(self) -> list[Question]:
        """The questions for formats without a search: at most `LISTED`, those on which the runs differ most."""
        return [question for question in self.questions if question.rank < LISTED]

    @property
    def many_answers(self) -> bool:
        """Whether there are too many answers to show the hits of all."""
        return many_answers(self.scores)

    @property
    def counted(self) -> bool:
        """Whether the section of counts has any content."""
        tables = (self.about_hits, self.aspects, self.ratings, any(row.counted for row in self.counts))
        return bool(self.counts) and any(tables)

    @property
    def checked(self) -> bool:
        """Whether any answer that is shown, or a hit of it, has checks."""
        return any(reply.checked for q in self.questions for side in q.sides for reply in side.replies)

    @property
    def main_groups(self) -> list[GroupTable]:
        """The tables of groups of the first metrics, for formats in which nothing can be folded."""
        main = {row.metric for row in self.metrics[:MAIN]}
        return [table for table in self.groups if table.metric in main]

    @property
    def groups_cut(self) -> str:
        """The metrics that a format without folds leaves out, and how to see them; "" if it leaves out none."""
        omitted_metrics = [row.metric for row in self.metrics[MAIN:]]
        if not self.groups or not omitted_metrics:
            return ""
        tags = " ".join(dict.fromkeys(f"-g {shlex.quote(table.tag)}" for table in self.groups))
        return say(
            "These tables are of {n} of {all} metrics. Not shown by group: {metrics}. The HTML "
            "report has them, and neraca score with the same -m and {tags} prints them.",
            n=MAIN,
            all=len(self.metrics),
            metrics=listed(omitted_metrics, at_most=len(omitted_metrics)),
            tags=tags,
        )

    @property
    def shortened(self) -> bool:
        """Whether a text or a list of any question that is shown is cut short."""
        replies = [(side.more, r) for q in self.questions for side in q.sides for r in side.replies]
        cut = any(
            more or r.cut or any(text.endswith("…") for text in (r.text, *(h.text for h in r.hits)))
            for more, r in replies
        )
        return cut or any(q.more_references or any(text.endswith("…") for text in q.references) for q in self.questions)

    @property
    def intervals_are(self) -> str:
        """The promise of the intervals of the pairs, and their methods."""
        promise = say("The interval is that of one comparison alone; the result rests on the adjusted p.")
        if any(d.correction == "tukey" for d in self.pairs):
            promise = say("The intervals of a metric hold together, on the questions scored in all runs.")
        return " ".join((promise, *beside_differences(self.detailed)))

    @property
    def detailed(self) -> list[Difference]:
        """The differences with a table of their own: those in the primary metric, and those with a margin."""
        return [d for d in self.pairs if d.metric == self.primary or d.equivalence]

    @property
    def matrix(self) -> PairMatrix | None:
        """The differences in all other metrics; None if there are none."""
        detailed = {d.metric for d in self.detailed}
        other_differences = [d for d in self.pairs if d.metric not in detailed]
        return pair_matrix(other_differences, self.metric_labels) if other_differences else None

    @property
    def without_letters(self) -> list[str]:
        """The reasons why metrics have no letters with three runs or more: a pair could not be tested."""
        if len(self.cards) < 3 or baseline_of(self.pairs):  # letters rest on every pair
            return []
        ranked_metrics = {row.metric for row in self.metrics if row.better != "neither"}
        return sentences_untested.without_letters([d for d in self.pairs if d.metric in ranked_metrics])

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
    sections: Sequence[str] | str = (),
    language: str = "en",
) -> Report:
    """Compute a report; of more than `LIMIT` questions, it has those where the runs differ most, and a sample.

    Parameters
    ----------
    scores, differences
        The scores of one or more runs, and the result of `compare(scores)`; without it no run is called better.
    primary
        The metric on which the decision rests; by default the declared one, or else the first scored.
    groups, sections
        Tags to report by, default `scores.tags()`; names of sections (`sections.SECTIONS`), default all.
    language
        The language of the report, one of `translation.LANGUAGES`.

    Raises
    ------
    SpecError
        If the primary metric, a tag, a section, a run of the differences or the language is unknown.
    """
    _check(scores, differences)
    with written_in(language):
        primary_metric = str(primary_of(scores.metrics, primary))
        ordered = best_first(scores, primary_metric)
        differences = pairs_best_first(scores, differences, primary_metric)
        facts, finding = facts_of(scores, differences, primary_metric), conclude(scores, differences, primary_metric)
        cards = tuple(map(summarise_run, ordered.runs))
        labels, default = MetricLabels.of(map(str, scores.metrics)), tuple(undeclared(scores, primary))
        in_words = decision(facts, finding, differences) if scores.labels is None else Decision(finding.headline)
        return Report(
            title=line(title) or title_of(cards),
            primary=primary_metric,
            decision=in_words.with_labels(labels, primary_metric, [card.name for card in cards]),
            finding=finding,
            notes=(*unread(scores), *cautions(scores, differences, facts, cards), *default),
            cards=cards,
            metrics=metric_rows(ordered, differences, primary_metric),
            pairs=tuple(sorted(differences, key=lambda d: d.metric != primary_metric)),
            compared=_pairs(ordered, facts.differences),
            groups=group_tables(ordered, scores.tags() if groups is None else groups, primary_metric),
            correlations=correlations(scores),
            reliability=reliability(scores),
            counts=count_rows(ordered, success_at(scores)),
            aspects=aspect_rows(ordered),
            ratings=rating_counts(ordered),
            questions=questions(ordered, primary_metric, LIMIT),
            method=method(scores, differences, primary_metric),
            scores=scores,
            advice=advice(scores),
            corrected=corrected(scores, differences, primary_metric),
            conversations=conversations(scores),
            factors=factors(scores, cards, primary_metric),
            preferences=preferences(scores),
            judges=judges(scores),
            words=people_words(scores),
            disagreements=disagreements(scores),
            sections=with_reasons(named_sections(sections), scores),
            language=language,
            declared=not default,
        )


def _check(scores: Scores, differences: Sequence[Difference]) -> None:
    metrics = [str(metric) for metric in scores.metrics]
    runs = {run.name for run in scores.runs}
    for d in differences:
        if not {d.a, d.b} <= runs or d.metric not in metrics:
            raise SpecError(
                f"the difference of {d.a} and {d.b} in {d.metric} is not of these scores "
                f"(runs {', '.join(sorted(runs))}; metrics {', '.join(metrics)}); compare the scores that you report"
            )


def _pairs(scores: Scores, differences: Sequence[Difference]) -> tuple[tuple[str, str], ...]:
    return tuple((d.a, d.b) for d in differences) or tuple(combinations((run.name for run in scores.runs), 2))
