import asyncio

import pytest

from neraca.concurrency import run_jobs, silent


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

    await run_jobs(range(10), work, limit)
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

    await run_jobs(jobs(), work, 4)
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
            await run_jobs(jobs(), work, 3)
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
        await run_jobs(jobs(), work, 2)


async def test_no_jobs():
    async def work(_):
        raise AssertionError

    await run_jobs([], work, 4)


async def test_who_calls_it_off_from_outside_is_heard():
    begun = asyncio.Event()

    async def work(_):
        begun.set()
        await asyncio.sleep(600)

    task = asyncio.create_task(run_jobs(range(3), work, 2))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_progress_for_nobody():
    assert silent(1, 2, "") is None
