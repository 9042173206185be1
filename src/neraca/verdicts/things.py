"""The things on which verdicts are given: what several runs share is one thing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from neraca.records import Verdict


class Shared(NamedTuple):
    """A thing whatever run it stands in; `answer` says which answer it is about, "" where it is about none."""

    item: str
    trial: int
    about: str
    answer: str


def shared_thing(verdict: Verdict, answer: str) -> Shared:
    """Return what a verdict is on.

    A question, a hit or a reference is the same in every run.  An answer is its run's own, unless its content is the
    same.  `answer` stands for the answer if the verdict itself does not tell (`of`).
    """
    shared = verdict.about == "item" or verdict.about.startswith(("hit:", "reference:"))
    return Shared(verdict.item, verdict.trial, verdict.about, "" if shared else verdict.of or answer)


def verdicts_on_things(
    runs: Iterable[Iterable[Verdict]],
) -> Iterator[tuple[tuple[int, str, int, str], Verdict]]:
    """Yield the verdicts on all runs, oldest first, each with its thing: run, item, trial, about.

    What several runs share is one thing, named by the run in which it came up first: whoever said something of it said
    it once, however many runs the word was written into.

    Examples
    --------
    >>> said = Verdict(item="1", about="hit:a", aspect="relevance", by="human:ana", value=1)
    >>> [thing for thing, _ in verdicts_on_things([[said], [said]])]
    [(0, '1', 0, 'hit:a'), (0, '1', 0, 'hit:a')]
    """
    dated: list[tuple[str, int, Shared, Verdict]] = []
    for run, verdicts in enumerate(runs):
        listed, at = list(verdicts), ""
        contents = {(verdict.item, verdict.trial): verdict.of for verdict in listed if verdict.of}
        for verdict in listed:
            at = max(at, verdict.at)  # the order within a run stays
            content = contents.get((verdict.item, verdict.trial), f"run {run}")
            dated.append((at, run, shared_thing(verdict, content), verdict))
    first: dict[Shared, int] = {}
    for _, run, thing, _ in dated:
        first.setdefault(thing, run)
    for _, _, thing, verdict in sorted(dated, key=lambda one: one[0]):
        yield (first[thing], thing.item, thing.trial, thing.about), verdict
