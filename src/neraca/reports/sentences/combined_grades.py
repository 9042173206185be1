"""Explain combined grades of several people where a reader may not expect the result."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.counts_and_lists import count
from neraca.reports.blocks.tables import about_hits, answered
from neraca.scores.scores import Scores
from neraca.translation import say
from neraca.verdicts.raters import RELEVANCE, is_one_person

#: If at most this share of the grades is above 1, those grades may be slips.
RARE = 0.1


def combined_grades(scores: Scores) -> Iterator[str]:
    """Say how many documents have a mean between 0 and 1, and whether a few grades alone make relevance a scale."""
    rule_of_people = scores.relevance.together.get("human") if scores.relevance else None
    if rule_of_people is None or not about_hits(scores):
        return
    if rule_of_people.rule == "mean":
        yield from _between(scores)
    if rule_of_people.rule == "median" and rule_of_people.guessed:
        yield from _rare_grades(scores)


def _between(scores: Scores) -> Iterator[str]:
    """Say how many documents metrics of yes or no take as not relevant because their mean is below 1."""
    grades = scores.relevance.grades.values() if scores.relevance else ()
    between = sum(0 < grade < 1 for of_item in grades for grade in of_item.values())
    if between:
        yield say(
            "not relevant where a metric asks yes or no (such as P@5): {hits} with a mean between 0 and 1, also if "
            "most people said relevant; --combine majority takes what most people say",
            hits=count(between, "hit"),
        )


def _rare_grades(scores: Scores) -> Iterator[str]:
    """Say that relevance is read as a scale although nearly all grades are 0 or 1."""
    grades: dict[tuple[str, str, str], float] = {}
    for part in answered(scores):
        table = part.column("verdicts").table
        on_relevance = table.aspect.isin([RELEVANCE])
        by_people = table.by.where(is_one_person)
        for verdict in table.take(on_relevance & by_people):
            if verdict.value is not None:
                grades[verdict.item, verdict.about, verdict.by] = verdict.value
    above = sum(grade > 1 for grade in grades.values())
    if 0 < above <= RARE * len(grades):
        yield say(
            "relevance is read as a scale (lower median), because {above:,} of {grades} lies above 1; if it is yes or "
            "no, correct what is above 1, or say --combine majority",
            above=above,
            grades=count(len(grades), "grade"),
        )
