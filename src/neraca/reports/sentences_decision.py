"""The decision in plain words, for the first thing that a reader sees: who is best, by how much, what is not shown.

No statistical term stands here; the sentences of the tests come below.  As there, nobody is called better unless the
test said so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from neraca.comparisons.difference import Difference
from neraca.reports import sentences_margin
from neraca.reports.number_format import listed, number, some
from neraca.reports.sentences_parts import Facts, ahead, diagnostic, leaders, opposed, size


@dataclass(frozen=True)
class Decision:
    """What was decided.

    Attributes
    ----------
    sentence
        Who is best and by how much, or that there is no winner.
    shown, unshown
        Which run is better than which; between which the data do not decide.  "" where there is nothing to say.
    """

    sentence: str
    shown: str = ""
    unshown: str = ""


def decision(facts: Facts, headline: str) -> Decision:
    """Say what was decided in the primary metric; where no pair was tested the headline of the tests says it."""
    tested = [d for d in facts.differences if d.tested]
    known = [score for score in facts.scores if not math.isnan(score.value)]
    if len(known) < 2 or not tested or diagnostic(facts.metric):
        return Decision(headline)
    won = [d for d in facts.differences if d.better]
    shown = some([f"{d.better} better than {d.other(d.better)}" for d in won]) if len(facts.scores) > 2 else ""
    return Decision(_sentence(facts, won), shown, _unshown(facts))


def _sentence(facts: Facts, won: Sequence[Difference]) -> str:
    runs = [score.run for score in facts.scores]
    beaten = {run: [d for d in won if d.better == run] for run in runs}
    if facts.baseline:
        return _against(facts, facts.baseline)
    if winner := next((run for run in runs if len(beaten[run]) == len(runs) - 1), ""):
        return _winner(facts, winner, beaten[winner])
    if all(d.identical for d in facts.differences):
        return f"No difference: {listed(runs)} have the same {facts.metric} on every question."
    if all(d.equivalent for d in facts.differences) and (e := facts.differences[0].equivalence):
        return f"{listed(runs)} are as good as each other in {facts.metric} {sentences_margin.within(e)}."
    return _no_winner(facts, beaten)


def _winner(facts: Facts, winner: str, over: Sequence[Difference]) -> str:
    nearest = min(over, key=lambda d: abs(d.difference))
    side = "above" if facts.higher_is_better else "below"
    lead = f"{facts.metric} {number(facts.score(winner).value)}, {size(nearest.difference)} {side}"
    said = "is best" if len(facts.scores) > 2 else f"is better than {nearest.other(winner)}"
    return f"{winner} {said}: {lead} {nearest.other(winner)}{facts.lower}."


def _no_winner(facts: Facts, beaten: dict[str, list[Difference]]) -> str:
    first = leaders(facts)
    value = f"{facts.metric} {number(facts.score(first[0]).value)}{facts.lower}"
    if len(first) > 1:
        return f"No winner: {listed(first)} are level at {value}."
    leader = first[0]
    if any(leader in (d.a, d.b) and opposed(facts.level, d) for d in facts.differences):
        return f"No winner: {leader} has the best mean, {value}, but the test does not point to it."
    if beaten[leader]:
        over, rest = [d.other(leader) for d in beaten[leader]], facts.differences
        unsure = [d.other(leader) for d in rest if leader in (d.a, d.b) and d.better != leader]
        return f"{leader} is ahead, {value}: better than {listed(over)}, but not surely better than {listed(unsure)}."
    return f"No winner: {leader} is ahead, {value}, but that may be chance."


def _against(facts: Facts, baseline: str) -> str:
    """Each run against one."""
    better = [d.better for d in facts.differences if d.better and d.better != baseline]
    worse = [d.other(baseline) for d in facts.differences if d.better == baseline]
    parts = [f"{listed(better)} {'is' if len(better) == 1 else 'are'} better than {baseline}"] if better else []
    parts += [f"{listed(worse)} {'is' if len(worse) == 1 else 'are'} worse than {baseline}"] if worse else []
    said = "; ".join(parts) or f"no run is shown to be better or worse than {baseline}"
    return f"In {facts.metric}, {said}."


def _unshown(facts: Facts) -> str:
    """The pairs that the data leave open, the one that is ahead first."""
    pairs = []
    for d in facts.differences:
        if d.better or d.identical or d.equivalent:
            continue
        first, second, _, _ = ahead(facts, d)
        pairs.append(f"whether {first} is better than {second}" if d.tested else f"{d.a} and {d.b} (no test)")
    return some(pairs) if len(facts.scores) > 2 else ""
