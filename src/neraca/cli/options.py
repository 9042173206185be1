"""Options that several commands share, so that one word means one thing everywhere.

Options that stand together in several commands are a group (see `option_group.py`); the others are types of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from neraca.cli import completion, speak
from neraca.cli.table_options import Delimiter, Encoding, Sheet
from neraca.errors import SpecError
from neraca.translation import say

if TYPE_CHECKING:
    from neraca.runs.run import Run
    from neraca.scores.scores import Scores
    from neraca.scores.sources.paths import PathOptions

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN...",
        help="Run folders; TREC runs, with --qrels (bm25=a.run names one); or one table with a column for each system.",
        show_default=False,
    ),
]


def _metrics_option(examples: str, default: str = "") -> Any:
    text = f'Metrics such as "{examples}"; see `neraca metrics`.{default}'
    return typer.Option("--metrics", "-m", help=text, show_default=not default, autocompletion=completion.metrics)


_USUAL = " Default: those that the questions have data for."
Metrics = Annotated[list[str], _metrics_option("P@5 nDCG@10", _USUAL)]
TextMetrics = Annotated[list[str], _metrics_option("ROUGE-L TokenF1 METEOR")]
Groups = Annotated[list[str], typer.Option("--group", "-g", help="A tag to group by, such as category; repeatable.")]
_TO = typer.Option(
    help="Write the report to this file: .html, .md, .tex, .docx, .pdf, .txt (answers in full), .json, .xlsx or .csv "
    "(tables), .svg or .png (the main figure), table.tex (one table for a paper); or to this folder: everything.",
    show_default=False,
)
ReportFile = Annotated[Path, _TO]
OptionalReportFile = Annotated[Path | None, _TO]
Columns = Annotated[
    list[str],
    typer.Option(
        "--column",
        help="Column for a role, if its name is unusual: session=NAME, id=NAME (id= for none), references=NAME …; "
        "repeatable.",
    ),
]
Qrels = Annotated[
    Path | None, typer.Option(help="The runs are TREC runs, and this file of qrels judges them.", show_default=False)
]
Topics = Annotated[
    Path | None, typer.Option(help="With TREC runs: a data set with the text, tags and sessions of the queries.")
]
References = Annotated[
    list[str], typer.Option("--reference", help="A column of references; with several, the best one counts.")
]
Systems = Annotated[
    list[str],
    typer.Option("--response", help="With a table: the column of a system, with texts or values; repeatable."),
]
Relevance = Annotated[
    str,
    typer.Option(
        help="Source of the verdicts on relevance: human, human:NAME, qrels, rules, llm or clicks; auto: the source of "
        "--by, else the first of human, qrels, rules and llm that exists. By rules, a hit is relevant if it meets all "
        "constraints; a constraint that cannot be checked is not met. rules(missing=skip) leaves such constraints "
        "out; rules(at=0.8) requires 80 % of those that can be checked."
    ),
]
Combine = Annotated[
    str,
    typer.Option(
        help="Combination of the verdicts of several people: mean, median, majority or newest. Default: the mean of "
        "ratings on a scale, the lower median of relevance grades, the majority of yes and no (a tie is undecided)."
    ),
]
Language = Annotated[
    str,
    typer.Option(
        help="Language of questions without one in the data, such as es or Spanish; auto: detected in the references."
    ),
]
ReportLanguage = Annotated[
    str,
    typer.Option(
        help="Language of what is printed and of the report: en, id or es; default: that of the study of the runs, "
        "else en. (--language: of the texts.)",
        show_default=False,
    ),
]
Test = Annotated[
    str,
    typer.Option(
        help="Paired test: t, wilcoxon, sign, randomisation, bootstrap, mcnemar (for metrics that are 0 or 1), or "
        "tukey (all runs at once).",
        autocompletion=completion.paired_tests,
    ),
]
Correction = Annotated[
    str,
    typer.Option(
        help="Correction for many comparisons: holm, bonferroni, bh (Benjamini-Hochberg: false discovery rate), none.",
        autocompletion=completion.corrections,
    ),
]
Intervals = Annotated[
    str,
    typer.Option(help="Intervals of values: t (Student's), bca or percentile (bootstrap); shares always get Wilson's."),
]
Unit = Annotated[
    str,
    typer.Option(
        help="Unit of observation: session, question or a tag; auto: the session, or the question if there is only one."
    ),
]
Level = Annotated[float, typer.Option(help="Confidence level of the intervals.", min=0.5, max=0.9999)]
Alpha = Annotated[float, typer.Option(help="Tolerated rate of false alarms of the planned test.")]
Power = Annotated[float, typer.Option(help="Wanted chance that the planned test finds the difference.")]
Seed = Annotated[int, typer.Option(help="Seed of the random numbers.", min=0)]
Headings = Annotated[str, typer.Option(help="Style of new column headings: names (ROUGE-L) or plain (rouge_l).")]
Compare = Annotated[
    bool, typer.Option("--compare", help="Print only the paired tests; in JSON and CSV, in place of the values.")
]
Anew = Annotated[bool, typer.Option("--anew", help="Move existing answers aside and ask everything again.")]
Retries = Annotated[
    int, typer.Option(help="Number of times that a question is asked again after a failure that may pass.", min=0)
]
RetryFailed = Annotated[bool, typer.Option("--retry-failed", help="Ask again where an answer failed or is suspect.")]
Trials = Annotated[int, typer.Option(help="Number of times that each question is asked.", min=1)]
Timeout = Annotated[float, typer.Option(help="Seconds to wait for one answer.", min=0.001)]
Address = Annotated[str, typer.Option(help="With --engine ray: address of the cluster; default: one on this machine.")]
Endpoint = Annotated[
    str, typer.Option(help="Base URL of the model, if an OpenAI-compatible endpoint serves it (Ollama, vLLM).")
]
Plugins = Annotated[
    list[Path], typer.Option("--plugin", help="A Python file with your own metrics, judges or targets.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON Lines on stdout, and nothing else.")]
#: Default of `--metrics`: all metrics for which the questions have the data.
USUAL: list[str] = []


class Sources(NamedTuple):
    """Files and columns beside the runs, and the format of a table in place of runs."""

    qrels: Qrels = None
    topics: Topics = None
    reference: References = []
    response: Systems = []
    encoding: Encoding = None
    sheet: Sheet = None
    delimiter: Delimiter = None


class Verdicts(NamedTuple):
    """Choice of the verdicts that count."""

    relevance: Relevance = "auto"
    by: Annotated[
        str,
        typer.Option(
            help="Source of the verdicts, also on relevance unless --relevance names another: human, human:NAME, "
            "llm:MODEL, … Default: human, else rules, else llm."
        ),
    ] = ""
    combine: Combine = ""


class JudgeCorrection(NamedTuple):
    """Correction of a judge's scores by people's labels."""

    correct: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help="Score by the judge alone, and beside that print its scores corrected by people's labels of some "
            "questions: ppi (prediction-powered inference), or rogan-gladen (for values that are 0 or 1).",
            show_default=False,
        ),
    ] = ""
    sample: Annotated[
        Path | None,
        typer.Option(
            help="With --correct: the file of `neraca agree --plan`, if people labelled the questions that it drew. "
            "Default: they labelled a random sample.",
            show_default=False,
        ),
    ] = None


class Reading(NamedTuple):
    """Settings for how metrics read texts."""

    tokens: Annotated[
        str,
        typer.Option(
            help="Tokenizer of the metrics that do not name their own: word+stem-articles, word+plain, space, … It "
            "replaces every default: without -articles, articles count as words. See `neraca metrics TokenF1`.",
            show_default=False,
        ),
    ] = ""
    norm: Annotated[
        str,
        typer.Option(
            help="Unicode normalization, nfc or nfkc, of the metrics that have the parameter norm and do not set it.",
            show_default=False,
        ),
    ] = ""


class Comparison(NamedTuple):
    """Settings of a comparison of runs."""

    primary: Annotated[str, typer.Option(help="The metric that decides; default: the first.")] = ""
    test: Test = "t"
    seed: Seed = 0
    correction: Correction = "holm"
    margin: Annotated[
        list[str],
        typer.Option(
            help='Largest difference that does not matter: 0.02 (in the primary metric), or "AP=0.02 RR=0.1".',
            show_default=False,
        ),
    ] = []
    bayes: Annotated[
        bool,
        typer.Option(
            "--bayes",
            help="Also print the probability that each run is better by more than the margin, and that neither is.",
        ),
    ] = False
    against: Annotated[
        str,
        typer.Option(
            metavar="BASELINE",
            help="Compare each run with this baseline only: a folder, file, column or name. p is corrected for these "
            "comparisons alone.",
            show_default=False,
        ),
    ] = ""

    @property
    def is_usual(self) -> bool:
        """Whether every option but `primary` has its default."""
        return self[1:] == Comparison()[1:]

    def checked(self) -> dict[str, Any]:
        """Return the keywords of `compare`; raise `SpecError` for values that are wrong or do not go together."""
        from neraca.comparisons.compare import check_comparing

        keywords = {**self._asdict(), "margin": margin_of(self.margin)}
        check_comparing(**{name: value for name, value in keywords.items() if name != "primary"})
        return keywords

    def add_baseline(self, runs: Sequence[Path]) -> list[Path]:
        """Return the runs and the baseline, unless it is one of them, or the name of a run or column."""
        from neraca.scores.sources.run_names import with_baseline

        return with_baseline(runs, self.against)

    def add_column(self, columns: list[str]) -> list[str]:
        """Return the columns and that of the baseline; no columns stay none, which means all.

        >>> Comparison(against="old").add_column(["new"]), Comparison(against="old").add_column([])
        (['new', 'old'], [])
        """
        return columns if not columns or not self.against or self.against in columns else [*columns, self.against]


class Undecided(NamedTuple):
    """Treatment of answers that a judge left undecided."""

    retry_undecided: Annotated[
        bool,
        typer.Option("--retry-undecided", help="If a judge left part of an answer undecided, judge all of it again."),
    ] = False
    allow_undecided: Annotated[
        bool, typer.Option("--allow-undecided", help="Exit with 0 even if over a tenth of the answers stay undecided.")
    ] = False


class Output(NamedTuple):
    """Form of the printed results."""

    wide: Annotated[bool, typer.Option("--wide", help="Print each table in one piece, however long its lines are.")] = (
        False
    )
    json: Json = False


def path_options(*groups: Sources | Verdicts | JudgeCorrection | Reading, **shared_options: Any) -> PathOptions:
    """Return the options of scoring that the groups and the shared options hold."""
    from neraca.scores.sources.paths import PathOptions

    return PathOptions(**{name: value for group in groups for name, value in group._asdict().items()}, **shared_options)


def margin_of(words: list[str]) -> float | dict[str, float] | None:
    """Return the value of `--margin`: one number, or a number for each metric.

    >>> margin_of(["0.02"]), margin_of(["RBP(p=0.8)@10=0.02 AP=0.01"]), margin_of([])
    (0.02, {'RBP(p=0.8)@10': 0.02, 'AP': 0.01}, None)
    """
    from neraca.registry import split_specs

    parts = split_specs(" ".join(words))
    pairs_of_parts = [part.rpartition("=") for part in parts]
    try:
        if len(parts) == 1 and not pairs_of_parts[0][1]:
            return float(parts[0])
        margins = {name: float(value) for name, _, value in pairs_of_parts if name}
    except ValueError:
        margins = {}
    if len(margins) < len(parts):
        template = 'cannot read --margin {words!r}; write --margin 0.02, or --margin "nDCG@10=0.02 AP=0.01"'
        raise SpecError(say(template, words=" ".join(words)))
    return margins or None


def only_run_folders(paths: list[Path]) -> list[Path]:
    """Return the run folders among paths; name on stderr the others, such as reports."""
    from neraca.runs.run import run_folders

    folders, passed_over = run_folders(paths)
    if passed_over:
        from neraca.reports.sentences.notes import passed_over_note

        speak(passed_over_note(passed_over))
    return folders


def open_runs(paths: list[Path]) -> list[Run]:
    """Open the run folders among paths; raise `RunError` if there are none."""
    from neraca.runs.run import Run

    return [Run(path) for path in only_run_folders(paths)]


def speak_notes(scores: Scores) -> None:
    """Print on stderr the notes on the scores, and how answers in words were counted."""
    from neraca.reports.sentences.notes import notes

    for note in notes(scores):
        speak(note)
    if any(run.scorable is not None and run.scorable.offers("verdicts") for run in scores.runs):
        from neraca.reports.sentences.refusals import (
            refusal_sentences,  # its imports are slow, and tables and TREC runs need none of them
        )

        for sentence in refusal_sentences(scores):
            speak(sentence)


def load_plugins(files: list[Path]) -> None:
    """Register the metrics, judges and targets that the user's files define."""
    from neraca.registry import load_file

    for file in files:
        load_file(file)


def pairs(words: list[str], option: str, form: str = "query=NAME") -> dict[str, str]:
    """Return `role=NAME` options as a mapping; `form` says in an error what to write.

    >>> pairs(["query=Frage"], "--column")
    {'query': 'Frage'}
    """
    values: dict[str, str] = {}
    for word in words:
        key, _, value = word.partition("=")
        if "=" not in word[1:]:
            template = "cannot read {option} {word!r}; write {right}"
            raise SpecError(say(template, option=option, word=word, right=f"{option} {form}"))
        if values.setdefault(key, value) != value:
            template = "{option} {key}= is given twice, as {first!r} and {value!r}; give one"
            raise SpecError(say(template, option=option, key=key, first=values[key], value=value))
    return values


def columns(words: list[str]) -> dict[str, str | list[str]]:
    """Return `--column role=NAME` as a mapping; a role that is named several times has a list of columns.

    >>> columns(["query=Frage", "references=A", "references=B"])
    {'query': 'Frage', 'references': ['A', 'B']}
    """
    names_by_role: dict[str, list[str]] = {}
    for role, name in (pair for word in words for pair in pairs([word], "--column").items()):
        names_by_role.setdefault(role, []).append(name)
    return {role: names[0] if len(set(names)) == 1 else names for role, names in names_by_role.items()}
