"""Whose word counts where programs judge answers: one judge's, overruled by people.

Claims that one judge found are never mixed with what another judge said of its own, so a metric hears one judge for
all runs that are scored together.  People come on top: what a person says stands in the place of what the judge said.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, TypeVar, cast

import numpy as np

from neraca.errors import SpecError, nearest
from neraca.metrics.batch import SOURCES, Batch, Key, Opinions, Together, matches, source_of
from neraca.metrics.column import Reasoned
from neraca.records import Answer, Item, Verdict
from neraca.stats.interval import Floats

T = TypeVar("T")
#: They are no judges of answers: people overrule judges, and a screen by common words is not what its name would say.
_NO_JUDGES = ("human", "overlap")
_Said = Mapping[Key, Mapping[str, Opinions]]
NO_REFERENCE = "the item has no reference"
NO_ANSWER = "the target gave no answer"


@dataclass(frozen=True)
class Judges:
    """Who decided on which aspect of answers, in all runs that are scored together.

    Attributes
    ----------
    newest
        Aspect → by → when the newest verdict was given: its time, and its place among all.
    """

    newest: Mapping[str, Mapping[str, tuple[str, int]]]

    @classmethod
    def of(cls, together: Together) -> Self:
        """Look through all verdicts."""
        newest: dict[str, dict[str, tuple[str, int]]] = {}
        for place, verdict in enumerate(verdict for part in together.verdicts for verdict in part):
            if verdict.about == "answer" or verdict.about.startswith("question:"):
                when = newest.setdefault(verdict.aspect, {})
                when[verdict.by] = max(when.get(verdict.by, ("", 0)), (verdict.at, place))
        return cls(newest)

    def choose(self, aspects: Collection[str], by: str = "", asked: str = "", asker: str | None = None) -> str:
        """The one judge of these aspects, as in `by`; "" where there is none.

        Parameters
        ----------
        aspects
            Of which the judge has decided one at least.
        by, asked
            Which judge is wanted by the metric, and by whoever asked for all scores; the metric's wish goes first.
            With `human` it is the judge whose claims people judged.
        asker
            What is compared was written by this judge (`llm:m#1a2b3c` in `embed:minilm#llm:m#1a2b3c`); None: whoever
            wrote it.

        Raises
        ------
        SpecError
            When several judges are left, with their names; when the metric wants one that is not there.  The same
            model with several prompts is one judge: the prompt that was used last counts.
        """
        times: dict[str, tuple[str, int]] = {}
        for aspect in aspects:
            for name, when in self.newest.get(aspect, {}).items():
                if source_of(name) not in _NO_JUDGES and asker in (None, name.partition("#")[2]):
                    times[name] = max(times.get(name, when), when)
        wanted = by or asked
        found = [name for name in times if source_of(wanted) == "human" or matches(name, wanted)]
        if by and not found and times:
            known = sorted({name.partition("#")[0] for name in times})
            raise SpecError(f"by={by}: it did not judge this; {nearest(by, known)}")
        first = min(map(_rank, found), default=0)
        found = [name for name in found if _rank(name) == first]
        several = sorted({name.partition("#")[0] for name in found})
        if len(several) > 1:
            raise SpecError(
                f"several judges decided on {' and '.join(aspects)}: {', '.join(several)}; "
                f"choose one, in the metric's name {_wish(several[0])}"
            )
        return max(found, key=times.__getitem__, default="")


def _wish(by: str) -> str:
    """How one says that this judge is to be heard; with `--by` embeddings no other judge would be.

    >>> _wish("llm:m"), _wish("embed:minilm")
    ('(by=llm:m) or with --by llm:m', '(embed=minilm)')
    """
    source, _, name = by.partition(":")
    return f"(embed={name})" if source == "embed" else f"(by={by}) or with --by {by}"


def _rank(by: str) -> int:
    source = source_of(by)
    return SOURCES.index(source) if source in SOURCES else len(SOURCES)


@dataclass(frozen=True)
class Heard:
    """What one judge said of each answer, and people in its place.

    Attributes
    ----------
    judge
        As in `by`; "" where nobody but people said anything.
    opinions
        For each answer (about, aspect) → the verdict that counts.
    """

    pairs: Sequence[tuple[Item, Answer]]
    judge: str
    opinions: Sequence[Opinions]

    def silent(self, what: str) -> str:
        """That there is no verdict on this.

        >>> Heard([], "llm:m", []).silent("its claims"), Heard([], "", []).silent("its claims")
        ('llm:m did not judge its claims', 'nobody judged its claims')
        """
        return f"{self.judge} did not judge {what}" if self.judge else f"nobody judged {what}"


@dataclass(frozen=True)
class Voices:
    """Everything that judges and people said of each answer; `heard` is what counts of it.

    Attributes
    ----------
    unscored
        For each answer why no metric can score it, or "".
    """

    batch: Batch
    unscored: Sequence[str]
    _kept: dict[Hashable, object] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Look at this batch."""
        return cls(batch, batch.why_not())

    @cached_property
    def _said(self) -> tuple[_Said, Mapping[Key, Sequence[Verdict]]]:
        """(item, trial) → by → (about, aspect) → verdict; and (item, trial) → what people said, in that order."""
        judges: dict[Key, dict[str, dict[tuple[str, str], Verdict]]] = {}
        people: dict[Key, list[Verdict]] = {}
        human = {by: source_of(by) == "human" for by in {verdict.by for verdict in self.batch.verdicts}}
        for verdict in self.batch.verdicts:
            key = verdict.item, verdict.trial
            if human[verdict.by]:
                people.setdefault(key, []).append(verdict)
            else:
                said = judges.setdefault(key, {}).setdefault(verdict.by, {})
                said[verdict.about, verdict.aspect] = verdict
        return judges, people

    def heard(
        self,
        aspects: Collection[str],
        by: str = "",
        *,
        kind: str = "",
        keep: Collection[str] = (),
        asker: str | None = None,
    ) -> Heard:
        """What counts of each answer.

        Parameters
        ----------
        aspects
            By which the judge is known; see `Judges.choose`.
        by
            Which judge; "": as was asked for all scores, else the only one.  `human` or `human:NAME`: people alone.
        kind
            The judge is of this kind (`embed`), whatever other kind was asked for all scores.
        keep
            Aspects of the judge that are heard beside people alone: what there is to judge.
        asker
            See `Judges.choose`.
        """
        asked = self.batch.by
        if kind and source_of(asked) not in (kind, "human"):
            asked = kind
        alone = source_of(by or asked) == "human"
        judge = "" if alone and not keep else self.batch.together.share(Judges).choose(aspects, by, asked, asker)
        person = (by or asked) if alone else "human"
        judges, people = self._said
        opinions = []
        for item, answer in self.batch.pairs:
            key = (item.id, answer.trial)
            said: Opinions = judges.get(key, {}).get(judge, {})
            if alone:
                said = {place: verdict for place, verdict in said.items() if verdict.aspect in keep}
            over = _overruling(people[key], judge, person) if key in people else {}
            opinions.append({**said, **over} if over else said)
        return Heard(self.batch.pairs, judge, opinions)

    def once(self, name: Hashable, make: Callable[[], T]) -> T:
        """What several metrics use, under a name of its own; made at the first call."""
        if name not in self._kept:
            self._kept[name] = make()
        return cast("T", self._kept[name])

    def rating(self, aspect: str, by: str = "", *, kind: str = "", failed: float = np.nan) -> Reasoned:
        """What was said of one aspect of each answer as a whole, shape (n,).

        `failed` is the value of a failed answer of which nobody said anything, NaN: it has none.
        """
        values, why = np.full(len(self.batch.pairs), np.nan), [""] * len(self.batch.pairs)
        heard = self.heard([aspect], by, kind=kind)
        for row, ((_, answer), opinions) in enumerate(zip(heard.pairs, heard.opinions, strict=True)):
            verdict = opinions.get(("answer", aspect))
            if verdict is None and answer.failed:
                values[row], why[row] = failed, "" if failed == failed else f"{NO_ANSWER}, and nobody judged that"
            elif verdict is None or verdict.value is None:
                why[row] = reason(verdict, heard.silent(f"it: {aspect}"))
            else:
                values[row] = verdict.value
        return Reasoned(values, why)


def _overruling(people: Iterable[Verdict], judge: str, person: str) -> dict[tuple[str, str], Verdict]:
    """What people say in the place of the judge; `claim:2@llm:NAME` is said of that judge's second claim alone."""
    found = {}
    for verdict in people:
        about = verdict.about
        if not about.startswith("hit:"):
            about, _, whose = about.partition("@")
            if not matches(judge, whose):
                continue
        if matches(verdict.by, person):
            found[about, verdict.aspect] = verdict
    return found


def reason(verdict: Verdict | None, otherwise: str) -> str:
    """Why a verdict has no value, in its own words where it has any."""
    return verdict.reason if verdict and verdict.why else otherwise


def reasoned(values: Floats, *reasons: Sequence[str]) -> Reasoned:
    """Values, shape (n,), NaN where any of the reasons is given; the first one is told.

    >>> reasoned(np.array([1.0, 2.0]), ["", ""], ["", "no reference"])
    Reasoned(values=array([ 1., nan]), why=['', 'no reference'])
    """
    why = [next(filter(None, row), "") for row in zip(*reasons, strict=True)]
    return Reasoned(np.where([bool(text) for text in why], np.nan, values), why)
