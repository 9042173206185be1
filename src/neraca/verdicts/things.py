"""Identify what verdicts are about, across runs: a hit or an equal answer in several runs is one thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from neraca.records import Verdict
from neraca.runs.session_contents import is_on_session


class Shared(NamedTuple):
    """A judged thing, identified without its run; `answer` is the judged answer, "" if the verdict is on none."""

    item: str
    trial: int
    about: str
    answer: str


def shared_thing(verdict: Verdict, answer: str) -> Shared:
    """Return the thing that a verdict judges.

    A question, a hit or a reference is the same thing in every run.  Answers of two runs are different things, unless
    their content is equal.  `answer` identifies the answer if the verdict itself does not (`of`).
    """
    shared = verdict.about == "item" or verdict.about.startswith(("hit:", "reference:"))
    return Shared(verdict.item, verdict.trial, verdict.about, "" if shared else verdict.of or answer)


def verdicts_on_things(
    runs: Iterable[Iterable[Verdict]],
) -> Iterator[tuple[tuple[int, str, int, str], Verdict]]:
    """Yield the verdicts on all runs, oldest first, each with its thing: run, item, trial, about.

    A thing that several runs share has the number of the first run with a verdict on it.  A verdict that was written
    into several runs therefore counts as one opinion.

    >>> verdict = Verdict(item="1", about="hit:a", aspect="relevance", by="human:ana", value=1)
    >>> [thing for thing, _ in verdicts_on_things([[verdict], [verdict]])]
    [(0, '1', 0, 'hit:a'), (0, '1', 0, 'hit:a')]
    """
    dated: list[tuple[str, int, Shared, Verdict]] = []
    for run, verdicts in enumerate(runs):
        of_run, latest = list(verdicts), ""
        contents = {(v.item, v.trial, is_on_session(v.about)): v.of for v in of_run if v.of}
        for verdict in of_run:
            latest = max(latest, verdict.at)  # keeps the order within a run
            content = contents.get((verdict.item, verdict.trial, is_on_session(verdict.about)), f"run {run}")
            dated.append((latest, run, shared_thing(verdict, content), verdict))
    first_run: dict[Shared, int] = {}
    for _, run, thing, _ in dated:
        first_run.setdefault(thing, run)
    for _, _, thing, verdict in sorted(dated, key=lambda entry: entry[0]):
        yield (first_run[thing], thing.item, thing.trial, thing.about), verdict
