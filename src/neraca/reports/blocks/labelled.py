"""Call each metric of a report by its short label in all blocks that people read."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from neraca.reports.blocks.block import Block, Figure, Heading, Questions, Sentence, Sentences, is_section
from neraca.reports.blocks.questions import Question
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.result import Table

#: Sections with the words of people and systems, and with the canonical names that a paper and a command need.
_AS_THEY_ARE = ("runs", "words", "method")


def with_labels(
    blocks: Iterable[Block], labels: MetricLabels, runs: Collection[str], introduction: str = ""
) -> Iterator[Block]:
    """Yield the blocks with the label of each metric in place of its canonical name.

    Names in the data, commands, cells of several parts, and the sections `_AS_THEY_ARE` stay as they are.

    Parameters
    ----------
    blocks, labels
        The blocks of a report, and the labels of its metrics.
    runs
        The names of the runs.  Nothing changes if one of them reads like a metric, because the sentences have it too.
    introduction
        The sentence that says which canonical names the labels stand for; it keeps them.
    """
    if any(labels.in_sentence(run) != run for run in runs):
        yield from blocks
        return
    section = ""
    for block in blocks:
        if isinstance(block, Heading) and is_section(block):
            section = block.name
        as_it_is = section in _AS_THEY_ARE or (isinstance(block, Sentences) and introduction in block.sentences)
        yield block if as_it_is else _labelled(block, labels)


def _labelled(block: Block, labels: MetricLabels) -> Block:
    if isinstance(block, Heading):
        return block._replace(text=labels.in_sentence(block.text))
    if isinstance(block, Figure):
        return block._replace(caption=labels.in_sentence(block.caption))
    if isinstance(block, Questions):
        primary = labels.by_metric.get(block.primary, block.primary)
        return block._replace(primary=primary, questions=[_question(question, labels) for question in block.questions])
    if isinstance(block, Table):
        rows = [[_words(cell, labels) for cell in row] for row in block.rows]
        columns = [_words(column, labels) for column in block.columns]
        return block._replace(columns=columns, rows=rows, title=labels.in_sentence(block.title))
    return block._replace(
        sentences=[_words(sentence, labels) for sentence in block.sentences], title=labels.in_sentence(block.title)
    )


def _words(text: str, labels: MetricLabels) -> str:
    """Return a sentence or a cell with labels; its names and a cell of several parts stay as they are."""
    if isinstance(text, Sentence):
        return Sentence(*(labels.in_sentence(part) if isinstance(part, str) else part for part in text.parts))
    return labels.in_sentence(text) if type(text) is str else text


def _question(question: Question, labels: MetricLabels) -> Question:
    sides = tuple(
        replace(
            side,
            values=tuple(
                replace(value, metric=labels.by_metric.get(value.metric, value.metric)) for value in side.values
            ),
        )
        for side in question.sides
    )
    return replace(question, sides=sides)
