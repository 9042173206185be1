"""`neraca traces back`: verdicts and metrics go back to the tool that recorded the traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple
from urllib.parse import urlsplit

import typer

from neraca.cli import show, speak
from neraca.errors import SpecError
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.scores.evaluations import Evaluations
    from neraca.traces.evaluation_sender import Sent

_HERE = ("localhost", "127.0.0.1", "::1")


class SendingBack(NamedTuple):
    """Options of `traces back`."""

    to: Annotated[str, typer.Option(help="With back: the tool, langfuse, otlp or phoenix.", show_default=False)] = ""
    url: Annotated[
        str,
        typer.Option(
            help="With back: send to this server, such as https://cloud.langfuse.com; keys come from "
            "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY, PHOENIX_API_KEY, or OTEL_EXPORTER_OTLP_HEADERS.",
            show_default=False,
        ),
    ] = ""
    metrics: Annotated[
        list[str],
        typer.Option(
            "--metric",
            "-m",
            help="With back: metrics whose value of each turn is sent; default: the verdicts on answers.",
            show_default=False,
        ),
    ] = []
    by: Annotated[str, typer.Option(help="With back: the only source whose verdicts count.", show_default=False)] = ""

    def check_unused(self) -> None:
        """Raise `SpecError` if an option is there, as without `back` all are wrong."""
        names = ("--to", "--url", "--metric", "--by")
        if unused := [name for name, value in zip(names, self, strict=True) if value]:
            raise SpecError(say("{unused} is for `neraca traces back RUN`", unused=unused[0]))


def send_back(paths: Sequence[Path], out: Path | None, back: SendingBack, *, json: bool) -> None:
    """Write or send the judgements of a run; the exit code is 3 if not all were taken."""
    from neraca.counts_and_lists import count
    from neraca.scores.evaluations import evaluations
    from neraca.traces.evaluation_forms import form_of

    if len(paths) != 1:
        raise SpecError(
            say("name one run, as in `neraca traces back runs/november --to langfuse`, not {n}", n=len(paths))
        )
    if not back.to:
        raise SpecError(say("name the tool: --to langfuse, --to otlp or --to phoenix"))
    if bool(out) == bool(back.url):
        raise SpecError(say("give either --out FILE, to write requests, or --url SERVER, to send them"))
    form_of(back.to)
    judged = evaluations(paths[0], " ".join(back.metrics), by=back.by)
    if out is not None:
        ready = judged.save(out, back.to)
        _print(ready, json=json)
        if not json:
            show.print_sentences(
                say("{out}: {values} for {tool}.", out=out, values=count(len(ready), "value"), tool=back.to)
            )
        return
    if urlsplit(back.url).scheme == "http" and urlsplit(back.url).hostname not in _HERE:
        speak(say("the address is http: values and keys are sent in plain text"))
    ready = judged.ready_for(back.to)
    sent = ready.send(back.to, back.url)
    if json:
        show.jsonl([{"to": back.to, **asdict(sent), "left_out": dict(ready.left_out)}])
    else:
        _print(ready, json=False)
        show.print_sentences(*_sentences(sent))
    if sent.refused or sent.unsent:
        raise typer.Exit(3)


def _print(ready: Evaluations, *, json: bool) -> None:
    """Print how many values there are, and what was left out."""
    if json:
        show.jsonl(ready.rows())
        return
    for table in ready._tables():
        show.result(table, "")
    show.print_sentences(*ready._sentences())


def _sentences(sent: Sent) -> list[str]:
    """Say what the server took, what it took earlier, what it refused, and why sending stopped."""
    sentences = [say("{url}: {n:,} sent.", url=sent.url, n=sent.new)]
    if sent.before:
        template = "{url}: {n:,} sent, {before:,} sent before and not changed."
        sentences = [say(template, url=sent.url, n=sent.new, before=sent.before)]
    sentences += [say("{n:,} refused: {reason}.", n=n, reason=reason) for reason, n in sent.refused.items()]
    if sent.unsent:
        template = "{n:,} not sent, because sending stopped: {reason}. The same command goes on with these."
        sentences.append(say(template, n=sent.unsent, reason=sent.why))
    return sentences
