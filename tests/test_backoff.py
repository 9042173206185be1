"""Retries after a wait that grows with each failure."""

import asyncio

import pytest

from neraca.backoff import backoff, retry
from neraca.errors import TargetError


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

    async def attempt(self, retries):
        return await retry(self, retries, sleep=self.sleep)


def again(after=None):
    return TargetError("busy", again=True, after=after)


async def test_the_first_answer_is_taken():
    flaky = Flaky()
    assert await flaky.attempt(5) == "answer"
    assert (flaky.attempts, flaky.waits) == (1, [])


async def test_as_often_as_allowed_then_the_last_error():
    last = TargetError("third", again=True)
    flaky = Flaky(again(), again(), last, again())
    with pytest.raises(TargetError) as raised:
        await flaky.attempt(2)
    assert raised.value is last
    assert (flaky.attempts, len(flaky.waits)) == (3, 2)


@pytest.mark.parametrize("error", [TargetError("refused", refused=True), TimeoutError()])
async def test_what_cannot_help_is_not_tried_again(error):
    flaky = Flaky(error)
    with pytest.raises(type(error)):
        await flaky.attempt(5)
    assert (flaky.attempts, flaky.waits) == (1, [])


async def test_no_retries_allowed():
    flaky = Flaky(again())
    with pytest.raises(TargetError):
        await flaky.attempt(0)
    assert flaky.attempts == 1


async def test_a_wait_depends_on_the_number_of_failures_and_on_the_wait_that_the_server_asked_for():
    flaky = Flaky(again(), again(after=7.0), again(after=0.0), again())
    assert await flaky.attempt(4) == "answer"
    first, *later, fourth = flaky.waits
    assert 0.25 <= first <= 0.5
    assert later == [7.0, 0.0]
    assert 2.0 <= fourth <= 4.0


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
