"""The card of questions drawn from a log or a run: how they were drawn, and what was masked, merged and left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from neraca.counts_and_lists import count
from neraca.generation.log_questions import FREQUENCIES, LogQuestions
from neraca.number_format import integer
from neraca.reports.blocks.block import Block, Document, Heading, Sentences
from neraca.reports.sentences.generated import trust
from neraca.reports.sentences.reasons import reason
from neraca.result import Table
from neraca.translation import say, say_all, written_in


def card_document(questions: LogQuestions, language: str = "en") -> Document:
    """Make the blocks of the card in a language of `LANGUAGES`."""
    with written_in(language):
        title = say("Card of asked questions") if questions.by_frequency else say("Card of the questions of a run")
        return Document(title, tuple(_blocks(questions)), language)


def summary(questions: LogQuestions) -> list[str]:
    """Say how many questions were drawn, and what is to be known before they are asked."""
    return [_lead(questions), *_notes(questions)]


def _blocks(questions: LogQuestions) -> Iterator[Block]:
    yield Sentences((_lead(questions),), "lead")
    yield Sentences(tuple(_notes(questions)), title=say("Before you trust it"))
    yield Heading(say("Questions"), "questions", say("Questions"))
    if questions.by_frequency:
        yield _frequencies(questions)
    yield _all(questions)


def _lead(questions: LogQuestions) -> str:
    if not questions.by_frequency:
        return say(
            "{questions} drawn from the {total} of the run {source}; seed {seed}, no model was asked.",
            questions=count(len(questions), "question"),
            total=integer(questions.searches),
            source=Path(questions.source).name,
            seed=questions.seed,
        )
    return say(
        "{questions} that people asked, drawn from {searches} of {source}; seed {seed}, no model was asked.",
        questions=count(len(questions), "question"),
        searches=count(questions.searches, "search", "searches"),
        source=Path(questions.source).name,
        seed=questions.seed,
    )


def _notes(questions: LogQuestions) -> Iterator[str]:
    """Say what was read, merged, masked and left out, and what such questions lack."""
    if questions.how:
        yield say("read as the log of a search system ({columns})", columns=questions.how)
    if len(questions) < questions.number and questions.by_frequency:
        yield say("the log has no more than these questions; {n} were asked for", n=integer(questions.number))
    elif len(questions) != questions.number:
        yield say(
            "conversations stay whole, and variants with their questions, so that these are not exactly {n}",
            n=integer(questions.number),
        )
    if questions.wordings > questions.distinct:
        yield say(
            "{wordings} different wordings are {distinct} questions: case, accents and punctuation play no part, and a "
            "rare misspelling is the common word",
            wordings=integer(questions.wordings),
            distinct=integer(questions.distinct),
        )
    if questions.masked:
        kinds = ", ".join(f"{reason(kind)} {integer(number)}" for kind, number in sorted(questions.masked.items()))
        yield say("masked: {kinds}", kinds=kinds)
    for why, number in questions.left_out.items():
        yield say("left out: {n} {reason}", n=integer(number), reason=reason(why))
    yield say("names and addresses of people are not recognised: read the questions before you pass them on")
    if questions.by_frequency:
        certain = sum(item.extra["chance"] == 1 for item in questions.dataset)
        yield say(
            "drawn in proportion to how often they were asked: the mean over them is a mean over searches, but for "
            "{certain} so common that they were drawn for certain (chance 1)",
            certain=count(certain, "question"),
        )
    if number := questions.generated:
        total = len(questions)
        yield say("{n:,} of {total:,} questions are generated questions", n=number, total=total) + ": " + trust()
    if not any(item.relevant for item in questions.dataset):
        yield say("nobody has said yet which answers are right: judge or rate the answers")


def _frequencies(questions: LogQuestions) -> Table:
    """Return how many questions and searches are common and rare, and how many of them were drawn."""
    drawn = Counter(item.tags["frequency"] for item in questions.dataset)
    columns = say_all("frequency", "questions", "searches", "drawn")
    rows = [
        [name, *map(integer, questions.by_frequency[name]), integer(drawn[name])]
        for name in FREQUENCIES
        if questions.by_frequency[name][0]
    ]
    return Table(columns, rows, say("Common and rare questions"), name="frequencies")


def _all(questions: LogQuestions) -> Table:
    columns = say_all("id", "session", "question", "other wordings", "asked", "chance")
    rows = [
        [
            item.id,
            item.session or "",
            item.query,
            " | ".join(item.extra.get("wordings", [])),
            integer(item.extra["asked"]),
            f"{item.extra['chance']:.3g}",
        ]
        for item in questions.dataset
    ]
    return Table(columns, rows, say("All questions"), names=4, most=len(rows), name="all", depth=1)
