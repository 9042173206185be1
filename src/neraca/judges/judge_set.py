"""Run the judges that a study or the command line names on several runs, and count what each costs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from neraca.concurrency import Progress, silent
from neraca.counts_and_lists import listed
from neraca.errors import SpecError
from neraca.judges.judge import JUDGES, JudgeResult, judge, make_judge
from neraca.judges.llm.pairwise import judge_pairs
from neraca.judges.tally import Tally
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession
from neraca.runs.judge_draw import DrawSettings
from neraca.runs.run import Run
from neraca.translation import say


class ModelsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the calls to models, from the table `[models]` of a study.

    Attributes
    ----------
    budget
        US dollars that one start may spend on judges that ask models; None: no limit.
    cache
        The file that keeps every reply; "": `~/.cache/neraca/models.sqlite`.
    concurrency
        Most calls in flight to one endpoint.
    """

    budget: float | None = None
    cache: str = ""
    concurrency: int = 64

    @property
    def path(self) -> Path | None:
        """The file, or None for the default one; a study is read with its folder as the current one."""
        return Path(self.cache).absolute() if self.cache else None


@dataclass(frozen=True)
class Member:
    """One judge with its settings.

    Attributes
    ----------
    name
        Its name in the study; the same kind of judge may occur twice, with two models or two criteria.
    kind
        Its registered name, such as `claims`.
    """

    name: str
    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, table: Mapping[str, Any]) -> Member:
        """Read a table `[judges.NAME]`; its `kind` names the judge, by default NAME does.

        Raise `SpecError` if there is no such judge or a setting is wrong.

        >>> Member.of("screen", {"kind": "offline"})
        Member(name='screen', kind='offline', settings={})
        """
        settings = dict(table)
        kind = settings.pop("kind", name)
        try:
            make_judge(kind, settings)
        except SpecError as error:
            raise SpecError(str(error) if kind == name else f"judges.{name}: {error}") from None
        return cls(name, kind, settings)

    @property
    def model(self) -> str:
        """The model that it calls, or ""."""
        return str(self.settings.get("model", ""))

    @property
    def asks(self) -> bool:
        """Whether it asks a model or named embeddings, and so may cost something."""
        return bool(self.model or self.settings.get("embed"))

    def __str__(self) -> str:
        return f"{self.name} ({self.model})" if self.model else self.name


@dataclass(frozen=True, kw_only=True)
class MemberResult:
    """The result of one judge on one run.

    Attributes
    ----------
    new, tally, note
        As in `JudgeResult`.
    spent
        Cost of this judge on this run; in a dry run, an estimate.
    model_notes
        Notes on the calls to its model.
    """

    member: Member
    run: Run
    new: int
    tally: Tally
    spent: Spent
    note: str = ""
    model_notes: tuple[str, ...] = ()


def setting_names(kind: str) -> frozenset[str]:
    """Return the names of the settings that a judge takes: the fields of its `settings_type`, if it has one.

    >>> sorted(setting_names("similarity"))
    ['embed', 'embed_price', 'key', 'price', 'url']
    """
    return frozenset(getattr(getattr(JUDGES.get(kind), "settings_type", None), "__struct_fields__", ()))


def judge_runs(
    members: Sequence[Member],
    runs: Sequence[Run],
    session: ModelSession,
    progress: Callable[[str], Progress] = lambda title: silent,
    draw: DrawSettings | None = None,
) -> Iterator[MemberResult]:
    """Let each judge decide on each run, one after the other; finished verdicts are kept, even if a later one fails.

    A judge of pairs (`pairwise`) without another run in its settings compares every two of the runs.

    Parameters
    ----------
    members, runs
        The judges, and the runs that each of them judges.
    session
        The session that calls models.  In a dry run nothing is written, and `spent` estimates what is left to pay.
    progress
        Returns, for the title of a piece of work, the function that shows its progress.
    draw
        The number of answers of each run to draw at random; None: judge all.

    Raises
    ------
    BudgetReached
        When the session's budget does not suffice.
    NeracaError
        As `judge`; above all `SpecError` for a judge of pairs with a single run, or with a draw.
    """
    n, seed = draw or (None, 0)
    for member in members:
        for group in _groups(member, runs):
            title = say("{judge} on {runs}", judge=member, runs=listed([run.name for run in group]))
            session.progress = progress(title) if member.asks else silent
            before = session.spent
            results: Sequence[JudgeResult]
            if len(group) == 2 and draw is not None:
                raise SpecError(say("{judge}: a judge of pairs judges all of them; leave out --draw", judge=member))
            if len(group) == 2:
                results = judge_pairs(*group, member.settings, session=session)
            else:
                results = [judge(group[0], member.kind, member.settings, session=session, draw=n, seed=seed)]
            for place, (run, result) in enumerate(zip(group, results, strict=True)):
                yield MemberResult(
                    member=member,
                    run=run,
                    new=result.new,
                    tally=result.tally,
                    spent=Spent() if place else session.spent - before,
                    note=result.note,
                    model_notes=tuple(session.notes.get(member.model, ())),
                )


def estimate_costs(
    members: Sequence[Member],
    runs: Sequence[Run],
    cache: Path | None,
    *,
    retry_undecided: bool = False,
    draw: DrawSettings | None = None,
) -> dict[str, Spent]:
    """Return what is left to pay, without calling a model: title of a piece of work in `judge_runs` → estimate."""
    estimates: dict[str, Spent] = {}

    def begin(title: str) -> Progress:
        estimates[title] = Spent()
        return silent

    with ModelSession(cache, dry_run=True) as session:
        session.retry_undecided = retry_undecided
        asking = [member for member in members if member.asks]
        for result in judge_runs(asking, runs, session, begin, draw):
            title = next(reversed(estimates))
            estimates[title] += result.spent
    return estimates


@dataclass(frozen=True)
class JudgeSet:
    """The judges of a study, and the session through which they call models.

    Attributes
    ----------
    members
        The judges in the order of the study.
    session
        The session.  Its budget holds for one start of the study, with all phases and runs.
    models
        The settings of the calls to models.
    """

    members: tuple[Member, ...]
    session: ModelSession
    models: ModelsTable

    @classmethod
    def of(cls, judges: Mapping[str, Mapping[str, Any]], models: ModelsTable) -> JudgeSet:
        """Read the tables `[judges.NAME]` and `[models]`; raise `SpecError` if they are wrong."""
        session = ModelSession(models.path, budget=models.budget, concurrency=models.concurrency)
        return cls(tuple(Member.of(name, table) for name, table in judges.items()), session, models)

    def judge(self, runs: Sequence[Run], progress: Callable[[str], Progress]) -> list[MemberResult]:
        """Let all judges decide on these runs, and return the results by judge and run.

        The titles for `progress` say what is left to pay for the work.
        """
        retry = self.session.retry_undecided
        costs = estimate_costs(self.members, runs, self.models.path, retry_undecided=retry)

        def begin(title: str) -> Progress:
            return progress(say("{work} (to pay for {calls})", work=title, calls=costs[title].estimate()))

        with self.session as session:
            return list(judge_runs(self.members, runs, session, begin))


def notes_of(results: Iterable[MemberResult]) -> list[str]:
    """Return the notes for readers of verdicts, each once, after the name of its judge."""
    return list(dict.fromkeys(f"{result.member}: {result.note}" for result in results if result.note))


def _groups(member: Member, runs: Sequence[Run]) -> list[tuple[Run, ...]]:
    if member.kind != "pairwise" or member.settings.get("over"):
        return [(run,) for run in runs]
    if len(runs) < 2:
        template = "judge {name} compares answers of two runs; name both, or the other one as over"
        raise SpecError(say(template, name=member.name))
    return list(combinations(runs, 2))
