"""Writing a report to a file, in the format of its suffix, or its tables and figures into a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from neraca.errors import NeracaError, SpecError
from neraca.files import write_atomic
from neraca.reports.blocks.sections import named_sections
from neraca.reports.figures.figures import figures
from neraca.reports.formats.data_export import write_csv, write_tables, write_workbook
from neraca.reports.formats.full_answers import to_text
from neraca.reports.formats.html import to_html
from neraca.reports.formats.json_export import to_json
from neraca.reports.formats.latex import to_latex
from neraca.reports.formats.markdown import to_markdown
from neraca.reports.formats.printing import print_figures, print_page
from neraca.reports.formats.word import to_word
from neraca.reports.report import Report
from neraca.reports.translation import checked_report_language, written_in


def to_pdf(report: Report) -> bytes:
    """The page, printed."""
    return print_page(to_html(report))


def to_svg(report: Report) -> str:
    """The figure of the primary metric."""
    return figures(report)[0].svg


def to_png(report: Report) -> bytes:
    """The figure of the primary metric, as a picture."""
    (data,) = print_figures(figures(report)[:1], [".png"]).values()
    return data


#: Formats that are one text, document or picture, and those that are tables of numbers.
PAGES: dict[str, Callable[[Report], str | bytes]] = {
    ".html": to_html,
    ".htm": to_html,
    ".md": to_markdown,
    ".tex": to_latex,
    ".docx": to_word,
    ".pdf": to_pdf,
    ".txt": to_text,
    ".json": to_json,
    ".svg": to_svg,
    ".png": to_png,
}
TABLES: dict[str, Callable[[Path, Report], None]] = {".xlsx": write_workbook, ".csv": write_csv}


def write_report(path: Path | str, report: Report) -> list[str]:
    """Write a report whole or not at all, as the file's suffix says: a key of `PAGES` or `TABLES`.

    A path without a suffix, and a folder, get every table as a CSV file, the whole report as JSON, and every figure as
    SVG, PNG and PDF.  PDF and PNG need a browser, as `neraca browser` does.

    Returns
    -------
    list[str]
        What was left out, and what to do about it.

    Raises
    ------
    SpecError
        For another suffix, for swapped arguments, and where a file needs a browser and there is none.
    """
    if not isinstance(path, str | Path):
        raise SpecError(
            f"write_report(path, report) takes the path first, such as 'report.html', not {type(path).__name__}; "
            "swap the two arguments, or write report.save(path)"
        )
    path = Path(path)
    suffix = path.suffix.lower()
    with written_in(report.language):
        if not suffix or path.is_dir():
            write_tables(path, report)
            write_atomic(path / "report.json", to_json(report).encode())
            return _write_figures(path / "figures", report)
        if suffix in TABLES:
            TABLES[suffix](path, report)
        elif suffix in PAGES:
            written = PAGES[suffix](report)
            write_atomic(path, written.encode() if isinstance(written, str) else written)
        else:
            raise _unknown_format(path)
    return []


def check_writing(path: Path | str, sections: Sequence[str] | str, language: str) -> None:
    """Raise `SpecError` now for a format, a section or a language that there is not, and not when all is scored."""
    path = Path(path)
    named_sections(sections)
    checked_report_language(language)
    if path.suffix and not path.is_dir() and path.suffix.lower() not in (*PAGES, *TABLES):
        raise _unknown_format(path)


def _unknown_format(path: Path) -> SpecError:
    known = ", ".join((*PAGES, *TABLES))
    return SpecError(
        f"{path}: cannot tell the format; let the file's name end in {known}, or have no ending: a folder of tables"
    )


def _write_figures(folder: Path, report: Report) -> list[str]:
    drawn = figures(report)
    files = {f"{one.name}.svg": one.svg.encode() for one in drawn}
    left_out = []
    try:
        files |= {f"{name}{kind}": data for (name, kind), data in print_figures(drawn).items()}
    except NeracaError as error:
        left_out = [f"Figures were written as SVG only, not as PNG and PDF: {error}"]
    for name, data in files.items():
        write_atomic(folder / name, data)
    return left_out
