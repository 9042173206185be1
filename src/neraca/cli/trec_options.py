"""Options of commands that read TREC runs: the texts of topics and documents."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from neraca.cli import options
from neraca.cli.table_options import Encoding

Documents = Annotated[
    Path | None,
    typer.Option(
        help="With TREC runs: the texts of the documents: a table with an id and a text (.tsv, .jsonl, .csv, .parquet "
        "…), a BEIR folder, or a file of <DOC>.",
        show_default=False,
    ),
]


class TrecTexts(NamedTuple):
    """Texts of topics and documents, and the encoding of all files."""

    topics: options.Topics = None
    documents: Documents = None
    encoding: Encoding = None
