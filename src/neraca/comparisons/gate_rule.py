"""A rule of a gate: a bound for a metric, or for its difference from a baseline.

`nDCG@10 >= -0.02` has a sign and bounds the difference from the baseline.  `nDCG@10 > 0.8` has no sign and bounds the
value.  A rule that ends with `observed` is about these questions alone: the number decides, without a test.  The metric
defines whether more or less is better, so a rule that demands a worse value is refused as a mistake.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from neraca.datasets.text_encoding import read_text
from neraca.errors import InputError, SpecError
from neraca.metrics.metric import Metric
from neraca.translation import say

#: The operator is the first one that no other operator and no parenthesis follows.
_RULE = re.compile(r"\s*(.*?)\s*(>=|<=|==|=|>|<|≥|≤)([^<>=≥≤()]*)", re.DOTALL)
_NUMBER = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
#: The word after the bound that makes the number decide, without a test.
OBSERVED = "observed"
#: Values that differ by no more than this are equal.
_ROUNDING = 1e-12
_BOUND = re.compile(rf"(baseline)?\s*(?:([+-])\s*)?({_NUMBER})?")
_FORM = 'write such as "nDCG@10 >= -0.02" (a difference from the baseline) or "nDCG@10 >= 0.8" (a value)'


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a gate: a metric is more, or less, than a bound.

    Attributes
    ----------
    metric
        The metric.
    operator
        `>`, `>=`, `<` or `<=`.  A test cannot distinguish `>` and `>=`; they matter only if no question differs.
    bound
        The bound, in the units of the metric.
    relative
        Whether the bound is for the difference from the baseline, and not for the value.
    observed
        Whether the observed number decides, without a test.

    >>> Rule.of("TER <= baseline + .02"), str(Rule.of("nDCG(gains=linear)@10 > 0.80"))
    (Rule('TER <= +0.02'), 'nDCG@10 > 0.8')
    >>> Rule.of("AP >= baseline - 0.05 observed")
    Rule('AP >= -0.05 observed')
    """

    metric: Metric
    operator: str
    bound: float
    relative: bool
    observed: bool = False

    @classmethod
    def of(cls, text: str | Rule) -> Rule:
        """Read `METRIC OPERATOR BOUND`; raise `SpecError` that suggests what was probably meant."""
        if isinstance(text, Rule):
            return text
        try:
            return cls._parse(text)
        except SpecError as error:
            raise SpecError(say("rule {text!r}: {error}", text=text, error=error)) from error

    @classmethod
    def _parse(cls, text: str) -> Rule:
        match = _RULE.fullmatch(text)
        name, operator, bound = match.groups() if match else ("", "", "")
        bound, observed = _split_observed(bound)
        if not name or not bound:
            raise SpecError(say("cannot be read; {form}", form=say(_FORM)))
        if re.search("[<>≥≤]", re.sub(r"\(.*\)", "", name)):
            raise SpecError(say("says several things; give each a rule of its own"))
        metric = Metric.of(name)
        if operator in ("=", "=="):
            raise SpecError(say("no test shows that a value is exactly so; write >= or <="))
        rule = cls(metric, {"≥": ">=", "≤": "<="}.get(operator, operator), *_bound(bound), observed)
        _check_direction(rule)
        if not rule.takes_scale:
            rule.check_possible()
        return rule

    def __str__(self) -> str:
        number = f"{self.bound:.15g}"
        sign = "+" if self.relative and not number.startswith("-") else ""
        return f"{self.metric} {self.operator} {sign}{number}{f' {OBSERVED}' if self.observed else ''}"

    def __repr__(self) -> str:
        return f"Rule({str(self)!r})"

    @property
    def sign(self) -> int:
        """1 if the rule demands more than the bound, -1 if it demands less."""
        return 1 if self.operator.startswith(">") else -1

    @property
    def kind(self) -> str:
        """`threshold`, `superiority` (better than the baseline), or `non-inferiority` (worse by no more than).

        `observed`: the number alone decides, which shows nothing about other questions.
        """
        if self.observed:
            return OBSERVED
        if not self.relative:
            return "threshold"
        return "superiority" if self.sign * self.bound >= 0 else "non-inferiority"

    @property
    def range(self) -> tuple[float, float]:
        """The least and the largest possible value of the metric, or of the difference of two values."""
        definition = self.metric.definition
        return definition.limits_of_difference if self.relative else definition.limits

    @property
    def takes_scale(self) -> bool:
        """Whether the run states the range of the metric, because it is a mean of grades without a scale of its own."""
        settings = dict(self.metric.params)
        return self.metric.spec.name == "Rubric" and not (settings.get("scale") or settings.get("share"))

    def check_possible(self) -> None:
        """Raise `SpecError` if every run keeps the rule, or no run can."""
        _check_possible(self)

    def allows(self, amount: float) -> bool:
        """Return whether exactly this amount keeps the rule; an amount at the bound up to rounding is at the bound."""
        beyond = self.sign * (amount - self.bound)
        return beyond > _ROUNDING or (abs(beyond) <= _ROUNDING and self.operator.endswith("="))


def _split_observed(bound: str) -> tuple[str, bool]:
    """Split a bound from the word `observed` after it: the bound, and whether the word was there."""
    *start, end = bound.split() or [""]
    if end.casefold() == OBSERVED:
        return " ".join(start), True
    return bound.strip(), False


def _bound(text: str) -> tuple[float, bool]:
    """Return the bound, and whether it is for the difference."""
    text = text.replace("−", "-").strip()
    if "%" in text:
        raise SpecError(
            say("{text!r} may be of the baseline or of the scale; write it in the metric's own units", text=text)
        )
    match = _BOUND.fullmatch(text)
    word, sign, number = match.groups() if match else ("", "", "")
    if not ((number and (sign or not word)) or (word and not sign and not number)):
        raise SpecError(
            say("the bound {text!r} cannot be read; write -0.02, +0.01, 0.8, baseline or baseline - 0.02", text=text)
        )
    size = float(number or 0)
    if math.isinf(size):
        raise SpecError(say("the bound {text!r} is too large for a number", text=text))
    return (-size if sign == "-" else size) + 0.0, bool(word or sign)


def _check_direction(rule: Rule) -> None:
    if rule.metric.neutral or (rule.sign > 0) == rule.metric.higher_is_better:
        return
    operator = rule.operator.translate(str.maketrans("<>", "><"))
    bound = abs(rule.bound) * rule.sign if rule.relative else rule.bound
    template = "of {metric} less is better, and a rule says what is demanded; write {suggestion!r}"
    if rule.metric.higher_is_better:
        template = "of {metric} more is better, and a rule says what is demanded; write {suggestion!r}"
    suggestion = replace(rule, operator=operator, bound=bound)
    raise SpecError(say(template, metric=rule.metric, suggestion=str(suggestion)))


def _check_possible(rule: Rule) -> None:
    """Raise `SpecError` for a rule that every run keeps, or that no run can keep."""
    low, high = rule.range
    if low < rule.bound < high:
        return
    template = "a difference in {metric}" if rule.relative else "a value of {metric}"
    quantity = say(template, metric=rule.metric)
    template = "{quantity} is always from {low:g} to {high:g}, so that this is true of every system"
    if (rule.bound >= high) == (rule.sign > 0):
        template = "{quantity} is always from {low:g} to {high:g}, so that this can never be shown"
    error = say(template, quantity=quantity, low=low, high=high)
    smaller = rule.bound / 100
    if not rule.relative and rule.bound == (low if rule.sign > 0 else high):
        no_worse = replace(rule, bound=0.0, relative=True)
        raise SpecError(
            say(
                "{error}; a difference from the baseline has a sign, write {no_worse!r}",
                error=error,
                no_worse=str(no_worse),
            )
        )
    if rule.takes_scale:
        name = dict(rule.metric.params).get("name", "quality")
        named = replace(rule, metric=Metric.of(f"Rubric({name},scale=0-10)"))
        raise SpecError(
            say(
                "{error} in these runs; choose a bound between them, or name the scale on which the answers "
                "were graded: {named!r}",
                error=error,
                named=str(named),
            )
        )
    if low < smaller < high and (rule.bound > high or rule.bound < low):
        suggestion = replace(rule, bound=smaller)
        raise SpecError(
            say("{error}; if it is in percent, write {suggestion!r}", error=error, suggestion=str(suggestion))
        )
    raise SpecError(say("{error}; choose a bound between them", error=error))


def rules_of(rules: str | Rule | Iterable[str | Rule]) -> list[Rule]:
    """Return each rule once, in order; raise `SpecError` if there is none."""
    by_text = {str(rule): rule for rule in map(Rule.of, [rules] if isinstance(rules, str | Rule) else rules)}
    if not by_text:
        raise SpecError(say("a gate needs a rule; {form}", form=say(_FORM)))
    return list(by_text.values())


def read_rules(path: Path) -> list[Rule]:
    """Read rules from a file, one on each line; # starts a comment.  Raise `InputError` with the line."""
    rules = []
    for number, line in enumerate(read_text(path).splitlines(), start=1):
        if text := line.partition("#")[0].strip():
            try:
                rules.append(Rule.of(text))
            except SpecError as error:
                raise InputError(say("{file} line {n}: {error}", file=path, n=number, error=error)) from error
    if not rules:
        raise InputError(say("{file}: has no rule; {form}, one on each line", file=path, form=say(_FORM)))
    return rules
