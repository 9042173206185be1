"""Tell whether two models are of one family, by their names."""

from __future__ import annotations

import re


def same_family(one: str, other: str) -> bool:
    """Return whether the names of two models begin with the same word, such as `gpt`, `claude` or `qwen`.

    >>> same_family("openai:gpt-4o-mini", "openai:gpt-4.1"), same_family("openai:qwen3:8b", "openai:meta/llama3")
    (True, False)
    """
    return _family(one) == _family(other)


def _family(model: str) -> str:
    name = model.partition(":")[2] or model
    word = re.match(r"[^\W\d_]+", name.rsplit("/", 1)[-1])
    return word[0].casefold() if word else name
