"""`neraca generate`: questions with exact right answers from a table of records."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.cli import options, show

Source = Annotated[
    Path,
    typer.Argument(
        metavar="RECORDS",
        help="A table with a record in each row: .csv .xlsx .jsonl .json .parquet …",
        show_default=False,
    ),
]
Number = Annotated[int, typer.Option("-n", "--number", help="Number of questions; each turn of a conversation is one.")]
Kinds = Annotated[
    str,
    typer.Option(
        help="Kinds of questions with their shares: constraint (stands alone) and followup (turns of a conversation); "
        "constraint=0.7,followup=0.3.  Default: half of each.",
        show_default=False,
    ),
]
Language = Annotated[
    str, typer.Option(help="Language of the questions: en, id, es or ar.  Default: found in the table.")
]
Columns = Annotated[
    list[str],
    typer.Option(
        "--column",
        help="Column for a role: id=NAME, noun=NAME (what a record is, such as house), place=NAME; NAME= for a column "
        "that no question may ask about; repeatable.",
    ),
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
    report_language: options.ReportLanguage = "en",
    output: options.Output,
) -> None:
    """Make questions from a table of records, without a model.

    The right answers are exact, because they are looked up in the table.  The folder is a data set:
    `neraca ask FOLDER --target …` asks its questions.
    """
    from neraca.generation.question_set import generate
    from neraca.reports.question_card import card_document, summary
    from neraca.reports.translation import written_in

    questions = generate(
        source, number, kinds=kinds, language=language, columns=options.pairs(column, "--column", "id=NAME"), seed=seed
    )
    questions.save(out)
    card = card_document(questions, report_language)
    for suffix in (".html", ".md", ".json"):
        card.save(out / f"card{suffix}")
    if output.json:
        show.jsonl(questions.rows())
        return
    with written_in(report_language):
        for table in questions._tables():
            show.table(table.title, table.columns, table.rows[: table.most], names=table.names, wide=output.wide)
        show.print_sentences("", *summary(questions))
        show.print_sentences(f"{out}: neraca ask {out} --target … asks them; {out}/card.html tells what they cover")
