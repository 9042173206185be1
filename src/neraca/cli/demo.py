"""`neraca demo`: evaluate the bundled property chatbot, or keep it running."""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, rate_serve, show, speak
from neraca.cli.doctor import lacking
from neraca.cli.rate import page_writer
from neraca.cli.run import bars_on, print_results
from neraca.errors import MissingExtra, RunError

_STUDY = Path(__file__).parent / "demo.toml"


def command(
    out: Annotated[Path, typer.Option(help="Folder for the study and its results.")] = Path("neraca-demo"),
    llm: Annotated[
        list[str], typer.Option(help="Add a second phase with this model: openai:gpt-4o-mini …; repeatable.")
    ] = [],
    serve: Annotated[bool, typer.Option("--serve", help="Only keep the chatbot running, until Ctrl-C.")] = False,
    online: Annotated[
        bool, typer.Option("--online", help="Serve two methods to simulated users: an A/B test and interleaving.")
    ] = False,
    generate: Annotated[
        bool, typer.Option("--generate", help="Ask 30 new questions, made from the table of properties.")
    ] = False,
    seed: Annotated[int, typer.Option(help="With --generate: another number makes other questions.", min=0)] = 0,
    users: Annotated[int, typer.Option(help="With --online: number of simulated users.", min=100)] = 2000,
    rate: Annotated[bool, typer.Option("--rate", help="Let a person rate the answers in a last phase.")] = False,
    port: Annotated[int, typer.Option(help="Port of --serve and --rate; 0: any free port.", min=0, max=65535)] = 0,
    anew: options.Anew = False,
) -> None:
    """Evaluate the bundled property chatbot.

    It compares three search methods on 30 questions, judged by rules, and writes a report.  With --generate, the
    questions are new ones, in the same twelve categories.
    """
    if missing := lacking("demo"):
        raise MissingExtra(f'the demonstration needs {", ".join(missing)}: pip install "neraca[demo]"')
    if rate:
        rate_serve.needs_web()
    if serve:
        _serve(port)
        return
    if online:
        _online(out / "online", users)
        return
    from neraca import demo
    from neraca.files import write_atomic
    from neraca.study import StudyOptions, run_study

    if generate:
        out = _generated(out, seed, anew)
    else:
        write_atomic(out / "questions.jsonl", demo.QUESTIONS.read_bytes())
    study = out / "study.toml"
    write_atomic(study, (_asked(llm) + _models(llm) + (_PEOPLE if rate else "")).encode())
    with ExitStack() as stack:
        try:
            server = stack.enter_context(demo.start())
        except demo.StartError as error:
            raise RunError(str(error)) from error
        os.environ["NERACA_DEMO_URL"] = server.url
        with ExitStack() as bars:
            results = run_study(study, StudyOptions(anew=anew), bars_on(bars))
    waits = results[-1].waits
    print_results(results[:-1] if waits else results)
    if any(result.unanswered for result in results):
        raise typer.Exit(3)
    if waits:
        page_settings = {"language": "en", "guideline": "", "grades": 2}
        rating = rate_serve.RatingOptions(db=f"sqlite:///{out}/ratings.sqlite", port=port)
        rate_serve.serve([run.path for run in results[-1].runs], rating, page_writer(page_settings))
        print_results(run_study(study, StudyOptions(asks=False, so_far=True))[-1:])


def _generated(out: Path, seed: int, anew: bool) -> Path:
    """Write new questions and their card into a folder of their own, unless they are there, and return the folder."""
    from neraca.datasets.write_dataset import write_dataset
    from neraca.generation.demo_study import demo_study
    from neraca.reports.question_card import card_document, summary

    folder = out / f"generated-{seed}"
    if anew or not (folder / "questions.jsonl").exists():
        folder.mkdir(parents=True, exist_ok=True)
        questions = demo_study(seed)
        write_dataset(folder / "questions.jsonl", questions.dataset)
        card_document(questions).save(folder / "card.html")
        show.print_sentences(summary(questions)[0], f"{folder / 'card.html'} tells what they cover", "")
    return folder


def _serve(port: int) -> None:
    """Keep the chatbot running until Ctrl-C."""
    from neraca.demo.__main__ import main

    with suppress(KeyboardInterrupt):
        main(["--port", str(port)])


def _online(folder: Path, users: int) -> None:
    """Run both experiments, and print the result of each."""
    from neraca import demo
    from neraca.online_demo.demonstration import run_online_demo
    from neraca.online_demo.simulated_users import Crowd
    from neraca.reports.online import ab, interleaving
    from neraca.reports.online.online_demo import needs

    crowd = Crowd(users)
    speak(f"{users:,} simulated users come to search; {crowd.words}")
    try:
        with demo.start() as server:
            result = run_online_demo(server.url, demo.QUESTIONS, folder, crowd)
    except demo.StartError as error:
        raise RunError(str(error)) from error
    show.print_sentences(f"They made {result.requests:,} requests over HTTP.", "")
    documents = {
        "ab": (ab.ab_document(result.experiment), ab.ON_PAGES),
        "interleaving": (interleaving.interleaving_document(result.interleaving), interleaving.ON_PAGES),
    }
    for name, (document, sections) in documents.items():
        show.document(document.without(*sections))
        show.print_sentences("")
        document.save(folder / f"{name}.html")
    designs = result.needs.items()
    show.print_sentences(*needs({name: n.users for name, n in designs}, {name: n.needed for name, n in designs}))
    files = ", ".join(map(str, (*result.logs.values(), folder / "ab.html", folder / "interleaving.html")))
    speak(f"logs and reports: {files}")


#: The last phase of the study: a person rates the answers of the phase before.
_PEOPLE = '\n[[phase]]\nname = "people"\nrate = true\nchoose = "Rubric(quality)"\n'


def _asked(models: list[str]) -> str:
    """Return the study without its models; a model of the user's own endpoint is asked one question at a time."""
    study = _STUDY.read_text(encoding="utf-8")
    if any(name.startswith("openai:") for name in models) and os.environ.get("OPENAI_BASE_URL"):
        one = "concurrency = 1    # the server at OPENAI_BASE_URL may have one slot; set more if it has more"
        return study.replace("concurrency = 4", one)
    return study


def _models(names: list[str]) -> str:
    """Return the second phase of the study: the winner of the first, with each model.

    A model's target has its name without `:` and `/`, because it becomes the name of a folder.
    """
    if not names:
        return ""
    folders = [re.sub(r"[^\w.+-]+", " ", name).strip(" .") for name in names]
    targets = "".join(f'targets."{folder}".body.llm = "{name}"\n' for folder, name in zip(folders, names, strict=True))
    return f'\n[[phase]]\nname = "model"\nchoose = "nDCG(empty=correct)@10"\n{targets}'
