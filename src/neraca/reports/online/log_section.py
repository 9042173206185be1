"""The section of a report on its log: what was read from it, and what was left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neraca.counts_and_lists import count
from neraca.number_format import percent
from neraca.online.exclusions import NOT_LEFT_OUT, Exclusion
from neraca.reports.blocks.block import Block, Heading, Sentences
from neraca.reports.formats.visible_text import line
from neraca.reports.online.messages import translated
from neraca.reports.sentences.reasons import reason
from neraca.translation import say


def log_blocks(events: int, exclusions: Sequence[Exclusion], contents: Sequence[str]) -> Iterator[Block]:
    """Yield the section; `contents` are sentences on what was read."""
    yield Heading(say("What was read, and what was left out"), "left-out", say("Log"))
    left_out = exclusion_sentences(exclusions) or [say("Nothing was left out.")]
    yield Sentences((say("{rows} read.", rows=count(events, "row")), *contents, *left_out))


def exclusion_sentences(exclusions: Sequence[Exclusion]) -> list[str]:
    """Write one sentence for each reason: how many, what, an example, and what to do."""
    return [_sentence(exclusion) for exclusion in exclusions]


def _sentence(exclusion: Exclusion) -> str:
    searches = example = ""
    if exclusion.searches:
        searches = say(
            ", {searches} ({share} of all)",
            searches=count(exclusion.searches, "search", "searches"),
            share=percent(exclusion.share),
        )
    if exclusion.example:
        example = say(" (the first: {example})", example=line(translated(exclusion.example), 60))
    return say(
        "Corrected: {n:,} {what}{searches}{example}{remedy}."
        if exclusion.reason in NOT_LEFT_OUT
        else "Left out: {n:,} {what}{searches}{example}{remedy}.",
        n=exclusion.n,
        what=reason(exclusion.what),
        searches=searches,
        example=example,
        remedy=f"; {reason(exclusion.remedy)}" if exclusion.remedy else "",
    )
