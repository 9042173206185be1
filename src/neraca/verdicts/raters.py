"""The joint verdict of several people on one thing: one rule for each kind of verdict.

A person's newest verdict replaces older ones of the same person.  Between people, ratings on a scale take the mean,
graded relevance takes the lower median, and yes or no takes the majority.  A tie is undecided, and metrics treat it as
unjudged.  With the rule `newest`, all verdicts of the latest time decide by majority.  The order in which people were
imported never matters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, cast, get_args

import numpy as np
from msgspec.structs import replace as replace_fields
from numpy.typing import NDArray

from neraca.errors import SpecError
from neraca.records import Verdict
from neraca.runs.preferred import is_of_one_order
from neraca.runs.verdict_table import Ints, VerdictTable, last_of_each, moments, times
from neraca.verdicts.source import is_human, matches, source_of
from neraca.verdicts.undecided import Decisions, Open, Place

Floats = NDArray[np.float64]

Rule = Literal["newest", "median", "majority", "mean"]
RELEVANCE, EXPECTS = "relevance", "expects"
#: The aspect of a note of a person, which stands in `why` of a verdict without a value.
NOTE = "note"
#: Aspects that are rated on a scale, even if only the grades 0 and 1 occur.
SCALES = ("quality", "relevant_count", "first_relevant_rank", "overall_precision", "precision_at_5", "mrr")
#: Aspects whose meaning is yes or no.
YES_NO = ("success", EXPECTS, "valid", "supported", "goal", "declines")
#: `by` of the joint verdict of several people.
TOGETHER = "human:all raters"
#: The rule in words, as reports print it.
_IN_WORDS = {"mean": "mean", "median": "lower median", "majority": "majority", "newest": "newest word"}


def read_rule(combine: str) -> Rule | None:
    """Return the rule between raters that a user chose; None if the kind of verdict decides."""
    if not combine:
        return None
    for rule in get_args(Rule):
        if combine == rule:
            return cast("Rule", rule)
    raise SpecError(f"no rule between raters is called {combine!r}; known: {', '.join(sorted(get_args(Rule)))}")


def rule_in_words(rule: Rule) -> str:
    """Return the name of a rule as reports print it."""
    return _IN_WORDS[rule]


@dataclass(frozen=True)
class Kinds:
    """Declared kinds of rated aspects: graded on a scale, or yes and no."""

    scales: frozenset[str] = frozenset(SCALES)
    yes_no: frozenset[str] = frozenset(YES_NO)

    def declare(self, aspect: str) -> bool:
        """Return whether the kind of an aspect is declared, so that it need not be guessed."""
        return aspect in self.scales or aspect in self.yes_no


def rule_of(aspect: str, values: Floats, combine: Rule | None = None, kinds: Kinds | None = None) -> Rule:
    """Return the rule between people for one aspect, from all values that people gave on it in all runs.

    The kind of an undeclared aspect is guessed: it is yes or no if every value is 0 or 1.  Whether a question expects
    results is yes or no with nothing between, so the majority replaces the mean.

    >>> [rule_of(aspect, np.array([0.0, most])) for aspect, most in (("relevance", 2), ("polite", 1), ("quality", 5))]
    ['median', 'majority', 'mean']
    """
    if combine:
        return "majority" if (combine, aspect) == ("mean", EXPECTS) else combine
    kinds = kinds or Kinds()
    if aspect in kinds.yes_no and aspect not in kinds.scales:
        return "majority"
    if aspect not in kinds.scales and np.isin(values[~np.isnan(values)], (0.0, 1.0)).all():
        return "majority"
    return "median" if aspect == RELEVANCE else "mean"


def agreed(votes: Floats, rule: Rule) -> float:
    """Return the joint value of several people; NaN if no value has a majority.

    `votes`, shape (v,), are the values that `deciding` selects.

    >>> votes = np.array([2.0, 1.0])
    >>> agreed(votes, "mean"), agreed(votes, "median"), agreed(votes, "majority"), agreed(votes[-1:], "newest")
    (1.5, 1.0, nan, 1.0)
    """
    if rule == "mean":
        return float(votes.mean())
    if rule == "median":
        return float(np.sort(votes)[(len(votes) - 1) // 2])
    values, counts = np.unique(votes, return_counts=True)
    most = int(counts.argmax())
    return float(values[most]) if 2 * counts[most] > len(votes) else np.nan


def deciding(rows: Ints, moment: Ints, rule: Rule) -> Ints:
    """Return the rows of the votes that decide, oldest first: with `newest` only the latest moment's, else all.

    >>> rows, moment = np.array([4, 5, 6]), np.array([1, 2, 2])
    >>> deciding(rows, moment, "newest").tolist(), deciding(rows, moment, "mean").tolist()
    ([5, 6], [4, 5, 6])
    """
    return rows[moment == moment[-1]] if rule == "newest" else rows


def said_in_two_ways(key: Ints, time: Ints, value: Floats) -> NDArray[np.bool_]:
    """Return for each verdict whether it is the newest with its key and contradicts another one of the same time.

    >>> said_in_two_ways(np.array([1, 1, 2, 2]), np.array([5, 5, 5, 6]), np.array([0.0, 1, 0, 1])).tolist()
    [True, True, False, False]
    """
    contradictory = np.zeros(len(key), dtype=bool)
    if not len(key):
        return contradictory
    order = np.lexsort((time, key))
    starts = np.flatnonzero(np.diff(key[order], prepend=key[order[0]] - 1))
    lengths = np.diff(starts, append=len(key))
    newest = time[order] == np.repeat(time[order][starts + lengths - 1], lengths)
    least = np.minimum.reduceat(np.where(newest, value[order], np.inf), starts)
    most = np.maximum.reduceat(np.where(newest, value[order], -np.inf), starts)
    contradictory[order] = newest & np.repeat(least < most, lengths)
    return contradictory


@dataclass(frozen=True)
class Together:
    """The joint decisions of several people on one aspect.

    Attributes
    ----------
    rule
        The rule that combined their values.
    places
        The number of things on which several people decided.
    raters
        The largest number of people on one thing.
    guessed
        Whether the rule was guessed from the values: yes or no if all are 0 or 1.  It is not guessed if people only
        reviewed the yes or no of rules.
    open
        The things on which no value has a majority, with the values that people gave.
    """

    rule: Rule
    places: int = 0
    raters: int = 0
    guessed: bool = False
    open: Open = field(default_factory=dict)

    @property
    def undecided(self) -> int:
        """The number of things on which no value has a majority."""
        return len(self.open)

    @property
    def in_words(self) -> str:
        """The rule in words, as reports print it."""
        return _IN_WORDS[self.rule]


def raters_together(
    tables: Sequence[VerdictTable],
    combine: Rule | None = None,
    decisions: Decisions | None = None,
    source: str = "",
    kinds: Kinds | None = None,
) -> tuple[list[VerdictTable], dict[str, Together]]:
    """Add to the verdicts of each run one by `TOGETHER` wherever several people decided on the same thing.

    The joint verdict is the newest in its place, so it counts if `human` is the source, but not if one person is.  Its
    `why` names the rule, the raters and their values.  If no value has a majority, `decisions` give the value, or it
    stays undecided.  Only people of the source `source` count.  Return the tables, and the joint decisions by aspect.
    """
    people = [_newest_of_people(table, source) for table in tables]
    values: dict[str, list[Floats]] = {}
    for table, rows in zip(tables, people, strict=True):
        aspects = table.aspect.codes[rows]
        for code in np.unique(aspects).tolist():
            if not is_of_one_order(table.aspect.words[code]):
                values.setdefault(table.aspect.words[code], []).append(table.value[rows[aspects == code]])
    declared = kinds or Kinds()
    reviewed = values.keys() - _not_decided_by_rules(tables, people)
    combined = {}
    for aspect, parts in values.items():
        rule = rule_of(aspect, np.concatenate(parts), combine, declared)
        guessed = not combine and not declared.declare(aspect) and aspect not in reviewed
        combined[aspect] = Together(rule, guessed=guessed)
    extended = []
    open_places: dict[str, dict[Place, tuple[float, ...]]] = {}
    for run, (table, rows) in enumerate(zip(tables, people, strict=True)):
        verdicts = []
        for votes in _several(table, rows):
            aspect = table.aspect[int(votes[0])]
            if aspect not in combined:
                continue
            together = combined[aspect]
            combined[aspect] = replace(together, places=together.places + 1, raters=max(together.raters, len(votes)))
            counting = table.value[deciding(votes, moments(table.at.take(votes)), together.rule)]
            value = agreed(counting, together.rule)
            if value != value:
                newest = table[int(votes[-1])]
                place = Place(run, newest.item, newest.trial, newest.about, aspect)
                open_places.setdefault(aspect, {})[place] = tuple(np.unique(counting).tolist())
                value = (decisions or {}).get(place, np.nan)
            verdicts.append(_together(table, votes, together.rule, value))
        extended.append(VerdictTable.joined([table, VerdictTable.made(verdicts)]) if verdicts else table)
    joint = {
        aspect: replace(together, open=open_places.get(aspect, {}))
        for aspect, together in combined.items()
        if together.places
    }
    return extended, joint


def is_one_person(by: str) -> bool:
    """Return whether a verdict is by one person, and not by several together."""
    return is_human(by) and by != TOGETHER


def _newest_of_people(table: VerdictTable, source: str = "") -> Ints:
    """Return the rows of each person's newest verdict in each place, oldest first; without verdicts that have no value.

    Only people of the source `source` count.  Of two verdicts with the same time, the later line counts.
    """
    rows = np.flatnonzero(table.by.where(lambda name: is_human(name) and matches(name, source)))
    if not len(rows):
        return rows
    part = table.take(rows).dated()
    rows = rows[np.argsort(times(part.at), kind="stable")]
    rows = rows[last_of_each(table.take(rows).key("item", "trial", "about", "aspect", "by"))]
    return rows[~np.isnan(table.value[rows])]


def _not_decided_by_rules(tables: Sequence[VerdictTable], people: Sequence[Ints]) -> set[str]:
    """Return the aspects on which people decided anything that no rule had decided as yes or no."""
    aspects: set[str] = set()
    for table, rows in zip(tables, people, strict=True):
        place = table.key("item", "trial", "about", "aspect")
        by_rules = table.by.where(lambda name: source_of(name) == "rules") & np.isin(table.value, (0.0, 1.0))
        others = rows[~np.isin(place[rows], place[by_rules])]
        aspects.update(table.aspect.words[code] for code in np.unique(table.aspect.codes[others]).tolist())
    return aspects


def _several(table: VerdictTable, rows: Ints) -> Iterator[Ints]:
    """Yield the rows, oldest first, of each place on which several people decided."""
    if len(rows):
        place = table.take(rows).key("item", "trial", "about", "aspect")
        order = np.argsort(place, kind="stable")
        starts = np.flatnonzero(np.diff(place[order]) != 0) + 1
        yield from (votes for votes in np.split(rows[order], starts) if len(votes) > 1)


def _together(table: VerdictTable, votes: Ints, rule: Rule, value: float) -> Verdict:
    """Return the joint verdict of several people; a NaN value is undecided."""
    newest = table[int(votes[-1])]
    values = ", ".join(sorted(f"{table.by[row].partition(':')[2]} {table.value[row]:g}" for row in votes.tolist()))
    level = ", which is level" if value != value else ""
    return replace_fields(
        newest,
        by=TOGETHER,
        value=None if value != value else value,
        status="unscored" if value != value else "decided",
        why=f"{_IN_WORDS[rule]} of {len(votes)} raters{level}: {values}",
    )
