"""What to try next, for the reasons that the target gives."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from neraca.targets.browser import remedies as module
from neraca.targets.browser.remedies import REMEDIES, remedies, remedy


@pytest.mark.parametrize(
    "reason, option",
    [
        ("its request ended; it is in another place than earlier answers; screenshot: x.png", "--response-selector"),
        ("nothing changed for 15 s, and no sign ended the answer", "--still"),
        ("nothing changed for 30 s, but the page still shows an animation", "--busy"),
        ("nothing changed for 30 s, but the page received more than it shows", "--response-selector"),
        ("Rate this may not belong to it", "--ignore"),
        ("this answer was not watched after its end, and the page changed another one then", "--retry-failed"),
        ("the page's request failed: POST /chat 500; the page says 'Oops!'", "--retry-failed"),
        ("no sign ended it within the time limit, although it had stopped changing", "--timeout"),
        ("no place to type was found within 30 s", "--input-selector"),
        ("the page asks for a password: log in once", "--login"),
        ("the browser failed: Target closed", "same command"),
        ("something that nobody has ever seen", "--probe"),
    ],
)
def test_each_reason_has_its_remedy(reason: str, option: str) -> None:
    assert option in remedy(reason)


def test_remedies_are_counted_the_most_frequent_first() -> None:
    reasons = ["nothing changed for 15 s", "it is above its question", "nothing changed for 16 s"]
    assert [n for _, n in remedies(reasons)] == [2, 1]


def test_every_pattern_is_a_reason_that_the_code_gives() -> None:
    files = [*Path(module.__file__).parent.rglob("*.py"), *Path(module.__file__).parent.rglob("*.js")]
    code = " ".join(file.read_text(encoding="utf-8") for file in files if file.name != "remedies.py")
    code += (Path(module.__file__).parents[2] / "runs" / "runner.py").read_text(encoding="utf-8")
    words = [word for pattern, _ in REMEDIES for word in re.sub(r"\[17\]|40\b", "", pattern).split("|")]
    assert [word for word in words if word.strip().removesuffix(" 40") not in code] == []
