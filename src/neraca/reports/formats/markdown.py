"""Write blocks as GitHub-flavoured Markdown: tables and sentences, without drawings."""

from __future__ import annotations

from collections.abc import Iterable

from neraca.reports.blocks.block import (
    Block,
    Cell,
    Document,
    Figure,
    Heading,
    Link,
    Named,
    Questions,
    Sentence,
    Sentences,
    flat,
)
from neraca.reports.formats.markdown_questions import question_cards
from neraca.reports.formats.markdown_text import cell, code, plain, table
from neraca.result import Table
from neraca.translation import written_in


def to_markdown(document: Document) -> str:
    """Write a report as Markdown; the same report gives the same bytes."""
    with written_in(document.language):
        return f"# {plain(document.title)}\n\n{draw(document.blocks)}"


def draw(blocks: Iterable[Block]) -> str:
    """Write blocks as Markdown."""
    return "\n\n".join(filter(None, map(_block, flat(blocks)))) + "\n"


def _block(block: Block) -> str:
    match block:
        case Heading():
            return f"{'#' * block.level} {plain(block.text)}"
        case Sentences():
            return _sentences(block)
        case Table():
            return _table(block)
        case Figure():
            return ""
        case Questions():
            return question_cards(block)


def _sentences(block: Sentences) -> str:
    sentences = [_sentence(sentence) for sentence in block.sentences]
    title = f"{plain(block.title)}:" if block.title else ""
    if block.kind == "list":
        return "\n\n".join(filter(None, (title, "\n".join(f"- {sentence}" for sentence in sentences))))
    if block.kind == "lead":
        sentences = [f"**{sentence}**" for sentence in sentences]
    if block.kind == "steps":
        return "\n".join(f"{number}. {sentence}" for number, sentence in enumerate(sentences, start=1))
    paragraphs = "\n\n".join(sentences)
    return f"{title} {paragraphs}".strip()


def _sentence(sentence: str) -> str:
    if not isinstance(sentence, Sentence):
        return plain(sentence)
    return "".join(map(_part, sentence.parts))


def _part(part: str | Named | Link) -> str:
    if isinstance(part, Named):
        return code(part.text)
    return _inside(part if isinstance(part, str) else part.words)


def _inside(text: str) -> str:
    """Write a part of a sentence, and keep the spaces at its ends."""
    start, end = (" " * text.startswith(" "), " " * (text.endswith(" ") and text != " "))
    return f"{start}{plain(text)}{end}"


def _table(block: Table) -> str:
    if not block.columns:
        facts = "\n".join(f"- {plain(name)}: {plain(value)}" for name, value in block.rows)
        return "\n\n".join(filter(None, (f"{plain(block.title)}:" if block.title else "", facts)))
    lines = table([cell(name) for name in block.columns], [list(map(_cell, row)) for row in block.rows])
    return "\n\n".join(filter(None, (plain(block.title), "\n".join(lines).rstrip())))


def _cell(text: str) -> str:
    if isinstance(text, Cell) and text.bold:
        return f"**{cell(text.text)}**{f' {cell(text.after)}' if text.after else ''}"
    return cell(text)
