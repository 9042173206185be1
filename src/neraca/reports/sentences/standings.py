"""Say how many runs compare with each other by counts and a small table: sentences on every pair would be too long."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from string import ascii_uppercase

from neraca.comparisons.difference import Difference
from neraca.counts_and_lists import count
from neraca.number_format import DASH, integer, number
from neraca.reports.sentences.parts import CROWD, Facts
from neraca.result import Table
from neraca.translation import say


def is_crowd(facts: Facts) -> bool:
    """Return whether a table of the runs takes the place of sentences: there are many."""
    return len(facts.scores) >= CROWD and any(d.tested for d in facts.differences)


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
    """Return a row for each run, the best first: its value, and the letters of the runs that it is better than.

    The letters are those of `letters_of`; without letters the runs have numbers.  Runs that are equal on all questions,
    and those that the data show to be as good as each other within a margin, have a column if there are any.
    """
    sign = -1 if facts.higher_is_better else 1
    ordered = sorted(facts.scores, key=lambda score: (math.isnan(score.value), sign * score.value))
    places = {score.run: place for place, score in enumerate(ordered, 1)}
    letters = letters_of([*places])
    signs = [letters.get(run, integer(place)) for run, place in places.items()]
    columns: dict[str, Callable[[str, Difference], bool]] = {
        say("Better than"): lambda run, d: d.better == run,
        say("Not shown"): lambda _, d: _open(d),
        say("Worse than"): lambda run, d: bool(d.better) and d.better != run,
        say("Equal on all questions"): lambda _, d: d.identical,
        say("As good as"): lambda _, d: not d.better and not d.identical and d.equivalent,
    }
    rows = []
    for sign_of_run, score in zip(signs, ordered, strict=True):
        own = [d for d in facts.differences if score.run in (d.a, d.b)]
        others = [[places[d.other(score.run)] for d in own if belongs(score.run, d)] for belongs in columns.values()]
        value = DASH if math.isnan(score.value) else number(score.value)
        rows.append([f"{sign_of_run}. {score.run}", value, *(ranges(other, signs) for other in others)])
    titles = [say("Run"), facts.metric, *columns]
    for column in (-2, -1):
        if all(row[column] == DASH for row in rows):
            rows, titles = [_without(row, column) for row in rows], _without(titles, column)
    title = say("What the data show of each run; the other runs are named by their number in this table.")
    if letters:
        title = say("What the data show of each run; the other runs are named by their letter.")
    if facts.baseline:
        title += f" {say('Each run was compared with {baseline} only.', baseline=facts.baseline)}"
    return Table(titles, rows, title, name="standings")


def _without(cells: list[str], column: int) -> list[str]:
    return [cell for place, cell in enumerate(cells) if place != len(cells) + column]


def letters_of(runs: Sequence[str]) -> dict[str, str]:
    """Return a capital letter for each run, in this order, so that a report has one sign for a run everywhere.

    Empty for more than 26 runs, and if a letter is the name of a run.

    >>> letters_of(["new", "old"]), letters_of(["B", "old"])
    ({'new': 'A', 'old': 'B'}, {})
    """
    letters = dict(zip(runs, ascii_uppercase, strict=False))
    return letters if len(letters) == len(runs) and not {*letters.values()} & {*runs} else {}


def runs_of(standings: Table) -> list[str]:
    """Return the names of the runs in a table of many runs, the best first."""
    return [row[0].partition(". ")[2] for row in standings.rows]


def _open(d: Difference) -> bool:
    """Return whether the data leave open which run of a pair is better."""
    return not (d.better or d.identical or d.equivalent)


def ranges(places: Iterable[int], signs: Sequence[str]) -> str:
    """Write the signs of places, counted from 1, in ascending order: three neighbours or more as a range.

    A dash stands for no place.

    >>> ranges([5, 2, 8, 7, 6], "ABCDEFGH"), ranges([1, 2], "AB"), ranges([], "AB")
    ('B, E–H', 'A, B', '–')
    """
    groups: list[list[int]] = []
    for place in sorted(places):
        if groups and place == groups[-1][-1] + 1:
            groups[-1].append(place)
        else:
            groups.append([place])
    return ", ".join(_range([signs[place - 1] for place in group]) for group in groups) or DASH


def _range(group: Sequence[str]) -> str:
    return f"{group[0]}–{group[-1]}" if len(group) > 2 else ", ".join(group)
