"""A judge is a program that writes verdicts on answers; `judge` lets it decide on the answers of a run."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, TypeVar, runtime_checkable

import msgspec
import numpy as np

from neraca.concurrency import in_thread
from neraca.errors import InputError, SpecError
from neraca.judges.tally import Tally
from neraca.judges.user_criteria import check_scale, keep_criterion
from neraca.models.cost import Spent
from neraca.models.model_session import ModelSession
from neraca.models.served_model import models_of_replies
from neraca.records import Answer, Item, Verdict
from neraca.registry import Registry
from neraca.result import Shown, Table
from neraca.runs.answers import Answered, Answers
from neraca.runs.earlier_verdicts import EarlierVerdicts
from neraca.runs.judge_draw import DrawSettings, JudgeDraw, draw_questions
from neraca.runs.recorded_draw import record_draw, remove_draw
from neraca.runs.run import Run, content_of
from neraca.runs.session_contents import is_on_session, session_contents, with_whole_sessions
from neraca.settings import construct
from neraca.translation import written_in

T = TypeVar("T")


class Judge(Protocol):
    """Decides what is right in answers.

    Attributes
    ----------
    by
        The source that its verdicts name: `rules`, `llm:MODEL#HASH`, …

    A judge without settings needs no `__init__`.  Settings of a study or of `--set` are the keywords of its
    constructor, or the fields of the struct in its class attribute `settings_type`.  A judge that writes verdicts under
    further names has these in `also_by`.  One that judges by the user's own words has these in `criterion`, which is
    kept for people who review its verdicts.
    """

    by: str

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterable[Verdict]:
        """Yield verdicts on these answers, in any order.

        A verdict that cannot be decided has no value, but a status and a reason.  A judge that calls models does so
        through the session.
        """


@runtime_checkable
class Announcing(Protocol):
    """A judge that adds a note on how it reads answers."""

    def note(self, pairs: Sequence[tuple[Item, Answer]]) -> str:
        """Return a note for readers of its verdicts on these answers, or ""."""


Factory = Callable[..., Judge]
JUDGES: Registry[Factory] = Registry("judge", "neraca.judges")


def make_judge(name: str, settings: Mapping[str, Any] | None = None) -> Judge:
    """Make a judge by name; raises `SpecError` for an unknown name or wrong settings."""
    if not isinstance(name, str) or not name:
        raise SpecError(f"a judge needs a name, one of: {', '.join(JUDGES.names())}")
    return construct(JUDGES.get(name), settings or {}, f"judge {name}", ("by", "judge"))


def source_hint(name: str) -> str:
    """Say which source a judge's verdicts name, if they always name the same; "" if they do not or there is no judge.

    >>> source_hint("declines")
    'the judge declines writes as phrases'
    """
    source = getattr(JUDGES.get(name), "by", "") if name in JUDGES.names() else ""
    return f"the judge {name} writes as {source}" if isinstance(source, str) and source not in ("", name) else ""


@dataclass(frozen=True, kw_only=True, repr=False)
class JudgeResult(Shown):
    """The result of letting a judge decide on a run.

    Attributes
    ----------
    new
        Number of new verdicts; a decision that is repeated is not written twice.
    tally
        Counts of its decided and undecided verdicts, with the reasons.
    spent
        Cost of the session's calls since it was opened.
    note
        A note for readers of the verdicts, such as the language in which numbers were read; or "".
    changed
        Number of new verdicts with another value than the same judge gave before on the same answer.  A model that is
        not the same behind an old name changes verdicts, and so does one that is asked anew.
    """

    new: int = 0
    changed: int = 0
    tally: Tally = field(default_factory=Tally)
    spent: Spent = field(default_factory=Spent)
    note: str = ""

    @property
    def unscored(self) -> tuple[tuple[str, int], ...]:
        """(item, trial) of each answer on which something could not be decided because the judge failed."""
        return self.tally.unscored

    def _tables(self) -> Iterator[Table]:
        yield Table(
            ["new verdicts", "answers not decided", "spent"],
            [[f"{self.new:,}", f"{len(self.unscored):,}", str(self.spent)]],
        )

    def _sentences(self) -> Iterator[str]:
        yield from filter(None, [self.note])


def judge(
    run: Run | str | Path,
    by: str | Judge,
    settings: Mapping[str, Any] | None = None,
    *,
    session: ModelSession | None = None,
    draw: int | None = None,
    seed: int = 0,
) -> JudgeResult:
    """Let a judge decide on the answers of a run, and keep its verdicts in the run's folder.

    Verdicts are kept as they come.  After Ctrl-C, a kill or an error the same call does only what is missing, because
    every reply that was paid for is in the session's cache.  In a running event loop, as in a notebook, this works but
    blocks the loop; there `await judge_async(…)` does not.

    Parameters
    ----------
    run
        The run or its folder.
    by
        A judge, such as `ClaimsJudge(model="openai:gpt-4o-mini")` or an object of your own, or the name of a judge.
    settings
        The settings of the judge that is named.
    session
        The session that calls models; None: one with the default cache and no budget.  In a dry run nothing is written.
        With its `retry_undecided`, answers that the judge left undecided earlier are judged first, by new replies only.
    draw
        Judge only this number of answers, drawn at random, each with the same chance; the run keeps the chances, and
        scores rest on the drawn answers alone.  With a larger number, the drawn answers stay drawn.  None: all.
    seed
        The seed of the draw.  The same seed draws the same questions in another run, so that both can be compared.

    Raises
    ------
    BudgetReached
        When the session's budget does not suffice; what was finished is kept.
    NeracaError
        For an unknown judge, wrong settings, a run that another process is writing to, or one whose answers were graded
        by this criterion on another scale.
    """
    run = run if isinstance(run, Run) else Run(run)
    chosen = make_judge(by, settings) if isinstance(by, str) else by
    answers = run.answers()
    whole = getattr(chosen, "whole_sessions", False)
    drawn = None if draw is None else _drawn(run, answers, DrawSettings(draw, seed), whole)
    pairs = _pairs_to_judge(run, answers, drawn)
    contents = {key: content_of(answer) for key, answer in answers.items()}
    conversations = session_contents(run.items, contents) if whole else {}
    check_scale(run, chosen)
    tally = Tally()
    notes = [chosen.note(pairs)] if isinstance(chosen, Announcing) else []

    def judged_content(verdict: Verdict) -> str:
        by_key = conversations if is_on_session(verdict.about) else contents
        return by_key.get((verdict.item, verdict.trial), "")

    def verdicts(session: ModelSession) -> Generator[Verdict]:
        open_keys = _undecided(run.verdicts(), chosen, judged_content) if session.retry_undecided else set()
        open_keys = with_whole_sessions(open_keys, run.items) if whole and open_keys else open_keys
        for anew in (True, False) if open_keys else (False,):
            part = (
                [pair for pair in pairs if ((pair[0].id, pair[1].trial) in open_keys) == anew] if open_keys else pairs
            )
            with _replies_anew(session, anew=anew):
                for verdict in chosen.judge(part, session) if part or not anew else ():
                    session.check()
                    tally.add(verdict)
                    yield msgspec.structs.replace(verdict, of=judged_content(verdict))
                session.check()

    with nullcontext(session) if session else ModelSession() as opened:
        with closing(verdicts(opened)) as judged:  # after Ctrl-C, the traceback would keep an open generator at work
            if opened.dry_run:
                new = sum(0 for _ in judged)
            else:
                with run.writing():
                    keep_criterion(run, chosen)
                    earlier = EarlierVerdicts(run.verdicts())
                    with _recording_cost(run, chosen.by, opened, first=chosen.by not in earlier.table.by.words):
                        if drawn is not None and drawn.is_part:
                            record_draw(run, drawn, chosen.by, getattr(chosen, "also_by", ()))
                        with written_in("en"):  # a run says the same whatever the language of its reports
                            new = run.add_verdicts(_with_withdrawn(earlier, _counting(judged, earlier, tally)), earlier)
                        if drawn is None or not drawn.is_part:
                            remove_draw(run, chosen.by)
        notes += [drawn.sentence] if drawn is not None else []
        return JudgeResult(
            new=new, changed=tally.changed, tally=tally, spent=opened.spent, note="; ".join(filter(None, notes))
        )


def _drawn(run: Run, answers: Answers, settings: DrawSettings, whole: bool) -> JudgeDraw:
    """Draw questions of a run; see `draw_questions`."""
    statuses = dict(zip(answers, answers.statuses, strict=True))
    return draw_questions(run.items, statuses, settings, trials=run.manifest.trials, whole=whole)


def _pairs_to_judge(run: Run, answers: Answers, drawn: JudgeDraw | None) -> Answered:
    """Return the answers to judge beside their questions: all that were asked, or of these the drawn ones."""
    asked = {key for key, status in zip(answers, answers.statuses, strict=True) if status != "not_asked"}
    if drawn is not None:
        asked = {key for key in asked if key[0] in drawn.items}
    trials = range(run.manifest.trials)
    keys = [(item, trial) for item in run.items for trial in trials if (item.id, trial) in asked]
    return Answered([item for item, _ in keys], answers.take((item.id, trial) for item, trial in keys))


async def judge_async(
    run: Run | str | Path,
    by: str | Judge,
    settings: Mapping[str, Any] | None = None,
    *,
    session: ModelSession | None = None,
    draw: int | None = None,
    seed: int = 0,
) -> JudgeResult:
    """Judge as `judge` does, in a thread, so that the running event loop goes on: for notebooks and servers.

    When the task is cancelled, the judge stops, finished verdicts are kept, and the same call goes on.  A session
    serves one call at a time.  Parameters and errors are those of `judge`.
    """
    return await judge_in_thread(lambda opened: judge(run, by, settings, session=opened, draw=draw, seed=seed), session)


async def judge_in_thread(work: Callable[[ModelSession], T], session: ModelSession | None) -> T:
    """Do the work of judges in a thread; when the task is cancelled, stop them and wait until they have stopped."""
    with nullcontext(session) if session else ModelSession() as opened:
        try:
            return await in_thread(lambda: work(opened), lambda: setattr(opened, "stopping", True))
        finally:
            opened.stopping = False


@contextmanager
def _recording_cost(run: Run, by: str, session: ModelSession, *, first: bool) -> Iterator[None]:
    """Add the cost of the calls in this block to the run's manifest, also after an error.

    While the block runs, its calls are logged under a name that contains the dollars recorded so far.  After a kill,
    the next block finds them under this name, and records them under a higher sum: so none counts twice.

    `first`: the run has no verdicts of this judge yet.  Otherwise, and without an earlier record, the cost is unknown.
    """
    judging = Run(run.path).manifest.judging
    dollars = judging.get(by, 0.0)
    log = f"{run.path.resolve()} {run.manifest.run} {by} {dollars}"
    interrupted = Spent()
    with suppress(InputError):  # an unusable file of replies stops only judges that call a model, by their first call
        interrupted = interrupted if dollars is None else session.logged(log)
    if interrupted.calls or interrupted.wasted:
        dollars = _sum(dollars, interrupted.cost)
        run.update(judging={**judging, by: dollars})
        log = f"{run.path.resolve()} {run.manifest.run} {by} {dollars}"
    elif by not in judging and not first:
        dollars = None
    before, name, session.run = session.spent, session.run, log
    try:
        yield
    finally:
        session.run = name
        spent = session.spent - before
        if spent.calls or spent.wasted or (spent.cached and first):
            run.update(judging={**Run(run.path).manifest.judging, by: _sum(dollars, spent.cost)})
        _record_served(run, by, models_of_replies(session, by.partition(":")[2].partition("#")[0], spent))


def _record_served(run: Run, by: str, ids: Sequence[str]) -> None:
    """Add to the manifest which models the servers of the user's own had behind the judge's name."""
    earlier = run.manifest.served.get(by, ())
    if {*ids} - {*earlier}:
        run.update(served={**run.manifest.served, by: tuple(dict.fromkeys([*earlier, *ids]))})


def _sum(dollars: float | None, further: float | None) -> float | None:
    return None if dollars is None or further is None else dollars + further


@contextmanager
def _replies_anew(session: ModelSession, *, anew: bool) -> Iterator[None]:
    """Let the session ignore the replies of earlier sessions while the block runs, if `anew`."""
    session.anew = anew
    try:
        yield
    finally:
        session.anew = False


def _undecided(
    verdicts: Iterable[Verdict], judge: Judge, judged_content: Callable[[Verdict], str]
) -> set[tuple[str, int]]:
    """Return (item, trial) of the answers on which the judge last failed to decide something."""
    sources = {judge.by, *getattr(judge, "also_by", ())}
    latest = {(v.item, v.trial, v.about, v.aspect, v.by): v for v in verdicts if v.by in sources}
    failed = [verdict for verdict in latest.values() if verdict.status == "unscored"]
    return {(v.item, v.trial) for v in failed if v.of == judged_content(v)}


def _counting(verdicts: Iterable[Verdict], earlier: EarlierVerdicts, tally: Tally) -> Iterator[Verdict]:
    """Yield the verdicts, and count those whose value is not that of an earlier one on the same answer."""
    for verdict in verdicts:
        before = earlier.before(verdict)
        if before is not None and None not in (before.value, verdict.value):
            tally.changed += before.value != verdict.value and before.of == verdict.of
        yield verdict


def _with_withdrawn(earlier: EarlierVerdicts, verdicts: Iterable[Verdict]) -> Iterator[Verdict]:
    """Yield all verdicts, then withdraw the judge's earlier verdicts on the same answers that it did not repeat.

    If a judge finds four claims and had found five before, its verdict on the fifth is thus withdrawn.
    """
    unrepeated: dict[tuple[str, int, str], dict[tuple[str, str], int]] = {}
    decided = ~np.isnan(earlier.table.value)
    for verdict in verdicts:
        key = verdict.item, verdict.trial, verdict.by
        if key not in unrepeated:
            unrepeated[key] = {place: row for place, row in earlier.by_judge(verdict).items() if decided[row]}
        unrepeated[key].pop((verdict.about, verdict.aspect), None)
        yield verdict
    for rows in unrepeated.values():
        yield from (withdrawn(earlier.table[row]) for row in rows.values())


def withdrawn(verdict: Verdict) -> Verdict:
    """Return the verdict that withdraws this one, which its judge did not repeat."""
    return msgspec.structs.replace(verdict, value=None, status="withdrawn", why="judged again without it", at="")
