"""A target that fails in the same way from the start is not asked to the end."""

import asyncio

import pytest

from neraca.datasets.dataset import Dataset
from neraca.errors import NothingUsable, TargetError
from neraca.records import Answer, Item
from neraca.runs.run import Run
from neraca.runs.runner import AskOptions, ask_all

N = 30


class System:
    """Does with the n-th question what `act` says."""

    stateful = False

    def __init__(self, act):
        self.act, self.asked = act, 0

    async def ask(self, item, conversation):
        self.asked += 1
        n = self.asked
        await asyncio.sleep(0)
        return await self.act(n, item)

    async def close(self):
        pass


@pytest.fixture
def run(tmp_path):
    dataset = Dataset(tuple(Item(id=f"q{n}", query=f"question {n}") for n in range(N)), "test")
    return Run.create(tmp_path / "run", dataset, {"kind": "test"})


def go(run, system, **options):
    with run.writing():
        return asyncio.run(ask_all(run, system, AskOptions(**{"concurrency": 1, "retries": 0, **options})))


async def hangs(n, item):
    await asyncio.sleep(60)


async def lost(n, item):
    raise TargetError(f"port {8000 + n} of {item.id!r} is closed")


async def works(n, item):
    return Answer(item=item.id, text="yes")


def test_five_timeouts_in_a_row_stop_the_run_and_name_the_settings(run):
    system = System(hangs)
    with pytest.raises(NothingUsable) as error:
        go(run, system, timeout=0.01, concurrency=2)
    assert system.asked in (5, 6, 7)
    words = str(error.value)
    assert words.startswith("5 questions in a row failed alike, and none before them was answered")
    assert "no answer within 0.01 s" in words
    assert "Raise timeout (0.01 s now), and lower concurrency (2 now, 1 for a model on one machine)" in words
    assert "--retry-failed" in words
    assert sum(answer.status == "timeout" for answer in run.answers().values()) >= 5


def test_one_at_a_time_needs_no_lower_concurrency(run):
    with pytest.raises(NothingUsable) as error:
        go(run, System(hangs), timeout=0.01)
    assert "concurrency" not in str(error.value)


def test_errors_that_differ_only_in_numbers_and_names_are_alike(run):
    system = System(lost)
    with pytest.raises(NothingUsable, match="neraca doctor --target"):
        go(run, system)
    assert system.asked == 5


def test_the_next_start_goes_on_when_the_target_is_mended(run):
    with pytest.raises(NothingUsable):
        go(run, System(lost))
    assert go(run, System(works), retry_failed=True) == 0
    assert {answer.status for answer in run.answers().values()} == {"complete"}


def test_one_answer_shows_that_the_target_works(run):
    async def first_only(n, item):
        return await (works if n == 1 else lost)(n, item)

    system = System(first_only)
    go(run, system)
    assert system.asked == N
    answered_before = System(lost)
    go(run, answered_before, retry_failed=True)
    assert answered_before.asked == N - 1


def test_failures_of_several_kinds_go_on(run):
    async def varied(n, item):
        raise TargetError(("the port is closed", "the certificate is old")[n % 2])

    system = System(varied)
    go(run, system)
    assert system.asked == N


def test_refused_questions_say_nothing_about_the_others(run):
    async def refuses(n, item):
        raise TargetError("no recorded answer", refused=True)

    system = System(refuses)
    go(run, system)
    assert system.asked == N
