"""All paired tests by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from neraca.stats.tests.bootstrap import bootstrap_tests
from neraca.stats.tests.mcnemar import mcnemar
from neraca.stats.tests.paired import Paired, Sample, Test, per_sample, t_test
from neraca.stats.tests.randomisation import randomisations
from neraca.stats.tests.sign import sign_test
from neraca.stats.tests.wilcoxon import wilcoxon

_ANY_SOURCE: dict[str, Test] = {
    "t": per_sample(t_test),
    "wilcoxon": per_sample(wilcoxon),
    "sign": per_sample(sign_test),
    "randomisation": randomisations,
    "bootstrap": bootstrap_tests,
    "mcnemar": per_sample(mcnemar),
}


def _test(test: Test, samples: Sequence[Sample], level: float, seed: int) -> list[Paired]:
    """Test samples independently of the order of their items.

    A sample whose several differing items belong to one cluster has no result.
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
