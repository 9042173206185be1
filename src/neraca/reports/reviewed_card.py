"""The card of questions from documents that people reviewed: what they confirm, and what they overrule."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from neraca.counts_and_lists import count, listed
from neraca.generation.reviewed_questions import Reviewed, ReviewedQuestions
from neraca.number_format import integer, percent, percent_span, with_interval
from neraca.reports.blocks.block import Block, Document, Heading, Sentences
from neraca.reports.sentences.generated import trust
from neraca.result import Table
from neraca.translation import say, say_all, written_in

#: Fewest accepted questions that people reviewed for which the share of confirmed ones is written.
FEWEST = 30


def card_document(questions: ReviewedQuestions, language: str = "en") -> Document:
    """Make the blocks of the card in a language of `LANGUAGES`."""
    with written_in(language):
        return Document(say("Card of reviewed questions"), tuple(_blocks(questions)), language)


def summary(questions: ReviewedQuestions) -> list[str]:
    """Say how many questions were made, how often people confirmed the checks, and what they overruled."""
    return [_lead(questions), _precision(questions), *_notes(questions)]


def _blocks(questions: ReviewedQuestions) -> Iterator[Block]:
    yield Sentences((_lead(questions), _precision(questions)), "lead")
    yield Sentences(tuple(_notes(questions)), title=say("Before you trust it"))
    yield Heading(say("What people say"), "people", say("What people say"))
    yield _counts(questions)
    if questions.overruled:
        yield _overruled(questions)
    rows = [[item.id, item.tags.get("kind", ""), item.query] for item in questions.dataset]
    columns = say_all("id", "kind", "question")
    yield Table(columns, rows, say("All questions"), names=3, most=max(len(rows), 1), name="all", depth=1)


def _lead(questions: ReviewedQuestions) -> str:
    return say(
        "{questions} of {source}, as people left them: they reviewed {reviewed} of {written} written questions.",
        questions=count(len(questions), "question"),
        source=Path(questions.source).name,
        reviewed=integer(len(questions.reviewed)),
        written=integer(len(questions.questions)),
    )


def _precision(questions: ReviewedQuestions) -> str:
    """Say which share of the accepted questions people confirm, or how many are missing for that."""
    precision = questions.precision
    if precision.n < FEWEST:
        return say(
            "people reviewed {n} of the questions that passed all checks; from {fewest} on, the share that they "
            "confirm is written here",
            n=integer(precision.n),
            fewest=FEWEST,
        )
    return say(
        "people confirm {share} of the {n} questions that passed all checks and that they reviewed",
        share=with_interval(percent(precision.value), percent_span(precision.low, precision.high)),
        n=integer(precision.n),
    )


def _notes(questions: ReviewedQuestions) -> Iterator[str]:
    """Say what people changed, where they disagree, and what such questions can show."""
    taken_in = sum(question.accepted for question in questions.overruled)
    taken_out = len(questions.overruled) - taken_in
    yield say(
        "people refused {out}, which passed all checks, and accepted {back}, which failed one",
        out=count(taken_out, "question"),
        back=count(taken_in, "question"),
    )
    if undecided := sum(question.undecided for question in questions.questions):
        yield say(
            "people disagree evenly on {questions}; there the checks decide", questions=count(undecided, "question")
        )
    if turns := questions.unasked_turns:
        yield say(
            "not asked, because the question before it in the conversation is refused: {questions}",
            questions=listed([item.id for item in turns]),
        )
    yield say("generated questions") + ": " + trust()


def _counts(questions: ReviewedQuestions) -> Table:
    """Return how many questions the checks accepted and refused, and what people say of each part."""
    rows = []
    for name, passed in ((say("accepted"), True), (say("refused"), False)):
        part = [question for question in questions.questions if question.passed == passed]
        words = [question.word for question in part if question.word is not None]
        confirmed = sum(word == passed for word in words)
        rows.append([name, *map(integer, (len(part), len(words), confirmed, len(words) - confirmed))])
    columns = say_all("by the checks", "questions", "reviewed", "confirmed", "overruled")
    return Table(columns, rows, name="people")


def _overruled(questions: ReviewedQuestions) -> Table:
    rows = [_row(question) for question in questions.overruled]
    columns = say_all("id", "question", "by the checks", "by people", "why")
    return Table(columns, rows, say("Overruled questions"), names=5, most=len(rows), name="overruled")


def _row(question: Reviewed) -> list[str]:
    words = [say("accepted") if accepted else say("refused") for accepted in (question.passed, question.accepted)]
    return [question.item.id, question.item.query, *words, question.why]
