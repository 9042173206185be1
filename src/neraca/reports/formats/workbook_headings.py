"""Name the sheets and columns of the workbook of a report in English, and the number formats of columns."""

from __future__ import annotations

from typing import Final

from neraca.translation import say

#: Names of columns in the data → headings in English.
HEADINGS: Final = {
    "run": "Run",
    "group": "Group",
    "metric": "Metric",
    "value": "Value",
    "low": "Interval from",
    "high": "Interval to",
    "n": "Questions scored",
    "unscored": "Questions unscored",
    "drawn_of": "Questions to draw from",
    "method": "Kind of interval",
    "interval_method": "Kind of interval",
    "lowest": "Mean if the unscored were lowest",
    "highest": "Mean if the unscored were highest",
    "words": "In words",
    "why": "Reason",
    "item": "Question id",
    "query": "Question",
    "trial": "Trial",
    "about": "About",
    "aspect": "Aspect",
    "by": "Judged by",
    "at": "Time (UTC)",
    "a": "First run",
    "b": "Second run",
    "difference": "Difference",
    "p": "p",
    "p_adjusted": "p adjusted",
    "effect": "Effect",
    "effect_low": "Effect from",
    "effect_high": "Effect to",
    "wins": "Wins",
    "ties": "Ties",
    "losses": "Losses",
    "test": "Test",
    "correction": "Correction",
    "better": "Better run",
    "needed": "n needed (t)",
    "sessions": "Observations",
    "statistic": "Statistic",
    "df": "Degrees of freedom",
    "margin": "Margin",
    "p_a_not_worse": "p: first run not worse",
    "p_b_not_worse": "p: second run not worse",
    "p_equivalent": "p: equivalent",
    "shown": "Shown",
    "margin_low": "Margin interval from",
    "margin_high": "Margin interval to",
    "margin_test": "Test of the margin",
    "margin_correction": "Correction of the margin",
    "margin_why_no_interval": "No margin interval because",
    "needed_equivalent": "n needed for equivalence",
    "chance_a": "Chance that the first is better",
    "chance_equivalent": "Chance that they are equivalent",
    "chance_b": "Chance that the second is better",
    "untested": "Not tested because",
    "why_no_interval": "No interval because",
    "judged_a": "Share of judged hits, first run",
    "judged_b": "Share of judged hits, second run",
    "tied_a": "Share of tied hits, first run",
    "tied_b": "Share of tied hits, second run",
    "worst_a": "Worst order of ties, first run",
    "worst_b": "Worst order of ties, second run",
    "best_a": "Best order of ties, first run",
    "best_b": "Best order of ties, second run",
}
#: Names of sheets in the data → in English.
SHEETS: Final = {
    "scores": "Scores",
    "questions": "Questions",
    "comparisons": "Comparisons",
    "verdicts": "Verdicts",
    "ratings": "Ratings",
    "preferences": "Preferences",
    "pairs": "Pairs",
    "agreement": "Agreement",
    "rules": "Rules",
}
#: Number formats: a share as percent, and p-values, of which small ones keep their first digits.
_SHARE, _P = "0.0%", "[<0.001]0.0E+00;0.0000"


#: Sheet → names of its columns with another heading than in `HEADINGS`.
_HEADINGS_OF_SHEET: Final = {
    "preferences": {
        "preferred": "Preferred",
        "preferred_shown": "Preferred, of pairs that were shown",
        "strength": "Strength (log odds)",
        "low": "Strength from",
        "high": "Strength to",
        "n": "Decisions",
        "identical": "Identical, not shown",
        "no_text": "Text on one side, not shown",
    },
    "pairs": {"other": "Against", "chance": "Chance to be preferred"},
    "ratings": {"ratings": "Ratings", "share": "Share", "raters": "Number of raters"},
    "agreement": {
        "judges": "Raters",
        "raters": "Number of raters and judges",
        "decisions": "Decisions",
        "n": "Rated by at least two",
        "agreement": "Agree",
        "kappa": "Kappa",
        "kappa_of": "Kind of kappa, weighted or not",
        "ac1": "AC1",
        "alpha": "Alpha",
        "kappa_linear": "Linear-weighted kappa",
        "kappa_quadratic": "Quadratic-weighted kappa",
        "icc": "ICC(2,1)",
        "icc_mean": "ICC(2,k)",
        "graded_by_all": "Graded by all",
    },
    "rules": {
        "rule": "Rule",
        "kind": "Kind of rule",
        "outcome": "Outcome",
        "value": "Value",
        "baseline": "Baseline",
        "p_fail": "p of the opposite",
        "lost": "Scored in the baseline alone",
        "needed": "Questions needed",
        "value_alone": "Value over all its questions",
        "baseline_alone": "Baseline over all its questions",
        "settled": "One side rightly empty",
        "bound": "Bound",
        "raw": "Uncorrected",
        "labels": "Labels of people",
        "outcome_in_both": "Outcome without right empty answers",
    },
}
_FORMATS: Final = {
    **dict.fromkeys(
        (
            "p",
            "p_adjusted",
            "p_fail",
            "p_with_empties",
            "p_fail_with_empties",
            "p_a_not_worse",
            "p_b_not_worse",
            "p_equivalent",
        ),
        _P,
    ),
    **dict.fromkeys(
        (
            "preferred",
            "preferred_shown",
            "share",
            "judged_a",
            "judged_b",
            "tied_a",
            "tied_b",
            "chance",
            "chance_low",
            "chance_high",
            "agreement",
            "agreement_low",
            "agreement_high",
        ),
        _SHARE,
    ),
}


#: The end of the names of the numbers of a rule that was held again with right empty answers.
_EMPTIES: Final = "_with_empties"


def heading_of(sheet: str, column: str) -> str:
    """Return the heading of a column of the data, in the language of the report.

    >>> heading_of("scores", "n"), heading_of("agreement", "n"), heading_of("agreement", "kappa_low")
    ('Questions scored', 'Rated by at least two', 'Kappa from')
    """
    headings = {**HEADINGS, **_HEADINGS_OF_SHEET.get(sheet, {})}
    if column.endswith(_EMPTIES):
        return say("{number}, right empty answers counted", number=heading_of(sheet, column.removesuffix(_EMPTIES)))
    name, _, part = column.rpartition("_")
    if column in headings or name not in headings:
        return say(headings.get(column, column))
    of = say(headings[name])
    if part == "why":
        return say("{number}: no interval because", number=of)
    return say("{number} from", number=of) if part == "low" else say("{number} to", number=of)


def format_of(column: str) -> str:
    """Return the number format of a column of the data, as a spreadsheet program writes it; "" for none of its own."""
    return _FORMATS.get(column, "")
