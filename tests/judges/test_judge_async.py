"""Judging in a running event loop, as notebooks and servers do."""

import asyncio
import threading

import pytest
from builders import make_answer, make_item, make_run

from neraca.judges.judge import judge, judge_async
from neraca.models.model_session import ModelSession
from neraca.records import Verdict


@pytest.fixture
def run(tmp_path):
    items = [make_item(str(n)) for n in range(3)]
    return make_run(tmp_path / "run", items, [make_answer("two", item=item.id) for item in items])


class Waits:
    """Gives the first answer a verdict, and the others when it may."""

    by = "rules:waits"

    def __init__(self, *, waits=True):
        self.begun, self.go, self.asked = threading.Event(), threading.Event(), 0
        if not waits:
            self.go.set()

    def judge(self, pairs, session):
        for item, _ in pairs:
            if self.asked:
                self.begun.set()
                self.go.wait(10)
            self.asked += 1
            yield Verdict(item=item.id, about="answer", aspect="waits", by=self.by, value=float(self.go.is_set()))


async def until(event):
    while not event.is_set():
        await asyncio.sleep(0.01)


async def test_an_event_loop_goes_on_while_a_judge_works(run):
    waits = Waits()
    work = asyncio.create_task(judge_async(run, waits))
    await until(waits.begun)
    waits.go.set()  # a blocked loop would not come here before the ten seconds are over
    assert (await work).new == 3
    assert [verdict.value for verdict in run.verdicts()] == [0, 1, 1]


async def test_a_cancelled_judge_stops_keeps_its_verdicts_and_withdraws_none(run):
    judge(run, earlier := Waits(waits=False))
    waits = Waits()
    with ModelSession() as session:
        work = asyncio.create_task(judge_async(run.path, waits, session=session))
        await until(waits.begun)
        work.cancel()
        while not session.stopping:
            await asyncio.sleep(0.01)
    waits.go.set()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert (earlier.asked, waits.asked) == (3, 2), "the third answer is not judged"
    assert {verdict.status for verdict in run.verdicts()} == {"decided"}
    again = judge(run, Waits(waits=False))
    assert {verdict.value for verdict in run.verdicts()} == {1.0}, "nobody holds the run"
    assert again.unscored == ()


async def test_calls_in_flight_are_cancelled(run, tmp_path):
    begun, ended = threading.Event(), threading.Event()

    async def never(*_):
        begun.set()
        try:
            await asyncio.sleep(60)
        finally:
            ended.set()

    with ModelSession(tmp_path / "models.sqlite") as session:
        work = asyncio.create_task(judge_async(run, Stuck(never), session=session))
        await until(begun)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        assert ended.is_set()
        assert not session.stopping
        assert (await judge_async(run, Waits(waits=False), session=session)).new == 3


class Stuck:
    """Judges each answer by a coroutine that does not end."""

    by = "llm:stuck"

    def __init__(self, work):
        self.work = work

    def judge(self, pairs, session):
        from neraca.judges.concurrent import concurrently

        return concurrently(pairs, self.work, session)
