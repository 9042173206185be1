"""The declaration of a metric, before its parameters are bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # naming a metric costs nothing; numpy is imported when something is scored
    from neraca.stats.intervals.interval import Total

Better = Literal["higher", "lower", "neither"]
#: What an answer without hits is worth, as the parameter `empty` of metrics of rankings says.
#: expected: a right one (nothing was to be found) is not defined, a false one counts as the formula has it, mostly 0.
#: skip: none is defined, so that the mean is over the questions with results.  zero: each counts 0.
#: correct: a right one counts 1, and what is returned where nothing was to be found counts 0.
EMPTY = ("expected", "skip", "zero", "correct")
#: Of a metric that is made of another one, whose own parameter says it.
INNER = "inner"
Kind = Literal["quality", "diagnostic"]


@dataclass(frozen=True, eq=False)
class Definition:
    """A metric as declared, before its parameters are bound.

    Attributes
    ----------
    name, function
        As registered; the function's docstring is the metric's documentation.
    total
        From summed counts to the value over items; None where the function gives one value per answer, of which
        the mean is taken.
    better
        The better direction; `neither` for a mere count, such as words.
    low, high
        The range of its values; infinite where it has none.
    why_undefined
        The reason why a value can be NaN, in words.
    references
        The reference that counts among several: `best`, `nearest` in length, or `all` where they are taken together, as
        BLEU does.
    most
        From parameters to `high`, where that depends on them.
    empty
        The worth of an answer without hits if the parameter `empty` is not given: one of `EMPTY`, or a function of
        the parameters that returns it; "": the metric has no such parameter.
    kind
        `quality`, or `diagnostic`: it says how answers or other values came about, such as the share of hits that was
        judged, and not which system is better.
    not_for
        When not to use it, in words that follow "Not".
    binary
        Whether the value of each answer is 0 or 1, which may depend on the parameters; None: nobody says.
    described
        Parameter and value (`of=returned`), or a parameter that was given (`weight`) → the sentence that stands for the
        first one of the documentation, with parameters in braces.
    range_of
        From parameters to `low` and `high`, where both depend on them.
    judge
        The judge that writes the verdicts that it needs, as `neraca judge --judge` takes it; "": it needs none.
    """

    name: str
    function: Callable[..., Any]
    total: Total | None
    better: Better
    low: float
    high: float
    why_undefined: str
    references: str = "best"
    most: Callable[..., float] | None = None
    empty: str | Callable[..., str] = ""
    kind: Kind = "quality"
    not_for: str = ""
    binary: bool | Callable[..., bool] | None = None
    described: Mapping[str, str] = field(default_factory=dict)
    range_of: Callable[..., tuple[float, float]] | None = None
    judge: str = ""

    @property
    def limits(self) -> tuple[float, float]:
        """The least and the largest value; infinite if there is none."""
        return self.low, self.high

    @property
    def limits_of_difference(self) -> tuple[float, float]:
        """The least and the largest difference of two values; infinite if there is none."""
        return self.low - self.high, self.high - self.low
