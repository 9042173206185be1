"""A panel: judges as the command line and a study name them, over several runs, with what each of them cost."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from neraca.concurrency import Progress, silent
from neraca.errors import SpecError
from neraca.judges import majority_vote
from neraca.judges.concurrent import told
from neraca.judges.judge import JUDGES, JudgeResult, judge, make_judge
from neraca.judges.pairwise import prefer
from neraca.models.model_session import ModelSession, Spent
from neraca.runs.run import Run


class ModelsTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What stands under `[models]` in a study.

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
    def place(self) -> Path | None:
        """The file, or None for the usual one; as the study's folder is the current one when it is read."""
        return Path(self.cache).absolute() if self.cache else None


@dataclass(frozen=True)
class Member:
    """One judge with its settings.

    Attributes
    ----------
    name
        As it is called here, so that the same kind of judge can sit twice, with two models or two criteria.
    kind
        As it is registered, such as `claims`.
    """

    name: str
    kind: str
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, table: Mapping[str, Any]) -> Member:
        """The judge of a table `[judges.NAME]`: its `kind` says which one it is where its name does not.

        Raises `SpecError` where there is no such judge, or a setting is wrong.

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
        """The model that it asks, or ""."""
        return str(self.settings.get("model", ""))

    @property
    def asks(self) -> bool:
        """Whether it asks a model, of words or of meanings, and so may cost something."""
        return bool(self.model or self.settings.get("embed"))

    def __str__(self) -> str:
        return f"{self.name} ({self.model})" if self.model else self.name


@dataclass(frozen=True, kw_only=True)
class Done:
    """What one judge did to one run.

    Attributes
    ----------
    new, unscored, note
        As in `JudgeResult`.
    spent
        What this alone cost; of a dry run what it would.
    """

    member: Member
    run: Run
    new: int
    unscored: tuple[tuple[str, int], ...]
    spent: Spent
    note: str = ""


def takes(kind: str) -> frozenset[str]:
    """Names of the settings that a judge takes; none are known of one that does not say it in a `Settings`.

    >>> sorted(takes("similarity"))
    ['embed']
    """
    made = JUDGES.get(kind)
    settings = getattr(sys.modules.get(made.__module__), "Settings", None)
    if settings is None and "chat" in inspect.signature(made).parameters:
        settings = majority_vote.Settings  # a judge with no settings of its own beside those of all that ask a model
    return frozenset(getattr(settings, "__struct_fields__", ()))


def decide(
    members: Sequence[Member],
    runs: Sequence[Run],
    account: ModelSession,
    progress: Callable[[str], Progress] = lambda title: silent,
) -> Iterator[Done]:
    """Let each judge decide on each run, one after the other; what is finished is kept whatever comes then.

    A judge of pairs (`pairwise`) that is not told over which other run looks at every two of them.

    Parameters
    ----------
    members, runs
        Who decides on what.
    account
        Through which models are asked.  With that of a dry run nothing is written, and `spent` is an estimate of
        what is left to pay.
    progress
        From the title of a piece of work to whoever draws its progress.

    Raises
    ------
    BudgetReached
        When the account's budget does not suffice.
    NeracaError
        As `judge`; above all `SpecError` for a judge of pairs with a single run.
    """
    for member in members:
        for group in _groups(member, runs):
            account.progress = progress(title_of(member, group)) if member.asks else silent
            account.run = " ".join(str(run.path) for run in group)
            before = account.spent
            found = _judged(member, group, account)
            for place, (run, one) in enumerate(zip(group, found, strict=True)):
                spent = Spent() if place else since(before, account.spent)
                yield Done(member=member, run=run, new=one.new, unscored=one.unscored, spent=spent, note=one.note)


def foresee(members: Sequence[Member], runs: Sequence[Run], cache: Path | None) -> dict[str, Spent]:
    """What is left to pay, before anything is asked: title of a piece of work, as `decide` has it → estimate."""
    left: dict[str, Spent] = {}

    def begin(title: str) -> Progress:
        left[title] = Spent()
        return silent

    with ModelSession(cache, dry_run=True) as account:
        for done in decide([member for member in members if member.asks], runs, account, begin):
            title = next(reversed(left))
            left[title] += done.spent
    return left


@dataclass(frozen=True)
class JudgeSet:
    """The judges of a study, and the one account through which they ask models.

    Attributes
    ----------
    members
        In the order of the study.
    account
        Its budget is that of one start, however many phases and runs there are.
    models
        Where replies are kept.
    """

    members: tuple[Member, ...]
    account: ModelSession
    models: ModelsTable

    @classmethod
    def of(cls, judges: Mapping[str, Mapping[str, Any]], models: ModelsTable) -> JudgeSet:
        """The judges of the tables `[judges.NAME]` and `[models]`; raises `SpecError` where these are wrong."""
        account = ModelSession(models.place, budget=models.budget, concurrency=models.concurrency)
        return cls(tuple(Member.of(name, table) for name, table in judges.items()), account, models)

    def judge(self, runs: Sequence[Run], progress: Callable[[str], Progress]) -> list[str]:
        """Let all of them decide on these runs; returns what a reader of their verdicts must know.

        The titles of the work say what is left to pay for it.
        """
        left = foresee(self.members, runs, self.models.place)
        with self.account as account:
            done = decide(
                self.members, runs, account, lambda title: progress(f"{title} (to pay for {foretold(left[title])})")
            )
            return notes_of(done)


def notes_of(done: Iterable[Done]) -> list[str]:
    """What readers of verdicts must know, each note once with the judge whose it is."""
    return list(dict.fromkeys(f"{one.member}: {one.note}" for one in done if one.note))


def title_of(member: Member, group: Sequence[Run]) -> str:
    """A name for the work of a judge on one run, or on two that it compares."""
    return f"{member} on {' and '.join(run.name for run in group)}"


def _groups(member: Member, runs: Sequence[Run]) -> list[tuple[Run, ...]]:
    if member.kind != "pairwise" or member.settings.get("over"):
        return [(run,) for run in runs]
    if len(runs) < 2:
        raise SpecError(f"judge {member.name} compares answers of two runs; name both, or the other one as over")
    return list(combinations(runs, 2))


def _judged(member: Member, group: tuple[Run, ...], account: ModelSession) -> Sequence[JudgeResult]:
    if len(group) == 2:
        return prefer(*group, member.settings, account=account)
    return [judge(group[0], member.kind, member.settings, account=account)]


def since(before: Spent, now: Spent) -> Spent:
    """What was spent between two looks at an account.

    >>> since(Spent(calls=2, cost=0.5), Spent(calls=5, cost=2.0)).calls
    3
    """
    known = before.cost is not None and now.cost is not None
    return Spent(
        calls=now.calls - before.calls,
        cached=now.cached - before.cached,
        wasted=now.wasted - before.wasted,
        input_tokens=now.input_tokens - before.input_tokens,
        output_tokens=now.output_tokens - before.output_tokens,
        cost=(now.cost or 0.0) - (before.cost or 0.0) if known else None,
    )


def foretold(spent: Spent) -> str:
    """What a dry run says of what is to come.

    >>> foretold(Spent(calls=84, cached=3, input_tokens=170_300, output_tokens=20_100, cost=0.0391))
    'about 84 calls, 3 from the cache, $0.0391; 170,300 tokens in, 20,100 out'
    >>> foretold(Spent(cached=87)), foretold(Spent())
    ('nothing: all 87 replies are in the cache', 'nothing: there is no model to ask')
    """
    if not spent.calls and not spent.input_tokens:
        cached = f"all {spent.cached:,} replies are in the cache" if spent.cached else "there is no model to ask"
        return f"nothing: {cached}"
    return f"about {told(spent)}; {spent.input_tokens:,} tokens in, {spent.output_tokens:,} out"
