"""What a judge is: a program that writes verdicts about answers; and the verb that lets one judge a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import msgspec

from neraca.errors import SpecError
from neraca.records import Answer, Item, Verdict
from neraca.registry import Registry
from neraca.runs.run import Run, content_of


class Judge(Protocol):
    """Decides what is right in answers.

    Attributes
    ----------
    by
        What stands in the verdicts' `by`: `rules`, `llm:MODEL`, …
    """

    by: str

    def judge(self, pairs: Sequence[tuple[Item, Answer]]) -> Iterable[Verdict]:
        """Verdicts on these answers, in any order; what cannot be decided has value None and a why."""


Factory = Callable[[Mapping[str, Any]], Judge]
JUDGES: Registry[Factory] = Registry("judge", "neraca.judges")


def make_judge(name: str, settings: Mapping[str, Any] | None = None) -> Judge:
    """Make a judge by name; raises `SpecError` for an unknown name or wrong settings."""
    if not isinstance(name, str) or not name:
        raise SpecError(f"a judge needs a name, one of: {', '.join(JUDGES.names())}")
    return JUDGES.get(name)(settings or {})


def judge(run: Run | str | Path, by: str | Judge, settings: Mapping[str, Any] | None = None) -> int:
    """Let a judge decide on the answers of a run, and keep its verdicts in the run's folder.

    Parameters
    ----------
    run
        The run or its folder.
    by
        A judge, or the name of one (`rules`) with its settings.
    settings
        Of the judge called by name.

    Returns
    -------
    int
        How many verdicts are new; what was decided before and is decided again is not written twice.

    Raises
    ------
    NeracaError
        For an unknown judge, wrong settings, or a run that somebody else is writing to.
    """
    run = run if isinstance(run, Run) else Run(run)
    decides = make_judge(by, settings) if isinstance(by, str) else by
    answers = run.answers()
    trials = range(run.manifest.trials)
    pairs = [(item, answers[item.id, t]) for item in run.items for t in trials if (item.id, t) in answers]
    contents = {key: content_of(answer) for key, answer in answers.items()}
    with run.writing():
        return run.add_verdicts(
            msgspec.structs.replace(verdict, of=contents.get((verdict.item, verdict.trial), ""))
            for verdict in decides.judge(pairs)
        )
