"""`neraca generate`: questions from a table of records, or from documents with a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any

import typer

from neraca.cli import options, show, speak
from neraca.cli.model_options import ModelCalls
from neraca.cli.progress_bar import progress_bar
from neraca.errors import SpecError

if TYPE_CHECKING:
    from neraca.generation.document_question_set import DocumentQuestions
    from neraca.generation.question_set import QuestionSet

Source = Annotated[
    Path,
    typer.Argument(
        metavar="SOURCE",
        help="A table with a record in each row (.csv .xlsx .jsonl .json .parquet …); or documents: a folder of texts, "
        "a text, or with --model a table of texts.",
        show_default=False,
    ),
]
Number = Annotated[int, typer.Option("-n", "--number", help="Number of questions; each turn of a conversation is one.")]
Kinds = Annotated[
    str,
    typer.Option(
        help="Kinds of questions with their shares, as constraint=0.7,followup=0.3.  From records: constraint (stands "
        "alone) and followup (turns of a conversation), half of each.  From documents: single, unanswerable, multi "
        "(needs two documents), 0.7, 0.2 and 0.1; compare and followup.",
        show_default=False,
    ),
]
Language = Annotated[
    str,
    typer.Option(
        help="Language of the questions: en, id, es or ar; from documents any.  Default: found in the source."
    ),
]
Columns = Annotated[
    list[str],
    typer.Option(
        "--column",
        help="Column for a role: id=NAME, noun=NAME (what a record is, such as house), place=NAME; NAME= for a column "
        "that no question may ask about; repeatable.",
    ),
]


Model = Annotated[
    str,
    typer.Option(help="From documents: the model that writes the questions, such as openai:gpt-4o-mini."),
]
ReaderModel = Annotated[
    str, typer.Option(help="From documents: the model that checks them as a second reader; default: the same.")
]


def command(
    source: Source,
    *,
    out: Annotated[
        Path,
        typer.Option(
            help="Folder for the questions and their card; it must not have questions yet.", show_default=False
        ),
    ],
    number: Number = 30,
    kinds: Kinds = "",
    language: Language = "",
    column: Columns = [],
    seed: options.Seed = 0,
    model: Model = "",
    reader_model: ReaderModel = "",
    url: options.Endpoint = "",
    prompts: Annotated[Path | None, typer.Option(help="A folder with your own prompts.")] = None,
    calls: ModelCalls,
    report_language: options.ReportLanguage = "en",
    output: options.Output,
) -> None:
    """Make questions from a table of records without a model, or from documents with one.

    Right answers about records are exact, because they are looked up in the table.  Questions about documents are
    written by a model and checked by rules and a second reader.  The folder is a data set: `neraca ask FOLDER
    --target …` asks its questions.
    """
    if not model:
        from neraca.generation.question_set import generate
        from neraca.reports import question_card

        _check_is_table(source)
        columns = options.pairs(column, "--column", "id=NAME")
        records = generate(source, number, kinds=kinds, language=language, columns=columns, seed=seed)
        _write(records, out, question_card, report_language, output)
        return
    from neraca.generation.document_question_set import check_folder
    from neraca.reports import document_card

    if column:
        raise SpecError("--column is for questions about records, and --model for questions about documents")
    check_folder(out)
    paths = {"url": url, "prompts": str(prompts or "")}
    settings = {name: value for name, value in paths.items() if value} | calls.settings()
    wishes = {"kinds": kinds, "language": language, "seed": seed, "model": model, "reader_model": reader_model}
    questions = _from_documents(source, number, wishes, settings, calls)
    if calls.dry_run:
        _print_estimate(questions, out, json=output.json)
        return
    _write(questions, out, document_card, report_language, output)
    if questions.stopped is not None:
        raise questions.stopped


def _from_documents(
    source: Path, number: int, wishes: Mapping[str, Any], settings: Mapping[str, Any], calls: ModelCalls
) -> DocumentQuestions:
    """Let models make questions about documents, and show the progress; `wishes` are keywords in Python."""
    from neraca.generation.document_questions import generate_from_documents
    from neraca.models.model_session import ModelSession

    with (
        ModelSession(calls.cache, budget=calls.budget, dry_run=calls.dry_run, tell=speak) as session,
        progress_bar("calls") as session.progress,
    ):
        return generate_from_documents(source, number, session=session, settings=settings, **wishes)


def _check_is_table(source: Path) -> None:
    """Raise `SpecError` if a source without a model is no table."""
    from neraca.datasets.compressed import suffix_of
    from neraca.datasets.document_files import READERS

    if source.is_dir() or (source.is_file() and suffix_of(source) in READERS):
        raise SpecError(f"{source}: a model writes questions about documents; name it: --model openai:gpt-4o-mini")


def _print_estimate(questions: DocumentQuestions, out: Path, *, json: bool) -> None:
    """Print what the questions would cost if all were accepted."""
    from neraca.reports.formats.visible_text import visible

    spent = questions.spent
    if json:
        names = ("calls", "cached", "input_tokens", "output_tokens", "cost")
        show.jsonl([{"out": str(out), **{name: getattr(spent, name) for name in names}, "dry_run": True}])
        return
    print(visible(f"{out}: would pay for {spent.estimate()}, if no question is refused; another is written for each"))


def _write(
    questions: QuestionSet | DocumentQuestions,
    out: Path,
    cards: ModuleType,
    report_language: str,
    output: options.Output,
) -> None:
    """Write the questions and their card, made by a module of `reports`, and print what they are."""
    from neraca.reports.translation import written_in

    questions.save(out)
    card = cards.card_document(questions, report_language)
    for suffix in (".html", ".md", ".json"):
        card.save(out / f"card{suffix}")
    if output.json:
        show.jsonl(questions.rows())
        return
    with written_in(report_language):
        for table in questions._tables():
            show.table(table.title, table.columns, table.rows[: table.most], names=table.names, wide=output.wide)
        show.print_sentences("", *cards.summary(questions))
        show.print_sentences(f"{out}: neraca ask {out} --target … asks them; {out}/card.html tells what they cover")
