"""Define the sections of a report: order, names, and the text in place of a section without content."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from neraca.errors import SpecError
from neraca.result import Table
from neraca.scores.scores import Scores


class Section(NamedTuple):
    """One section of a report.

    Attributes
    ----------
    name
        Its name for `--sections`, and in `comparison_blocks.SECTION_BLOCKS`.
    short
        Its name in the list of sections at the head of the page.
    heading
        Its heading.
    nothing
        The text if it has no content: why, and what to do.
    only
        `answers`: only for run folders, which have answers and verdicts; `texts`: only if metrics of texts were scored;
        `preferences`: only if pairs of answers were compared;
        `conversations`: only if whole conversations were judged; `factors`: only for a study with a matrix; "": for
        all.
    parts
        The attributes of `Report` that the section shows, for a report as JSON; empty: the attribute with its name.
    """

    name: str
    short: str
    heading: str
    nothing: str = ""
    only: str = ""
    parts: tuple[str, ...] = ()


class FinishedSection(NamedTuple):
    """The content of a section that is ready: tables, sentences, and name → rows of numbers to export, unrounded."""

    tables: tuple[Table, ...]
    sentences: tuple[str, ...]
    data: Mapping[str, list[dict[str, Any]]] = {}


#: All sections, in the order of every format.
SECTIONS = (
    Section("runs", "Runs", "Runs", parts=("cards", "relevance")),
    Section("metrics", "Metrics", "Metrics", parts=("metrics", "without_letters")),
    Section(
        "differences",
        "Differences",
        "Differences between runs",
        "There is one run. Name two or more, and they are compared.",
        parts=("pairs", "intervals_are"),
    ),
    Section("preferences", "Preferences", "Which answers are preferred", only="preferences"),
    Section("factors", "Factors", "Two things varied at once", only="factors"),
    Section(
        "by_question",
        "By question",
        "Question by question",
        "There is no pair of runs with a question that is scored in both.",
        parts=("charts", "more_charts"),
    ),
    Section("questions", "Questions", "Questions and answers", parts=("questions", "left_out")),
    Section(
        "groups",
        "Groups",
        "Groups of questions",
        "No question has a tag. Give the questions a column such as category, or name a tag with --group.",
        parts=("groups", "groups_cut"),
    ),
    Section(
        "counts",
        "Counts",
        "Counts",
        "Nothing was judged, so there is nothing to count. neraca judge and neraca rate judge answers.",
        only="answers",
        parts=("counts", "aspects", "ratings", "success_at"),
    ),
    Section("conversations", "Conversations", "Conversations", only="conversations"),
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

#: Replaces `nothing` of the section of groups if questions have tags.
_NOT_GROUPED = (
    "By itself a report groups by a tag of 2 to 30 values, and of at most half as many values as questions; no tag of "
    "these questions is one. Name a tag with --group, such as --group category."
)


def named_sections(names: Sequence[str] | str) -> tuple[Section, ...]:
    """Find sections by their names, separated by commas or spaces, in the order of the report; without a name, all.

    Raises
    ------
    SpecError
        If no section has a name.

    Examples
    --------
    >>> [section.heading for section in named_sections("method, metrics")]
    ['Metrics', 'How these numbers were made']
    """
    text = names if isinstance(names, str) else " ".join(names)
    chosen = text.replace(",", " ").split()
    known_names = [section.name for section in SECTIONS]
    if unknown := [name for name in chosen if name not in known_names]:
        raise SpecError(f"no section of a report is called {', '.join(unknown)}; there are: {', '.join(known_names)}")
    return tuple(section for section in SECTIONS if not chosen or section.name in chosen)


def with_reasons(sections: Sequence[Section], scores: Scores) -> tuple[Section, ...]:
    """Return the sections; if questions have tags, the section of groups says why none was used."""
    if not any(set(tag.words) - {""} for run in scores.runs for tag in run.tags.values()):
        return tuple(sections)
    return tuple(
        section._replace(nothing=_NOT_GROUPED) if section.name == "groups" else section for section in sections
    )
