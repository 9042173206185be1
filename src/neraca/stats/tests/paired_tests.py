"""All paired tests by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from neraca.stats.tests.bootstrap import bootstrap_tests
from neraca.stats.tests.mcnemar import mcnemar
from neraca.stats.tests.paired import Paired, Sample, Test, each, t_test
from neraca.stats.tests.randomisation import randomisations
from neraca.stats.tests.sign import sign_test
from neraca.stats.tests.wilcoxon import wilcoxon

_ANY_SOURCE: dict[str, Test] = {
    "t": each(t_test),
    "wilcoxon": each(wilcoxon),
    "sign": each(sign_test),
    "randomisation": randomisations,
    "bootstrap": bootstrap_tests,
    "mcnemar": each(mcnemar),
}


def _test(test: Test, samples: Sequence[Sample], level: float, seed: int) -> list[Paired]:
    """Return the test of samples in whatever order their items are.

    If all of several differing items belong to one cluster, it has no result.
    """
    results = test([sample.ordered() for sample in samples], level, seed)
    return [
        Paired.untested(result.difference, result.n, result.test)
        if sample.one_source and sample.differences.any()
        else result
        for sample, result in zip(samples, results, strict=True)
    ]


TESTS: dict[str, Test] = {name: partial(_test, test) for name, test in _ANY_SOURCE.items()}

#: Tests of values that are only 0 or 1.
OF_SHARES = frozenset({"mcnemar"})
