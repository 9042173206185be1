"""The declaration of a metric, before its parameters are bound."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:  # naming a metric costs nothing; numpy is imported when something is scored
    from neraca.stats.intervals.interval import Total

Better = Literal["higher", "lower", "neither"]
#: Values of the parameter `empty` of ranking metrics: what an answer without hits is worth.
#: expected: undefined if there was nothing to find; otherwise the formula decides, and mostly gives 0.
#: skip: undefined, so that the mean is over questions with results.  zero: 0.
#: correct: 1 if there was nothing to find; then an answer with hits counts 0.
EMPTY = ("expected", "skip", "zero", "correct")
#: A metric that is made of another one takes `empty` from that one.
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
        Computes the value over items from summed counts; None: the value is the mean of the answers' values.
    better
        The better direction; `neither` for a mere count, such as words.
    low, high
        The range of the values; infinite if there is no bound.
    why_undefined
        The usual reason for a value of NaN, in words.
    references
        The reference that counts among several: `best`, `nearest` in length, or `all` together, as in BLEU.
    high_of
        Computes `high` from the parameters, if it depends on them.
    empty
        Default of the parameter `empty`: one of `EMPTY`, or a function that computes it from the other parameters;
        "": the metric has no such parameter.
    kind
        `quality`, or `diagnostic`: the metric explains answers or other values, such as the share of judged hits, and
        does not say which system is better.
    not_for
        When not to use it, in words that follow "Not".
    binary
        Whether each answer's value is 0 or 1; a function if that depends on the parameters; None: not declared.
    described
        Parameter and value (`of=returned`), or the name of a parameter that was given (`weight`) → the sentence that
        then replaces the first sentence of the docstring; parameters stand in braces.
    range_of
        Computes `low` and `high` from the parameters, if both depend on them.
    judge
        The name of the judge that writes the verdicts it needs (`neraca judge --judge NAME`); "": it needs none.
    """

    name: str
    function: Callable[..., Any]
    total: Total | None
    better: Better
    low: float
    high: float
    why_undefined: str
    references: str = "best"
    high_of: Callable[..., float] | None = None
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
