"""`neraca demo`: evaluates the bundled property chatbot, or keeps it up."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import rate_serve
from neraca.cli.doctor import lacking
from neraca.cli.rate import page_writer
from neraca.cli.run import bars_on, tell
from neraca.errors import MissingExtra, RunError

_STUDY = Path(__file__).parent / "demo.toml"


def command(
    out: Annotated[Path, typer.Option(help="Where the study and its results go.")] = Path("neraca-demo"),
    llm: Annotated[
        list[str],
        typer.Option(help="Models that search and reply, compared in a second phase: openai:gpt-4o-mini …"),
    ] = [],
    serve: Annotated[bool, typer.Option("--serve", help="Only keep the chatbot up, until Ctrl-C.")] = False,
    rate: Annotated[bool, typer.Option("--rate", help="Then let a person rate the best method's answers.")] = False,
    port: Annotated[int, typer.Option(help="Of --serve and --rate; 0 is any free port.", min=0, max=65535)] = 0,
    anew: Annotated[bool, typer.Option("--anew", help="Move earlier answers aside and ask everything again.")] = False,
) -> None:
    """Evaluate the bundled property chatbot: three search methods, 30 questions, rules as judges, a report."""
    if missing := lacking("demo"):
        raise MissingExtra(f'the demonstration needs {", ".join(missing)}: pip install "neraca[demo]"')
    if rate:
        rate_serve.needs_web()
    if serve:
        from neraca.demo.__main__ import main

        with suppress(KeyboardInterrupt):  # the way to end it
            main(["--port", str(port)])
        return

    from neraca import demo
    from neraca.files import write_atomic
    from neraca.study import Options, run_study

    study = out / "study.toml"
    write_atomic(out / "questions.jsonl", demo.QUESTIONS.read_bytes())
    write_atomic(study, (_STUDY.read_text(encoding="utf-8") + _models(llm)).encode())
    with ExitStack() as stack:
        try:
            server = stack.enter_context(demo.start())
        except demo.StartError as error:
            raise RunError(str(error)) from error
        os.environ["NERACA_DEMO_URL"] = server.url
        with ExitStack() as bars:
            results = run_study(study, Options(anew=anew), bars_on(bars))
    tell(results)
    if any(result.unanswered for result in results):
        raise typer.Exit(3)
    if rate:
        best = next(run.path for run in results[0].runs if run.name == results[0].winner)
        how = {"language": "en", "guideline": "", "grades": 2}
        rate_serve.serve([best], rate_serve.Chosen(db=f"sqlite:///{out}/ratings.sqlite", port=port), page_writer(how))


def _models(names: list[str]) -> str:
    """Return the second phase of the study: the winner of the first, with each model.

    A model's target has its name without `:` and `/`, because it becomes the name of a folder.
    """
    if not names:
        return ""
    folders = [re.sub(r"[^\w.+-]+", " ", name).strip(" .") for name in names]
    targets = "".join(f'targets."{folder}".body.llm = "{name}"\n' for folder, name in zip(folders, names, strict=True))
    return f'\n[[phase]]\nname = "model"\nchoose = "nDCG(empty=correct)@10"\n{targets}'
