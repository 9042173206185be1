"""The card of generated questions: how they were made, what they cover, and how far to trust them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from neraca.counts_and_lists import count, listed
from neraca.generation.constraint_draws import STRATA
from neraca.generation.question_set import QuestionSet
from neraca.generation.record_fields import Field, Kind
from neraca.number_format import integer
from neraca.records import Constraint
from neraca.reports.blocks.block import Block, Document, Heading, Sentences
from neraca.reports.sentences.generated import trust
from neraca.result import Table
from neraca.translation import say, say_all, written_in


def card_document(questions: QuestionSet, language: str = "en") -> Document:
    """Make the blocks of the card in a language of `LANGUAGES`."""
    with written_in(language):
        return Document(say("Card of generated questions"), tuple(_blocks(questions)), language)


def summary(questions: QuestionSet) -> list[str]:
    """Say how many questions were made, and what is to be known before they are asked."""
    return [_lead(questions), *_notes(questions)]


def _blocks(questions: QuestionSet) -> Iterator[Block]:
    yield Sentences((_lead(questions),), "lead")
    yield Sentences(tuple(_notes(questions)), title=say("Before you trust it"))
    yield Heading(say("Questions"), "questions", say("Questions"))
    yield _strata(questions)
    yield Heading(say("What they ask about"), "coverage", say("Coverage"))
    yield _coverage(questions)
    if questions.records.unused:
        reasons = tuple(f"{name}: {reason}" for name, reason in questions.records.unused.items())
        yield Sentences(reasons, title=say("Columns that no question asks about"))
    yield _all(questions)


def _lead(questions: QuestionSet) -> str:
    sessions = len({item.session for item in questions.dataset} - {None})
    return say(
        "{questions} about {records} of {source}, {turns} of them in {sessions}; seed {seed}, no model was asked.",
        questions=count(len(questions), "question"),
        records=count(len(questions.records), "record"),
        source=Path(questions.records.source).name,
        turns=integer(questions.counts("kind")["followup"]),
        sessions=count(sessions, "session"),
        seed=questions.seed,
    )


def _notes(questions: QuestionSet) -> Iterator[str]:
    """Say what differs from what was asked for, what was guessed, and what such questions can show."""
    records = questions.records
    for kind, asked in questions.asked.items():
        if (made := questions.counts("kind")[kind]) < asked:
            yield say(
                "{made} of {asked} questions of the kind {kind} were found: the records differ too little for more",
                made=integer(made),
                asked=integer(asked),
                kind=kind,
            )
    if records.detected:
        yield say("language found in the texts, not said: {detected}", detected=records.detected)
    if records.numbered:
        yield say(
            "the records have no column of ids and are numbered from 1: your system must return these numbers as ids, "
            "or name a column with --column id=NAME"
        )
    if unread := {field.name: field.missing for field in records.fields if field.missing}:
        fields = ", ".join(f"{name} {integer(number)}" for name, number in unread.items())
        yield say("a record without a value is no right answer to a question about it: {fields}", fields=fields)
    yield from _field_notes(records.fields)
    yield say(
        "right answers are the records that meet all constraints, looked up by the checks of the judge rules; all "
        "others count as wrong"
    )
    yield say("generated questions") + ": " + trust()


def _field_notes(fields: Sequence[Field]) -> Iterator[str]:
    """Say which cells were not read, which were taken to be in a unit, and which texts are not asked for."""
    unread = [f'{field.name} {integer(len(field.unread))} ("{field.unread[0]}")' for field in fields if field.unread]
    if unread:
        yield say("cells that cannot be read as a number count as empty: {fields}", fields=", ".join(unread))
    assumed = [
        f"{field.name} {integer(field.assumed)} ({field.unit or (field.currency and field.currency.sign)})"
        for field in fields
        if field.assumed
    ]
    if assumed:
        yield say(
            "amounts without the unit or currency of the others are taken to be in it: {fields}",
            fields=", ".join(assumed),
        )
    inside = [
        f"{field.name}: {listed([f'{text} ({longer})' for text, longer in field.inside.items()], 3)}"
        for field in fields
        if field.inside
    ]
    if inside:
        yield say(
            "texts that stand in a longer one of their column are not asked for: {texts}", texts="; ".join(inside)
        )


def _strata(questions: QuestionSet) -> Table:
    """Return how many questions of each kind have no, one, few and many right answers."""
    columns = [
        *say_all("kind", "questions", "no right answer", "one right answer", "2 to 10"),
        say("more than {n}", n=10),
    ]
    rows = []
    for kind in questions.asked:
        strata = Counter(item.tags["results"] for item in questions.dataset if item.tags["kind"] == kind)
        rows.append([kind, integer(strata.total()), *(integer(strata[name]) for name in STRATA)])
    return Table(columns, rows, say("Questions by the number of their right answers"), name="strata")


def _coverage(questions: QuestionSet) -> Table:
    """Return for each field how many questions ask about it, and how many of its values they name."""
    columns = say_all("column", "read as", "questions", "values asked for", "values", "records without one")
    kinds = dict(
        zip(
            get_args(Kind),
            say_all("number", "whole number", "text", "list", "yes or no", "distance", "year"),
            strict=True,
        )
    )
    rows = [_field_row(questions, field, kinds[field.kind]) for field in questions.records.fields]
    return Table(columns, rows, names=2, name="coverage")


def _field_row(questions: QuestionSet, field: Field, kind: str) -> list[str]:
    asked = [item.constraints[field.name] for item in questions.dataset if field.name in item.constraints]
    named = {str(_value(constraint)) for constraint in asked}
    is_text = field.kind in ("category", "words")
    values = [integer(len(named)), integer(len(field.distinct))] if is_text else ["", integer(len(field.distinct))]
    return [field.name, kind, integer(len(asked)), *values, integer(field.missing)]


def _value(constraint: Constraint) -> object:
    return constraint.equals if constraint.equals is not None else constraint.contains_any[:1]


def _all(questions: QuestionSet) -> Table:
    columns = say_all("id", "session", "question", "why", "right answers")
    rows = [
        [item.id, item.session or "", item.query, str(item.extra["why"]), integer(len(item.relevant or {}))]
        for item in questions.dataset
    ]
    return Table(columns, rows, say("All questions"), names=4, most=len(rows), name="all", depth=1)
