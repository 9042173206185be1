"""`neraca gate`: for continuous integration, exit 1 on a real regression."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from neraca.cli import options, show, speak
from neraca.cli.table_options import Encoding
from neraca.errors import SpecError
from neraca.translation import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neraca.comparisons.gate_decision import Gate
    from neraca.comparisons.gate_rule import Rule
    from neraca.scores.scores import Scores
    from neraca.scores.sources.paths import PathOptions

_RULE = (
    'A rule that must hold: "Success > 0.8" is about the value; "nDCG@10 >= -0.02", with a sign or the word '
    '"baseline", about the difference from the baseline; "Rubric(quality) > 4" takes the scale of grades from the run; '
    "repeatable."
)
_BASELINE = "The baseline: a run, or with a table its column."


class Files(NamedTuple):
    """Files to write beside what is printed."""

    to: options.OptionalReportFile = None
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.", show_default=False)] = None
    summary: Annotated[
        Path | None, typer.Option(help="Append Markdown here, such as to $GITHUB_STEP_SUMMARY.", show_default=False)
    ] = None

    def check(self) -> None:
        """Raise `SpecError` if the report has a format that does not exist."""
        if self.to:
            from neraca.reports.formats.write import check_format  # its imports are slow

            check_format(self.to)


def command(
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN",
            help="The run to check, or a table; of runs/* the one besides the baseline.",
        ),
    ],
    *,
    against: Annotated[Path | None, typer.Option(metavar="BASELINE", help=_BASELINE, show_default=False)] = None,
    rule: Annotated[list[str], typer.Option("--rule", "-r", help=_RULE)] = [],
    rules: Annotated[
        Path | None, typer.Option(help="A file with one rule per line; # starts a comment.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit 1 also if a rule is undecided.")] = False,
    qrels: options.Qrels = None,
    encoding: Encoding = None,
    reference: options.References = [],
    response: Annotated[
        str, typer.Option(help="With a table: the column of the system to check.", show_default=False)
    ] = "",
    test: Annotated[str, typer.Option(help="One-sided paired test: t, randomisation or bootstrap.")] = "t",
    seed: options.Seed = 0,
    verdicts: options.Verdicts,
    judge_correction: options.JudgeCorrection,
    level: Annotated[
        float,
        typer.Option(help="Confidence level: a system that breaks a rule passes with a chance of at most 1 - level."),
    ] = 0.95,
    unit: Annotated[str, typer.Option(help="Unit of observation: session, question, or a tag.")] = "session",
    language: options.Language = "",
    files: Files,
    report_language: options.ReportLanguage = "",
    plugin: options.Plugins = [],
    output: options.Output,
) -> None:
    """Exit with 1 if the data show that a rule is broken.

    Print which rules hold, and which are undecided.
    """
    from neraca.comparisons.gate import check_gate, gate
    from neraca.comparisons.gate_rule import Rule, read_rules, rules_of
    from neraca.reports.gate import cautions_of
    from neraca.translation import checked_report_language, written_in

    options.load_plugins(plugin)
    check_gate(test, seed, level)
    checked_report_language(report_language)
    files.check()
    checked_rules = rules_of([*map(Rule.of, rule), *(read_rules(rules) if rules else ())])
    sources = options.Sources(qrels, None, reference, [*filter(None, (response, str(against or "")))], encoding)
    scoring = options.path_options(verdicts, judge_correction, sources, level=level, unit=unit, language=language)
    scores = _score(*_run_and_baseline(runs, against, scoring), checked_rules, scoring)
    result = gate(scores, rules=checked_rules, test=test, seed=seed)
    with written_in(report_language):
        for caution in cautions_of(result):
            speak(caution)
    _print(result, strict, report_language, output)
    _write(result, strict, report_language, files)
    _exit(result.exit_code(strict))


def _run_and_baseline(paths: list[Path], against: Path | None, scoring: PathOptions) -> tuple[Path, Path | None]:
    """Return the run to hold to the rules, which is the only path or the only run beside the baseline; and that."""
    from neraca.scores.sources.run_names import named_by

    if len(paths) == 1:
        return paths[0], against
    runs = paths if scoring.qrels else options.only_run_folders(paths)
    baselines = [runs[place] for place in named_by(against, runs)] if against else []
    others = [path for path in runs if path not in baselines]
    if len(others) != 1 or len(baselines) > 1:
        names = ", ".join(map(str, others)) or say("none but the baseline")
        raise SpecError(
            say(
                "the gate holds one run to the rules; name it (found: {names}), and its baseline by --against",
                names=names,
            )
        )
    return others[0], baselines[0] if baselines else against


def _score(run: Path, against: Path | None, rules: Sequence[Rule], scoring: PathOptions) -> Scores:
    """Score the run and its baseline (two columns of a table) in the metrics of the rules."""
    from neraca.scores.sources.paths import is_table, score_paths

    metrics = " ".join(dict.fromkeys(str(rule.metric) for rule in rules))
    if scoring.qrels is None and is_table(run):
        if against and len(scoring.response) < 2:
            raise SpecError(say("{run}: name the column of the system to check, too: --response COLUMN", run=run))
        return score_paths([run], metrics, scoring)
    return score_paths([run, *([against] if against else [])], metrics, replace(scoring, response=()))


def _exit(code: int) -> None:
    if code:
        raise typer.Exit(code)


def _print(result: Gate, strict: bool, language: str, output: options.Output) -> None:
    """Print the report, or the decisions as JSON Lines and the headline on stderr."""
    from neraca.reports.gate import gate_document, rows
    from neraca.reports.sentences.gate import headline
    from neraca.translation import written_in

    if not output.json:
        show.document(gate_document(result, strict, language, cautions=False), wide=output.wide)
        return
    with written_in(language):
        show.jsonl(rows(result))
        speak(headline(result, strict))


def _write(result: Gate, strict: bool, language: str, files: Files) -> None:
    """Write the report, the JUnit XML and the summary that were asked for."""
    from neraca.files import write_atomic
    from neraca.reports.formats.junit import to_junit
    from neraca.reports.gate import to_markdown

    if files.to:
        for sentence in result.save(files.to, strict=strict, language=language):
            speak(sentence)
        speak(f"{files.to}: the report")
    if files.junit:
        write_atomic(files.junit, to_junit(result, strict, language).encode())
    if files.summary:  # other programs write there, too; their text stays, and may lack a line end
        files.summary.parent.mkdir(parents=True, exist_ok=True)
        with files.summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"\n{to_markdown(result, strict, language)}")
