"""Tables of differences, for the commands that compare."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from neraca.cli import show
from neraca.number_format import integer, p_value, with_interval

if TYPE_CHECKING:
    from neraca.comparisons.difference import Difference

#: Number of columns of `difference_rows` that name the row: the metric and the pair.
NAME_COLUMNS = 2


def test_names(differences: Sequence[Difference]) -> str:
    """Return the test and its variant; several variants if some pairs have too many items for an exact p."""
    return ", ".join(sorted({difference.test for difference in differences}))


def show_differences(title: str, differences: Sequence[Difference], level: float, wide: bool) -> None:
    """Print differences as a table, and below it how the intervals were made and what counts as a win."""
    from neraca.reports.sentences.interval_words import beside_differences

    columns, rows = difference_rows(differences, 1 - level)
    show.table(title, columns, rows, names=NAME_COLUMNS, wide=wide)
    show.print_sentences(*beside_differences(differences))


def difference_rows(differences: Sequence[Difference], alpha: float = 0.05) -> tuple[list[str], list[list[str]]]:
    """Return differences as a table: names of the columns, and rows of text.

    A statistic that is the difference itself is left out.  The questions needed are printed only for t-tests.
    """
    from neraca.reports.sentences import margin as sentences_margin
    from neraca.reports.sentences.parts import have_statistics, statistic_words, tests_need

    has_margins, has_needs = any(d.equivalence for d in differences), tests_need(differences)
    has_statistics = have_statistics(differences)
    columns = ["metric", "a − b", "difference", "interval", *(["statistic"] if has_statistics else []), "p", "adjusted"]
    columns += ["effect", "wins/ties/losses", "n", *(["n needed (t)"] if has_needs else [])]
    columns += ["within the margin"] if has_margins else []
    rows = [
        [
            d.metric,
            f"{d.a} − {d.b}",
            show.number(d.difference),
            d.interval,
            *([statistic_words(d, show.number)] if has_statistics else []),
            p_value(d.p, alpha),
            p_value(d.p_adjusted, alpha) if d.tested else "no test",
            with_interval(show.number(d.effect, 2), show.span(d.effect_low, d.effect_high, 2)),
            f"{d.wins}/{d.ties}/{d.losses}",
            str(d.n),
            *(["–" if d.needed is None else integer(d.needed)] if has_needs else []),
            *([sentences_margin.cell(d, alpha)] if has_margins else []),
        ]
        for d in differences
    ]
    return columns, rows
