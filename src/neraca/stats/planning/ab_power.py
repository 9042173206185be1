r"""Plan an A/B experiment: the number of users needed to find an effect, from the moments of past users.

It needs only the variance of the users' linearised values (`neraca.stats.tests.delta_method.ratio_variance`), assumed
equal in both arms; a covariate reduces it.  The test is Welch's, with the noncentral t distribution.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from neraca.stats.moments import Moments
from neraca.stats.planning.power import fewest, least_effect, power_of_t
from neraca.stats.tests.cuped import adjusted
from neraca.stats.tests.delta_method import ratio, ratio_variance

MOST_USERS = 10_000_000_000


@dataclass(frozen=True, slots=True)
class Plan:
    """The assumptions of a planned experiment and its design.

    Attributes
    ----------
    value, variance
        Without a change, the metric's value and the variance of the users' linearised values.
    share
        Share of the users in arm b.
    alpha
        Level of the two-sided test.
    """

    value: float
    variance: float
    share: float = 0.5
    alpha: float = 0.05

    @classmethod
    def of(cls, past: Moments, *, share: float = 0.5, alpha: float = 0.05) -> Plan:
        """Return the plan for users like these, without the variance that a covariate explains.

        Raise `ValueError` if the share or alpha is not between 0 and 1.
        """
        if not (0 < share < 1 and 0 < alpha < 1):
            raise ValueError(f"share and alpha must be between 0 and 1, not {share:g} and {alpha:g}")
        if len(past.mean) > 2:
            (past,) = adjusted(past)
        return cls(ratio(past), ratio_variance(past), share, alpha)

    def power(self, effect: float, users: float) -> float:
        """Return the chance to find a true difference with this number of users in both arms together.

        NaN with fewer than two users in an arm, or if the variance is unknown or 0.

        Examples
        --------
        Four of five experiments with 64 users in each arm find Cohen's d of 0.5.

        >>> round(Plan(0.0, 1.0).power(0.5, 128), 3)
        0.801
        """
        of_a, of_b = users * (1 - self.share), users * self.share
        if min(of_a, of_b) < 2 or not self.variance > 0:
            return math.nan
        shares = of_b / users, of_a / users  # the variance of the difference is the sum of those of a and b
        df = 1 / (shares[0] ** 2 / (of_a - 1) + shares[1] ** 2 / (of_b - 1))
        return power_of_t(df, effect / math.sqrt(self.variance * (1 / of_a + 1 / of_b)), self.alpha)

    def users(self, effect: float, power: float = 0.8) -> int | None:
        """Return the fewest users of both arms that find a true difference with this chance.

        None without an effect or a variance, or if more than ten thousand million are needed.

        >>> Plan(0.0, 1.0).users(0.5)  # G*Power and statsmodels: 64 in each arm; 63.8 before rounding
        128
        """
        if not abs(effect) > 0 or not self.variance > 0:
            return None
        least = math.ceil(2 / min(self.share, 1 - self.share))
        return fewest(lambda n: self.power(effect, n) >= power, least, MOST_USERS)

    def smallest_effect(self, users: float, power: float = 0.8) -> float:
        """Return the smallest true difference that this number of users in both arms finds with this chance.

        NaN if the power cannot be computed, or unless it lies between alpha and 1.

        >>> round(Plan(0.0, 1.0).smallest_effect(128), 3)
        0.499
        """
        if math.isnan(self.power(0.0, users)) or not self.alpha < power < 1:
            return math.nan
        unit = math.sqrt(self.variance / users)
        return unit * least_effect(lambda effect: self.power(unit * effect, users) >= power)

    def arms(self, users: int) -> tuple[int, int]:
        """Return the users of each arm, rounded up; a relative effect r is an effect of r times `value`.

        >>> Plan(0.0, 1.0, share=0.2).arms(1001)
        (801, 201)
        """
        return math.ceil(users * (1 - self.share) - 1e-9), math.ceil(users * self.share - 1e-9)
