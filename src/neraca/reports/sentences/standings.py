"""Say how many runs compare with each other by counts and a small table: sentences on every pair would be too long."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from string import ascii_uppercase

from neraca.comparisons.difference import Difference
from neraca.number_format import DASH, integer, number
from neraca.reports.counts_and_lists import count
from neraca.reports.sentences.parts import CROWD, Facts
from neraca.reports.translation import say
from neraca.result import Table

_NUMBER = re.compile(r"\d+")


def is_crowd(facts: Facts) -> bool:
    """Return whether a table of the runs takes the place of sentences: there are many, and every pair was compared."""
    return len(facts.scores) >= CROWD and not facts.baseline and any(d.tested for d in facts.differences)


def counted_pairs(facts: Facts) -> tuple[str, str]:
    """Say in how many pairs one run is shown to be better, and in how many not; "" for none."""
    pairs = count(len(facts.differences), "pair")
    shown = sum(bool(d.better) for d in facts.differences)
    unshown = sum(map(_open, facts.differences))
    return (
        say("which run is better in {n} of {pairs}", n=integer(shown), pairs=pairs) if shown else "",
        say("which run is better in {n} of {pairs}", n=integer(unshown), pairs=pairs) if unshown else "",
    )


def standings(facts: Facts) -> Table:
    """Return a row for each run, the best first: its value, and the numbers of the runs that it is better than.

    Runs that the data show to be equal, or as good as each other within a margin, have a column if there are any.
    """
    sign = -1 if facts.higher_is_better else 1
    ordered = sorted(facts.scores, key=lambda score: (math.isnan(score.value), sign * score.value))
    places = {score.run: place for place, score in enumerate(ordered, 1)}
    columns: dict[str, Callable[[str, Difference], bool]] = {
        say("Better than"): lambda run, d: d.better == run,
        say("Not shown"): lambda _, d: _open(d),
        say("Worse than"): lambda run, d: bool(d.better) and d.better != run,
        say("As good as"): lambda _, d: not d.better and not _open(d),
    }
    rows = []
    for place, score in enumerate(ordered, 1):
        own = [d for d in facts.differences if score.run in (d.a, d.b)]
        others = [[places[d.other(score.run)] for d in own if belongs(score.run, d)] for belongs in columns.values()]
        value = DASH if math.isnan(score.value) else number(score.value)
        rows.append([f"{integer(place)}. {score.run}", value, *map(ranges, others)])
    titles = [say("Run"), facts.metric, *columns]
    if all(row[-1] == DASH for row in rows):
        rows, titles = [row[:-1] for row in rows], titles[:-1]
    title = say("What the data show of each run; the other runs are named by their number in this table.")
    return Table(titles, rows, title, name="standings")


def runs_of(standings: Table) -> list[str]:
    """Return the names of the runs in a table of many runs, the best first."""
    return [row[0].partition(". ")[2] for row in standings.rows]


def lettered(standings: Table) -> Table:
    """Return a table of at most 26 runs with letters for their numbers: A for the best.

    >>> table = Table(["Run", "P", "Better than"], [["1. new", "0.5", "2"], ["2. old", "0.2", "–"]], "By number.")
    >>> [list(row) for row in lettered(table).rows]
    [['A. new', '0.5', 'B'], ['B. old', '0.2', '–']]
    """
    rows = [
        [f"{ascii_uppercase[place]}. {run}", row[1], *(_NUMBER.sub(_letter, cell) for cell in row[2:])]
        for place, (run, row) in enumerate(zip(runs_of(standings), standings.rows, strict=True))
    ]
    title = say("What the data show of each run; the other runs are named by their letter.")
    return standings._replace(rows=rows, title=title)


def _letter(number: re.Match[str]) -> str:
    return ascii_uppercase[int(number[0]) - 1]


def _open(d: Difference) -> bool:
    """Return whether the data leave open which run of a pair is better."""
    return not (d.better or d.identical or d.equivalent)


def ranges(places: Iterable[int]) -> str:
    """Write numbers in ascending order, neighbours of three or more as a range; a dash for none.

    >>> ranges([5, 2, 8, 7, 6]), ranges([1, 2]), ranges([])
    ('2, 5–8', '1, 2', '–')
    """
    groups: list[list[int]] = []
    for place in sorted(places):
        if groups and place == groups[-1][-1] + 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    return ", ".join(map(_range, groups)) or DASH


def _range(group: Sequence[int]) -> str:
    return f"{group[0]}–{group[-1]}" if len(group) > 2 else ", ".join(map(str, group))
