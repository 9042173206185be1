"""Say which ranked lists and documents of TREC runs a report shows, and how many have no text."""

from __future__ import annotations

from pathlib import Path

from neraca.number_format import integer
from neraca.reports.blocks.questions import HITS, RICH
from neraca.reports.formats.visible_text import line
from neraca.reports.report import Report
from neraca.translation import say


def lists_shown(report: Report) -> str:
    """Return the sentences below the heading of the questions; "" without a TREC run."""
    parts = [run.scorable for run in report.scores.runs if run.scorable is not None]
    if not any(part.offers("answer_reader") for part in parts):
        return ""
    sentences = []
    if any(reply.cut for q in report.questions for side in q.sides for reply in side.replies):
        sentences.append(say("The first {n} documents of each ranked list are shown.", n=HITS))
    if report.many_answers:
        sentences.append(_questions_with_lists(report))
    return " ".join((*sentences, *_without_text(report)))


def _questions_with_lists(report: Report) -> str:
    """Say for which questions lists are shown if there are too many to show all."""
    if report.left_out:
        return say(
            "Of so many, the lists of {n} questions on which the runs differ most, and of {n} drawn at random, are "
            "shown.",
            n=RICH // 2,
        )
    return say("Of so many, the lists of the {n} questions on which the runs differ most are shown.", n=RICH)


def _without_text(report: Report) -> list[str]:
    """Count the documents shown that the file of documents lacks or has without a text."""
    source = report.scores.facts.get("documents")
    if source is None:
        return []
    hits = [hit for q in report.questions for side in q.sides for reply in side.replies for hit in reply.hits]
    documents = {hit.id for hit in hits}
    without = documents - {hit.id for hit in hits if hit.text or hit.fields}
    if not without:
        return []
    file = line(Path(source).name) if isinstance(source, str | Path) else say("the table of documents")
    return [
        say(
            "{n} of the {all} documents shown have no text in {file}.",
            n=integer(len(without)),
            all=integer(len(documents)),
            file=file,
        )
    ]
