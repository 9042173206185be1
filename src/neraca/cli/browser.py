"""`neraca browser`: put the questions of a table to a chat page, and write the scored answers beside them."""

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
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.reports.blocks.run_summary import RunSummary
    from neraca.runs.run import Run
    from neraca.scores.answer_table import AnswerScores, AnswerTable
    from neraca.scores.scores import Score
    from neraca.targets.browser.probe import Probed

#: Setting of a `browser` target → the option that gives it; the others are called alike.
SELECTORS = {"input": "input_selector", "submit": "submit_selector", "response": "response_selector"}
ALIKE = (
    *("profile", "ignore", "busy", "sources", "click", "browser", "headed", "storage_state", "basic_auth"),
    *("user_agent", "locale", "timezone", "viewport", "proxy", "still"),
)
#: So many questions that were not answered well are listed.
TOLD = 20

Url = Annotated[str, typer.Option(help="The page with the chat, or a file of one.")]
Input = Annotated[Path | None, typer.Option(help="Questions: CSV, TSV, XLSX, JSON Lines, JSON, Parquet or Arrow.")]
Output = Annotated[Path | None, typer.Option(help="Where the rows go with the answers and a column for each metric.")]
InputSelector = Annotated[str, typer.Option(metavar="CSS", help="What takes the question; default: found.")]
SubmitSelector = Annotated[str, typer.Option(metavar="CSS", help="What is clicked to send it; default: found.")]
ResponseSelector = Annotated[str, typer.Option(metavar="CSS", help="What holds an answer; the last match counts.")]
Profile = Annotated[str, typer.Option(help="gradio, streamlit, chainlit, open-webui, or a TOML file of settings.")]
Metrics = Annotated[list[str], typer.Option("--metrics", "-m", help='Such as "ROUGE-L TokenF1"; see `neraca metrics`.')]
Language = Annotated[str, typer.Option("--language", "-l", help="Of questions that do not say theirs: es, auto, …")]
Query = Annotated[
    str, typer.Option("--query", "--query-column", help="The column of questions, if its name is unusual.")
]
Reference = Annotated[str, typer.Option(help="The column of good answers, if its name is unusual.")]
Column = Annotated[list[str], typer.Option(help="Other columns: session=NAME, id=NAME; id= for none.")]
RunFolder = Annotated[Path | None, typer.Option("--run", help="Where answers are kept; default beside the output.")]
Conversation = Annotated[bool, typer.Option("--conversation", help="All questions in one conversation.")]
Parallel = Annotated[int, typer.Option(help="Conversations at once.", min=1)]
Trials = Annotated[int, typer.Option(help="How often each question is asked.", min=1)]
Timeout = Annotated[float, typer.Option(help="Seconds for one question.", min=0.001)]
Retries = Annotated[int, typer.Option(help="Tries after a lost page, where asking again may help.", min=0)]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Ask again what failed.")]
Limit = Annotated[int, typer.Option(help="Only the first so many questions; 0: all.", min=0)]
StorageState = Annotated[str, typer.Option(metavar="FILE", help="Cookies and local storage, as --login saves them.")]
Headers = Annotated[list[str], typer.Option(metavar='"NAME: VALUE"', help="Of every request; ${NAME} is filled in.")]
BasicAuth = Annotated[str, typer.Option(metavar="NAME:PASSWORD", help="HTTP authentication, such as bot:${PASSWORD}.")]
Locale = Annotated[str, typer.Option(help="Of the browser, such as es-MX.")]
Timezone = Annotated[str, typer.Option(help="Of the browser, such as America/Bogota.")]
Viewport = Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Size of the page; default 1280x900.")]
UserAgent = Annotated[str, typer.Option(help="What the browser says it is.")]
Proxy = Annotated[str, typer.Option(help="Such as http://proxy:3128.")]
Browser = Annotated[str, typer.Option(metavar="PROGRAM", help="Which Chromium, Chrome or Edge; default: found.")]
Headed = Annotated[bool, typer.Option("--headed", help="Show the window.")]
Click = Annotated[list[str], typer.Option(metavar="CSS", help="Clicked when the page has opened: a cookie banner, …")]
Ignore = Annotated[str, typer.Option(metavar="CSS", help="What inside an answer is not part of it.")]
Busy = Annotated[str, typer.Option(metavar="CSS", help="What is there only while an answer is being written.")]
Still = Annotated[float, typer.Option(help="Seconds of stillness that end an answer where nothing else does.", min=0)]
Sources = Annotated[str, typer.Option(metavar="CSS", help="The sources of an answer; they become hits.")]
Anew = Annotated[bool, typer.Option("--anew", help="Move the answers of earlier starts aside and begin again.")]
Encoding = Annotated[str | None, typer.Option(help="Of a text file that is not UTF-8, such as cp1252.")]
Sheet = Annotated[str | None, typer.Option(help="Of a workbook; default the first.")]
Delimiter = Annotated[str | None, typer.Option(help="Of a delimited file; default: whichever fits.")]
Probe = Annotated[str, typer.Option(metavar="URL", help="Ask this page one question, and say what was found.")]
Question = Annotated[str, typer.Option(help="The question of --probe.")]
ProfileOut = Annotated[Path | None, typer.Option(metavar="FILE", help="Keep what --probe found as a profile (TOML).")]
Login = Annotated[str, typer.Option(metavar="URL", help="Open a window to log in, and save --storage-state FILE.")]


def command(
    url: Url = "",
    input: Input = None,
    output: Output = None,
    headings: options.Headings = "names",
    input_selector: InputSelector = "",
    submit_selector: SubmitSelector = "",
    response_selector: ResponseSelector = "",
    profile: Profile = "",
    language: Language = "",
    metrics: Metrics = ["TFIDF ROUGE-L ExactMatch TokenF1 METEOR TokenRecall"],
    query: Query = "",
    reference: Reference = "",
    column: Column = [],
    run: RunFolder = None,
    conversation: Conversation = False,
    parallel: Parallel = 2,
    trials: Trials = 1,
    timeout: Timeout = 120.0,
    retries: Retries = 1,
    retry_failed: RetryFailed = False,
    limit: Limit = 0,
    storage_state: StorageState = "",
    header: Headers = [],
    basic_auth: BasicAuth = "",
    locale: Locale = "",
    timezone: Timezone = "",
    viewport: Viewport = "",
    user_agent: UserAgent = "",
    proxy: Proxy = "",
    browser: Browser = "",
    headed: Headed = False,
    click: Click = [],
    ignore: Ignore = "",
    busy: Busy = "",
    sources: Sources = "",
    still: Still = 0.0,
    anew: Anew = False,
    encoding: Encoding = None,
    sheet: Sheet = None,
    delimiter: Delimiter = None,
    plugin: options.Plugins = [],
    probe: Probe = "",
    question: Question = "Hello?",
    profile_out: ProfileOut = None,
    login: Login = "",
    json: options.Json = False,
) -> None:
    """Put the questions of a table to a chat page, and write the scored answers beside them; started again, go on."""
    given = locals()
    options.load_plugins(plugin)
    if login:
        _login(_settings(given, login))
    elif probe:
        _probe(_settings(given, probe), given)
    else:
        _evaluate(_settings(given, url), given)


def _settings(given: Mapping[str, Any], url: str) -> dict[str, Any]:
    """The settings of the target; what nobody named is left out, so that a profile can say it."""
    named = SELECTORS | {name: name for name in ALIKE}
    page = Path(url).resolve().as_uri() if url and Path(url).is_file() else url
    settings = {"kind": "browser", "url": page} | {name: given[it] for name, it in named.items() if given[it]}
    headers = dict(map(_header, given["header"]))
    return settings | ({"headers": headers} if headers else {})


def _header(words: str) -> tuple[str, str]:
    name, colon, value = (part.strip() for part in words.partition(":"))
    if not colon or not name:  # what was written is not shown: it may be a secret
        raise SpecError('cannot read a --header; write --header "Name: value"')
    return name, value


def _evaluate(settings: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Ask, score, write and sum up."""
    from neraca.datasets.columns import not_used
    from neraca.reports.sentences.answer_notes import answer_notes
    from neraca.runs.ask import ask
    from neraca.runs.runner import AskOptions

    table = _table(given, settings["url"])
    if told := not_used(table.dataset.unused):
        speak(f"{table.path}: {told}")
    how_to_ask = AskOptions(given["parallel"], given["timeout"], given["retries"], given["retry_failed"])
    with show.progress(f"asking {settings['url']}") as progress:
        run = ask(
            table.dataset,
            settings,
            given["run"] or table.folder,
            options=how_to_ask,
            trials=table.trials,
            anew=given["anew"],
            progress=progress,
        )
    answer_scores = table.write(run)
    if given["json"]:
        show.jsonl([_facts(table, run, answer_scores)])
    else:
        _summary(table, run, answer_scores)
    for note in answer_notes(answer_scores):
        speak(note)
    if lacking := run.unanswered():
        speak(f"{lacking} {'has' if lacking == 1 else 'have'} no answer; --retry-failed asks again")
        raise typer.Exit(3)


def _table(given: Mapping[str, Any], url: str) -> AnswerTable:
    from neraca.scores.answer_table import AnswerTable

    if not (url and given["input"] and given["output"]):
        raise SpecError("name --url, --input and --output; or a page with --probe URL or --login URL")
    named = {"query": given["query"], "references": given["reference"]}
    same = ("language", "limit", "conversation", "trials", "headings", "encoding", "sheet", "delimiter")
    return AnswerTable(
        path=given["input"],
        out=given["output"],
        metrics=[" ".join(given["metrics"])],
        columns=options.columns([*given["column"], *(f"{role}={name}" for role, name in named.items() if name)]),
        **{name: given[name] for name in same},
    )


# what is told


def _summary(table: AnswerTable, run: Run, scored: AnswerScores) -> None:
    from neraca.reports.blocks.run_summary import card
    from neraca.reports.formats.escape import line, visible

    n = len(table.dataset)
    rows = [[_named(score, scored), *_numbers(score)] for score in scored.scores.overall()]
    show.table(f"{table.path.name}: {n:,} question{'' if n == 1 else 's'}", _COLUMNS, rows)
    summary = card(scored.run)
    print(f"answers: {', '.join(f'{count:,} {status}' for status, count in summary.statuses)}")
    print(_times(summary))
    if troubled := list(scored.troubled()):
        print("not complete:")
        for item, answer, why in troubled[:TOLD]:
            print(f"  {line(item.id)} ({answer.status}) {line(item.query, 60)}: {line(why, 300)}")
        if len(troubled) > TOLD:
            print(f"  and {len(troubled) - TOLD:,} more: see the column status")
    for signature in scored.scores.signatures.values():
        print(visible(signature))
    print(visible(f"rows: {table.out}; answers: {run.path}"))


_COLUMNS = ["metric", "value", "interval", "n", "unscored"]


def _named(score: Score, scored: AnswerScores) -> str:
    """Return the metric's title; an average has its band beside it."""
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


def _facts(table: AnswerTable, run: Run, answer_scores: AnswerScores) -> dict[str, Any]:
    """Return the summary for programs."""
    from neraca.metrics.text.average import band
    from neraca.reports.blocks.run_summary import card
    from neraca.reports.sentences.answer_notes import answer_notes

    summary = card(answer_scores.run)
    names = ("value", "low", "high", "n", "unscored")
    scores = {answer_scores.scores.title(score.metric): score for score in answer_scores.scores.overall()}
    average = answer_scores.scores.average
    metrics = [{"metric": title} | {name: getattr(score, name) for name in names} for title, score in scores.items()]
    return {
        "questions": len(table.dataset),
        "answers": dict(summary.statuses),
        "metrics": metrics,
        "band": band(scores[answer_scores.scores.title(str(average))].value) if average else None,
        "seconds": {"median": summary.median, "p95": summary.p95},
        "first_token_seconds": {"median": summary.first_token},
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
    """Let somebody log in by hand, and keep what the browser then knows."""
    import asyncio

    from neraca.targets.browser.launch import need_display
    from neraca.targets.browser.login import login
    from neraca.targets.browser.settings import BrowserSettings
    from neraca.targets.settings import read

    if not (state := settings.get("storage_state")):
        raise SpecError("--login needs --storage-state FILE: where to keep cookies and local storage")
    need_display()
    file = Path(state)
    begins = {name: value for name, value in settings.items() if name != "storage_state" or file.exists()}

    async def until_done() -> int:
        return await login(read(BrowserSettings, begins), file, _enter() if sys.stdin.isatty() else None)

    speak("log in in the window; then close it, or press Enter here")
    kept = asyncio.run(until_done())
    if not kept:
        speak("the page left no cookie and nothing in local storage: nobody logged in, or it keeps that elsewhere")
    print(f"{file}: kept; --storage-state {file} begins with it.  Whoever has this file is logged in: do not share it")


async def _enter() -> None:
    """Wait until Enter is pressed in the terminal, in a thread: on Windows no event loop can wait for a terminal."""
    import asyncio

    loop, pressed = asyncio.get_running_loop(), asyncio.Event()

    def read() -> None:
        # Not through `sys.stdin`: a thread that waits inside it breaks the interpreter's own way out.
        os.read(sys.stdin.fileno(), 4096)
        with suppress(RuntimeError):  # the window was closed in the meantime, and with it the loop
            loop.call_soon_threadsafe(pressed.set)

    threading.Thread(target=read, name="neraca-enter", daemon=True).start()
    await pressed.wait()


def _probe(settings: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    """Ask one question, say what was found, and keep it as a profile."""
    import asyncio

    from neraca.targets.browser.probe import probe
    from neraca.targets.browser.profile import save
    from neraca.targets.browser.settings import BrowserSettings
    from neraca.targets.settings import read

    profile = given["profile_out"]
    if profile and profile.suffix != ".toml":
        raise SpecError(f"--profile-out {profile}: the name of a profile ends in .toml")
    spec = read(BrowserSettings, settings)
    probed = asyncio.run(probe(spec, given["question"], given["timeout"]))
    facts = _found(probed)
    if probed.reply and profile:
        save(profile, spec, probed.reply.ways)
        facts["profile"] = str(profile)
    if given["json"]:
        show.jsonl([facts])
    else:
        _tell(facts)
    if not probed.reply:
        raise typer.Exit(3)


def _found(probed: Probed) -> dict[str, Any]:
    """Return what the probe found on a page."""
    facts: dict[str, Any] = {"browser": f"{probed.program.path} {probed.version} ({probed.program.found})"}
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
            "sources": len(reply.sources),
            "text": reply.text,
        }
    facts |= {"reason": probed.reason, "text": probed.partial}
    return facts | ({"screenshot": _kept(probed.screenshot)} if probed.screenshot else {})


def _kept(picture: bytes) -> str:
    """Save a picture in a temporary file and return its path."""
    import tempfile

    with tempfile.NamedTemporaryFile(prefix="neraca-", suffix=".png", delete=False) as file:
        file.write(picture)
    return file.name


def _tell(facts: Mapping[str, Any]) -> None:
    from neraca.reports.formats.escape import clip

    for name, value in facts.items():
        text = f"{value:.2f}" if isinstance(value, float) else clip("–" if value in (None, "") else str(value), 1000)
        print(f"{name.replace('_', ' ')}: {text}")
