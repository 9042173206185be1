"""Which answers no person rated yet."""

from __future__ import annotations

from neraca.runs.run import Run
from neraca.verdicts.current import current_verdicts
from neraca.verdicts.source import source_of


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
