"""Collect each question with its answers side by side: the question, the answers, and the verdicts on them."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from neraca.comparisons.by_question import alone_best, answer_outcomes, spread
from neraca.grades import UNJUDGED
from neraca.metrics.metric import Metric
from neraca.metrics.rag.conversation import verdicts_beside
from neraca.number_format import exact
from neraca.records import Hit, Item
from neraca.reports.blocks.checks import Check, checks_by_part
from neraca.reports.blocks.claims_in_text import Claim, MarkedText, claims_of, mark_claims
from neraca.reports.formats.visible_text import clip, field_text, line, snippet
from neraca.reports.sentences.constraint_words import constraint_words
from neraca.reports.sentences.reasons import note_of, reason
from neraca.reports.sentences.scale_words import words_of_scales
from neraca.reports.sentences.tag_words import tag_words
from neraca.scores.scores import Scores
from neraca.scores.sources.answer_records import AnswerRecord, Place, answers_of, has_scale, items_of, judgments_of
from neraca.stats.intervals.interval import Floats
from neraca.translation import say
from neraca.verdicts.raters import RELEVANCE

#: If there are more answers than `MANY`, hits are kept only for the `RICH` questions on which the runs differ most; if
#: some questions were drawn at random, half of the `RICH` are drawn ones.
MANY, RICH = 1000, 200
#: The seed by which some of many questions are drawn.
SEED = 0
#: How many questions a reader sees first, and how many are listed in formats without a search.
FIRST, LISTED = 10, 300
#: A tag with more values than this is not a category.
VALUES = 30
#: The most hits of an answer, trials of a question and references that are shown.
HITS, TRIALS, REFERENCES = 10, 3, 5
#: The most characters that are shown of a text, of the text of a hit, and of its fields.
TEXT, SNIPPET, FIELDS = 800, 160, 180


@dataclass(frozen=True)
class HitLine:
    """A hit with the verdicts on it; `relevance` is the grade in words, "" if the report is not about hits."""

    rank: int
    id: str
    text: str
    fields: str
    relevance: str
    relevant: bool | None
    checks: tuple[Check, ...]


@dataclass(frozen=True)
class Reply:
    """One answer; `cut` hits are not shown; in a report with too many answers, none is."""

    trial: int
    status: str
    text: str
    marked: MarkedText
    error: str
    note: str
    seconds: float | None
    hits: tuple[HitLine, ...]
    cut: int
    unknown_hits: str
    checks: tuple[Check, ...]
    absent: bool = False

    @property
    def number(self) -> int:
        """The trial, counted from 1."""
        return self.trial + 1

    @property
    def checked(self) -> bool:
        """Whether it or a hit has checks."""
        return bool(self.checks) or any(hit.checks for hit in self.hits)

    @property
    def returned(self) -> int:
        """The number of hits of the answer, shown or not."""
        return len(self.hits) + self.cut


@dataclass(frozen=True)
class Value:
    """A metric's value for one question, or why there is none."""

    metric: str
    value: float
    why: str


@dataclass(frozen=True)
class Side:
    """One run's answers to a question; `more` trials are not shown."""

    run: str
    values: tuple[Value, ...]
    replies: tuple[Reply, ...]
    more: int

    def value_of(self, metric: str) -> float:
        """Return the value of a metric; NaN without one."""
        return next((value.value for value in self.values if value.metric == metric), math.nan)


@dataclass(frozen=True)
class Question:
    """A question with all its answers.

    Attributes
    ----------
    number
        Its place in the dataset, from 1.
    references
        Good answers; `more_references` are not shown.
    constraints
        The requirements on a hit, in words.
    relevant_count
        The number of documents that are known to be relevant.
    spread
        Largest minus smallest value of the primary metric over the runs; 0 if fewer than two runs have a value.
    rank
        Its place by spread: 0 where the runs differ most.  Formats without a search list ranks below `LISTED`.
    outcomes
        Each outcome of any answer, and each status other than complete.
    best
        The only run with the best value of the primary metric; "" if several have it.
    """

    number: int
    id: str
    query: str
    session: str
    turn: int
    tags: tuple[tuple[str, str], ...]
    expects: str
    references: tuple[str, ...]
    more_references: int
    constraints: tuple[tuple[str, str], ...]
    relevant_count: int
    sides: tuple[Side, ...]
    spread: float
    rank: int
    outcomes: tuple[str, ...]
    best: str

    @property
    def matters(self) -> bool:
        """Whether it is among the questions that a reader should see first."""
        return self.rank < FIRST and self.spread > 0


@dataclass(frozen=True)
class QuestionFilters:
    """The properties by which questions can be filtered: tags, outcomes, and runs that alone are best on some."""

    tags: tuple[tuple[str, tuple[str, ...]], ...]
    outcomes: tuple[str, ...]
    best: tuple[str, ...]


def question_filters(questions_shown: Sequence[Question]) -> QuestionFilters:
    """Return the filters for these questions; a tag with one value or more than `VALUES` is left out."""
    values_by_tag: dict[str, dict[str, None]] = {}
    for question in questions_shown:
        for name, value in question.tags:
            values_by_tag.setdefault(name, {})[value] = None
    return QuestionFilters(
        tuple((name, tuple(values)) for name, values in values_by_tag.items() if 1 < len(values) <= VALUES),
        tuple(dict.fromkeys(outcome for question in questions_shown for outcome in question.outcomes)),
        tuple(dict.fromkeys(question.best for question in questions_shown if question.best)),
    )


def many_answers(scores: Scores) -> bool:
    """Return whether a report has too many answers to show the hits of all."""
    return sum(len(run) if run.item is None else len(run.item) for run in scores.runs if run.scorable) > MANY


def questions(scores: Scores, primary: str, limit: int) -> tuple[Question, ...]:
    """Return the questions in file order.

    Of more than `limit` questions, half are those on which the runs differ most in the primary metric, and half are
    drawn at random: the first show what changed, the second what is usual.
    """
    values = np.array([run.values(primary) for run in scores.runs])
    spreads = spread(values).tolist()
    order = sorted(range(len(spreads)), key=lambda place: -spreads[place])
    rank = {place: number for number, place in enumerate(order)}
    reason_by_place: dict[int, str] = dict.fromkeys(order, "")
    if len(order) > limit:
        most_different = order[: limit - limit // 2]
        random_places = random.Random(SEED).sample(order[len(most_different) :], limit // 2)
        reason_by_place = dict.fromkeys(most_different, say("the runs differ most")) | dict.fromkeys(
            random_places, say("drawn at random")
        )
        order = [*most_different[: RICH - RICH // 2], *random_places[: RICH // 2]]
    rich = set(order[:RICH] if many_answers(scores) else reason_by_place)
    best = alone_best(values, Metric.of(primary))
    maker = _QuestionMaker.of(scores, reason_by_place, rich)
    return tuple(
        maker.question(place, (spreads[place], rank[place], place in rich), int(best[place]), reason_by_place[place])
        for place in sorted(reason_by_place)
    )


def questions_heading(questions_shown: Sequence[Question], asked: bool, ranked: bool) -> str:
    """Return the heading of the questions; "": the usual one, for answers.

    `asked`: whether there are run folders; `ranked`: whether answers without one are ranked lists.
    """
    if not asked and not any(side.replies for question in questions_shown for side in question.sides):
        return "Values of each question"
    return "" if asked or not ranked else "Questions and ranked lists"


@dataclass(frozen=True)
class _QuestionMaker:
    """Makes questions; what they have in common is looked up once."""

    scores: Scores
    items: Sequence[Item]
    records: Mapping[Place, Sequence[AnswerRecord]]
    judgments: Mapping[str, Mapping[str, float]]
    has_scale: bool
    grade_words: Mapping[float, str]
    columns: Sequence[Sequence[tuple[str, Floats, Mapping[int, str]]]]
    turns: Mapping[str, int]
    outcomes: Sequence[Sequence[str]]
    claims: Sequence[Sequence[Sequence[Claim]]]

    @classmethod
    def of(cls, scores: Scores, places: Collection[int], rich: Collection[int]) -> _QuestionMaker:
        columns = [[(str(m), run.values(m), run.why(m)) for m in scores.metrics] for run in scores.runs]
        items = items_of(scores)
        turns: dict[str, int] = {}
        turns_by_session: dict[str, int] = {}
        for item in items:
            if item.session is not None:
                turns[item.id] = turns_by_session[item.session] = turns_by_session.get(item.session, 0) + 1
        return cls(
            scores,
            items,
            answers_of(scores, ((run, place) for run in range(len(scores.runs)) for place in places), ranked=rich),
            judgments := judgments_of(scores),
            has_scale(judgments),
            words_of_scales(scores).get(RELEVANCE, {}),
            columns,
            turns,
            outcomes=[[] if run.scorable is None else answer_outcomes(run.scorable) for run in scores.runs],
            claims=[() if run.scorable is None else claims_of(run.scorable, scores.metrics) for run in scores.runs],
        )

    @property
    def relevant_from(self) -> float:
        """The smallest grade that is relevant."""
        return float(self.scores.facts.get("relevant_from") or 1)

    def _item(self, place: int) -> Item:
        """Return a question; the text of a row of a table stands beside its answer."""
        item, records = self.items[place], self.records.get((0, place), ())
        if item.query or not records:
            return item
        return replace(records[0].item, id=item.id, tags=item.tags)

    def question(self, place: int, place_by_spread: tuple[float, int, bool], best: int, why_shown: str) -> Question:
        item, n_runs = self._item(place), len(self.scores.runs)
        spread, rank, rich = place_by_spread
        outcomes = [
            self.outcomes[run][record.row]
            for run in range(n_runs)
            for record in self.records.get((run, place), ())
            if record.row is not None and self.outcomes[run]
        ]
        return Question(
            number=place + 1,
            id=line(item.id, 80),
            query=clip(item.query, TEXT),
            session=line(item.session or "", 80),
            turn=self.turns.get(item.id, 0),
            tags=(
                *((line(tag_words(name), 40), line(str(value), 60)) for name, value in item.tags.items()),
                *([(say("shown because"), why_shown)] if why_shown else []),
            ),
            expects=item.expected,
            references=tuple(clip(text, TEXT) for text in item.references[:REFERENCES]),
            more_references=max(0, len(item.references) - REFERENCES),
            constraints=tuple((line(name), constraint_words(c)) for name, c in item.constraints.items()),
            relevant_count=sum(grade >= self.relevant_from for grade in self.judgments.get(item.id, {}).values()),
            sides=tuple(self._side(run, place, item, rich) for run in range(n_runs)),
            spread=spread,
            rank=rank,
            outcomes=tuple(dict.fromkeys(filter(None, outcomes))),
            best=line(self.scores.runs[best].name) if best >= 0 else "",
        )

    def _side(self, number: int, place: int, item: Item, rich: bool) -> Side:
        records = self.records.get((number, place), ())
        values = tuple(
            Value(name, float(column[place]), line(reason(why.get(place, ""))))
            for name, column, why in self.columns[number]
        )
        replies = tuple(self._reply(number, record, item, rich) for record in records[:TRIALS])
        return Side(self.scores.runs[number].name, values, replies, max(0, len(records) - TRIALS))

    def _reply(self, number: int, record: AnswerRecord, item: Item, rich: bool) -> Reply:
        answer, by_part = record.answer, self._checks(number, record, item, rich)
        text, shown = clip(answer.text, TEXT), answer.hits[: HITS if rich else 0]
        hits = [self._hit(rank, hit, item, by_part.get(f"hit:{hit.id}", ())) for rank, hit in enumerate(shown, start=1)]
        return Reply(
            trial=answer.trial,
            status=answer.status,
            text=text,
            marked=mark_claims(text, () if record.row is None else self.claims[number][record.row]),
            error=line(answer.error or "", 300),
            note=line(note_of(record, self.scores.runs[number]), 300),
            seconds=answer.seconds,
            hits=tuple(hits),
            cut=record.returned - len(hits),
            unknown_hits=line(answer.unknown_hits, 300),
            absent=record.absent,
            checks=tuple(
                check if part == "answer" else Check(check.word, f"{part} {check.aspect}", check.why, check.by)
                for part, checks in by_part.items()
                if not part.startswith("hit:")
                for check in checks
            ),
        )

    def _checks(self, number: int, record: AnswerRecord, item: Item, rich: bool) -> dict[str, tuple[Check, ...]]:
        part = self.scores.runs[number].scorable
        if part is None or record.row is None or not part.offers("verdicts"):
            return {}
        return checks_by_part(verdicts_beside(part, record.row, hits=rich), item)

    def _hit(self, rank: int, hit: Hit, item: Item, checks: Sequence[Check]) -> HitLine:
        text = snippet(hit, SNIPPET)
        if self.scores.runs[0].scorable is None:  # contexts in a table have no ids, and nobody judges them
            return HitLine(rank, "", text, "", "", None, ())
        grade = self.judgments.get(item.id, {}).get(hit.id)
        relevant = None if grade is None or grade == UNJUDGED else grade >= self.relevant_from
        relevance = say("not judged" if relevant is None else "relevant" if relevant else "not relevant")
        if grade is not None and relevant is not None and self.has_scale:
            words = self.grade_words.get(grade, "")
            relevance += f" ({exact(grade)}: {line(words)})" if words else f" ({exact(grade)})"
        return HitLine(rank, line(hit.id, 60), text, _fields(hit), relevance, relevant, tuple(checks))


def _fields(hit: Hit) -> str:
    """Return the first fields of a hit that fit in a line, without those that its text repeats."""
    parts: list[str] = []
    room = FIELDS
    for name, value in hit.fields.items():
        if value is None or value == "" or value == [] or (isinstance(value, str) and len(value) > 80):
            continue
        if isinstance(value, str) and value and value in hit.text:
            continue
        part = f"{line(str(name), 30)} {field_text(value, 40)}"
        if len(part) + 3 > room:
            return " · ".join([*parts, "…"])
        parts.append(part)
        room -= len(part) + 3
    return " · ".join(parts)
