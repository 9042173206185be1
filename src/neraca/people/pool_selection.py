"""Strategies that choose the documents of a pool to judge next, and their settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.people.pool_orders import fused, max_mean, move_to_front
from neraca.people.sample import Drawn, Stratum, draws_of, parse_strata, shuffled, stratified, uniform
from neraca.translation import say

#: Name of a strategy → its documents, in words.
STRATEGIES = {
    "depth": "every document of the pool, in a random order",
    "rrf": "in the order of reciprocal rank fusion; the first n of each question",
    "uniform": "a random sample of n documents of each question",
    "stratified": "a random sample by rank, with a share for each stratum",
    "move-to-front": "the next n of each question, from the run that found relevant ones last",
    "max-mean": "the next n of each question, from the run that found the largest share of relevant ones",
    "change": "the n documents, of all questions, that would change the difference of the runs most",
}
#: Strategies that take n; and the one of them that needs no n.
_COUNTED = ("rrf", "uniform", "move-to-front", "max-mean", "change")
_ALL = "rrf"


@dataclass(frozen=True, kw_only=True)
class Selection:
    """Settings of the choice of documents.

    Attributes
    ----------
    strategy
        One of `STRATEGIES`.
    n
        Number of documents of each question, or with `change` of all questions; None if the strategy takes no number.
    strata
        Depths of a stratified sample, rising, each with its share: `10=1 100=0.2`.
    metric
        Metric of the difference that `change` looks at.
    seed
        Seed of every random order and sample.

    Raises
    ------
    SpecError
        If the strategy is unknown, lacks a setting, or gets one that it does not take.
    """

    strategy: str = "depth"
    n: int | None = None
    strata: str = ""
    metric: str = ""
    seed: int = 0

    def __post_init__(self) -> None:
        name = self.strategy
        if name not in STRATEGIES:
            raise SpecError(
                say("no strategy is called {name!r}; {advice}", name=name, advice=nearest(name, STRATEGIES))
            )
        if name in _COUNTED and name != _ALL and self.n is None:
            raise SpecError(say("strategy {name}: give the number of documents to judge, such as -n 40", name=name))
        if name not in _COUNTED and self.n is not None:
            raise SpecError(
                say(
                    "strategy {name} takes no number of documents; one of {names} does",
                    name=name,
                    names=", ".join(_COUNTED),
                )
            )
        if self.n is not None and self.n < 1:
            raise SpecError(say("the number of documents must be at least 1, not {n}", n=self.n))
        if (name == "stratified") != bool(self.strata):
            raise SpecError(
                say("strata and the strategy stratified belong together: --strategy stratified --strata 10=1")
            )
        if self.metric and name != "change":
            raise SpecError(say("strategy {name} looks at no metric; --strategy change does", name=name))

    @cached_property
    def strata_by_depth(self) -> tuple[Stratum, ...]:
        """The strata; empty for other strategies."""
        return parse_strata(self.strata) if self.strata else ()

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that have a value."""
        return {name: value for name, value in asdict(self).items() if value not in ("", None)}


def choose(
    selection: Selection,
    question: str,
    best_rank: Mapping[str, int],
    rankings: Sequence[Sequence[str]],
    judged: Mapping[str, float],
) -> list[Drawn]:
    """Choose unjudged documents of one question, in the order of judging.

    Parameters
    ----------
    selection
        The settings; any strategy except `change`, which looks at all questions.
    question
        Id of the question, on which every random order depends.
    best_rank
        Document of the pool → its best rank in any run.
    rankings
        The ranking of each run, best document first, down to the depth of the pool.
    judged
        Document → grade.
    """
    draws = draws_of(selection.seed, question)
    open_ranks = {document: rank for document, rank in best_rank.items() if document not in judged}
    name, n = selection.strategy, selection.n or 0
    if name == "uniform":
        return uniform(open_ranks, n, draws)
    if name == "stratified":
        return stratified(open_ranks, selection.strata_by_depth, draws)
    if name == "depth":
        return [Drawn(document, "all", 1.0) for document in shuffled(open_ranks, draws)]
    if name == "rrf":
        ordered = [document for document in fused(rankings) if document in open_ranks][: selection.n]
    else:
        ordered = (move_to_front if name == "move-to-front" else max_mean)(rankings, judged, n)
    return [Drawn(document, name, float("nan")) for document in ordered]
