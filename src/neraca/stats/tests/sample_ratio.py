"""Test whether the arms have the planned shares of users.  If not, no comparison of the arms can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

#: Two arms with fewer users are tested exactly.
EXACT_BELOW = 1000
#: With fewer expected users in an arm, the chi-square approximation does not hold.
FEWEST_EXPECTED = 5
_DRAWS, _SEED = 100_000, 0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SampleRatio:
    """The actual and expected users of each arm, and their test.

    Attributes
    ----------
    users, expected
        The actual and the expected number of users of each arm.
    p
        Chance of a deviation at least as large if the plan was kept; NaN without users.
    test
        `binomial` (exact), `chi-square`, or `multinomial(draws=100000, seed=0)` for several small arms.
    """

    users: tuple[int, ...]
    expected: tuple[float, ...]
    p: float
    test: str


def sample_ratio(users: Sequence[int], shares: Sequence[float] | None = None) -> SampleRatio:
    """Test the users of each arm against the planned shares.

    Parameters
    ----------
    users
        Users of each arm, at least two arms.
    shares
        Planned share of each arm, above 0, in any unit; by default equal.

    Raises
    ------
    ValueError
        There are fewer than two arms, another number of shares, or shares not above 0.

    References
    ----------
    Fabijan, A. et al. (2019). Diagnosing sample ratio mismatch in online controlled experiments. KDD, 2156-2164.

    Examples
    --------
    >>> round(sample_ratio([5100, 4900]).p, 4)  # chi-square = 100^2 / 5000 twice = 4
    0.0455
    >>> sample_ratio([8, 2]).p  # 2 (1 + 10 + 45) / 2^10
    0.109375
    """
    shares = [1.0] * len(users) if shares is None else shares
    if len(users) < 2 or len(shares) != len(users):
        raise ValueError(f"needs at least two arms and a share for each: {len(users)} arms, {len(shares)} shares")
    if not all(0 < share < math.inf for share in shares):
        raise ValueError(f"planned shares must be above 0, not {', '.join(f'{share:g}' for share in shares)}")
    n = sum(users)
    planned = np.asarray(shares, np.float64) / sum(shares)
    expected = tuple((n * planned).tolist())
    if not n:
        return SampleRatio(tuple(users), expected, math.nan, "chi-square")
    if len(users) == 2 and n < EXACT_BELOW:
        from scipy.stats import binomtest

        return SampleRatio(tuple(users), expected, float(binomtest(users[0], n, planned[0]).pvalue), "binomial")
    distance = float(((np.asarray(users) - expected) ** 2 / expected).sum())
    if min(expected) >= FEWEST_EXPECTED:
        from scipy.special import chdtrc

        return SampleRatio(tuple(users), expected, float(chdtrc(len(users) - 1, distance)), "chi-square")
    random_users = np.random.default_rng(_SEED).multinomial(n, planned, _DRAWS)
    distances = ((random_users - expected) ** 2 / expected).sum(axis=1)
    farther = int((distances >= distance * (1 - _ROUNDING)).sum())
    p = (1 + farther) / (1 + _DRAWS)
    return SampleRatio(tuple(users), expected, p, f"multinomial(draws={_DRAWS}, seed={_SEED})")
