"""Make the table of differences between runs, and the table of effects in all other metrics."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference
from neraca.number_format import DASH, integer, number, p_value, percent_level, signed, span
from neraca.reports.blocks.block import Cell
from neraca.reports.blocks.pair_matrix import CAPTION, PairMatrix, effect_shade
from neraca.reports.sentences import margin
from neraca.reports.sentences.metric_labels import MetricLabels
from neraca.reports.sentences.parts import have_statistics, statistic_words, tests_need
from neraca.result import Parts, Table
from neraca.translation import say, say_all


def difference_table(
    differences: Sequence[Difference], intervals_are: str, level: float, labels: MetricLabels
) -> Table:
    """Make the table of differences: the better run, the size, the certainty, and the number of questions needed.

    The margin, the statistic and the questions needed have columns if any difference has them.
    """
    alpha = 1 - level
    margins = any(d.equivalence for d in differences)
    statistics, needs = have_statistics(differences), tests_need(differences)
    columns = (
        *say_all("Metric", "Pair", "Result"),
        *(say_all("Within the margin") if margins else ()),
        say("Difference"),
        say("{level} interval", level=percent_level(level)),
        *(say_all("Statistic") if statistics else ()),
        *say_all("p", "p adjusted", "Effect", "Wins / ties / losses", "n"),
        *(say_all("n needed (t)") if needs else ()),
    )
    rows = [
        (
            labels[d.metric],
            f"{d.a} − {d.b}",
            Cell(_result(d, alpha), bold=bool(d.better)),
            *((margin.cell(d, alpha),) if margins else ()),
            signed(d.difference),
            span(d.low, d.high) or DASH,
            *((statistic_words(d),) if statistics else ()),
            p_value(d.p, alpha),
            p_value(d.p_adjusted, alpha),
            Cell(number(d.effect, 2), span(d.effect_low, d.effect_high, 2)),
            f"{d.wins} / {d.ties} / {d.losses}",
            integer(d.n),
            *((integer(d.needed) if d.needed is not None else DASH,) if needs else ()),
        )
        for d in differences
    ]
    caption = f"{say('Each pair of runs on the questions that are scored in them.')} {intervals_are}"
    parts = Parts("", "", say("{level} interval of the effect", level=percent_level(level)))
    return Table(columns, rows, caption, 4 if margins else 3, name="differences", parts=parts)


def _result(d: Difference, alpha: float) -> str:
    if d.better:
        return say("{run} better", run=d.better)
    if not d.tested:
        return say("no test")
    return say("they differ") if d.p_adjusted < alpha else say("not told apart")


def effect_table(matrix: PairMatrix, alpha: float) -> Table:
    """Make the table of effects, metrics by pairs; the shade of a cell is the size of its effect."""
    rows = [(name, *(DASH if d is None else _effect(d, alpha) for d in cells)) for name, cells in matrix.rows]
    return Table(matrix.columns, rows, say(CAPTION), name="effects")


def _effect(d: Difference, alpha: float) -> Cell:
    differ = f", {say('they differ')}" if d.p_adjusted < alpha and not d.better else ""
    beside = f"p {p_value(d.p_adjusted, alpha)}{differ}" if d.tested else say("no test")
    return Cell(number(d.effect, 2), beside, bold=bool(d.better), shade=effect_shade(d))
