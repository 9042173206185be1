"""A comparison's report drawn in a format, for tests that look at what it says there."""

from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats import html, latex, markdown


def to_html(report):
    return html.to_html(comparison_document(report))


def to_markdown(report):
    return markdown.to_markdown(comparison_document(report))


def to_latex(report):
    return latex.to_latex(comparison_document(report))
