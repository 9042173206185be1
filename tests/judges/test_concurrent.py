"""Many at once: what is finished is never lost, whatever ends the rest."""

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from neraca.errors import BudgetReached, SpecError
from neraca.judges.concurrent import ANSWERS_PER_CALL, concurrently, together
from neraca.models.cost import Spent
from neraca.records import Verdict

AT_ONCE = ANSWERS_PER_CALL * 50


class Through:
    """A session whose connections are counted."""

    concurrency = 50

    stopping = False

    spent = Spent(calls=2, cost=0.25)

    def __init__(self):
        self.loops, self.told, self.closed = [], [], threading.Event()

    def progress_note(self, finished, total, seconds):
        return str(self.spent)

    def progress(self, done, total, note):
        self.told.append((done, total, note))

    async def aclose(self):
        self.loops.append(asyncio.get_running_loop())
        self.closed.set()


def verdict(job):
    return Verdict(item=str(job), about="answer", aspect="x", by="test", value=1)


async def sleepy(job):
    await asyncio.sleep(0.002 * (job % 3))
    return [verdict(job)]


def gather(found, jobs, work, session):
    """Put verdicts where they are seen also when an error ends them."""
    for one in concurrently(jobs, work, session):
        found.append(one)


def numbers(verdicts):
    return [int(one.item) for one in verdicts]


@pytest.mark.parametrize("count", [0, 1, 5, 3 * AT_ONCE])
def test_everybody_is_judged_once(count):
    session = Through()
    assert sorted(numbers(concurrently(range(count), sleepy, session))) == list(range(count))
    assert len(session.loops) == 1


def test_verdicts_come_as_they_are_finished():
    assert numbers(concurrently([2, 1, 0], lambda job: sleepy(job), Through())) == [0, 1, 2]


def test_whoever_waits_is_told_how_far_it_is():
    session = Through()
    list(concurrently(range(3), sleepy, session))
    assert session.told == [(n, 3, "2 calls, $0.2500") for n in (1, 2, 3)]


def test_no_more_than_there_is_place_for_are_begun():
    begun = most = 0

    async def work(job):
        nonlocal begun, most
        begun += 1
        most = max(most, begun)
        await asyncio.sleep(0)
        begun -= 1
        return [verdict(job)]

    assert len(list(concurrently(range(AT_ONCE * 2), work, Through()))) == AT_ONCE * 2
    assert most == AT_ONCE


def test_the_budget_stops_new_ones_and_lets_those_in_flight_end():
    started = []

    async def work(job):
        started.append(job)
        if job == 2:
            raise BudgetReached("enough")
        await asyncio.sleep(0.01)
        return [verdict(job)]

    found = []
    with pytest.raises(BudgetReached, match="enough"):
        gather(found, range(5 * AT_ONCE), work, Through())
    assert sorted(numbers(found)) == [job for job in range(AT_ONCE) if job != 2]
    assert len(started) == AT_ONCE


def test_a_fault_is_raised_after_what_is_finished():
    async def work(job):
        if job == 1:
            raise SpecError("broken")
        if job == 3:
            raise BudgetReached("later, and less telling")
        return await sleepy(job)

    found = []
    with pytest.raises(SpecError, match="broken"):
        gather(found, range(3), work, Through())
    assert sorted(numbers(found)) == [0, 2]


@pytest.mark.parametrize("order", [(0.0, 0.01), (0.01, 0.0)])
def test_a_fault_tells_more_than_an_empty_purse(order):
    async def work(job):
        await asyncio.sleep(order[job])
        raise BudgetReached("empty") if job else SpecError("broken")

    with pytest.raises(SpecError, match="broken"):
        list(concurrently(range(2), work, Through()))


def test_ctrl_c_gives_what_is_finished_and_cancels_the_rest():
    ended = []

    async def work(job):
        if job < 5:
            return [verdict(job)]
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            ended.append(job)
            raise
        return [verdict(job)]

    def press():
        time.sleep(0.3)
        os.kill(os.getpid(), signal.SIGINT)

    session, found = Through(), []
    presser = threading.Thread(target=press)
    presser.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        gather(found, range(20), work, session)
    presser.join()
    assert sorted(numbers(found)) == [0, 1, 2, 3, 4]
    assert sorted(ended) == list(range(5, 20))
    assert time.monotonic() - started < 10
    assert len(session.loops) == 1


def test_ctrl_c_loses_nothing_that_was_finished_in_the_same_moment():
    async def work(job):
        if job == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return [verdict(job)] if job < 2 else await asyncio.sleep(60)

    found = []
    with pytest.raises(KeyboardInterrupt):
        gather(found, range(3), work, Through())
    assert numbers(found) == [0, 1]


def test_a_second_ctrl_c_comes_while_the_first_one_cancels():
    """Pressed again from inside the cancelled jobs; the second ends the waiting, and the loop still ends."""
    ended = []

    async def work(job):
        if not job:
            return [verdict(job)]
        if job == 1:
            os.kill(os.getpid(), signal.SIGINT)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            os.kill(os.getpid(), signal.SIGINT)
            try:  # it may be cancelled here once more
                await asyncio.sleep(0.05)
            finally:
                ended.append(job)
            raise

    session, found = Through(), []
    with pytest.raises(KeyboardInterrupt):
        gather(found, range(3), work, session)
    assert session.closed.wait(60)  # an interrupted join takes its thread for ended, so that it cannot be joined again
    assert sorted(ended) == [1, 2]
    assert len(session.loops) == 1


CALLER = """
import asyncio
from neraca.judges.concurrent import concurrently
from neraca.models.model_session import ModelSession
from neraca.records import Verdict

async def work(job):
    await asyncio.sleep(60 * job)
    return [Verdict(item="1", about="answer", aspect="x", by="test", value=1)]

def caller(verdicts):
    next(verdicts)
    raise KeyboardInterrupt

caller(concurrently([0, 1], work, ModelSession()))
"""


def test_a_caller_that_is_interrupted_between_two_verdicts_leaves_a_process_that_ends():
    """The trace keeps the generator until the process ends, when no other thread can run any more."""
    done = subprocess.run([sys.executable, "-c", CALLER], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0
    assert done.stderr.rstrip().endswith("KeyboardInterrupt")


def test_whoever_stops_listening_stops_the_work():
    ended = []

    async def work(job):
        if not job:
            return [verdict(job)]
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(job)
        return []

    session = Through()
    verdicts = concurrently(range(4), work, session)
    next(verdicts)
    verdicts.close()
    assert sorted(ended) == [1, 2, 3]
    assert len(session.loops) == 1


async def test_it_works_inside_a_running_loop():
    session = Through()
    assert sorted(numbers(concurrently(range(10), sleepy, session))) == list(range(10))
    assert session.loops != [asyncio.get_running_loop()]


async def test_together_waits_for_all_before_it_raises():
    ended = []

    async def fails():
        raise BudgetReached("empty")

    async def lasts():
        await asyncio.sleep(0.01)
        ended.append(True)

    with pytest.raises(BudgetReached):
        await together(fails(), lasts())
    assert ended == [True]
    assert await together(sleepy(1), sleepy(2)) == [[verdict(1)], [verdict(2)]]
