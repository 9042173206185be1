"""Tables of settings."""

from typing import Any

from neraca.settings import merge


def test_settings_are_laid_over_each_other_and_not_shared() -> None:
    base: dict[str, Any] = {"body": {"a": 1}, "list": [1]}
    merged = merge(base, {"body": {"b": [2]}})
    merged["body"]["a"] = 9
    merged["list"].append(2)
    assert base == {"body": {"a": 1}, "list": [1]}
    assert merge({"body": {"a": 1}}, {"body": "text"}) == {"body": "text"}
