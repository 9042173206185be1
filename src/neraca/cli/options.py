"""Options that several commands share, so that one word means one thing everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import speak
from neraca.errors import InputError, SpecError

if TYPE_CHECKING:
    from neraca.runs.run import Run
    from neraca.scores.scores import Scores

Runs = Annotated[
    list[Path],
    typer.Argument(
        metavar="RUN...",
        help="Run folders; with --qrels TREC runs; or one table: of texts, or of values with a column a system.",
        show_default=False,
    ),
]
Metrics = Annotated[
    list[str],
    typer.Option(
        "--metrics",
        "-m",
        help='Such as "P@5 nDCG@10"; see `neraca metrics`.  Default those for which the questions have what they need.',
        show_default=False,
    ),
]
Qrels = Annotated[Path | None, typer.Option(help="The runs are TREC runs, judged by these qrels.", show_default=False)]
Topics = Annotated[
    Path | None,
    typer.Option(help="Of TREC runs: questions, tags and sessions of the queries, in any form of data set."),
]
References = Annotated[
    list[str], typer.Option("--reference", help="Column of references; several: the best one counts.")
]
Responses = Annotated[
    list[str], typer.Option("--response", help="Column of responses; several are systems that are compared.")
]
Systems = Annotated[
    list[str],
    typer.Option("--response", help="Of a table: a column of a system, with texts or with ready values; several."),
]
Relevance = Annotated[
    str,
    typer.Option(
        help="Whose word on relevance counts: auto (as --by says, else the first), human, qrels, rules, llm, clicks, "
        "human:NAME.  By rules all constraints must pass, and a missing one fails; rules(missing=skip) leaves it out, "
        "rules(at=0.8) asks for a share."
    ),
]
By = Annotated[
    str,
    typer.Option(
        help="Whose verdicts count, and nobody else's: human, human:NAME, llm:MODEL, …; also on relevance, unless "
        "--relevance is given.  Default the first in that order."
    ),
]
Combine = Annotated[
    str,
    typer.Option(
        help="What several people say together: mean, median, majority or newest.  Default: ratings on a scale take "
        "the mean, grades of relevance the lower median, yes or no the majority (level: undecided)."
    ),
]
ReportLanguage = Annotated[
    str,
    typer.Option(
        "--report-language",
        help="Of the report: en, id or es; --language is that of the texts.",
    ),
]
Language = Annotated[
    str, typer.Option(help="Of questions that do not say theirs: es, Spanish; auto: found in the references.")
]
Tokens = Annotated[
    str,
    typer.Option(
        help="How every metric of texts reads words that does not say its own: word+stem-articles, word+plain, space, "
        "…  It replaces the whole reading: without -articles, articles count as words.  See `neraca metrics TokenF1`.",
        show_default=False,
    ),
]
Norm = Annotated[
    str,
    typer.Option(
        help="The form of Unicode for every metric that takes norm and does not say its own: nfc or nfkc.",
        show_default=False,
    ),
]
RetryUndecided = Annotated[
    bool,
    typer.Option(
        "--retry-undecided", help="Where a judge left something undecided, ask it anew all about that answer."
    ),
]
AllowUndecided = Annotated[
    bool, typer.Option("--allow-undecided", help="Exit 0 although more than a tenth of the answers stay undecided.")
]
Wide = Annotated[bool, typer.Option("--wide", help="Each table in one piece, however long its lines are.")]
Json = Annotated[bool, typer.Option("--json", help="JSON Lines on stdout, and nothing else.")]
Plugins = Annotated[
    list[Path], typer.Option("--plugin", help="A Python file with your own metrics, judges or targets.")
]
Test = Annotated[
    str,
    typer.Option(
        help="Paired test: t, wilcoxon, sign, randomisation, bootstrap, mcnemar (of metrics that are 0 or 1), or tukey "
        "(all runs at once)."
    ),
]
Seed = Annotated[int, typer.Option(help="Of what draws at random: randomisation, bootstrap, tukey and --bayes.")]
Margin = Annotated[
    list[str],
    typer.Option(
        help='The largest difference that does not matter: 0.02 (of the primary metric), or "AP=0.02 RR=0.1".',
        show_default=False,
    ),
]
Bayes = Annotated[
    bool, typer.Option("--bayes", help="Also the chances that one is better by more than the margin, or neither.")
]
Compare = Annotated[
    bool, typer.Option("--compare", help="The paired tests alone; as json and csv they replace the values.")
]
Correction = Annotated[
    str,
    typer.Option(help="For many comparisons: holm, bonferroni, bh (Benjamini-Hochberg: false discovery rate) or none."),
]
Intervals = Annotated[
    str, typer.Option(help="Of values: t (Student's), bca or percentile (bootstrap); shares get Wilson's interval.")
]
Unit = Annotated[
    str,
    typer.Option(
        help="What counts as one observation: session, question, or a tag; auto: the session, or the question where "
        "all are of one session."
    ),
]
Correct = Annotated[
    str,
    typer.Option(
        metavar="METHOD",
        help="Score by the judge alone and correct it by people's labels of some questions, beside it: ppi "
        "(prediction-powered inference), or rogan-gladen (of values that are 0 or 1).",
        show_default=False,
    ),
]
Sample = Annotated[
    Path | None,
    typer.Option(
        help="How the questions that people labelled were drawn: a file of `neraca agree --plan`; without, at random.",
        show_default=False,
    ),
]
Level = Annotated[float, typer.Option(help="Confidence of the intervals.", min=0.5, max=0.9999)]
Target = Annotated[
    str,
    typer.Option(
        help="python:MODULE:FUNCTION, an http address, replay:FILE, command:COMMAND, or a TOML file of settings.",
        show_default=False,
    ),
]
Headings = Annotated[str, typer.Option(help="Of new columns: names, such as ROUGE-L, or plain, such as rouge_l.")]
Against = Annotated[
    str,
    typer.Option(
        metavar="BASELINE",
        help="Compare each run with this one alone: its folder, file, column or name.  p is corrected for these.",
        show_default=False,
    ),
]
#: None named: those for which the questions have what they need.
USUAL: list[str] = []


#: No margin: equivalence is not tested.
NO_MARGIN: list[str] = []


def margin_of(words: list[str]) -> float | dict[str, float] | None:
    """What `--margin` says: a number, or a number for each of some metrics.

    >>> margin_of(["0.02"]), margin_of(["RBP(p=0.8)@10=0.02 AP=0.01"]), margin_of([])
    (0.02, {'RBP(p=0.8)@10': 0.02, 'AP': 0.01}, None)
    """
    from neraca.registry import split_specs

    given = split_specs(" ".join(words))
    named = [word.rpartition("=") for word in given]
    try:
        if len(given) == 1 and not named[0][1]:
            return float(given[0])
        margins = {name: float(value) for name, _, value in named if name}
    except ValueError:
        margins = {}
    if len(margins) < len(given):
        raise SpecError(
            f"cannot read --margin {' '.join(words)!r}; write --margin 0.02, or one for each metric: "
            '--margin "nDCG@10=0.02 AP=0.01"'
        )
    return margins or None


def with_baseline(runs: list[Path], against: str) -> list[Path]:
    """The runs, and the baseline where that is another one; a name of one of them, or of a column, is none."""
    path = Path(against)
    known = not against or against in {run.name for run in runs} or path.resolve() in {run.resolve() for run in runs}
    return runs if known or not path.exists() else [*runs, path]


def with_column(columns: list[str], against: str) -> list[str]:
    """The columns named, and that of the baseline where it is another one; none named stays none: all are meant.

    >>> with_column(["new"], "old"), with_column([], "old")
    (['new', 'old'], [])
    """
    return columns if not columns or not against or against in columns else [*columns, against]


def only_run_folders(paths: list[Path]) -> list[Path]:
    """The run folders among paths; what stands among them and is none, such as a report, is named on stderr."""
    from neraca.runs.run import run_folders

    folders, passed_over = run_folders(paths)
    if passed_over:
        from neraca.reports.sentences.notes import passed_over_note

        speak(passed_over_note(passed_over))
    return folders


def open_runs(paths: list[Path]) -> list[Run]:
    """Open the run folders among paths; raises `RunError` where there is none."""
    from neraca.runs.run import Run

    return [Run(path) for path in only_run_folders(paths)]


def speak_notes(scores: Scores) -> None:
    """Say on stderr what to know of the scores, and what came of answers in words."""
    from neraca.reports.sentences.notes import notes

    for note in notes(scores):
        speak(note)
    if any(run.scorable is not None and run.scorable.offers("verdicts") for run in scores.runs):
        from neraca.reports.sentences.refusals import (
            refusal_sentences,  # tables and TREC runs need none of what it imports
        )

        for sentence in refusal_sentences(scores):
            speak(sentence)


def load_plugins(files: list[Path]) -> None:
    """Register what the user's files define."""
    from neraca.registry import load_file

    for file in files:
        load_file(file)


def target_settings(word: str) -> dict[str, object]:
    """The settings that `--target` names: a word, a study (its first target), or a TOML file with nothing else."""
    from neraca.targets.target import settings_of

    if not word.endswith(".toml"):
        return settings_of(word)
    path = Path(word)
    if not path.is_file():
        raise SpecError(f"{path}: no such file; --target takes a word such as python:module:function, or a TOML file")
    table = toml_table(path, "target")
    if "dataset" not in toml_table(path, ""):
        return table
    from neraca.study_file import first_target, read_study

    return first_target(read_study(path))


def toml_table(path: Path, name: str) -> dict[str, object]:
    """A TOML file's table of this name, or the whole file where it has none."""
    import tomllib

    from neraca.datasets.text_encoding import read_text

    try:
        settings = tomllib.loads(read_text(path))
    except (InputError, tomllib.TOMLDecodeError) as error:
        raise SpecError(f"{path}: not a TOML file of settings: {error}") from error
    table = settings.get(name, settings)
    return table if isinstance(table, dict) else settings


def pairs(words: list[str], option: str) -> dict[str, str]:
    """`role=NAME` options as a mapping.

    >>> pairs(["query=Frage"], "--column")
    {'query': 'Frage'}
    """
    values: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise SpecError(f"cannot read {option} {word!r}; write {option} query=NAME")
        if values.setdefault(key, value) != value:
            raise SpecError(f"{option} {key}= is given twice, as {values[key]!r} and {value!r}; give one")
    return values


def columns(words: list[str]) -> dict[str, str | list[str]]:
    """`--column role=NAME` as a mapping; a role that is named several times has all of its columns.

    >>> columns(["query=Frage", "references=A", "references=B"])
    {'query': 'Frage', 'references': ['A', 'B']}
    """
    found: dict[str, list[str]] = {}
    for word in words:
        for role, name in pairs([word], "--column").items():
            found.setdefault(role, []).append(name)
    return {role: names[0] if len(set(names)) == 1 else names for role, names in found.items()}
