"""One report in several formats: each is a folder of templates with the same names, filled from the same report.

A format brings its folder, and a way to make any text that is printed harmless.  All else is shared: the order of the
sections, the filters that write numbers, and the words that stand for constants.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from neraca import number_format
from neraca.comparisons.difference import Difference
from neraca.reports.blocks import correlations
from neraca.reports.blocks.metric_rows import marks, unscored_notes
from neraca.reports.blocks.pair_matrix import effect_shade
from neraca.reports.blocks.questions import Question, Side
from neraca.reports.blocks.run_summary import facts
from neraca.reports.counts_and_lists import count
from neraca.reports.figures.forest import pair_words
from neraca.reports.report import POOLED, Report
from neraca.reports.sentences import margin as sentences_margin
from neraca.reports.sentences.advice import shown_by
from neraca.reports.sentences.captions import captions
from neraca.reports.sentences.finding import FEW
from neraca.reports.sentences.parts import have_statistics, statistic_words, tests_need
from neraca.reports.translation import language, say, say_all

#: Where to read what is cut short in a report.
WHOLE = (
    "Long texts and lists are cut short here; items.jsonl and answers.jsonl in the folder of each run have them whole."
)
TEMPLATES = Path(__file__).with_name("templates")


def environment(folder: str, finalize: Callable[[Any], Any], keep_trailing_newline: bool = False) -> Environment:
    """Make the environment of one format.

    Parameters
    ----------
    folder
        Of the format's templates, inside `TEMPLATES`.
    finalize
        Makes each printed value harmless; what it returns is escaped as HTML unless it is `Markup`.
    keep_trailing_newline
        Whether the newline that ends a template is printed.
    """
    env = Environment(
        loader=FileSystemLoader(TEMPLATES / folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=keep_trailing_newline,
        undefined=StrictUndefined,
        finalize=finalize,
    )
    for name in ("number", "integer", "signed", "span", "p_value", "percent", "seconds"):
        env.filters[name] = getattr(number_format, name)
    env.filters.update(correlation=number_format.correlation, correlation_span=number_format.correlation_span)
    env.filters.update(count=count)
    env.filters.update(
        shade=correlations.shade, effect_shade=effect_shade, marks=marks, pair_words=pair_words, facts=facts
    )
    env.filters.update(nan=math.isnan, groupby_metric=_by_metric, lowest=_lowest, value_of=_value_of)
    env.filters.update(statistic=statistic_words, have_statistics=have_statistics, tests_need=tests_need)
    env.filters.update(within_margin=sentences_margin.cell, shown_by=shown_by, unscored_notes=unscored_notes)
    env.globals.update(say=say, say_all=say_all, language=language)
    env.globals.update(few=FEW, pooled=POOLED, whole=WHOLE)
    return env


def of_report(report: Report) -> dict[str, Any]:
    """What every page of a report is filled from."""
    return {"report": report, "level": number_format.percent_level(report.level), "captions": captions(report)}


def _by_metric(differences: Sequence[Difference]) -> list[list[Difference]]:
    return [list(group) for _, group in groupby(differences, key=lambda d: d.metric)]


def _value_of(side: Side, metric: str) -> float:
    return next((value.value for value in side.values if value.metric == metric), math.nan)


def _lowest(question: Question, metric: str) -> str:
    """The lowest value of the runs, for sorting; "" where none has one."""
    values = [value for side in question.sides if not math.isnan(value := _value_of(side, metric))]
    return f"{min(values):.6g}" if values else ""
