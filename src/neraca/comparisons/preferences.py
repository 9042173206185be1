"""Rank runs by many comparisons of two answers each, by people or judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.comparisons.preference_votes import Vote, Votes
from neraca.errors import InputError, SpecError
from neraca.number_format import number, span
from neraca.result import Table, Tabular
from neraca.runs.run import Run
from neraca.scores.scoring import check_level
from neraca.scores.unit import Unit, clusters_of, enough, unit_of
from neraca.stats.agreement.bradley_terry import Strengths, bradley_terry, connected_groups
from neraca.stats.intervals.interval import Estimate, Floats
from neraca.unicode_words import unicode_words
from neraca.verdicts.pairs_not_shown import IDENTICAL, NO_TEXT, count_pairs

#: Effects on preferences besides the runs.
POSITION, LENGTH = "position", "length"
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Standing:
    """The strength of one run, with its wins and losses.

    Attributes
    ----------
    run
        The name of the run.
    preferred
        The mean chance that its answer is preferred to another run's; a tie counts half.
    strength
        Log odds above the mean of all runs.
    wins, ties, losses
        The numbers of comparisons with each outcome, by people or a judge who were shown the two answers.
    identical, no_text
        The numbers of pairs of its answers that nobody was shown: two identical answers, which are even, and two of
        which only one has a text, which is better.  They count in `preferred` and `strength`.
    """

    run: str
    preferred: float
    strength: Estimate
    wins: int
    ties: int
    losses: int
    identical: int = 0
    no_text: int = 0


@dataclass(frozen=True, slots=True)
class PairStanding:
    """The decisions between the answers of two runs.

    Attributes
    ----------
    run, other
        The names of the runs, the stronger first.
    wins, ties, losses
        The numbers of comparisons that `run` won, of ties, and of those that `other` won.
    chance
        The chance by the model that the answer of `run` is preferred, from all comparisons of all runs.
    """

    run: str
    other: str
    wins: int
    ties: int
    losses: int
    chance: Estimate

    def row(self) -> dict[str, Any]:
        """Return the pair as a flat row."""
        counts = {"wins": self.wins, "ties": self.ties, "losses": self.losses}
        interval = {"chance": self.chance.value, "chance_low": self.chance.low, "chance_high": self.chance.high}
        return {"run": self.run, "other": self.other, **counts, **interval}


@dataclass(frozen=True, eq=False, repr=False)
class Preferences(Tabular):
    """Runs, the most preferred first; prints as a table.

    Attributes
    ----------
    votes
        The comparisons.
    strengths
        The fitted strengths, in the order of `votes.runs`.
    effects
        The effects in the model besides the runs: `position`, `length`.
    not_told
        Effects that could not be in the model → the reason.
    unit
        The unit that counts as one observation.
    """

    votes: Votes
    strengths: Strengths
    effects: tuple[str, ...]
    not_told: Mapping[str, str]
    unit: Unit

    @cached_property
    def standings(self) -> tuple[Standing, ...]:
        """The standing of each run, the strongest first."""
        counts = [[0, 0, 0] for _ in self.votes.runs]
        for vote in self.votes.decisions:
            outcome = 0 if vote.value > 0.5 else 2 if vote.value < 0.5 else 1
            counts[vote.first][outcome] += 1
            counts[vote.second][2 - outcome] += 1
        not_shown = [
            count_pairs({pair: reason for pair, reason in self.votes.reasons.items() if place in pair[2:]})
            for place in range(len(self.votes.runs))
        ]
        standings = [
            Standing(
                run.name,
                self.strengths.share(place),
                self.strengths.strength(place),
                *counts[place],
                *(not_shown[place][reason] for reason in (IDENTICAL, NO_TEXT)),
            )
            for place, run in enumerate(self.votes.runs)
        ]
        return tuple(sorted(standings, key=lambda standing: -standing.strength.value))

    @cached_property
    def pairs(self) -> tuple[PairStanding, ...]:
        """The decisions between every two runs, in the order of the standings."""
        names = [run.name for run in self.votes.runs]
        counts = {pair: [0, 0, 0] for pair in permutations(names, 2)}
        for vote in self.votes.decisions:
            outcome = 0 if vote.value > 0.5 else 2 if vote.value < 0.5 else 1
            counts[names[vote.first], names[vote.second]][outcome] += 1
            counts[names[vote.second], names[vote.first]][2 - outcome] += 1
        ranked = combinations([standing.run for standing in self.standings], 2)
        standings = []
        for run, other in ranked:
            wins, ties, losses = counts[run, other]
            standings.append(PairStanding(run, other, wins, ties, losses, self.chance(run, other)))
        return tuple(standings)

    @cached_property
    def shown(self) -> dict[str, float]:
        """Run → `preferred` of the pairs that somebody was shown, alone; {} if it is the same or cannot be said."""
        votes = self.votes
        if not votes.not_shown or not votes.decisions or self.effects:
            return {}
        first, second, won = _arrays(votes.decisions)
        if connected_groups(first, second, len(votes.runs)).any():
            return {}
        strengths = bradley_terry(first, second, won)
        return {run.name: strengths.share(place) for place, run in enumerate(votes.runs)}

    def chance(self, run: str, other: str) -> Estimate:
        """Return the chance that people prefer the answer of one run to another run's, all else being equal."""
        names = [run.name for run in self.votes.runs]
        return self.strengths.chance(names.index(run), names.index(other))

    def effect(self, name: str) -> Estimate:
        """Return the effect of `position` (being shown first) or `length` on the log odds."""
        return self.strengths.effect(self.effects.index(name))

    def _tables(self) -> Iterator[Table]:
        columns = ["run", "preferred", "strength", "interval", "wins", "ties", "losses", *self.columns_not_shown]
        names = ("wins", "ties", "losses", *self.columns_not_shown.values())
        rows = [
            [
                *(standing.run, f"{standing.preferred:.1%}", number(standing.strength.value, 2)),
                span(standing.strength.low, standing.strength.high, 2) or "–",
                *(f"{getattr(standing, name):,}" for name in names),
            ]
            for standing in self.standings
        ]
        yield Table(columns, rows)

    @property
    def columns_not_shown(self) -> dict[str, str]:
        """Heading → field of the counts of pairs that nobody was shown; those that are 0 in all runs are left out."""
        fields = {IDENTICAL: "identical", NO_TEXT: "no_text"}
        return {name: field for name, field in fields.items() if name in self.votes.reasons.values()}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row {run, preferred, strength, low, high, wins, ties, losses, n} for each run, strongest first.

        If there are pairs that nobody was shown, {identical, no_text} count them, and `preferred_shown` is `preferred`
        without them, None if it cannot be said.  For each effect a row {effect, strength, low, high, n} follows.
        """
        runs = [
            {
                "run": standing.run,
                "preferred": standing.preferred,
                **_flat(standing.strength),
                "wins": standing.wins,
                "ties": standing.ties,
                "losses": standing.losses,
                "n": standing.wins + standing.ties + standing.losses,
                **self._flat_not_shown(standing),
            }
            for standing in self.standings
        ]
        return [*runs, *({"effect": name, **_flat(self.effect(name)), "n": self.strengths.n} for name in self.effects)]

    def _flat_not_shown(self, standing: Standing) -> dict[str, Any]:
        if not self.votes.not_shown:
            return {}
        counts = {"identical": standing.identical, "no_text": standing.no_text}
        return counts | {"preferred_shown": self.shown.get(standing.run)}


def _flat(estimate: Estimate) -> dict[str, float]:
    return {"strength": estimate.value, "low": estimate.low, "high": estimate.high}


def preferences(
    runs: Iterable[Run | str | Path],
    *,
    by: str = "",
    position: bool = False,
    length: bool = False,
    level: float = 0.95,
    unit: str = "auto",
) -> Preferences:
    """Rank several runs by comparisons of pairs of their answers.

    Strengths follow the model of Bradley and Terry; a tie is half a win for each, see `bradley_terry`.  All comparisons
    on one question, or in one session, are one observation.  Two identical answers are even without being shown, and an
    answer with a text beats one without: they count in the strengths, apart from what people or a judge decided.

    Parameters
    ----------
    runs
        At least two runs with different names.
    by
        The source that counts, as in `Verdict.by`; "": all people, and the one judge for answers that no person
        compared.
    position
        Whether to estimate the effect of being shown first; each comparison then counts in the order that was shown.
    length
        Whether to estimate the effect of length: (words of the first - words of the second) / (words of both).
    level, unit
        See `score`.

    Raises
    ------
    SpecError
        If there are fewer than two runs, two runs have the same name, or several judges decided and none is named.
    InputError
        If nobody compared the runs, or no chain of comparisons connects some of them.

    References
    ----------
    Chiang, W.-L. and others (2024). Chatbot Arena: an open platform for evaluating LLMs by human preference. ICML;
    Dubois, Y. and others (2024). Length-controlled AlpacaEval. COLM.
    """
    opened = [run if isinstance(run, Run) else Run(run) for run in runs]
    names = [run.name for run in opened]
    check_level(level)
    if len(opened) < 2:
        raise SpecError("name at least two runs whose answers were compared")
    if twice := next((name for name in names if names.count(name) > 1), ""):
        folders = " and ".join(str(run.path) for run in opened if run.name == twice)
        raise SpecError(f"two runs are called {twice!r}: {folders}; leave out the copy, or rename one of the folders")
    votes = Votes.of(opened, by)
    _check_joined(votes, names)
    comparisons = votes.with_orders if position else votes.all
    first, second, won = _arrays(comparisons)
    covariate_values = {POSITION: _position(comparisons)} if position else {}
    covariate_values |= {LENGTH: _length(votes, comparisons)} if length else {}
    covariates, confounded = _separable(first, second, covariate_values)
    observation_unit, clusters = _clusters(votes, comparisons, unit)
    columns = np.stack(list(covariates.values()), axis=1) if covariates else None
    strengths = bradley_terry(first, second, won, covariates=columns, clusters=clusters, level=level)
    return Preferences(votes, strengths, tuple(covariates), confounded, observation_unit)


def _arrays(votes: Sequence[Vote]) -> tuple[Ints, Ints, Floats]:
    first, second = (np.array([vote[column] for vote in votes], dtype=np.int64) for column in (0, 1))
    return first, second, np.array([vote.value for vote in votes])


def _check_joined(votes: Votes, names: Sequence[str]) -> None:
    """Raise `InputError` if some runs cannot be ranked together."""
    if not votes.all:
        raise InputError(
            f"nobody compared the answers of {', '.join(names)}; let a model do so (neraca judge RUN RUN --judge "
            "pairwise --model …), or people (neraca rate RUN RUN --kind pair)"
        )
    first, second, _ = _arrays(votes.all)
    groups = connected_groups(first, second, len(names))
    if groups.any():
        separate = [name for name, group in zip(names, groups.tolist(), strict=True) if group != groups[0]]
        raise InputError(
            f"no chain of comparisons leads from {names[0]} to {', '.join(separate)}; compare some of their answers "
            "too, or leave them out"
        )


def _position(votes: Sequence[Vote]) -> Floats:
    return np.array([float(vote.in_order) for vote in votes])


def _length(votes: Votes, comparisons: Sequence[Vote]) -> Floats:
    """Return how much longer the first answer is, from -1 to 1, shape (n,)."""
    word_counts: dict[tuple[int, str, int], int] = {}

    def count_words(run: int, vote: Vote) -> int:
        key = run, vote.item, vote.trial
        if key not in word_counts:
            answer = votes.answers[run].get(key[1:])
            word_counts[key] = len(unicode_words(answer.text)) if answer and answer.replied else 0
        return word_counts[key]

    pairs = [(count_words(vote.first, vote), count_words(vote.second, vote)) for vote in comparisons]
    return np.array([(n1 - n2) / (n1 + n2) if n1 + n2 else 0.0 for n1, n2 in pairs])


def _separable(
    first: Ints, second: Ints, covariate_values: Mapping[str, Floats]
) -> tuple[dict[str, Floats], dict[str, str]]:
    """Return the effects that can be separated from the runs' own effects, and reasons why others cannot."""
    k = int(max(first.max(), second.max())) + 1
    design = np.eye(k)[first] - np.eye(k)[second]
    separable, confounded = dict[str, Floats](), dict[str, str]()
    for name, values in covariate_values.items():
        wider = np.column_stack([design, values])
        if not values.any():
            reasons = {POSITION: "it was not kept which answer stood first", LENGTH: "all answers are equally long"}
            confounded[name] = reasons[name]
        elif np.linalg.matrix_rank(wider) == np.linalg.matrix_rank(design):
            confounded[name] = "it goes together with the runs, so that nobody can tell which of the two it was"
        else:
            separable[name], design = values, wider
    return separable, confounded


def _clusters(votes: Votes, comparisons: Sequence[Vote], unit_name: str) -> tuple[Unit, Ints]:
    """Return the unit that counts as one observation, and the observation of each vote."""
    compared = {vote.item for vote in comparisons}
    items = [item for item in votes.items.values() if item.id in compared]
    names = sorted({name for item in items for name in item.tags})
    tags = {name: Categorical.of(item.tags.get(name, "") for item in items) for name in names}
    unit, groups = unit_of(unit_name, clusters_of(item.session for item in items), tags)
    place = {item.id: group for item, group in zip(items, enough(groups).tolist(), strict=True)}
    return unit, np.array([place[vote.item] for vote in comparisons], dtype=np.int64)
