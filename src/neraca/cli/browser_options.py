"""Option groups of `neraca browser`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from neraca.cli import options


class Selectors(NamedTuple):
    """Elements of a chat page."""

    input_selector: Annotated[
        str, typer.Option(metavar="CSS", help="Element that takes the question; default: detected.")
    ] = ""
    submit_selector: Annotated[
        str, typer.Option(metavar="CSS", help="Element to click to send it; default: detected.")
    ] = ""
    response_selector: Annotated[
        str, typer.Option(metavar="CSS", help="Element that holds an answer; the last match counts.")
    ] = ""
    profile: Annotated[
        str, typer.Option(help="Kind of page: gradio, streamlit, chainlit, open-webui, or a TOML file of settings.")
    ] = ""


class Questions(NamedTuple):
    """Settings that read the table of questions and score the answers."""

    language: Annotated[
        str, typer.Option("--language", "-l", help="Language of questions for which the table names none: es, auto, …")
    ] = ""
    metrics: options.TextMetrics = ["TFIDF ROUGE-L ExactMatch TokenF1 METEOR TokenRecall"]
    query: Annotated[
        str, typer.Option("--query", "--query-column", help="Column of the questions, if its name is unusual.")
    ] = ""
    reference: Annotated[str, typer.Option(help="Column of the good answers, if its name is unusual.")] = ""
    column: options.Columns = []


class Asking(NamedTuple):
    """Settings of asking."""

    run: Annotated[Path | None, typer.Option("--run", help="Folder of the answers; default: beside the output.")] = None
    conversation: Annotated[bool, typer.Option("--conversation", help="Ask all questions in one conversation.")] = False
    parallel: Annotated[int, typer.Option(help="Number of conversations at once.", min=1)] = 2
    trials: options.Trials = 1
    timeout: options.Timeout = 120.0
    retries: options.Retries = 1
    retry_failed: options.RetryFailed = False
    limit: Annotated[int, typer.Option(help="Ask only this number of questions; 0: all.", min=0)] = 0


class Browser(NamedTuple):
    """Settings of the browser and of the chat page."""

    storage_state: Annotated[
        str, typer.Option(metavar="FILE", help="Cookies and local storage, as --login saves them.")
    ] = ""
    header: Annotated[
        list[str], typer.Option(metavar='"NAME: VALUE"', help="Header of every request; ${NAME} is filled in.")
    ] = []
    basic_auth: Annotated[
        str, typer.Option(metavar="NAME:PASSWORD", help="HTTP authentication, such as bot:${PASSWORD}.")
    ] = ""
    locale: Annotated[str, typer.Option(help="Locale of the browser, such as es-MX.")] = ""
    timezone: Annotated[str, typer.Option(help="Time zone of the browser, such as America/Bogota.")] = ""
    viewport: Annotated[str, typer.Option(metavar="WIDTHxHEIGHT", help="Size of the page; default: 1280x900.")] = ""
    user_agent: Annotated[str, typer.Option(help="User agent that the browser sends.")] = ""
    proxy: Annotated[str, typer.Option(help="Proxy server, such as http://proxy:3128.")] = ""
    browser: Annotated[
        str, typer.Option(metavar="PROGRAM", help="Chromium, Chrome or Edge to use; default: detected.")
    ] = ""
    headed: Annotated[bool, typer.Option("--headed", help="Show the window.")] = False
    click: Annotated[
        list[str],
        typer.Option(metavar="CSS", help="Element to click when the page has opened, such as a cookie banner."),
    ] = []
    ignore: Annotated[str, typer.Option(metavar="CSS", help="Elements inside an answer that are not part of it.")] = ""
    busy: Annotated[
        str, typer.Option(metavar="CSS", help="Element that exists only while an answer is being written.")
    ] = ""
    sources: Annotated[str, typer.Option(metavar="CSS", help="Sources of an answer; they become hits.")] = ""
    still: Annotated[
        float,
        typer.Option(
            help="Seconds without change that an answer needs; they end it if nothing else shows its end.", min=0
        ),
    ] = 0.0
    watch: Annotated[
        float | None,
        typer.Option(
            help="Seconds to watch whether the page changes an answer after its end; default 10; 0: never.", min=0
        ),
    ] = None


class Probing(NamedTuple):
    """A trial with one question."""

    probe: Annotated[
        str, typer.Option(metavar="URL", help="Ask this page one question, and print what was detected.")
    ] = ""
    question: Annotated[str, typer.Option(help="The question of --probe.")] = "Hello?"
    profile_out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Save what --probe detected as a profile (TOML).")
    ] = None
