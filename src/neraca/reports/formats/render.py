"""Prepare the templates of pages: filters that write numbers, and functions that translate words."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from neraca.counts_and_lists import count
from neraca.number_format import dollars, integer, number, seconds, span
from neraca.reports.blocks.questions import Question, Side
from neraca.reports.formats.html_text import draw_name, draw_prose
from neraca.reports.formats.visible_text import isolated
from neraca.translation import language, say

TEMPLATES = Path(__file__).with_name("templates")


def environment(folder: str, finalize: Callable[[Any], Any]) -> Environment:
    """Make the environment of a folder of templates.

    Parameters
    ----------
    folder
        The folder inside `TEMPLATES`.
    finalize
        Makes each printed value harmless; its result is escaped as HTML unless it is `Markup`.
    """
    env = Environment(
        loader=FileSystemLoader(TEMPLATES / folder),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
        finalize=finalize,
    )
    env.filters.update(number=number, integer=integer, span=span, seconds=seconds, dollars=dollars, count=count)
    env.filters.update(
        prose=lambda text: Markup(draw_prose(text)),
        name=lambda text: Markup(draw_name(text)),
        isolated=lambda text: Markup(escape(isolated(text))),
    )
    env.filters.update(nan=math.isnan, lowest=_lowest, value_of=Side.value_of)
    env.globals.update(say=say, language=language)
    return env


def _lowest(question: Question, metric: str) -> str:
    """Return the lowest value of the runs, for sorting; "" if no run has a value."""
    values = [value for side in question.sides if not math.isnan(value := side.value_of(metric))]
    return f"{min(values):.6g}" if values else ""
