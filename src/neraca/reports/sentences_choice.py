"""What to say of the target that a phase of a study chose."""

from __future__ import annotations

from collections.abc import Sequence

from neraca.comparisons.difference import Difference


def doubt(winner: str, differences: Sequence[Difference]) -> str:
    """Return what to say of a winner that the data do not tell from others.

    Parameters
    ----------
    winner
        The run with the best mean, or "".
    differences
        Of the metric that chose, for every two runs.
    """
    if differences and all(d.n and d.ties == d.n for d in differences):
        metric = differences[0].metric
        return (
            f"{metric} is the same on every question for all of them: what varies here does not move it, so it chooses "
            "nothing; choose by a metric that it can move"
        )
    undecided_or_lost = [d for d in differences if winner in (d.a, d.b) and d.better != winner]
    rivals = [d.other(winner) for d in undecided_or_lost if d.tested and not d.better]
    untested = [d.other(winner) for d in undecided_or_lost if not d.tested]
    betters = [d.better for d in undecided_or_lost if d.better]
    doubts = [f"the data do not tell it from {', '.join(rivals)}"] if rivals else []
    doubts += [f"no test could be made against {', '.join(untested)}"] if untested else []
    doubts += [f"{', '.join(betters)} is better on the questions that both answered"] if betters else []
    return f"{winner} was chosen by its mean; {'; '.join(doubts)}" if doubts else ""
