"""The result of a gate: the decision on each rule, and the outcome of all rules together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from neraca.comparisons.gate_rule import Rule
from neraca.number_format import number, p_value, span
from neraca.result import SavedReport, Table, Tabular
from neraca.scores.judge_corrections import Correction
from neraca.scores.scores import Scores
from neraca.scores.unit import FEWEST, Unit
from neraca.stats.intervals.fewest import AT_LEAST, FEWEST_IN_RANGE, too_few_for_interval
from neraca.stats.intervals.interval import ALL_EQUAL, NOTHING_SCORED, ONE_SOURCE

PASS, FAIL, UNDECIDED, INCOMPLETE = "pass", "fail", "undecided", "incomplete"
#: Columns of a flat row that are fields of a `Decision`.
_COLUMNS = (
    *("outcome", "value", "baseline", "difference", "low", "high", "p", "p_fail", "n", "sessions", "unscored", "lost"),
    *("needed", "test", "why_no_interval", "interval_method", "value_alone", "baseline_alone", "settled"),
)
#: Columns of the same rule held with right empty answers.
_WITH_EMPTIES = ("outcome", "value", "baseline", "difference", "low", "high", "p", "p_fail", "n", "test")


def worst_outcome(outcomes: Iterable[str]) -> str:
    """Return the outcome that counts among several: `fail` before `incomplete`, `undecided` and `pass`."""
    distinct_outcomes = set(outcomes)
    return next(outcome for outcome in (FAIL, INCOMPLETE, UNDECIDED, PASS) if outcome in distinct_outcomes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """The outcome of one rule, with the numbers that it rests on.

    Attributes
    ----------
    outcome
        `pass`: the rule is shown to hold, or no question differs and it allows that.  `fail`: it is shown to be broken.
        `undecided`: neither, as with fewer than three observations, unless both runs have the same answers.
        `incomplete`: nothing is scored, or the metric is undefined over the scored questions.  A rule on what was
        observed passes or fails by the number; it is `undecided` where the lost questions can turn that.
    value, baseline, difference
        Over the `n` questions that count, in `sessions` independent groups; NaN where there is none.
    low, high
        Interval at level 1 - 2 alpha of the difference, or of the value for a threshold.
    p, p_fail, p_worst
        One-sided p of the rule; of its opposite; and of the rule if the questions that only the baseline has a value
        for (`lost`) count as the worst possible.  Both p and p_worst must show a rule that passes.  NaN for a rule on
        what was observed, and for one that passes because no question differs.
    unscored, why_unscored
        Questions that do not count, and the commonest reason.
    lead
        The distance of the value or difference from the bound, positive on the rule's side.
    same, copy
        Whether no question differs; and whether that is so because both runs have the same answers.
    needed
        Questions with which an undecided rule, or its opposite, is shown 4 times of 5 if the observed value is the
        truth.  None where that cannot be said.
    interval_method
        `exact` for shares (by all their possible sums); `bounded` if another interval would leave the range; else the
        test.  "" without an interval.
    test
        How it was made, such as `t`; `shares` where all values are 0 or 1; `ppi` where people's labels correct a judge;
        `none` for a rule on what was observed, and for one that passes because no question differs.
    correction
        The correction of value or difference, interval and p; None: not corrected.
    value_alone, baseline_alone
        Over all questions that are scored in the run, and in its baseline, even if only one of them is scored.
    settled
        Questions scored in one run alone, because the other one rightly returned nothing: with `empty=correct` they
        have a value in both.
    with_empties, outcome_in_both
        The same rule with `empty=correct`, where such questions are; and the outcome without them.  The worse of both
        is the `outcome`.  None and "" where there are none.
    """

    rule: Rule
    outcome: str
    value: float
    baseline: float
    difference: float
    low: float
    high: float
    p: float
    p_fail: float
    p_worst: float
    n: int
    sessions: int
    unscored: int
    lost: int
    why_unscored: str
    lead: float
    same: bool
    needed: int | None
    test: str
    correction: Correction | None = None
    copy: bool = False
    interval_method: str = ""
    value_alone: float = math.nan
    baseline_alone: float = math.nan
    settled: int = 0
    with_empties: Decision | None = None
    outcome_in_both: str = ""

    @property
    def by_equality(self) -> bool:
        """Whether the rule holds because no question differs, and not because a test shows it."""
        return self.same and self.test == "none" and not self.rule.observed

    @property
    def why_no_interval(self) -> str:
        """The reason why there is no interval, in words; "" if there is one."""
        if not math.isnan(self.low):
            return ""
        if not self.n:
            return NOTHING_SCORED
        if self.correction is not None:
            return self.correction.why or "the correction gives none"
        if self.sessions < FEWEST_IN_RANGE:
            return too_few_for_interval(self.sessions)
        if self.sessions < min(self.n, FEWEST):
            return ONE_SOURCE
        return "all differences are equal" if self.rule.relative else ALL_EQUAL

    @property
    def interval(self) -> str:
        """The interval as text; if there is a value without one, the reason."""
        if not math.isnan(self.low) or not self.n:
            return span(self.low, self.high)
        few = self.why_no_interval.endswith(AT_LEAST)
        return f"none (n < {FEWEST_IN_RANGE})" if few else f"none ({self.why_no_interval})"

    def row(self) -> dict[str, Any]:
        """Return the decision as one flat row for machines."""
        rule = {"rule": str(self.rule), "metric": str(self.rule.metric), "kind": self.rule.kind}
        corrected = (
            {} if (correction := self.correction) is None else {"raw": correction.raw, "labels": correction.labels}
        )
        columns = rule | {name: getattr(self, name) for name in _COLUMNS} | {"bound": self.rule.bound} | corrected
        if self.with_empties is None:
            return columns
        columns_with_empties = {f"{name}_with_empties": getattr(self.with_empties, name) for name in _WITH_EMPTIES}
        return columns | {"outcome_in_both": self.outcome_in_both} | columns_with_empties


@dataclass(frozen=True, slots=True, repr=False)
class Gate(SavedReport, Tabular):
    """The outcome of all rules together.

    Attributes
    ----------
    run, baseline
        Their names; "" where there is no baseline.
    decisions
        One for each rule, in the order given.
    lacking
        Run → questions without an answer: not asked yet, or every one of them failed.
    level
        1 - alpha of each rule.
    unit
        The unit that counts as one observation.
    scores
        The scores that the rules were held against, for the cautions of reports; None if they are not at hand.
    """

    report = "gate:gate_document"

    run: str
    baseline: str
    decisions: tuple[Decision, ...]
    lacking: Mapping[str, int]
    level: float
    unit: Unit = field(default_factory=Unit)
    scores: Scores | None = field(default=None, compare=False)

    @property
    def outcome(self) -> str:
        """`fail` where any rule is broken, else `incomplete`, `undecided`, or `pass` where every rule is shown."""
        lacking = [INCOMPLETE] if self.lacking else []
        return worst_outcome([*(decision.outcome for decision in self.decisions), *lacking])

    def exit_code(self, strict: bool = False) -> int:
        """Return the exit code of the command: 1 for `fail`, 3 for `incomplete`, else 0; `undecided` is 1 if strict."""
        return {FAIL: 1, INCOMPLETE: 3, UNDECIDED: int(strict), PASS: 0}[self.outcome]

    def _tables(self) -> Iterator[Table]:
        columns = ["rule", "outcome", "value", "baseline", "interval", "p", "n"]
        rows = [
            [
                *(str(d.rule), d.outcome, number(d.value), number(d.baseline), d.interval),
                *(p_value(d.p, 1 - self.level), f"{d.n:,}"),
            ]
            for d in self.decisions
        ]
        yield Table(columns, rows, f"{self.run}{f' against {self.baseline}' if self.baseline else ''}: {self.outcome}")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each rule."""
        return [decision.row() for decision in self.decisions]

    def save(self, path: Path | str, *, strict: bool = False, language: str = "en") -> list[str]:
        """Write the report as `SavedReport.save` does; with `strict`, an undecided rule does not pass."""
        return self._write(path, strict=strict, language=language)
