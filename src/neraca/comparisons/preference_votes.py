"""Votes of people and of one judge on pairs of answers to the same question."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import NamedTuple, Self

import numpy as np

from neraca.errors import SpecError
from neraca.records import Answer, Item
from neraca.runs.preferred import preferred_first, preferred_over
from neraca.runs.run import Run
from neraca.runs.verdict_table import VerdictTable
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.judge_verdicts import Judges
from neraca.verdicts.pair_decisions import answer_pairs
from neraca.verdicts.pairs_not_shown import Pair, Reason, pairs_not_shown
from neraca.verdicts.source import is_human, judge_of, matches


class Vote(NamedTuple):
    """A vote on two answers: `value` is 1 if the answer of run `first` is better, 0.5 if even, 0 if worse.

    `by` has no hash of a prompt.  `in_order`: the vote is for one order, with the answer of `first` first, or left.
    """

    first: int
    second: int
    item: str
    trial: int
    by: str
    value: float
    in_order: bool = False


@dataclass(frozen=True, eq=False)
class Votes:
    """All comparisons of the answers of some runs.

    Attributes
    ----------
    runs
        The runs whose answers were compared; votes name them by number.
    decisions
        One vote of each voter on each pair that the voter was shown.
    orders
        The votes of the same voters in each order of the answers, if the order was kept.
    not_shown
        What follows from the answers alone, on pairs that nobody was shown: one vote of each voter on each pair, so
        that a question weighs the same whether its answers differ or not.
    reasons
        Pair that nobody was shown → why it needs no rating.
    """

    runs: tuple[Run, ...]
    decisions: tuple[Vote, ...]
    orders: tuple[Vote, ...]
    not_shown: tuple[Vote, ...] = ()
    reasons: Mapping[Pair, Reason] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Sequence[Run], by: str = "") -> Self:
        """Collect the votes of people.  For pairs without a person's vote, use the votes of one judge.

        With `by`, only the source of this name counts.

        Raise `SpecError` if there are several judges and `by` names none of them, or `by` compared nothing.  Raise
        `InputError` if a verdict is on an item that a run does not have.
        """
        tables = [current_verdicts(run) for run in runs]
        only_people = is_human(by)
        judge = {} if only_people else _judge(Judges.of(tables), [run.name for run in runs], by)
        decided: defaultdict[Pair, dict[str, Vote]] = defaultdict(dict)
        ordered: defaultdict[Pair, list[Vote]] = defaultdict(list)
        not_shown: defaultdict[Pair, dict[str, Vote]] = defaultdict(dict)
        rows_not_shown = pairs_not_shown(runs, tables)
        reasons = {pair: reason for of_run in rows_not_shown for pair, reason in of_run.values()}
        for number, table in enumerate(tables):
            for row, vote in _votes(number, table, runs):
                person = is_human(vote.by) and (matches(vote.by, by) if only_people else not by)
                if not person and vote.by != judge.get(vote.second):
                    continue
                vote = vote._replace(by=judge_of(vote.by))
                if vote.in_order:
                    ordered[_pair(vote)].append(vote)
                else:
                    votes_of_pair = not_shown if row in rows_not_shown[number] else decided
                    votes_of_pair[_pair(vote)].setdefault(vote.by, vote)
        counting = _people_first(decided)
        decisions = [vote for votes in counting.values() for vote in votes.values()]
        orders = [vote for pair, votes in counting.items() for vote in ordered[pair] if vote.by in votes]
        certain = _people_first({pair: votes for pair, votes in not_shown.items() if pair not in counting})
        votes_not_shown = [vote for votes in certain.values() for vote in votes.values()]
        why = {pair: reasons[pair] for pair in certain}
        return cls(tuple(runs), tuple(decisions), tuple(orders), tuple(votes_not_shown), why)

    @property
    def all(self) -> tuple[Vote, ...]:
        """The votes on pairs that were shown, and what follows from the answers of the others."""
        return *self.decisions, *self.not_shown

    @cached_property
    def with_orders(self) -> tuple[Vote, ...]:
        """The votes on each pair in each order of the two answers; the decision if no order is stored."""
        in_orders = {(_pair(vote), vote.by) for vote in self.orders}
        return (*self.orders, *(vote for vote in self.all if (_pair(vote), vote.by) not in in_orders))

    @property
    def judges(self) -> Mapping[str, int]:
        """Voter → number of pairs compared; the most first."""
        return dict(Counter(vote.by for vote in self.decisions).most_common())

    @cached_property
    def decided(self) -> Mapping[str, int]:
        """Voter → number of decisions on different answers, the most first; their copies for equal answers count once.

        A voter who was shown two answers decided once, though the decision counts for every two runs that gave them.
        """
        pairs = answer_pairs(self.runs)
        keys = ((vote.by, pairs.decided(vote.item, vote.trial, vote.first, vote.second)) for vote in self.decisions)
        return dict(Counter(by for by, _ in dict.fromkeys(keys)).most_common())

    @property
    def flips(self) -> tuple[int, int]:
        """The number of decisions that changed with the order, and the number of pairs seen in both orders."""
        values_by_first: defaultdict[tuple[Pair, str], dict[int, float]] = defaultdict(dict)
        for vote in self.orders:
            values_by_first[_pair(vote), vote.by][vote.first] = vote.value
        in_both_orders = [tuple(values.values()) for values in values_by_first.values() if len(values) > 1]
        return sum(value != 1 - reversed_value for value, reversed_value in in_both_orders), len(in_both_orders)

    @cached_property
    def items(self) -> Mapping[str, Item]:
        """Id → question."""
        return {item.id: item for run in self.runs for item in run.items}

    @cached_property
    def answers(self) -> Sequence[Mapping[tuple[str, int], Answer]]:
        """(item, trial) → answer, for each run."""
        return [run.answers() for run in self.runs]

    @property
    def pairs(self) -> int:
        """The number of pairs of complete answers to one question."""
        complete_keys = [{key for key, answer in answers.items() if not answer.left_out} for answers in self.answers]
        return sum(len(keys_a & keys_b) for keys_a, keys_b in combinations(complete_keys, 2))

    @property
    def compared(self) -> int:
        """The number of pairs of answers that somebody compared, or that nobody needed to compare."""
        return len(set(map(_pair, self.all)))


def _judge(judges: Judges, runs: Sequence[str], by: str) -> dict[int, str]:
    """Return the judge of the verdicts over each run, by its number; with several prompts, the one used last."""
    aspects = [preferred_over(name) for name in runs]
    judges.choose(aspects, by)
    judge_by_run = {place: judges.choose([aspect], default=judge_of(by)) for place, aspect in enumerate(aspects)}
    if by and not any(judge_by_run.values()):
        raise SpecError(f"by={by}: it compared no answers of these runs; without --by, everybody's word counts")
    return judge_by_run


def _people_first(decided: Mapping[Pair, Mapping[str, Vote]]) -> dict[Pair, Mapping[str, Vote]]:
    """Return, for each pair, voter → vote: those of people if there are any."""
    return {pair: {by: vote for by, vote in votes.items() if is_human(by)} or votes for pair, votes in decided.items()}


def _votes(number: int, table: VerdictTable, runs: Sequence[Run]) -> list[tuple[int, Vote]]:
    """Return the votes in the folder of one run, each with its row: its answers compared with those of other runs."""
    other_runs = {place: run.name for place, run in enumerate(runs) if place != number}
    aspects = {preferred_over(name): (place, False) for place, name in other_runs.items()}
    aspects |= {preferred_first(name): (place, True) for place, name in other_runs.items()}
    rows = np.flatnonzero(table.about.isin(["answer"]) & table.aspect.isin(aspects)).tolist()
    return [
        (row, Vote(number, aspects[v.aspect][0], v.item, v.trial, v.by, v.value, aspects[v.aspect][1]))
        for row, v in ((row, table[row]) for row in rows)
        if v.value is not None
    ]


def _pair(vote: Vote) -> Pair:
    return vote.item, vote.trial, min(vote.first, vote.second), max(vote.first, vote.second)
