"""`neraca generate`: questions from records, a log, a run, reviewed questions, or from documents with a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from neraca.cli import options, show, speak
from neraca.cli.model_options import ModelCalls
from neraca.cli.progress_bar import progress_bar
from neraca.errors import SpecError
from neraca.nearest import nearest
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.generation.document_question_set import DocumentQuestions
    from neraca.generation.log_questions import LogQuestions
    from neraca.generation.question_set import QuestionSet
    from neraca.generation.reviewed_questions import ReviewedQuestions
    from neraca.generation.variants import Variants

#: What a source can be.
KINDS = ("records", "log", "run", "questions", "documents")
Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A table with a record in each row (.csv .xlsx .jsonl .json .parquet …); the log of a search system, or a "
        "run; a folder of generated questions that people reviewed; or documents: a folder of texts, a text, or with "
        "--model a table of texts.",
        show_default=False,
    ),
]
From = Annotated[
    str,
    typer.Option(
        "--from",
        help="Kind of the source: records, log, run, questions (which people reviewed) or documents. Default: a run "
        "folder is a run, a table with a column of questions (query, user_query …) a log, other tables are records; "
        "with --model, documents.",
        show_default=False,
    ),
]
VariantNames = Annotated[
    str,
    typer.Option(
        help="Variants of each question, which share its right answers: typo, keywords; typo,keywords: both.",
        show_default=False,
    ),
]
Number = Annotated[int, typer.Option("-n", "--number", help="Number of questions; each turn of a conversation is one.")]
Kinds = Annotated[
    str,
    typer.Option(
        help="Kinds of questions with their shares, as constraint=0.7,followup=0.3. From records: constraint (stands "
        "alone) and followup (turns of a conversation), half of each. From documents: single, unanswerable, multi "
        "(needs two documents), 0.7, 0.2 and 0.1; compare and followup.",
        show_default=False,
    ),
]
Language = Annotated[
    str,
    typer.Option(help="Language of the questions: en, id, es or ar; from documents any. Default: found in the source."),
]
Columns = Annotated[
    list[str],
    typer.Option(
        "--column",
        help="Column for a role: id=NAME, noun=NAME (what a record is, such as house), place=NAME; NAME= for a column "
        "that no question may ask about; of a log: query=NAME, count=NAME, user=NAME …; repeatable.",
    ),
]


Model = Annotated[
    str,
    typer.Option(help="From documents: the model that writes the questions, such as openai:gpt-4o-mini."),
]
ReaderModel = Annotated[
    str, typer.Option(help="From documents: the model that checks them as a second reader; default: the same.")
]

_NO_KINDS = "--kinds is for questions about records and documents; those of a log were asked by people"
_NO_COLUMN = "--column is for questions about records and logs, and --model for questions about documents"


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
    kind: From = "",
    kinds: Kinds = "",
    variants: VariantNames = "",
    language: Language = "",
    column: Columns = [],
    seed: options.Seed = 0,
    model: Model = "",
    reader_model: ReaderModel = "",
    url: options.Endpoint = "",
    prompts: Annotated[Path | None, typer.Option(help="A folder with your own prompts.")] = None,
    calls: ModelCalls,
    report_language: options.ReportLanguage = "",
    output: options.Output,
) -> None:
    """Make questions from records, a log or documents.

    Right answers about records are exact: they are looked up in the table.  Questions in a log are drawn by how often
    people asked them.  Those about documents are written by a model and checked by rules and a second reader; of a
    folder of these that people reviewed, it writes those that people accept.  `neraca ask FOLDER --target …` asks them.
    """
    from neraca.generation.variants import variant_names

    kind = _kind_of(source, kind, model)
    wording = Wording(variant_names(variants), language, seed)
    if kind != "documents":
        wishes = {"columns": options.pairs(column, "--column", "id=NAME"), "seed": seed}
        if kind == "records":
            wishes |= {"kinds": kinds, "language": language}
        elif kinds:
            raise SpecError(say(_NO_KINDS))
        _write(*_without_model(source, number, kind, wishes), out, report_language, output, wording)
        return
    from neraca.generation.document_question_set import check_folder
    from neraca.reports import document_card

    if column:
        raise SpecError(say(_NO_COLUMN))
    check_folder(out)
    paths = {"url": url, "prompts": str(prompts or "")}
    settings = {name: value for name, value in paths.items() if value} | calls.settings()
    wishes = {"kinds": kinds, "language": language, "seed": seed, "model": model, "reader_model": reader_model}
    questions = _from_documents(Path(source), number, wishes, settings, calls)
    if calls.dry_run:
        _print_estimate(questions, out, json=output.json)
        return
    if questions.stopped is not None:
        wording = wording._replace(names=())
    _write(questions, document_card, out, report_language, output, wording)
    if questions.stopped is not None:
        raise questions.stopped


class Wording(NamedTuple):
    """Names of variants to add to the questions, the language of the questions, and the seed."""

    names: tuple[str, ...]
    language: str
    seed: int


def _kind_of(source: str, kind: str, model: str) -> str:
    """Return what the source is: `records`, `log`, `run` or `documents`; raise `SpecError` if a model is missing."""
    from neraca.datasets.compressed import suffix_of
    from neraca.datasets.document_files import READERS
    from neraca.generation.log_source import is_log, is_run
    from neraca.generation.question_folder import is_question_folder

    path = Path(source)
    if kind not in ("", *KINDS):
        raise SpecError(say("--from {kind}: there is no such source; {advice}", kind=kind, advice=nearest(kind, KINDS)))
    if not kind and model:
        kind = "documents"
    elif not kind and is_run(path):
        kind = "run"
    elif not kind and is_question_folder(path):
        kind = "questions"
    elif not kind and (path.is_dir() or (path.is_file() and suffix_of(path) in READERS)):
        kind = "documents"
    elif not kind:
        kind = "log" if is_log(source) else "records"
    if kind == "documents" and not model:
        raise SpecError(
            say(
                "{source}: a model writes questions about documents; name it: --model openai:gpt-4o-mini", source=source
            )
        )
    if kind != "documents" and model:
        raise SpecError(
            say("--model is for questions about documents, and --from {kind} needs none; leave one out", kind=kind)
        )
    if kind == "questions" and not is_question_folder(path):
        raise SpecError(
            say("{source}: not a folder of questions from documents; leave --from questions out", source=source)
        )
    if kind == "run" and not is_run(path):
        raise SpecError(say("{source}: not the folder of a run; leave --from run out", source=source))
    return kind


def _without_model(
    source: str, number: int, kind: str, wishes: Mapping[str, Any]
) -> tuple[QuestionSet | LogQuestions | ReviewedQuestions, ModuleType]:
    """Make questions about records, draw them from a log or run, or take those that people accept.

    Return them with the module of their card.
    """
    if kind == "records":
        from neraca.generation.question_set import generate
        from neraca.reports import question_card

        return generate(source, number, **wishes), question_card
    if kind == "questions":
        from neraca.generation.reviewed_questions import read_reviewed
        from neraca.reports import reviewed_card

        return read_reviewed(source), reviewed_card
    from neraca.generation.log_questions import generate_from_log
    from neraca.reports import log_card

    return generate_from_log(source, number, **wishes), log_card


def _from_documents(
    source: Path, number: int, wishes: Mapping[str, Any], settings: Mapping[str, Any], calls: ModelCalls
) -> DocumentQuestions:
    """Let models make questions about documents, and show the progress; `wishes` are keywords in Python."""
    from neraca.generation.document_questions import generate_from_documents
    from neraca.models.model_session import ModelSession

    with (
        ModelSession(calls.cache, budget=calls.budget, dry_run=calls.dry_run, tell=speak) as session,
        progress_bar(say("calls")) as session.progress,
    ):
        return generate_from_documents(source, number, session=session, settings=settings, **wishes)


def _print_estimate(questions: DocumentQuestions, out: Path, *, json: bool) -> None:
    """Print what the questions would cost if all were accepted."""
    spent = questions.spent
    if json:
        names = ("calls", "cached", "input_tokens", "output_tokens", "cost")
        show.jsonl([{"out": str(out), **{name: getattr(spent, name) for name in names}, "dry_run": True}])
        return
    template = "{out}: would pay for {calls}, if no question is refused; another is written for each"
    show.print_sentences(say(template, out=out, calls=spent.estimate()))


def _write(
    questions: QuestionSet | DocumentQuestions | LogQuestions | ReviewedQuestions,
    cards: ModuleType,
    out: Path,
    report_language: str,
    output: options.Output,
    wording: Wording,
) -> None:
    """Write the questions, their variants and their card, made by a module of `reports`, and print what they are."""
    from neraca.reports.blocks.block import Sentences
    from neraca.reports.sentences.variants import variant_notes
    from neraca.translation import written_in

    questions.save(out)
    card, notes, rows = cards.card_document(questions, report_language), [], questions.rows()
    if wording.names:
        variants = _add_variants(questions, out, wording)
        rows = variants.dataset.rows()
        with written_in(report_language):
            notes = list(variant_notes(variants))
        card = replace(card, blocks=(*card.blocks, Sentences(tuple(notes))))
    for suffix in (".html", ".md", ".json"):
        card.save(out / f"card{suffix}")
    if output.json:
        show.jsonl(rows)
        return
    with written_in(report_language):
        for table in questions._tables():
            show.labelled(table, wide=output.wide)
        show.print_sentences("", *cards.summary(questions), *notes)
        template = "{out}: neraca ask {out} --target … asks them; {out}/card.html tells what they cover"
        show.print_sentences(say(template, out=out))


def _add_variants(
    questions: QuestionSet | DocumentQuestions | LogQuestions | ReviewedQuestions, out: Path, wording: Wording
) -> Variants:
    """Add variants to the questions of a folder."""
    from neraca.datasets.read_dataset import QUESTIONS
    from neraca.datasets.write_dataset import write_dataset
    from neraca.generation.variants import add_variants

    variants = add_variants(questions.dataset, ",".join(wording.names), language=wording.language, seed=wording.seed)
    write_dataset(out / QUESTIONS, variants.dataset)
    return variants
