"""Values that the Tab key completes: names of metrics, judges, tests, guides and other closed lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable


def metrics(incomplete: str) -> list[str]:
    """Return the names of metrics; of several in one word, such as "AP nD", the last one is completed."""
    from neraca.metrics.metric import METRICS

    before, space, last = incomplete.rpartition(" ")
    return [f"{before}{space}{name}" for name in _starting(METRICS.names(), last)]


def judges(incomplete: str) -> list[str]:
    """Return the names of judges."""
    from neraca.judges.judge import JUDGES

    return _starting(JUDGES.names(), incomplete)


def paired_tests(incomplete: str) -> list[str]:
    """Return the names of paired tests."""
    from neraca.comparisons.compare import KNOWN_TESTS

    return _starting(KNOWN_TESTS, incomplete)


def corrections(incomplete: str) -> list[str]:
    """Return the names of corrections for many comparisons."""
    from neraca.stats.tests.correction import CORRECTIONS

    return _starting(CORRECTIONS, incomplete)


def prompts(incomplete: str) -> list[str]:
    """Return the names of prompts."""
    from neraca.judges.llm.shipped_prompts import prompt_names

    return _starting(prompt_names(), incomplete)


def words(*choices: str) -> Callable[[str], list[str]]:
    """Return a function that completes one of these words.

    >>> words("en", "es", "id")("e")
    ['en', 'es']
    """

    def complete(incomplete: str) -> list[str]:
        return _starting(choices, incomplete)

    return complete


def _starting(names: Iterable[str], start: str) -> list[str]:
    return sorted({name for name in names if name.startswith(start)})
