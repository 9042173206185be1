"""`neraca browser`: ask a chat page the questions of a table, and write the scored answers beside them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, show, speak
from neraca.cli.browser_options import Asking, Browser, Probing, Questions, Selectors
from neraca.cli.progress_bar import progress_bar
from neraca.cli.table_options import TableFormat
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.reports.blocks.run_summary import RunSummary
    from neraca.runs.run import Run
    from neraca.scores.answer_table import AnswerScores, AnswerTable
    from neraca.scores.scores import Score
    from neraca.targets.browser.probe import Probed

#: Most questions without a good answer that are listed.
MOST_LISTED = 20
#: Largest share of answers that are not complete with exit code 0.
MOST_NOT_COMPLETE = 0.1


def command(
    *,
    url: Annotated[str, typer.Option(help="The page with the chat: an address or an HTML file.")] = "",
    input: Annotated[
        Path | None,
        typer.Option(help="Table of questions: CSV, TSV, XLSX, JSON Lines, JSON, Parquet or Arrow."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Table to write: the rows with the answers and a column for each metric.")
    ] = None,
    headings: options.Headings = "names",
    selectors: Selectors,
    questions: Questions,
    asking: Asking,
    browser: Browser,
    anew: options.Anew = False,
    table_format: TableFormat,
    plugin: options.Plugins = [],
    probing: Probing,
    login: Annotated[
        str, typer.Option(metavar="URL", help="Open a window to log in, and save --storage-state FILE.")
    ] = "",
    json: options.Json = False,
) -> None:
    """Ask a chat page the questions of a table, and score it.

    The rows are written with answers and scores.  Started again, it continues where it stopped.
    """
    options.load_plugins(plugin)
    settings = _settings(selectors, browser, login or probing.probe or url)
    if login:
        _login(settings)
    elif probing.probe:
        _probe(settings, probing, asking.timeout, json)
    else:
        if not (url and input and output):
            raise SpecError("name --url, --input and --output; or a page with --probe URL or --login URL")
        table = _table(input, output, questions, asking, headings=headings, **table_format._asdict())
        _evaluate(table, settings, asking, anew=anew, json=json)


def _settings(selectors: Selectors, browser: Browser, url: str) -> dict[str, Any]:
    """Return the settings of the target; options without a value are left out, so that a profile can set them."""
    page = Path(url).resolve().as_uri() if url and Path(url).is_file() else url
    values = {name.removesuffix("_selector"): value for name, value in selectors._asdict().items()}
    values |= browser._asdict() | {"headers": dict(map(_header, browser.header))}
    del values["header"]
    unset: tuple[Any, ...] = (None, "", [], {}, False)
    chosen = {name: value for name, value in values.items() if value not in unset or (name == "watch" and value == 0)}
    return {"kind": "browser", "url": page} | chosen


def _header(text: str) -> tuple[str, str]:
    name, colon, value = (part.strip() for part in text.partition(":"))
    if not colon or not name:  # the message does not show the header, which may hold a secret
        raise SpecError('cannot read a --header; write --header "Name: value"')
    return name, value


def _table(path: Path, out: Path, questions: Questions, asking: Asking, **reading: Any) -> AnswerTable:
    """Return the table of questions and answers; `reading`: headings and format of the table."""
    from neraca.scores.answer_table import AnswerTable

    names = {"query": questions.query, "references": questions.reference}
    roles = [f"{role}={name}" for role, name in names.items() if name]
    return AnswerTable(
        path=path,
        out=out,
        metrics=[" ".join(questions.metrics)],
        columns=options.columns([*questions.column, *roles]),
        language=questions.language,
        limit=asking.limit,
        conversation=asking.conversation,
        trials=asking.trials,
        **reading,
    )


def _evaluate(table: AnswerTable, settings: Mapping[str, Any], asking: Asking, *, anew: bool, json: bool) -> None:
    """Ask the questions, score the answers, write them and print a summary."""
    from neraca.reports.sentences.answer_notes import answer_notes
    from neraca.runs.ask import ask
    from neraca.runs.runner import AskOptions

    for note in table.dataset.column_notes:
        speak(f"{table.path}: {note}")
    with progress_bar(f"asking {settings['url']}") as progress:
        run = ask(
            table.dataset,
            settings,
            asking.run or table.folder,
            options=AskOptions(asking.parallel, asking.timeout, asking.retries, asking.retry_failed),
            trials=table.trials,
            anew=anew,
            progress=progress,
        )
    answer_scores = table.write(run)
    if json:
        show.jsonl([_summary_row(table, run, answer_scores)])
    else:
        _print_summary(table, run, answer_scores)
    for note in answer_notes(answer_scores):
        speak(note)
    for sentence in (unanswered := show.unanswered([run])):
        speak(sentence)
    if _tell_remedies(answer_scores) > MOST_NOT_COMPLETE or unanswered:
        raise typer.Exit(3)


def _tell_remedies(answer_scores: AnswerScores) -> float:
    """Say what to try for the answers that are not complete; return their share of all answers."""
    from neraca.counts_and_lists import count
    from neraca.targets.browser.remedies import remedies

    reasons = [why for _, _, why in answer_scores.troubled()]
    for advice, n in remedies(reasons):
        speak(f"{count(n, 'answer is', 'answers are')} not complete; what to try: {advice}")
    if any(advice.count("--") and "--retry" not in advice for advice, _ in remedies(reasons)):
        speak("other settings need --anew, which asks all questions again and keeps the old folder")
    return len(reasons) / max(1, len(answer_scores.answers))


# printed results


def _print_summary(table: AnswerTable, run: Run, answer_scores: AnswerScores) -> None:
    """Print the scores, the statuses and times of the answers, and the questions without a good answer."""
    from neraca.reports.blocks.run_summary import summarise_run
    from neraca.reports.formats.visible_text import line, visible

    n = len(table.dataset)
    rows = [[_title(score, answer_scores), *_numbers(score)] for score in answer_scores.scores.overall()]
    show.table(f"{table.path.name}: {n:,} question{'' if n == 1 else 's'}", _COLUMNS, rows)
    summary = summarise_run(answer_scores.run)
    print(f"answers: {', '.join(f'{count:,} {status}' for status, count in summary.statuses)}")
    print(_times(summary))
    usage = {name: total for name, total, _ in summary.usage}
    if new := usage.get("new_pages"):
        again = usage.get("reloaded_pages", 0)
        print(f"conversations: {new:,.0f} on new pages, {again:,.0f} on pages that were emptied and loaded again")
    if watched := usage.get("watched_seconds"):
        n = sum("watched_seconds" in answer.usage for answer in answer_scores.answers)
        print(f"watched for late changes: {n:,} answer{'' if n == 1 else 's'}, {watched:,.0f} seconds in all")
    if troubled := list(answer_scores.troubled()):
        print("not complete:")
        for item, answer, why in troubled[:MOST_LISTED]:
            print(f"  {line(item.id)} ({answer.status}) {line(item.query, 60)}: {line(why, 300)}")
        if len(troubled) > MOST_LISTED:
            print(f"  and {len(troubled) - MOST_LISTED:,} more: see the column status")
    for signature in answer_scores.scores.signatures.values():
        print(visible(signature))
    print(visible(f"rows: {table.out}; answers: {run.path}"))


_COLUMNS = ["metric", "value", "interval", "n", "unscored"]


def _title(score: Score, scored: AnswerScores) -> str:
    """Return the title of the metric; an average has its band beside it."""
    from neraca.metrics.text.average import band

    title = scored.scores.title(score.metric)
    return title if title == score.metric else f"{title} ({band(score.value)})"


def _numbers(score: Score) -> list[str]:
    return [show.number(score.value), score.interval, f"{score.n:,}", f"{score.unscored:,}"]


def _times(card: RunSummary) -> str:
    if card.median is None:
        return "no question was answered"
    first = "" if card.first_token is None else f"; to the first words {card.first_token:.2f} (median)"
    return f"seconds to the whole answer: {card.median:.2f} (median), {card.p95 or 0:.2f} (95th percentile){first}"


def _summary_row(table: AnswerTable, run: Run, answer_scores: AnswerScores) -> dict[str, Any]:
    """Return the summary as one row, for programs."""
    from neraca.metrics.text.average import band
    from neraca.reports.blocks.run_summary import summarise_run
    from neraca.reports.sentences.answer_notes import answer_notes

    summary = summarise_run(answer_scores.run)
    names = ("value", "low", "high", "n", "unscored")
    scores = {answer_scores.scores.title(score.metric): score for score in answer_scores.scores.overall()}
    average = answer_scores.scores.average
    used = {name: total for name, total, _ in summary.usage}
    metrics = [{"metric": title} | {name: getattr(score, name) for name in names} for title, score in scores.items()]
    return {
        "questions": len(table.dataset),
        "answers": dict(summary.statuses),
        "metrics": metrics,
        "band": band(scores[answer_scores.scores.title(str(average))].value) if average else None,
        "seconds": {"median": summary.median, "p95": summary.p95},
        "first_token_seconds": {"median": summary.first_token},
        **{name: used.get(name, 0) for name in ("watched_seconds", "new_pages", "reloaded_pages")},
        "not_complete": [
            {"id": item.id, "trial": answer.trial, "status": answer.status, "query": item.query, "why": why}
            for item, answer, why in answer_scores.troubled()
        ],
        "notes": list(answer_notes(answer_scores)),
        "output": str(table.out),
        "run": str(run.path),
    }


# one page


def _login(settings: Mapping[str, Any]) -> None:
    """Let a person log in by hand, and save the cookies and local storage of the browser."""
    import asyncio

    from neraca.targets.browser.launch import need_display
    from neraca.targets.browser.login import login
    from neraca.targets.browser.settings import BrowserSettings
    from neraca.targets.settings import read

    if not (state := settings.get("storage_state")):
        raise SpecError("--login needs --storage-state FILE, to save cookies and local storage")
    need_display()
    file = Path(state)
    initial = {name: value for name, value in settings.items() if name != "storage_state" or file.exists()}

    async def until_done() -> int:
        return await login(read(BrowserSettings, initial), file, _enter() if sys.stdin.isatty() else None)

    speak("log in in the window; then close it, or press Enter here")
    if not asyncio.run(until_done()):
        speak("the page left no cookie and nothing in local storage: nobody logged in, or it keeps that elsewhere")
    print(f"{file}: saved; use it with --storage-state {file}. Anyone who has this file is logged in: do not share it")


async def _enter() -> None:
    """Wait until Enter is pressed in the terminal, in a thread: on Windows no event loop can wait for a terminal."""
    import asyncio

    loop, pressed = asyncio.get_running_loop(), asyncio.Event()

    def read() -> None:
        # Not through `sys.stdin`: a thread that waits inside it blocks the exit of the interpreter.
        os.read(sys.stdin.fileno(), 4096)
        with suppress(RuntimeError):  # the window was closed in the meantime, and with it the loop
            loop.call_soon_threadsafe(pressed.set)

    threading.Thread(target=read, name="neraca-enter", daemon=True).start()
    await pressed.wait()


def _probe(settings: Mapping[str, Any], probing: Probing, timeout: float, json: bool) -> None:
    """Ask one question, print what was detected, and save it as a profile."""
    import asyncio

    from neraca.targets.browser.probe import probe
    from neraca.targets.browser.profile import save
    from neraca.targets.browser.settings import BrowserSettings
    from neraca.targets.settings import read

    profile = probing.profile_out
    if profile and profile.suffix != ".toml":
        raise SpecError(f"--profile-out {profile}: the name of a profile ends in .toml")
    spec = read(BrowserSettings, settings)
    probed = asyncio.run(probe(spec, probing.question, timeout))
    facts = _probe_facts(probed)
    if probed.reply and profile:
        save(profile, spec, probed.reply.ways)
        facts["profile"] = str(profile)
    if json:
        show.jsonl([facts])
    else:
        _print_facts(facts)
    if not probed.reply:
        raise typer.Exit(3)


def _probe_facts(probed: Probed) -> dict[str, Any]:
    """Return what was detected on a page, by name."""
    facts: dict[str, Any] = {"browser": f"{probed.program.path} {probed.version} ({probed.program.source})"}
    if reply := probed.reply:
        return facts | {
            "input": reply.ways.input,
            "submit": reply.ways.submit or "Enter",
            "response": reply.ways.response,
            **({"frame": reply.ways.frame} if reply.ways.frame else {}),
            "status": reply.status,
            "why": reply.why,
            "first_token_seconds": reply.first_token_seconds,
            "seconds": reply.seconds,
            "changed_after_its_end": f"after {reply.late:.1f} s" if reply.late else "no",
            "sources": len(reply.sources),
            "text": reply.text,
        }
    facts |= {"reason": probed.reason, "text": probed.partial}
    return facts | ({"screenshot": _save_picture(probed.screenshot)} if probed.screenshot else {})


def _save_picture(picture: bytes) -> str:
    """Save a picture in a temporary file and return its path."""
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="neraca-", suffix=".png", delete=False) as file:
        file.write(picture)
    return file.name


def _print_facts(facts: Mapping[str, Any]) -> None:
    """Print a line for each fact."""
    from neraca.reports.formats.visible_text import clip

    for name, value in facts.items():
        text = f"{value:.2f}" if isinstance(value, float) else clip("–" if value in (None, "") else str(value), 1000)
        print(f"{name.replace('_', ' ')}: {text}")
