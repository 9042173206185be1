"""Every answer of the runs in full, as plain text to read or to rate beside a table."""

from __future__ import annotations

from collections.abc import Iterator

from neraca.errors import InputError
from neraca.records import Answer
from neraca.reports.escape import clean, shown
from neraca.reports.report import Report
from neraca.runs.run import Run


def to_text(report: Report) -> str:
    """Write question after question with the answer of each run and its hits; nothing is cut short."""
    runs = [run.scorable.column("run") for run in report.scores.runs if run.scorable and run.scorable.offers("run")]
    folders = [run for run in runs if isinstance(run, Run)]
    if not folders:
        raise InputError("a .txt file has the answers of run folders; here there are none")
    return "\n".join([report.title, "", *_questions(folders)]) + "\n"


def _questions(runs: list[Run]) -> Iterator[str]:
    answers = [run.answers() for run in runs]
    for number, item in enumerate(runs[0].items, start=1):
        yield f"{number}. {clean(item.query)}"
        about = [f"id {item.id}", *(f"{name}: {value}" for name, value in item.tags.items())]
        yield f"   {'; '.join([*about, *([f'session {item.session}'] if item.session else [])])}"
        for run, known in zip(runs, answers, strict=True):
            for trial in range(run.manifest.trials):
                again = f", trial {trial + 1}" if run.manifest.trials > 1 else ""
                yield f"\n   --- {run.name}{again} ---"
                answer = known.get((item.id, trial))
                yield from _answer(answer) if answer else ["   not asked yet"]
        yield ""


def _answer(answer: Answer) -> Iterator[str]:
    if answer.status != "complete":
        yield f"   [{answer.status}{f': {clean(answer.error)}' if answer.error else ''}]"
    yield from (f"   {line}" for line in clean(answer.text).splitlines())
    if not answer.hits:
        yield "   (no results)"
    for rank, hit in enumerate(answer.hits, start=1):
        yield f"   {rank:2}. [{clean(hit.id)}] {clean(hit.text)}".rstrip()
        yield from (f"         {clean(name)}: {clean(shown(value, 10**6))}" for name, value in hit.fields.items())
