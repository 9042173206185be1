"""The part of a report on metrics themselves: which say the same, and which say what people say."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from neraca.metaeval.correlate import correlate
from neraca.metaeval.correlations import Agreement, Correlations, write
from neraca.reports.escape import line
from neraca.reports.number_format import count, listed
from neraca.scores.scores import Scores

#: More metrics than this are too many for a table that can be read and printed.
MOST = 20
#: More kinds of people's scores than this are not shown.
PEOPLE = 6


@dataclass(frozen=True)
class AgreementRow:
    """One metric beside people's scores, one cell for each kind of them."""

    metric: str
    cells: tuple[Agreement, ...]


@dataclass(frozen=True)
class CorrelationTable:
    """What the section says and shows.

    Attributes
    ----------
    says
        Sentences.
    names
        Metrics of the table, those that say the same beside each other.
    rows
        For each of them its correlations with those before it.
    rests
        How it was computed and on how many answers, in a sentence.
    cut
        What the table leaves out, in a sentence, or "".
    humans
        Kinds of people's scores.
    agreements
        The metrics beside them, those that agree most with the first kind first.
    """

    says: tuple[str, ...]
    names: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]
    rests: str
    cut: str
    humans: tuple[str, ...]
    agreements: tuple[AgreementRow, ...]

    @property
    def title(self) -> str:
        """The heading of the section."""
        return "What the metrics have in common" + (", and what with people" if self.humans else "")


def correlations(scores: Scores) -> CorrelationTable | None:
    """Correlate the metrics of a report; None with fewer than three that vary, and no scores of people."""
    found = _shown(correlate(scores, level=scores.level))
    varying = [place for place in range(len(found.names)) if found.matrix[place, place] == 1]
    if len(varying) < 3 and not found.humans:
        return None
    order = {name: number for number, group in enumerate(found.clusters) for name in group}
    varying.sort(key=lambda place: (order[found.names[place]], place))
    table = varying[:MOST] if len(varying) > 1 else []
    matrix = found.matrix.tolist()
    left = [found.names[place] for place in varying[MOST:]]
    cut = f"Not in the table: {listed(left)}; the sentences count them too." if left else ""
    rows = tuple(tuple(matrix[place][other] for other in table[:row]) for row, place in enumerate(table))
    names = tuple(found.names[place] for place in table)
    return CorrelationTable(
        found.says, names, rows, _rests(found, table, len(scores.runs)), cut, found.humans, _agreements(found)
    )


def _shown(found: Correlations) -> Correlations:
    """With the names of people's scores made fit to show, and without those that nothing can be said of."""
    known = [row.human for row in found.with_human if not math.isnan(row.value)]
    names: dict[str, str] = {}
    for human in dict.fromkeys(known):
        name = line(human, 40) or "(no name)"
        names[human] = name if name not in names.values() else f"{name} {len(names) + 1}"
    kept = dict(list(names.items())[:PEOPLE])
    rows = (replace(row, human=kept[row.human]) for row in found.with_human if row.human in kept)
    return replace(found, with_human=tuple(rows))


def _agreements(found: Correlations) -> tuple[AgreementRow, ...]:
    cells: dict[str, list[Agreement]] = {}
    for row in found.with_human:
        cells.setdefault(row.metric, []).append(row)
    rows = (AgreementRow(metric, tuple(mine)) for metric, mine in cells.items())
    return tuple(row for row in rows if any(not math.isnan(cell.value) for cell in row.cells))


def _rests(found: Correlations, table: Sequence[int], runs: int) -> str:
    sizes = [int(found.n[one, other]) for row, one in enumerate(table) for other in table[:row]] or [0]
    answers = count(max(sizes), "answer") if min(sizes) == max(sizes) else f"{min(sizes):,} to {max(sizes):,} answers"
    turned = [name for name in found.turned if name in {found.names[place] for place in table}]
    errors = f" Turned around, because less is better: {listed(turned)}." if turned else ""
    how = "Spearman's rho of every two metrics (1: they put the answers in the same order, 0: in unrelated ones)"
    return f"{how} over {answers}{' of all runs together' if runs > 1 else ''}.{errors}"


#: From which size on a cell is how dark: the darkest say nearly the same.
STEPS = ((0.9, "deepest"), (0.7, "deep"), (0.5, "light"), (0.3, "faint"))


def shade(value: float) -> str:
    """How dark a cell is, in a word; "" below the first step and where there is no value.

    >>> shade(0.95), shade(-0.3), shade(0.29)
    ('deepest', 'minus faint', '')
    """
    step = next((word for least, word in STEPS if abs(value) >= least), "")
    return f"minus {step}" if step and value < 0 else step


def cell(value: float) -> str:
    """A correlation as it is written in a cell.

    >>> cell(0.714), cell(float("nan"))
    ('0.71', '–')
    """
    return "–" if math.isnan(value) else write(value)
