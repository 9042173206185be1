"""The promises of docs/promises.md, and how many of their tests passed."""

import re
from functools import cache
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "promises.md"


@cache
def promised_tests():
    """Promise, such as `Never lost` → the names of its tests, or of a whole file of tests."""
    sections = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.M)[1:]
    return {
        title: re.findall(r"`(tests/[^`]+)`", text) for title, text in zip(sections[::2], sections[1::2], strict=True)
    }


def is_promised(node):
    """Whether a test, by its name with parameters, is one of a promise."""
    name = node.partition("[")[0]
    return any({name, name.partition("::")[0]} & set(tests) for tests in promised_tests().values())


def counts(reports):
    """A table: for each promise its tests, and how many runs of them passed, failed and were skipped.

    Parameters
    ----------
    reports
        Outcome (passed, failed, skipped) → the names of the tests with it.
    """
    from neraca.plain_table import plain_table

    rows = []
    for promise, tests in promised_tests().items():
        ended = [
            sum(
                name.partition("[")[0] in tests or name.partition("::")[0] in tests for name in reports.get(outcome, ())
            )
            for outcome in ("passed", "failed", "skipped")
        ]
        rows.append([promise, *map(str, (len(tests), *ended))])
    return plain_table(["promise", "tests", "passed", "failed", "skipped"], rows)
