"""Describe the sources of relevance."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import count
from neraca.reports.blocks.tables import about_hits
from neraca.reports.formats.visible_text import line
from neraca.reports.sentences.question_columns import expects_column
from neraca.reports.sentences.reasons import source_words
from neraca.scores.scores import Scores
from neraca.translation import say


def sources(scores: Scores) -> str:
    """Name the sources that decided, each with its number of hits; `qrels` if no verdicts count."""
    if scores.relevance is None:
        return "qrels"
    return ", ".join(f"{source_words(s)} ({count(n, 'hit')})" for s, n in _decided(scores)) or say("nobody")


def mixed_sources(scores: Scores) -> Iterator[str]:
    """Say that people decided on only a part of the hits, and which sources decided on the others."""
    (first_source, n_first), *other_sources = [(source_words(source), n) for source, n in _decided(scores)] or [("", 0)]
    if other_sources and _decided(scores)[0][0] == "human" and about_hits(scores):
        other_texts = ", ".join(say("{n:,} by {source}", n=n, source=source) for source, n in other_sources)
        yield say(
            "Relevance: {n:,} hits by {source}, {rest}; numbers move as people judge more.",
            n=n_first,
            source=first_source,
            rest=other_texts,
        )


def contradictions(scores: Scores) -> Iterator[str]:
    """Name a hit that is graded relevant although its question expects nothing."""
    part = next((run.scorable for run in scores.runs if run.scorable is not None), None)
    if scores.relevance is None or part is None or not part.offers("item_records") or not about_hits(scores):
        return
    hits = [
        (item.id, doc)
        for item in part.column("item_records")
        if item.expected == "none"
        for doc, grade in scores.relevance.grades.get(item.id, {}).items()
        if grade > 0
    ]
    if hits:
        item, doc = hits[0]
        yield say(
            "{questions} nothing, and yet {documents} as relevant there, for example {doc} for the question {item}: "
            "Success and empty=correct count such hits 0; correct the grades, or set {column} to results",
            questions=count(len({name for name, _ in hits}), "question expects", "questions expect"),
            documents=count(len(hits), "document is graded", "documents are graded"),
            item=line(item),
            doc=line(doc),
            column=expects_column(scores.runs[0]),
        )


def _decided(scores: Scores) -> list[tuple[str, int]]:
    return scores.relevance.by_source if scores.relevance else []
