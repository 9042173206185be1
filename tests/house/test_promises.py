"""docs/promises.md is right: each test that it names is there, and its table counts them."""

import re
from pathlib import Path

import pytest
from promises import counts, is_promised, promised_tests

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("promise", promised_tests())
def test_every_test_of_a_promise_is_there(promise):
    assert promised_tests()[promise], "a promise without a test is none"
    for test in promised_tests()[promise]:
        path, _, name = test.partition("::")
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not name or re.search(rf"^(async )?def {name}\(", text, re.MULTILINE), test


def test_passed_and_failed_tests_are_counted_with_their_parameters():
    first, second = promised_tests()["Exact"][:2]
    assert is_promised(f"{first}[bpref-1]")
    assert not is_promised(f"{first}_of_another_test")
    table = counts({"passed": [f"{first}[a]", f"{first}[b]"], "failed": [second], "skipped": ["tests/x.py::test_y"]})
    row = next(line for line in table.splitlines() if line.startswith("Exact"))
    assert row.split() == ["Exact", "7", "2", "1", "0"]
