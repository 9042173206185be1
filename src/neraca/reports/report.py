"""The report of a comparison as data, computed once; `comparison_blocks.py` makes blocks of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from neraca.comparisons.compare import primary_of
from neraca.comparisons.difference import Difference, baseline_of
from neraca.errors import SpecError
from neraca.metrics.metric import Metric
from neraca.number_format import number
from neraca.reports.blocks.corrected import CorrectedSection
from neraca.reports.blocks.corrected import section as corrected
from neraca.reports.blocks.correlations import CorrelationTable, correlations
from neraca.reports.blocks.disagreements import Disagreement, disagreements
from neraca.reports.blocks.judges import JudgesSection
from neraca.reports.blocks.judges import section as judges
from neraca.reports.blocks.method import Method, method
from neraca.reports.blocks.metric_rows import MetricRow, metric_rows
from neraca.reports.blocks.pair_matrix import PairMatrix, pair_matrix
from neraca.reports.blocks.questions import (
    LISTED,
    Question,
    many_answers,
    questions,
)
from neraca.reports.blocks.reliability import ReliabilitySection
from neraca.reports.blocks.reliability import section as reliability
from neraca.reports.blocks.run_summary import RunSummary, card
from neraca.reports.blocks.sections import Section, named_sections, with_reasons
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
)
from neraca.reports.counts_and_lists import listed
from neraca.reports.formats.escape import line
from neraca.reports.savable import Savable
from neraca.reports.sentences import untested as sentences_untested
from neraca.reports.sentences.advice import Advised, advice
from neraca.reports.sentences.cautions import cautions
from neraca.reports.sentences.conclusion import conclude, facts_of, undeclared
from neraca.reports.sentences.decision import Decision, decision
from neraca.reports.sentences.interval_words import beside_differences
from neraca.reports.sentences.parts import Finding
from neraca.reports.sentences.people_words import PeopleWords, people_words
from neraca.reports.sentences.relevance_words import sources
from neraca.reports.sentences.unread import unread
from neraca.reports.translation import say, written_in
from neraca.result import Shown, Table
from neraca.scores.scores import Scores

MAIN = 4
#: Names that take more characters than this together are no title.
LONG = 60
_KIND = ("{names}: report", "{names}: comparison")
CHARTS = 6
#: With more questions than these a report has half of them where the runs differ most, half drawn at random.
LIMIT = 2000
POOLED = (
    "What is relevant is pooled over the runs shown here: recall, AP and nDCG are relative to what these runs found "
    "together, and change when another run is added."
)


@dataclass(frozen=True, repr=False)
class Report(Savable, Shown):
    """A comparison's report as data: numbers and plain words, which the formats escape.

    Attributes
    ----------
    decision
        The same in plain words, for the first screen.
    finding
        Who is better, by how much, how sure; then the other metrics.
    notes
        What a reader must know before trusting the numbers, the gravest first.
    metrics, pairs
        Values of every run; differences of every pair.
    compared
        The pairs of runs that were compared, in the order of the comparison; without one, all pairs.
    scores
        What is reported, for formats that hand on every number.
    advice, corrected
        Which stage to mend first; None where none was measured.  Corrected by people's labels; None where nobody asked.
    judges, words
        How far judges agree; None where no two decided on the same.  What people wrote of the answers.
    disagreements
        Answers on which metrics of texts disagree most; None where no two were scored that could.
    sections
        Those that were asked for, in their order.
    language
        In which it is written.
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
    questions: tuple[Question, ...]
    method: Method
    scores: Scores
    advice: Advised | None
    corrected: CorrectedSection | None
    judges: JudgesSection | None
    words: PeopleWords
    disagreements: tuple[Disagreement, ...] | None
    sections: tuple[Section, ...]
    language: str = "en"

    def _tables(self) -> Iterator[Table]:
        rows = [[row.metric, *(number(cell.score.value) for cell in row.cells)] for row in self.metrics]
        yield Table(["metric", *self.runs], rows, self.title)

    def _sentences(self) -> Iterator[str]:
        yield from (self.finding.headline, *self.finding.details)

    @property
    def level(self) -> float:
        """The level of all intervals and tests."""
        return self.scores.level

    @property
    def relevance(self) -> str:
        """Name the sources whose word on relevance counted."""
        return sources(self.scores)

    @property
    def about_hits(self) -> bool:
        """Whether hits matter, or only the texts of the answers."""
        return about_hits(self.scores)

    @property
    def success_at(self) -> float:
        """The pass ratio at which a question counts as a success in the confusion matrix."""
        return _success_at(self.scores)

    @property
    def charts(self) -> list[PairChart]:
        """The primary metric's differences question by question, of the first pairs that share a question."""
        metric = Metric.of(self.primary)
        drawn = [pair_chart(self.scores, metric, a, b) for a, b in self.compared[:CHARTS]]
        return [chart for chart in drawn if chart.values]

    @property
    def more_charts(self) -> int:
        """The number of pairs that are not drawn."""
        return max(0, len(self.compared) - CHARTS)

    @property
    def outline(self) -> list[tuple[Section, bool]]:
        """Each section that was asked for and can be had, and whether it has anything to say."""
        something = {
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
        can_have = {"answers": self.asked, "texts": self.disagreements is not None}
        headings = {
            "questions": "" if self.asked else "Values of each question",
            "correlations": self.correlations.title if self.correlations else "",
            "reliability": self.reliability.title if self.reliability else "",
        }
        return [
            (
                section._replace(heading=headings.get(section.name) or section.heading),
                bool(something.get(section.name, 1)),
            )
            for section in self.sections
            if not section.only or can_have[section.only]
        ]

    @property
    def asked(self) -> bool:
        """Whether the answers of run folders are reported, and not only values that were scored elsewhere."""
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
    def pooled(self) -> bool:
        """Whether relevance comes from these runs themselves, and from several of them."""
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
    def main_groups(self) -> list[GroupTable]:
        """The tables of groups of the first metrics, for formats in which nothing can be folded."""
        main = {row.metric for row in self.metrics[:MAIN]}
        return [table for table in self.groups if table.metric in main]

    @property
    def groups_cut(self) -> str:
        """The metrics that a format without folds leaves out, and how to see them; "" without any."""
        left = [row.metric for row in self.metrics[MAIN:]]
        if not self.groups or not left:
            return ""
        tags = " ".join(dict.fromkeys(f"-g {shlex.quote(table.tag)}" for table in self.groups))
        return say(
            "These tables are of {n} of {all} metrics. Not shown by group: {metrics}. The HTML "
            "report has them, and neraca score with the same -m and {tags} prints them.",
            n=MAIN,
            all=len(self.metrics),
            metrics=listed(left, at_most=len(left)),
            tags=tags,
        )

    @property
    def shortened(self) -> bool:
        """Whether a text or a list of any question that is shown is cut short."""
        replies = [(side.more, r) for q in self.questions for side in q.sides for r in side.replies]
        cut = any(more or r.cut or any(map(_clipped, (r.text, *(h.text for h in r.hits)))) for more, r in replies)
        return cut or any(q.more_references or any(map(_clipped, q.references)) for q in self.questions)

    @property
    def intervals_are(self) -> str:
        """The promise of the intervals of the pairs, and their methods."""
        promise = say("The interval is that of one comparison alone; the result rests on the adjusted p.")
        if any(d.correction == "tukey" for d in self.pairs):
            promise = say("The intervals of a metric hold together, on the questions scored in all runs.")
        return " ".join((promise, *beside_differences(self.detailed)))

    @property
    def detailed(self) -> list[Difference]:
        """The differences that stand in a table of their own: of the primary metric, and those with a margin."""
        return [d for d in self.pairs if d.metric == self.primary or d.equivalence]

    @property
    def matrix(self) -> PairMatrix | None:
        """The differences of all other metrics; None where there are none."""
        detailed = {d.metric for d in self.detailed}
        others = [d for d in self.pairs if d.metric not in detailed]
        return pair_matrix(others) if others else None

    @property
    def without_letters(self) -> list[str]:
        """The reasons why metrics have no letters with three runs and more: a pair could not be tested."""
        if len(self.cards) < 3 or baseline_of(self.pairs):  # letters rest on every pair
            return []
        by_tests = {row.metric for row in self.metrics if row.better != "neither"}
        return sentences_untested.without_letters([d for d in self.pairs if d.metric in by_tests])

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
    """Compute a report; of more than `LIMIT` questions it has those on which the runs differ most, and some at random.

    Parameters
    ----------
    scores, differences
        Of one or more runs; what `compare(scores)` found, without which no run is called better.
    primary
        The metric on which the decision rests; the first one scored where none was declared.
    groups, sections
        Tags to report by, default `scores.tags()`; names of sections (`sections.SECTIONS`), default all.
    language
        In which it is written, one of `translation.LANGUAGES`.

    Raises
    ------
    SpecError
        Where the primary metric, a tag, a section, a run of the differences or the language is unknown.
    """
    _check(scores, differences)
    with written_in(language):
        first = str(primary_of(scores.metrics, primary))
        facts, found = facts_of(scores, differences, first), conclude(scores, differences, first)
        cards, decided = tuple(map(card, scores.runs)), decision(facts, found, differences)
        return Report(
            title=line(title) or _title(cards),
            primary=first,
            decision=decided if scores.labels is None else Decision(found.headline),
            finding=found,
            notes=(*unread(scores), *cautions(scores, differences, facts, cards), *undeclared(scores, primary)),
            cards=cards,
            metrics=metric_rows(scores, differences, first),
            pairs=tuple(sorted(differences, key=lambda d: d.metric != first)),
            compared=_pairs(scores, facts.differences),
            groups=group_tables(scores, scores.tags() if groups is None else groups, first),
            correlations=correlations(scores),
            reliability=reliability(scores),
            counts=count_rows(scores, _success_at(scores)),
            aspects=aspect_rows(scores),
            questions=questions(scores, first, LIMIT),
            method=method(scores, differences, first),
            scores=scores,
            advice=advice(scores),
            corrected=corrected(scores, differences, first),
            judges=judges(scores),
            words=people_words(scores),
            disagreements=disagreements(scores),
            sections=with_reasons(named_sections(sections), scores),
            language=language,
        )


def _clipped(text: str) -> bool:
    return text.endswith("…")


def _title(cards: Sequence[RunSummary]) -> str:
    names = listed([c.name for c in cards])
    named = names if len(names) <= LONG or len(cards) < 2 else say("{n} runs", n=len(cards))
    return say(_KIND[len(cards) > 1], names=named)


def _check(scores: Scores, differences: Sequence[Difference]) -> None:
    known = [str(metric) for metric in scores.metrics]
    runs = {run.name for run in scores.runs}
    for d in differences:
        if not {d.a, d.b} <= runs or d.metric not in known:
            raise SpecError(
                f"the difference of {d.a} and {d.b} in {d.metric} is not of these scores "
                f"(runs {', '.join(sorted(runs))}; metrics {', '.join(known)}); compare the scores that you report"
            )


def _pairs(scores: Scores, differences: Sequence[Difference]) -> tuple[tuple[str, str], ...]:
    return tuple((d.a, d.b) for d in differences) or tuple(combinations((run.name for run in scores.runs), 2))


def _success_at(scores: Scores) -> float:
    """The threshold of the first query metric that was scored, or its default."""
    for metric in scores.metrics:
        if metric.spec.name in ("QuerySuccess", "QueryPrecision", "QueryRecall", "QueryF1", "QueryAccuracy"):
            return float(dict(metric.params).get("at", 0.6))
    return 0.6
