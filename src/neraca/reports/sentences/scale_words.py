"""Write the values of people's scales with the words that the scale has for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from neraca.number_format import localised
from neraca.records import Verdict
from neraca.reports.formats.visible_text import line
from neraca.runs.run import Run
from neraca.scores.scores import Scores
from neraca.verdicts.source import is_human

#: The longest words of a value in a table.
_LONGEST = 60
#: Aspect → value of people's scale → its words, "" without words.
ScaleWords: TypeAlias = Mapping[str, Mapping[float, str]]
NO_WORDS: Final[ScaleWords] = MappingProxyType({})


def words_of_scales(scores: Scores) -> dict[str, dict[float, str]]:
    """Return aspect → value → words, as in `words_of_runs`, for all runs with scores."""
    parts = (run.scorable for run in scores.runs)
    runs = (part.column("run") for part in parts if part is not None and part.offers("run"))
    return words_of_runs(run for run in runs if isinstance(run, Run))


def words_of_runs(runs: Iterable[Run]) -> dict[str, dict[float, str]]:
    """Return aspect → value → words, from all runs; the words of the first run that has any stand."""
    words: dict[str, dict[float, str]] = {}
    for run in runs:
        for aspect, by_value in run.manifest.scale_words.items():
            own = words.setdefault(aspect, {})
            own |= {float(value): text for value, text in by_value.items() if not own.get(float(value))}
    return {aspect: dict(sorted(by_value.items())) for aspect, by_value in words.items()}


def words_of(run: Run, verdict: Verdict) -> str:
    """Return the words of the value that a person gave; "" without words, and for verdicts of programs."""
    if verdict.value is None or not is_human(verdict.by):
        return ""
    return run.manifest.scale_words.get(verdict.aspect, {}).get(f"{verdict.value:g}", "")


def value_in_words(value: float, words: str) -> str:
    """Return a value with its words.

    >>> value_in_words(3.0, "right"), value_in_words(2.5, "")
    ('3: right', '2.5')
    """
    number = localised(f"{value:g}")
    return f"{number}: {line(words, _LONGEST)}" if words else number
