"""The limit, with a scripted endpoint in an event loop whose clock jumps to whatever is due next."""

import asyncio
import random

import pytest

from neraca.models.adaptive_concurrency import AdaptiveLimit


class Jumping(asyncio.SelectorEventLoop):
    """An event loop that never sleeps: its time is that of the next timer."""

    now = 0.0

    def time(self):
        return self.now

    def _run_once(self):
        if not self._ready and self._scheduled:
            self.now = max(self.now, self._scheduled[0]._when)
        super()._run_once()


def simulate(work):
    with asyncio.Runner(loop_factory=Jumping) as runner:
        return runner.run(work)


class Endpoint:
    """Bears so many calls in flight; a call takes a while, a refusal next to none."""

    def __init__(self, bears, seconds=0.02):
        self.bears, self.seconds = bears, seconds
        self.in_flight = self.most = self.refused = self.done = 0

    async def call(self):
        if self.in_flight >= self.bears:
            self.refused += 1
            await asyncio.sleep(0.001)
            return "refused"
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        try:
            await asyncio.sleep(self.seconds * random.Random(self.done).uniform(0.8, 1.2))
            self.done += 1
            return "answered"
        finally:
            self.in_flight -= 1


async def through(limit, endpoint, calls):
    async def one():
        while True:
            number = await limit.enter()
            outcome = await endpoint.call()
            limit.leave(number, outcome)
            if outcome == "answered":
                return

    await asyncio.gather(*(one() for _ in range(calls)))


def test_calls_in_flight_follow_the_limit():
    """Not the number in the object: what the endpoint sees.  One wake-up per call that ends would stay at 8."""
    limit, endpoint = AdaptiveLimit(64), Endpoint(1000)
    simulate(through(limit, endpoint, 800))
    assert endpoint.most == limit.places == 64


@pytest.mark.parametrize("most", [1, 3, 8])
def test_the_highest_number_holds(most):
    limit, endpoint = AdaptiveLimit(most), Endpoint(1000)
    simulate(through(limit, endpoint, 200))
    assert endpoint.most == most


def test_it_begins_with_eight():
    endpoint = Endpoint(1000, seconds=9.0)
    with pytest.raises(TimeoutError):
        simulate(asyncio.wait_for(through(AdaptiveLimit(64), endpoint, 100), 1.0))
    assert endpoint.most == 8


class Fixed:
    """A limit that does not adapt."""

    def __init__(self, places):
        self._places = asyncio.Semaphore(places)

    async def enter(self):
        await self._places.acquire()
        return 0

    def leave(self, call, outcome):
        self._places.release()


@pytest.mark.parametrize("bears, most_wasted", [(40, 0.01), (20, 0.02), (5, 0.06)])
def test_an_endpoint_that_refuses_wastes_few_calls_and_is_kept_busy(bears, most_wasted):
    """Beside a fixed number that is just right: at least 80 % of its throughput, under 1 % of calls refused for 40."""
    calls = 50 * bears
    endpoint = Endpoint(bears)
    seconds = simulate(timed(through(AdaptiveLimit(64), endpoint, calls)))
    best = simulate(timed(through(Fixed(bears), Endpoint(bears), calls)))
    assert endpoint.done == calls
    assert best / seconds >= 0.8
    assert endpoint.refused <= most_wasted * calls


def test_a_fixed_number_that_is_too_high_would_be_noticed():
    """The same bar, for a limit that does not adapt: it wastes ten times what is allowed."""
    endpoint = Endpoint(40)
    simulate(through(Fixed(64), endpoint, 2000))
    assert endpoint.refused > 200


async def forty_in_flight():
    """A limit, and the numbers of forty calls in flight."""
    limit = AdaptiveLimit(64, first=40)
    return limit, [await limit.enter() for _ in range(40)]


async def test_a_burst_of_refusals_shows_what_the_endpoint_bears():
    """Forty in flight and all but five refused: the next round has five, not nine tenths of forty."""
    limit, numbers = await forty_in_flight()
    for number in numbers[:35]:
        limit.leave(number, "refused")
    assert limit.places == 5


async def test_slow_calls_of_one_round_cut_once():
    """40 times 0.9 is 36; a slow call that began afterwards cuts again, to 32.4."""
    limit, numbers = await forty_in_flight()
    for number in numbers[:30]:
        limit.leave(number, "slow")
    assert limit.places == 36
    limit.leave(await limit.enter(), "slow")
    assert limit.places == 32


async def test_other_failures_change_nothing_and_one_place_always_remains():
    limit = AdaptiveLimit(8)
    limit.leave(await limit.enter(), "failed")
    assert limit.places == 8
    for _ in range(50):
        limit.leave(await limit.enter(), "refused")
    assert limit.places == 1


async def test_it_does_not_grow_on_what_was_not_tried():
    limit = AdaptiveLimit(64)
    for _ in range(500):
        limit.leave(await limit.enter(), "answered")
    assert limit.places == 8
    assert limit.answered == 500


def test_a_change_for_the_better_is_followed():
    """Four for a while, then any number: within a thousand calls all places are in use."""
    limit, endpoint = AdaptiveLimit(64), Endpoint(4)
    simulate(through(limit, endpoint, 400))
    assert limit.places <= 5
    endpoint.bears, endpoint.most = 1000, 0
    simulate(through(limit, endpoint, 1000))
    assert endpoint.most == 64


def test_a_change_for_the_worse_is_followed():
    limit, endpoint = AdaptiveLimit(64), Endpoint(60)
    simulate(through(limit, endpoint, 2000))
    endpoint.bears, endpoint.refused = 10, 0
    simulate(through(limit, endpoint, 1000))
    assert endpoint.refused <= 60 - 10 + 20


def test_a_pause_holds_back_new_calls_only():
    async def work():
        limit = AdaptiveLimit(8)
        flying = await limit.enter()
        limit.pause(60.0)
        limit.pause(20.0)
        limit.leave(flying, "answered")
        await asyncio.gather(limit.enter(), limit.enter())

    assert simulate(timed(work())) == pytest.approx(60.0, abs=0.1)


async def timed(work):
    started = asyncio.get_running_loop().time()
    await work
    return asyncio.get_running_loop().time() - started


async def test_places_are_given_in_the_order_of_asking():
    limit, order = AdaptiveLimit(1), []

    async def one(name):
        number = await limit.enter()
        order.append(name)
        await asyncio.sleep(0)
        limit.leave(number, "answered")

    await asyncio.gather(*(one(name) for name in range(20)))
    assert order == list(range(20))


async def test_cancelled_calls_leave_no_place_behind():
    """Those that wait, and those that were given a place in the moment of being cancelled."""
    limit = AdaptiveLimit(2)
    first, second = await limit.enter(), await limit.enter()
    waiting = [asyncio.create_task(limit.enter()) for _ in range(6)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    limit.leave(first, "answered")  # gives the place to waiting[1] ...
    waiting[1].cancel()  # ... which is cancelled before it runs
    await asyncio.gather(*waiting[:2], return_exceptions=True)
    limit.leave(second, "answered")
    done, pending = await asyncio.wait(waiting[2:], timeout=0.05)
    assert (len(done), len(pending)) == (2, 2)
    for task in done:
        limit.leave(task.result(), "answered")
    assert len(await asyncio.gather(*pending)) == 2


def test_what_it_learnt_outlives_the_event_loop():
    limit, endpoint = AdaptiveLimit(64), Endpoint(1000, seconds=0.002)
    simulate(through(limit, endpoint, 400))
    learnt = limit.places
    assert learnt > 8
    endpoint.most = 0
    simulate(through(limit, endpoint, learnt))
    assert endpoint.most == learnt
