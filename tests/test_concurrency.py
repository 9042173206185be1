import asyncio

import pytest

from neraca.concurrency import each, retry, silent
from neraca.errors import TargetError


@pytest.mark.parametrize("limit, most", [(1, 1), (3, 3), (50, 10), (0, 1), (-2, 1)])
async def test_never_more_than_the_limit_at_once_and_all_are_done(limit, most):
    now, seen, done = 0, [], []

    async def work(job):
        nonlocal now
        now += 1
        seen.append(now)
        await asyncio.sleep(0.001 * (job % 3))
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
            await asyncio.sleep(0 if job < 5 else 60)
        except asyncio.CancelledError:
            called_off.append(job)
            raise

    async with asyncio.timeout(5):
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
    async def work(_):
        await asyncio.sleep(60)

    task = asyncio.create_task(each(range(3), work, 2))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


class Flaky:
    """Raises what it was given, one after the other, then answers; remembers when it was asked."""

    def __init__(self, *errors):
        self.errors = list(errors)
        self.times = []

    async def __call__(self):
        self.times.append(asyncio.get_running_loop().time())
        if self.errors:
            raise self.errors.pop(0)
        return "answer"

    @property
    def waits(self):
        return [later - earlier for earlier, later in zip(self.times, self.times[1:], strict=False)]


def again(after=None):
    return TargetError("busy", again=True, after=after)


async def test_the_first_answer_is_taken():
    flaky = Flaky()
    assert await retry(flaky, 5) == "answer"
    assert len(flaky.times) == 1


async def test_as_often_as_allowed_then_the_last_error():
    last = TargetError("third", again=True)
    flaky = Flaky(again(), again(), last, again())
    with pytest.raises(TargetError) as raised:
        await retry(flaky, 2, first_wait=0)
    assert raised.value is last
    assert len(flaky.times) == 3


async def test_what_cannot_help_is_not_tried_again():
    flaky = Flaky(TargetError("refused", refused=True))
    with pytest.raises(TargetError, match="refused"):
        await retry(flaky, 5, first_wait=0)
    assert len(flaky.times) == 1


async def test_errors_of_other_kinds_are_not_tried_again():
    flaky = Flaky(TimeoutError())
    with pytest.raises(TimeoutError):
        await retry(flaky, 5, first_wait=0)
    assert len(flaky.times) == 1


async def test_no_retries_allowed():
    with pytest.raises(TargetError):
        await retry(Flaky(again()), 0)


async def test_the_other_side_says_how_long_to_wait():
    flaky = Flaky(again(after=0.06), again(after=0.0))
    assert await retry(flaky, 3, first_wait=30) == "answer"
    assert 0.055 <= flaky.waits[0] < 0.5
    assert flaky.waits[1] < 0.05


@pytest.mark.parametrize("error", [again(after=3600), again()])
async def test_never_longer_than_the_longest_wait(error):
    flaky = Flaky(error)
    assert await retry(flaky, 1, first_wait=3600, longest_wait=0.02) == "answer"
    assert 0.015 <= flaky.waits[0] < 0.5


async def test_waits_double_and_vary_by_at_most_half():
    flaky = Flaky(again(), again(), again())
    await retry(flaky, 3, first_wait=0.02, seed=1)
    for wait, whole in zip(flaky.waits, (0.02, 0.04, 0.08), strict=True):
        assert whole / 2 - 0.002 <= wait <= whole + 0.03


async def test_many_clients_do_not_come_back_at_once():
    flaky = [Flaky(again()) for _ in range(20)]
    await asyncio.gather(*(retry(one, 1, first_wait=0.1, seed=seed) for seed, one in enumerate(flaky)))
    waits = [one.waits[0] for one in flaky]
    assert max(waits) - min(waits) > 0.02


def test_progress_for_nobody():
    assert silent(1, 2, "") is None
