"""Make the tables of counts of answers: outcomes, confusion matrices, checks of constraints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from neraca.number_format import integer, number, percent
from neraca.reports.blocks.block import Block, Cell, Sentences
from neraca.reports.blocks.tables import AspectCell, AspectRow, CountRow
from neraca.result import Table
from neraca.scores.confusion import Confusion
from neraca.translation import say, say_all

OUTCOMES = (
    "What came of each answer. Correct empty: nothing was to be found and nothing was returned. False empty: nothing "
    "was returned though something was asked for."
)
IN_WORDS = "What came of each answer in words: whether it declines, and whether its question can be answered (expects)."
CHECKS = "Share of checks passed, by constraint. Missing (the hit has no such data) counts as not passed."
HITS_CAPTION = (
    "Confusion matrix of hits, within what was judged. Hits that nobody judged, or on which judges are undecided, "
    "are left out; the table gives their number."
)
NO_HITS = "No confusion matrix of hits: no answer has judged hits."
NO_QUESTIONS = (
    "No confusion matrix of questions: no question says what it expects, or no judge checked constraints of hits."
)


class _Meanings(NamedTuple):
    """The meanings of the four counts of a confusion matrix."""

    tp: str
    fp: str
    fn: str
    tn: str


HITS = _Meanings("relevant, returned", "not relevant, returned", "relevant, not returned", "not relevant, not returned")
QUESTIONS = _Meanings(
    "expects results, success",
    "expects nothing, something came or it failed",
    "expects results, no success",
    "expects nothing, nothing came",
)


def count_blocks(
    counts: Sequence[CountRow], aspects: Sequence[AspectRow], about_hits: bool, success: str
) -> Iterator[Block]:
    """Make the tables of counts; `success` says when a question counts as a success.

    If hits matter and none was judged, a sentence takes the place of the matrix.
    """
    yield _outcomes(say(OUTCOMES), counts, [(row.outcomes, row.shares) for row in counts], "outcomes")
    if in_words := [row for row in counts if row.words]:
        shares = [(row.words, row.shares_in_words) for row in in_words]
        yield _outcomes(say(IN_WORDS), in_words, shares, "outcomes in words")
    if aspects:
        rows = [(row.aspect, *map(_checks, row.cells)) for row in aspects]
        yield Table((say("Constraint"), *(row.run for row in counts)), rows, say(CHECKS), name="checks")
    if any(row.hits_counted for row in counts):
        yield _matrix(say(HITS_CAPTION), HITS, [(row.run, row.hits) for row in counts], "hits")
    elif about_hits:
        yield Sentences((say(NO_HITS),), "words")
    if any(row.questions_counted for row in counts):
        yield _matrix(success, QUESTIONS, [(row.run, row.questions) for row in counts], "successes")
    elif about_hits:
        yield Sentences((say(NO_QUESTIONS),), "words")


def _outcomes(
    title: str,
    counts: Sequence[CountRow],
    outcomes: Sequence[tuple[Sequence[tuple[str, int]], Sequence[float | None]]],
    name: str,
) -> Table:
    names = [outcome for outcome, _ in outcomes[0][0]]
    rows = [
        (
            say(outcome),
            *(Cell(integer(counts_of_run[place][1]), percent(shares[place])) for counts_of_run, shares in outcomes),
        )
        for place, outcome in enumerate(names)
    ]
    return Table((say("Outcome"), *(row.run for row in counts)), rows, title, name=name)


def _checks(checks: AspectCell) -> Cell:
    missing = f", {say('{n} missing', n=checks.missing)}" if checks.missing else ""
    return Cell(percent(checks.rate), f"{say('{n} of {all}', n=checks.passed, all=checks.asked)}{missing}")


def _matrix(caption: str, meanings: _Meanings, matrices: Sequence[tuple[str, Confusion]], name: str) -> Table:
    """Make a table with a row for each run; its caption explains the four counts."""
    legend = [f"{count.upper()}: {say(meaning)}" for count, meaning in meanings._asdict().items()]
    of_hits = meanings is HITS
    columns = [*say_all("Run", "TP", "FP", "FN", "TN", "Precision", "Recall", "F1", "Accuracy")]
    columns += [*say_all("Hits left out")] if of_hits else []
    columns += [*say_all("Unscored answers")]
    rows = [
        (
            run,
            *(integer(n) for n in (c.tp, c.fp, c.fn, c.tn)),
            *(number(share) for share in (c.precision, c.recall, c.f1, c.accuracy)),
            *([integer(c.unjudged)] if of_hits else []),
            integer(c.unscored),
        )
        for run, c in matrices
    ]
    return Table(columns, rows, f"{caption} {'; '.join(legend)}.", name=name)
