import asyncio

import pytest

from neraca.errors import BudgetReached
from neraca.models.budget import Budget


async def spend(budget, estimate, actual, log=None):
    async with budget.promise(estimate):
        await asyncio.sleep(0.001)
        budget.spent += actual
    if log is not None:
        log.append(actual)


async def test_calls_in_flight_count_as_estimated():
    """1.00 with calls of 0.30: three, however many are started at once."""
    budget, log = Budget(1.0), []
    done = await asyncio.gather(*(spend(budget, 0.3, 0.3, log) for _ in range(10)), return_exceptions=True)
    assert len(log) == 3
    assert [type(each) for each in done].count(BudgetReached) == 7
    assert budget.spent == pytest.approx(0.9)


async def test_what_calls_did_not_cost_is_free_again():
    """Estimates of 0.30, costs of 0.10: by the end of the calls in flight there is money for more, up to eight."""
    budget, log = Budget(1.0), []
    await asyncio.gather(*(spend(budget, 0.3, 0.1, log) for _ in range(20)), return_exceptions=True)
    assert len(log) == 8  # after eight 0.20 are left, less than the estimate of the next
    assert budget.spent == pytest.approx(0.8)


async def test_the_error_says_how_to_go_on():
    with pytest.raises(
        BudgetReached, match=r"budget of \$0\.5 .* \$0\.0000 is spent .* about \$0\.7000.*higher budget"
    ):
        await spend(Budget(0.5), 0.7, 0.7)


async def test_no_budget_is_no_limit():
    budget = Budget(None)
    await spend(budget, 1e9, 5.0)
    assert budget.spent == 5.0


async def test_a_failed_or_cancelled_call_gives_its_promise_back():
    budget = Budget(1.0)
    with pytest.raises(ValueError):
        async with budget.promise(0.9):
            raise ValueError
    task = asyncio.create_task(spend(budget, 0.9, 0.0))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(spend(budget, 0.9, 0.0))
    await asyncio.sleep(0)
    waiting.cancel()
    task.cancel()
    await asyncio.gather(task, waiting, return_exceptions=True)
    await spend(budget, 1.0, 1.0)
    assert budget.spent == 1.0
