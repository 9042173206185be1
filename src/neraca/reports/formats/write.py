"""Write a report of any kind to a file in the format of its suffix, or its tables and figures into a folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from neraca.comparisons.gate_decision import Gate
from neraca.counts_and_lists import listed
from neraca.errors import NeracaError, SpecError
from neraca.files import write_atomic
from neraca.nearest import nearest
from neraca.reports.blocks.block import Document
from neraca.reports.blocks.paper_table import paper_table
from neraca.reports.blocks.sections import named_sections
from neraca.reports.comparison_blocks import comparison_document
from neraca.reports.figures.figures import Picture, figures, file_name, standalone_picture
from neraca.reports.figures.paper_figures import Subject, kind_in, paper_figure
from neraca.reports.figures.paper_figures import remarks_on as remarks_on_figure
from neraca.reports.formats.data_export import Rows, report_data, table_data, write_rows, write_workbook
from neraca.reports.formats.figure_layout import drawing_widths
from neraca.reports.formats.full_answers import answers_text, responses_text
from neraca.reports.formats.html import to_html
from neraca.reports.formats.json_export import document_json, to_json
from neraca.reports.formats.latex import COMPILE, scripts_in, to_latex
from neraca.reports.formats.latex_table import remarks_on, to_latex_table
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.formats.printing import print_figures, print_page
from neraca.reports.formats.terminal import to_text
from neraca.reports.formats.word import to_word
from neraca.reports.gate import gate_document
from neraca.reports.report import Report
from neraca.translation import checked_report_language, say, written_in

#: Formats that draw blocks.
PAGES: dict[str, Callable[[Document], str | bytes]] = {
    ".html": to_html,
    ".htm": to_html,
    ".md": to_markdown,
    ".tex": to_latex,
    ".docx": to_word,
    ".pdf": lambda document: print_page(to_html(document)),
    ".txt": to_text,
    ".json": document_json,
}
#: Formats in which the report of a comparison is written from its data, not from blocks.
COMPARISON_FORMATS: dict[str, Callable[[Report], str]] = {".txt": answers_text, ".json": to_json}
#: Formats that hold only the first figure, and formats that hold only tables.
PICTURES, TABLES = (".svg", ".png"), (".xlsx", ".csv")
#: Formats of a figure whose file is called so, such as `figure-forest.pdf`.
FIGURES = (*PICTURES, ".pdf")
FORMATS = (*PAGES, *PICTURES, *TABLES)


def write_report(path: Path | str, report: Report | Document | Gate) -> list[str]:
    """Write a report to a file, whole or not at all, in the format of the suffix: one of `FORMATS`.

    A folder, or a path without a suffix, gets every table as a CSV file, the whole report as JSON, and every figure as
    SVG, PNG and PDF.  PDF and PNG need a browser, as `neraca browser` does.

    A document in LaTeX has its figures as PDF in a folder beside it, `report-figures` beside `report.tex`; without a
    browser it has none and says so.

    The beginning of the name chooses a part.  `table.tex` is one table for a paper, with runs as rows; it has intervals
    if its name has the word too: `table-intervals.tex`.  `figure-forest.pdf`, `.svg` or `.png` is one figure for a
    paper, of one of `paper_figures.KINDS`; `figure.pdf` is the first figure of the report.  `responses.txt` has the
    different answers without systems, under the labels of a table for raters; other names list the answers by system.

    Returns
    -------
    list[str]
        The parts that were left out, or what a file needs, and what to do about it.

    Raises
    ------
    SpecError
        If the suffix is unknown, the arguments are swapped, the file needs a browser and there is none, or a picture is
        asked for and the report has no figure.
    """
    if not isinstance(path, str | Path):
        raise SpecError(
            f"write_report(path, report) takes the path first, such as 'report.html', not {type(path).__name__}; "
            "swap the two arguments, or write report.save(path)"
        )
    path = Path(path)
    suffix = path.suffix.lower()
    report = gate_document(report) if isinstance(report, Gate) else report
    with written_in(report.language):
        if not suffix or path.is_dir():
            return _write_folder(path, report)
        check_format(path)
        if suffix in PICTURES or (suffix == ".pdf" and path.stem.lower().startswith("figure")):
            return _write_figure(path, report)
        if suffix == ".xlsx":
            write_workbook(path, report)
        elif suffix == ".csv":
            write_rows(path, next(iter(_tables(report).values()), []))
        elif suffix == ".tex" and "table" in _words(path):
            return _write_table(path, report)
        elif suffix == ".tex":
            return _write_latex(path, report)
        elif suffix == ".txt" and "responses" in _words(path) and isinstance(report, Report):
            _write(path, responses_text(report))
        else:
            _write(path, _render(suffix, report))
    return []


def _words(path: Path) -> list[str]:
    """Return the words of a file's name.

    >>> _words(Path("paper/table-intervals.tex"))
    ['table', 'intervals']
    """
    return re.split(r"[\W_]+", path.stem.lower())


def _write_table(path: Path, report: Report | Document) -> list[str]:
    """Write the one table for a paper: that of a comparison, or the first of another report."""
    words = _words(path)
    notes: tuple[str, ...] = ()
    if isinstance(report, Report):
        table, notes = paper_table(report, intervals="intervals" in words)
    else:
        tables = [table for table in report.tables if table.columns]
        if not tables:
            raise SpecError(
                say("{file}: this report has no table; write it in another format, such as .html", file=path)
            )
        table = tables[0]
    name = "-".join(word for word in words if word != "table")
    _write(path, to_latex_table(table, name, notes))
    return [f"{path}: {remark}" for remark in remarks_on(table)]


def _write_latex(path: Path, report: Report | Document) -> list[str]:
    """Write the document, and its figures as PDF into the folder `NAME-figures` beside it."""
    document = report if isinstance(report, Document) else comparison_document(report)
    folder = f"{file_name(path.stem)}-figures"
    pictures = [standalone_picture(figure, width) for figure, width in drawing_widths(document).items()]
    files, problem, remarks = {}, "", []
    try:
        printed = print_figures(pictures, [".pdf"]) if pictures else {}
        files = {name: (f"{folder}/{file_name(name)}.pdf", data) for (name, _), data in printed.items()}
    except NeracaError as error:
        problem = str(error)
        remarks = [f"{path} has no figures: {error}"]
    for address, data in files.values():
        write_atomic(path.parent / address, data)
    content = to_latex(document, {name: address for name, (address, _) in files.items()}, problem)
    _write(path, content)
    if languages := scripts_in(content):
        remarks.append(
            f"{path} has the script of {listed(languages)}: {COMPILE}. Without a font it stops and names some"
        )
    return remarks


def _write(path: Path, content: str | bytes) -> None:
    write_atomic(path, content.encode() if isinstance(content, str) else content)


def _write_figure(path: Path, report: Report | Document) -> list[str]:
    """Write the figure that the name of the file asks for; the first of the report if it names none."""
    suffix, kind = path.suffix.lower(), kind_in(path.stem)
    if isinstance(report, Report) and kind:
        picture = paper_figure(Subject(report.scores, report.pairs, report.primary), kind)
        _write(path, draw(picture, suffix))
        return [f"{path}: {remark}" for remark in remarks_on_figure(picture)]
    pictures = _pictures(report)
    names = [picture.name for picture in pictures]
    if not pictures:
        raise SpecError(
            say("this report has no figure; write it in another format than {suffix}, such as .html", suffix=suffix)
        )
    if kind and kind not in names:
        raise SpecError(
            say(
                "no figure is called {kind!r}; {advice}; the figures: {names}",
                kind=kind,
                advice=nearest(kind, names),
                names=", ".join(names),
            )
        )
    _write(path, draw(pictures[names.index(kind) if kind else 0], suffix))
    return []


def _render(suffix: str, report: Report | Document) -> str | bytes:
    if isinstance(report, Document):
        return PAGES[suffix](report)
    return (
        COMPARISON_FORMATS[suffix](report)
        if suffix in COMPARISON_FORMATS
        else PAGES[suffix](comparison_document(report))
    )


def _tables(report: Report | Document) -> Mapping[str, Rows]:
    """Return the rows of each table by its name; a comparison has every number, unrounded."""
    return report_data(report) if isinstance(report, Report) else table_data(report)


def _pictures(report: Report | Document) -> list[Picture]:
    return figures(report) if isinstance(report, Report) else [standalone_picture(figure) for figure in report.figures]


def check_format(path: Path | str | None) -> None:
    """Raise `SpecError` for an unknown format, before anything is computed."""
    path = Path(path or "")
    if path.suffix and not path.is_dir() and path.suffix.lower() not in FORMATS:
        raise SpecError(
            say(
                "{file}: cannot tell the format; let the file's name end in {formats}, or have no ending: a "
                "folder of tables",
                file=path,
                formats=", ".join(FORMATS),
            )
        )


def check_writing(path: Path | str, sections: Sequence[str] | str, language: str) -> None:
    """Raise `SpecError` for an unknown format, section or language, before anything is computed."""
    named_sections(sections)
    checked_report_language(language)
    check_format(path)


def draw(picture: Picture, suffix: str) -> str | bytes:
    """Return a figure in one of `FIGURES`; a browser prints PDF, with its font, and PNG."""
    return picture.svg if suffix == ".svg" else print_figures([picture], [suffix])[picture.name, suffix]


def _write_folder(folder: Path, report: Report | Document) -> list[str]:
    for name, rows in _tables(report).items():
        write_rows(folder / f"{name}.csv", rows)
    _write(folder / "report.json", _render(".json", report))
    pictures = _pictures(report)
    files = {f"{picture.name}.svg": picture.svg.encode() for picture in pictures}
    left_out = []
    try:
        files |= {f"{name}{kind}": data for (name, kind), data in print_figures(pictures).items()}
    except NeracaError as error:
        left_out = [f"Figures were written as SVG only, not as PNG and PDF: {error}"]
    for name, data in files.items():
        write_atomic(folder / "figures" / name, data)
    return left_out
