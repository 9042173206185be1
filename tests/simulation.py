"""How often tests simulate: a little in every run, and more in `make soak`."""

import math

import pytest

#: A test with the argument `times` runs with few repetitions, with many in `make soak`, and not in `make quick`.
repeated = pytest.mark.parametrize(
    "times", [pytest.param(200, marks=pytest.mark.slow), pytest.param(2000, marks=pytest.mark.soak)]
)


def slack(times, share=0.05):
    """Four standard deviations of a share in so many repetitions: a right method exceeds it once in 16,000 times."""
    return 4 * math.sqrt(share * (1 - share) / times)
