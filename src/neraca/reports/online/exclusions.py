"""What of a log was left out, in words."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.online.exclusions import Exclusion
from neraca.reports.formats.escape import line


def sentences(exclusions: Sequence[Exclusion]) -> list[str]:
    """Write one sentence for each reason: how many, what, an example, and what to do."""
    return [_sentence(one) for one in exclusions]


def _sentence(one: Exclusion) -> str:
    example = f" (the first: {line(one.example, 60)})" if one.example else ""
    remedy = f"; {one.remedy}" if one.remedy else ""
    return f"Left out: {one.n:,} {one.what}{example}{remedy}."
