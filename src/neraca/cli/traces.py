"""`neraca traces`: make a run of what a system in production recorded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, show
from neraca.cli.traces_back import SendingBack, send_back
from neraca.errors import SpecError
from neraca.translation import say, written_in

#: Spans that `--probe` reads unless it looks for a trace.
_PROBED = 20_000
Retrievers = Annotated[
    list[str],
    typer.Option(help="Name of a span or tool that retrieves documents, where nothing says so; repeatable."),
]
Redact = Annotated[
    str,
    typer.Option(help="Your own function MODULE:FUNCTION that gets each text and returns what may be written."),
]
Unmasked = Annotated[
    bool, typer.Option("--unmasked", help="Keep e-mail addresses, telephone numbers and numbers of cards.")
]


def command(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="PATH... | back RUN",
            help="Exported traces, or folders of them: OTLP/JSON, Langfuse, LangSmith, MLflow, Phoenix, Logfire; "
            ".json, .jsonl, .csv or .parquet, also packed. Or back, with a run whose verdicts are sent back.",
            show_default=False,
        ),
    ],
    *,
    out: Annotated[
        Path | None,
        typer.Option(help="The run folder to write; without it, only say what is there. With back: the file."),
    ] = None,
    probe: Annotated[
        bool,
        typer.Option("--probe", help="Show one trace: what was understood, from which attribute, and what is lost."),
    ] = False,
    trace: Annotated[str, typer.Option(help="With --probe: the id of the trace; default: the fullest one.")] = "",
    retriever: Retrievers = [],
    redact: Redact = "",
    unmasked: Unmasked = False,
    anew: options.Anew = False,
    back: SendingBack,
    report_language: options.ReportLanguage = "",
    json: options.Json = False,
) -> None:
    """Make a run of recorded traces, or say what is in them.

    A turn becomes a question with its answer: all other commands work on it.  What the traces do not say is counted,
    with what to do about it.  Ids of users are hashed, and personal data are masked before anything is written.
    `traces back RUN` sends verdicts to the tool that recorded the traces, or writes them to a file in its form.
    """
    if paths[0] == Path("back"):
        send_back(paths[1:], out, back, json=json)
        return
    back.check_unused()
    from neraca.traces.trace_reading import read_traces

    if probe and out:
        raise SpecError(say("--probe writes nothing, and --out writes a run; leave one out"))
    if trace and not probe:
        raise SpecError(say("--trace {trace} is for --probe; add --probe", trace=trace))
    function = _function(redact) if redact else None
    most = _PROBED if probe and not trace else 0
    reading = read_traces(paths, out, retrievers=retriever, redact=function, masks=not unmasked, anew=anew, most=most)
    result = reading.probe(trace) if probe else reading
    if json:
        with written_in("en"):
            show.jsonl(result.rows())
        return
    for table in result._tables():
        show.result(table, "")
    show.print_sentences(*result._sentences())
    if probe and most and reading.counts.spans >= most:
        show.print_sentences(say("Only the first {n:,} spans were read; --trace ID reads all.", n=most))
    if not probe and not out:
        show.print_sentences(say("Nothing was written: --probe shows one trace, and --out FOLDER writes a run."))


def _function(word: str) -> Callable[[str], str]:
    """Return the function that `module:function` names, from an installed module or one in this folder."""
    from neraca.targets.python import find_function

    return find_function(word)
