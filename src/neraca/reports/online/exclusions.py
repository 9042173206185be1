"""The part of a log that was left out, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from neraca.number_format import integer, percent
from neraca.online.exclusions import NOT_LEFT_OUT, Exclusion
from neraca.reports.blocks.block import Block, Heading, Sentences
from neraca.reports.counts_and_lists import count
from neraca.reports.formats.escape import line


def sentences(exclusions: Sequence[Exclusion]) -> list[str]:
    """Write one sentence for each reason: how many, what, an example, and what to do."""
    return [_sentence(exclusion) for exclusion in exclusions]


def left_out(events: int, exclusions: Sequence[Exclusion]) -> Iterator[Block]:
    """Yield the section of a report on what was left out of the log."""
    yield Heading("What was left out of the log", "left-out", "Left out")
    yield Sentences((f"{count(events, 'event')} read.", *(sentences(exclusions) or ["Nothing was left out."])))


def _sentence(exclusion: Exclusion) -> str:
    example = f" (the first: {line(exclusion.example, 60)})" if exclusion.example else ""
    remedy = f"; {exclusion.remedy}" if exclusion.remedy else ""
    verb = "Corrected" if exclusion.reason in NOT_LEFT_OUT else "Left out"
    searches = ""
    if exclusion.searches:
        searches = f", {count(exclusion.searches, 'search', 'searches')} ({percent(exclusion.share)} of all)"
    return f"{verb}: {integer(exclusion.n)} {exclusion.what}{searches}{example}{remedy}."
