"""The sections of a report: their order, their names, and what is said where one has nothing to say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from neraca.errors import SpecError
from neraca.scores.scores import Scores


class Section(NamedTuple):
    """One section of a report.

    Attributes
    ----------
    name
        For `--sections`, and for its template in each format.
    short
        In the list of sections at the head of the page.
    heading
        Above it.
    nothing
        What stands in its place where it has nothing to say: why, and what to do for it.
    only
        What alone can have it: `answers`, run folders with answers and verdicts; `texts`, where metrics of texts were
        scored; "" for all.
    """

    name: str
    short: str
    heading: str
    nothing: str = ""
    only: str = ""


#: In the order of every format.
SECTIONS = (
    Section("runs", "Runs", "Runs"),
    Section("metrics", "Metrics", "Metrics"),
    Section(
        "differences",
        "Differences",
        "Differences between runs",
        "There is one run. Name two or more, and they are compared.",
    ),
    Section(
        "by_question",
        "By question",
        "Question by question",
        "There is no pair of runs with a question that is scored in both.",
    ),
    Section("questions", "Questions", "Questions and answers"),
    Section(
        "groups",
        "Groups",
        "Groups of questions",
        "No question has a tag. Give the questions a column such as category, or name a tag with --group.",
    ),
    Section(
        "counts",
        "Counts",
        "Counts",
        "Nothing was judged, so there is nothing to count. neraca judge and neraca rate judge answers.",
        only="answers",
    ),
    Section(
        "corrected",
        "Corrected",
        "Corrected by people's labels",
        "No correction was asked for. Where people labelled a sample of what a judge judged, --correct ppi tells what "
        "people would have said of all.",
        only="answers",
    ),
    Section(
        "judges",
        "Judges",
        "Judges and people",
        "No two judges, people among them, decided on the same thing. Let people rate some answers (neraca rate), or "
        "another model judge them.",
        only="answers",
    ),
    Section(
        "words",
        "Words",
        "What people wrote",
        "Nobody wrote a note. People write them on the pages of neraca rate.",
        only="answers",
    ),
    Section(
        "correlations",
        "Correlations",
        "What the metrics have in common",
        "This takes three metrics that vary, or scores of people beside one.",
    ),
    Section(
        "disagreements",
        "Disagreements",
        "Where metrics of texts disagree",
        "No answer stands high by one metric and low by another that looks at something else (words, their order, "
        "characters, meaning).",
        only="texts",
    ),
    Section(
        "reliability",
        "Reliability",
        "How far these metrics can be trusted",
        "This takes two runs, or one that was asked more than once (--trials).",
    ),
    Section(
        "advice",
        "Advice",
        "What to mend first",
        "No stage of a run was measured. Judge claims and contexts (neraca judge RUN --judge claims, supported) and "
        "score the metrics of RAG.",
        only="answers",
    ),
    Section("method", "Method", "How these numbers were made"),
)

#: In place of `nothing` of the groups where questions have tags.
_NOT_GROUPED = (
    "By itself a report groups by a tag of 2 to 30 values, and of at most half as many values as questions; no tag of "
    "these questions is one. Name a tag with --group, such as --group category."
)


def named_sections(names: Sequence[str] | str) -> tuple[Section, ...]:
    """Find sections by their names, separated by commas or spaces, in the order of the report; all without a name.

    Raises
    ------
    SpecError
        For a name that no section has.

    Examples
    --------
    >>> [section.heading for section in named_sections("method, metrics")]
    ['Metrics', 'How these numbers were made']
    """
    words = names if isinstance(names, str) else " ".join(names)
    chosen = words.replace(",", " ").split()
    names_of_sections = [section.name for section in SECTIONS]
    if unknown := [name for name in chosen if name not in names_of_sections]:
        raise SpecError(
            f"no section of a report is called {', '.join(unknown)}; there are: {', '.join(names_of_sections)}"
        )
    return tuple(section for section in SECTIONS if not chosen or section.name in chosen)


def with_reasons(sections: Sequence[Section], scores: Scores) -> tuple[Section, ...]:
    """Return the sections with what is said in place of groups where questions have tags and none was grouped by."""
    if not any(set(tag.words) - {""} for run in scores.runs for tag in run.tags.values()):
        return tuple(sections)
    return tuple(each._replace(nothing=_NOT_GROUPED) if each.name == "groups" else each for each in sections)
