"""A comparison's report drawn in a format, for tests that look at what it says there."""

import shutil
import subprocess

from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.formats import html, latex, markdown


def to_html(report):
    return html.to_html(comparison_document(report))


def to_markdown(report):
    return markdown.to_markdown(comparison_document(report))


def to_latex(report):
    return latex.to_latex(comparison_document(report))


def missing_latex():
    """The reason why this machine cannot compile LaTeX; "" if it can."""
    if not (shutil.which("pdflatex") and shutil.which("kpsewhich")):
        return "there is no pdflatex; make tex installs it"
    files = subprocess.run(["kpsewhich", "booktabs.sty", "lmodern.sty"], capture_output=True, check=False)
    return "" if files.returncode == 0 else "this LaTeX lacks booktabs or lmodern; make tex installs them"


def missing_lualatex():
    """The reason why this machine cannot compile other scripts than the Latin one; "" if it can."""
    if missing := missing_latex():
        return missing
    search = ["kpsewhich", "-progname=lualatex", "luaotfload-main.lua"]
    files = subprocess.run(search, capture_output=True, check=False)
    return "" if shutil.which("lualatex") and files.returncode == 0 else "there is no lualatex; make tex installs it"
