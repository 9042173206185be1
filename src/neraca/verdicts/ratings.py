"""Which answers no person rated yet, and who may be one person under two names."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from neraca.runs.run import Run
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.source import source_of

#: So many verdicts that are all the same are hardly chance.
FEWEST_SAME = 5


def unrated(run: Run) -> list[tuple[str, int]]:
    """Return (item, trial) of each answer of a run on which no person decided anything; failed ones need no rating.

    In the order of the items.  A decision on a hit of the answer counts, too.
    """
    answers = run.answers()
    table = current_verdicts(run, answers)
    human = {name for name in table.by.words if source_of(name) == "human"}
    decided = table.take(table.by.where([name in human for name in table.by.words]))
    rated = {(verdict.item, verdict.trial) for verdict in decided if verdict.value is not None}
    keys = ((item.id, trial) for item in run.items for trial in range(run.manifest.trials))
    return [key for key in keys if key in answers and not answers[key].failed and key not in rated]


def same_ratings(runs: Sequence[Run]) -> list[tuple[str, str, int]]:
    """Return every two people who gave the very same verdicts in these runs, with the number of verdicts.

    It may be one person under two names.  Fewer than `FEWEST_SAME` verdicts may be the same by chance.
    """
    said: dict[str, dict[tuple[int, str, int, str, str], float]] = {}
    for number, run in enumerate(runs):
        table = run.verdicts()
        by_people = table.by.where([source_of(name) == "human" for name in table.by.words])
        for one in table.take(by_people):
            if one.value is not None:
                said.setdefault(one.by, {})[number, one.item, one.trial, one.about, one.aspect] = one.value
    return [
        (one.removeprefix("human:"), other.removeprefix("human:"), len(said[one]))
        for one, other in combinations(sorted(said), 2)
        if said[one] == said[other] and len(said[one]) >= FEWEST_SAME
    ]
