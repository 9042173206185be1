"""Every paired test by its name."""

from __future__ import annotations

from neraca.stats.bootstrap import bootstrap_tests
from neraca.stats.mcnemar import mcnemar
from neraca.stats.paired import Test, each, t_test
from neraca.stats.randomisation import randomisations
from neraca.stats.sign import sign_test
from neraca.stats.wilcoxon import wilcoxon

TESTS: dict[str, Test] = {
    "t": each(t_test),
    "wilcoxon": each(wilcoxon),
    "sign": each(sign_test),
    "randomisation": randomisations,
    "bootstrap": bootstrap_tests,
    "mcnemar": each(mcnemar),
}

#: Tests of values that are 0 or 1 and nothing else.
OF_SHARES = frozenset({"mcnemar"})
