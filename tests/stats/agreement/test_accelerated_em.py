import numpy as np
import pytest

from neraca.stats.agreement.accelerated_em import accelerated_em


def slow(x):
    """A mixture of two known coins (0.6 and 0.5) thrown 3 + 1 times: EM creeps to the edge, where the weight is 1."""
    heads, tails = 0.6 * x / (0.6 * x + 0.5 * (1 - x)), 0.4 * x / (0.4 * x + 0.5 * (1 - x))
    objective = 30 * np.log(0.5 + 0.1 * x) + 20 * np.log(0.5 - 0.1 * x)
    return (30 * heads + 20 * tails) / 50, float(objective[0])


def test_the_maximum_is_found_in_far_fewer_steps_than_plain_em_takes():
    """The log-likelihood 30 log(.5 + .1 x) + 20 log(.5 - .1 x) has its maximum where 3 (.5 - .1 x) = 2 (.5 + .1 x)."""
    found = accelerated_em(slow, np.array([0.2]), 1e-12)
    assert found.converged
    assert found.parameters == pytest.approx([1.0], abs=1e-3)
    x, steps = np.array([0.2]), 0
    while x[0] < found.parameters[0] - 1e-3 and steps < 10_000:
        x, steps = slow(x)[0], steps + 1
    assert found.steps < steps / 3


def test_it_says_when_it_did_not_converge():
    assert not accelerated_em(slow, np.array([0.2]), 1e-12, most=3).converged


def test_a_jump_that_lowers_the_objective_is_not_taken():
    """Steps of nearly the same length towards 0.3: the extrapolation runs to the edge, far beyond."""
    tried = []

    def nearly_even(x):
        tried.append(float(x[0]))
        goal = 0.3
        return x + np.minimum(0.02 * (1 - 0.01 * x), goal - x), -float(((x - goal) ** 2).sum() * 1e4)

    found = accelerated_em(nearly_even, np.array([0.01]), 1e-9)
    assert max(tried) > 0.9
    assert found.converged
    assert found.parameters == pytest.approx([0.3], abs=1e-6)
