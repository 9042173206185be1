"""Score paths of any kind: run folders, TREC runs, a table of texts, or a table of ready values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from neraca.datasets.compressed import suffix_of
from neraca.datasets.table_reader import READABLE, TableReader
from neraca.errors import InputError, SpecError
from neraca.scores.scores import Scores
from neraca.scores.unit import AUTO
from neraca.translation import say

#: The default metrics of TREC runs.
TREC_DEFAULT = "nDCG@10 AP RR P@10"
#: Options of `score` that are options of paths, too.
SCORING = (
    *("relevance", "by", "combine", "language", "tokens", "norm"),
    *("level", "intervals", "unit", "correct", "sample"),
)


@dataclass(frozen=True, kw_only=True)
class PathOptions:
    """Options of scoring files, beside the metrics.

    Attributes
    ----------
    qrels, topics
        Qrels that judge the paths, which are then TREC runs; questions, tags and sessions of the queries.
    documents
        The texts of the documents of TREC runs, for reports; see `trec`.
    relevance, by, combine, language, level, intervals, unit
        As in `score`.
    reference, response
        Columns of a table; in a table of ready values, `response` names the systems.
    group
        Columns of a table of texts to group by.
    correct, sample
        As in `score`; only for run folders.
    tokens, norm
        As in `score`; only for run folders and tables of texts.
    encoding, sheet, delimiter
        The format of a table, as in `read_table`.
    """

    qrels: Path | None = None
    topics: Path | None = None
    documents: Path | None = None
    relevance: str = "auto"
    by: str = ""
    combine: str = ""
    language: str = ""
    level: float = 0.95
    intervals: str = "t"
    unit: str = AUTO
    reference: Sequence[str] = ()
    response: Sequence[str] = ()
    group: Sequence[str] = ()
    correct: str = ""
    sample: Path | None = None
    tokens: str = ""
    norm: str = ""
    encoding: str | None = None
    sheet: str | None = None
    delimiter: str | None = None

    @property
    def table_format(self) -> dict[str, Any]:
        """The options of a reader of tables."""
        return {"encoding": self.encoding, "sheet": self.sheet, "delimiter": self.delimiter}


def reads_no_table(option: str, value: str, path: Path) -> SpecError:
    """Return the error that an option that says how a table is read has no table to read: the path is a run folder."""
    return SpecError(
        say(
            "--{option} {value}: says how a table is read, and {path} is none; leave it out",
            option=option,
            value=value,
            path=path,
        )
    )


def score_paths(paths: Sequence[Path], metrics: str = "", options: PathOptions | None = None) -> Scores:
    """Score the files or folders at these paths.

    With qrels they are TREC runs (or run folders).  A single table holds texts if it has columns of references and
    responses, else ready values.  All other paths are run folders.  Files among these that are no run folder, such as
    a report, are skipped, and the fact `passed_over` names them.

    Raise `InputError` or `SpecError` as in `score`, `trec`, `TextTable` and `values`, and if the paths are of different
    kinds.
    """
    path_options = options or PathOptions()
    if path_options.topics is not None and path_options.qrels is None:
        raise SpecError("--topics says what the queries of TREC runs are; give their --qrels too")
    if path_options.documents is not None and path_options.qrels is None:
        raise SpecError("--documents has the texts of the documents of TREC runs; give their --qrels too")
    if path_options.qrels is not None and path_options.correct:
        raise SpecError("qrels hold no verdicts of people and of judges; --correct is of run folders")
    tables = [path for path in paths if is_table(path)] if path_options.qrels is None else []
    for name, value in path_options.table_format.items():
        if value is not None and not tables and not (name == "encoding" and path_options.qrels is not None):
            raise reads_no_table(name, value, paths[0])
    if path_options.qrels is not None:
        _check_no_reading(path_options, "TREC runs")
        from neraca.scores.trec import trec

        scores = trec(
            path_options.qrels,
            list(paths),
            metrics or TREC_DEFAULT,
            topics=path_options.topics,
            documents=path_options.documents,
            unit=path_options.unit,
            encoding=path_options.encoding,
        )
        return replace(scores, level=path_options.level, intervals=path_options.intervals)
    if tables and path_options.correct:
        raise SpecError(f"{tables[0]}: a table holds no verdicts of people; --correct is of run folders")
    if tables:
        if len(paths) > 1:
            raise InputError(
                f"{tables[0]}: a table is scored alone, its columns are the systems (--response); put all "
                "systems into one table, or name run folders only"
            )
        return _score_table(tables[0], metrics, path_options)
    if path_options.reference or path_options.response:
        raise SpecError(f"--reference and --response name columns of a table; {paths[0]} is none")
    from neraca.runs.run import run_folders

    folders, passed_over = run_folders(paths)
    if files := [path for path in folders if path.is_file()]:
        raise InputError(
            f"{files[0]}: not a run folder, nor a table ({', '.join(READABLE)}); of a TREC run say which qrels judge "
            "it: --qrels FILE"
        )
    from neraca.scores.score import score

    scores = score(folders, metrics, **{name: getattr(path_options, name) for name in SCORING})
    return replace(scores, facts={**scores.facts, "passed_over": tuple(map(str, passed_over))})


def _check_no_reading(options: PathOptions, inputs: str) -> None:
    """Raise `SpecError` if an option for reading texts is given for inputs without texts."""
    for name, value in (("tokens", options.tokens), ("norm", options.norm)):
        if value:
            raise SpecError(f"--{name} {value}: says how texts are read, and {inputs} hold none; leave it out")


def is_table(path: Path) -> bool:
    """Return whether this is a file with the suffix of a table."""
    return path.is_file() and suffix_of(path) in READABLE


def _score_table(path: Path, metrics: str, options: PathOptions) -> Scores:
    from neraca.scores.sources.text_columns import has_texts
    from neraca.scores.text import DEFAULT

    if options.reference or has_texts(TableReader(path, **options.table_format).columns):
        from neraca.scores.sources.text_table import TextTable

        table = TextTable(
            path=path,
            metrics=metrics or DEFAULT,
            references=options.reference,
            responses=options.response,
            language=options.language,
            groups=options.group,
            level=options.level,
            unit=options.unit,
            average=False,
            tokens=options.tokens,
            norm=options.norm,
            **options.table_format,
        )
        return replace(table.score(), intervals=options.intervals)
    _check_no_reading(options, "tables of ready values")
    from neraca.datasets.value_table import read_value_table
    from neraca.scores.sources.values import VALUE, scores_of_values

    table_of_values = read_value_table(path, options.response, **options.table_format)
    level, intervals, unit = options.level, options.intervals, options.unit
    return scores_of_values(table_of_values, metrics or VALUE, level=level, intervals=intervals, unit=unit)
