import asyncio

import pytest

from neraca.concurrency import backoff, each, retry, silent
from neraca.errors import TargetError


@pytest.mark.parametrize("limit, most", [(1, 1), (3, 3), (50, 10), (0, 1), (-2, 1)])
async def test_never_more_than_the_limit_at_once_and_all_are_done(limit, most):
    now, seen, done = 0, [], []

    async def work(job):
        nonlocal now
        now += 1
        seen.append(now)
        for _ in range(1 + job % 3):
            await asyncio.sleep(0)
        now -= 1
        done.append(job)

    await each(range(10), work, limit)
    assert max(seen) == most
    assert sorted(done) == list(range(10))


async def test_jobs_are_drawn_when_there_is_a_place_for_them():
    drawn, done = 0, 0

    def jobs():
        nonlocal drawn
        for number in range(30):
            drawn += 1
            yield number

    async def work(_):
        nonlocal done
        assert drawn <= done + 4
        await asyncio.sleep(0)
        done += 1

    await each(jobs(), work, 4)
    assert (drawn, done) == (30, 30)


async def test_endless_jobs_stop_at_the_first_error_and_the_others_are_called_off():
    started, called_off = [], []

    def jobs():
        number = 0
        while True:
            yield number
            number += 1

    async def work(job):
        started.append(job)
        if job == 5:
            raise KeyError("five")
        try:
            await asyncio.sleep(0 if job < 5 else 600)
        except asyncio.CancelledError:
            called_off.append(job)
            raise

    async with asyncio.timeout(60):
        with pytest.raises(KeyError, match="five") as raised:
            await each(jobs(), work, 3)
    assert raised.value.__cause__ is None
    assert len(started) <= 9
    assert set(called_off) == {job for job in started if job > 5}


async def test_an_error_of_the_jobs_themselves_is_raised():
    def jobs():
        yield 1
        raise InterruptedError("no more")

    async def work(_):
        await asyncio.sleep(0)

    with pytest.raises(InterruptedError, match="no more"):
        await each(jobs(), work, 2)


async def test_no_jobs():
    async def work(_):
        raise AssertionError

    await each([], work, 4)


async def test_who_calls_it_off_from_outside_is_heard():
    begun = asyncio.Event()

    async def work(_):
        begun.set()
        await asyncio.sleep(600)

    task = asyncio.create_task(each(range(3), work, 2))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


class Flaky:
    """Raises what it was given, one after the other, then answers; keeps how long it was left alone each time."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.attempts = 0
        self.waits = []

    async def __call__(self):
        self.attempts += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"

    async def sleep(self, seconds):
        self.waits.append(seconds)

    async def asked(self, retries, **options):
        return await retry(self, retries, sleep=self.sleep, **options)


def again(after=None):
    return TargetError("busy", again=True, after=after)


async def test_the_first_answer_is_taken():
    flaky = Flaky()
    assert await flaky.asked(5) == "answer"
    assert (flaky.attempts, flaky.waits) == (1, [])


async def test_as_often_as_allowed_then_the_last_error():
    last = TargetError("third", again=True)
    flaky = Flaky(again(), again(), last, again())
    with pytest.raises(TargetError) as raised:
        await flaky.asked(2)
    assert raised.value is last
    assert (flaky.attempts, len(flaky.waits)) == (3, 2)


@pytest.mark.parametrize("error", [TargetError("refused", refused=True), TimeoutError()])
async def test_what_cannot_help_is_not_tried_again(error):
    flaky = Flaky(error)
    with pytest.raises(type(error)):
        await flaky.asked(5)
    assert (flaky.attempts, flaky.waits) == (1, [])


async def test_no_retries_allowed():
    flaky = Flaky(again())
    with pytest.raises(TargetError):
        await flaky.asked(0)
    assert flaky.attempts == 1


async def test_a_wait_knows_how_often_it_failed_and_what_the_other_side_asked_for():
    flaky = Flaky(again(), again(after=7.0), again(after=0.0))
    assert await flaky.asked(3, wait=lambda failures, after: (failures, after)) == "answer"
    assert flaky.waits == [(1, None), (2, 7.0), (3, 0.0)]


async def test_without_being_told_otherwise_a_retry_really_waits_as_long_as_was_asked():
    loop, flaky = asyncio.get_running_loop(), Flaky(again(after=0.05))
    started = loop.time()
    assert await retry(flaky, 1) == "answer"
    assert loop.time() - started >= 0.05


@pytest.mark.parametrize("draw, share", [(0.0, 0.5), (0.5, 0.75), (1.0, 1.0)])
def test_waits_double_and_their_second_half_is_chance(draw, share):
    waits = [backoff(failures, first=2.0, draw=lambda: draw) for failures in (1, 2, 3, 4)]
    assert waits == pytest.approx([2 * share, 4 * share, 8 * share, 16 * share], rel=1e-12)


def test_many_clients_do_not_come_back_at_once():
    waits = [backoff(1, first=1.0) for _ in range(100)]
    assert len(set(waits)) > 50
    assert min(waits) >= 0.5
    assert max(waits) <= 1.0


@pytest.mark.parametrize("after, seconds", [(0.0, 0.0), (7.5, 7.5), (3600.0, 300.0)])
def test_the_other_side_says_how_long_to_wait_up_to_a_limit(after, seconds):
    assert backoff(5, after) == seconds


@pytest.mark.parametrize("failures", [10, 2000])
def test_no_wait_is_longer_than_the_longest(failures):
    assert backoff(failures, longest=60.0, draw=lambda: 1.0) == 60.0


def test_progress_for_nobody():
    assert silent(1, 2, "") is None
