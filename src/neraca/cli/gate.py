"""`neraca gate`: for continuous integration, exit 1 on a real regression."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak
from neraca.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neraca.comparisons.gate_decision import Gate
    from neraca.comparisons.gate_rule import Rule
    from neraca.scores.scores import Scores
    from neraca.scores.sources.paths import PathOptions

_RULE = (
    'Such as "nDCG@10 >= -0.02" (with a sign or "baseline": the difference from the baseline) or "Success > 0.8" '
    "(without: the value).  May be given several times; all must hold."
)
_BASELINE = "The run that it is compared with; of a table the column of the baseline."


def command(
    ctx: typer.Context,
    runs: Annotated[
        list[Path],
        typer.Argument(
            metavar="RUN", help="The run that is to pass; or a table.  Of runs/* the one beside its baseline."
        ),
    ],
    against: Annotated[Path | None, typer.Option(metavar="BASELINE", help=_BASELINE, show_default=False)] = None,
    rule: Annotated[list[str], typer.Option("--rule", "-r", help=_RULE)] = [],
    rules: Annotated[
        Path | None, typer.Option(help="A file of rules, one on each line; # begins a comment.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="What is undecided does not pass (exit 1).")] = False,
    qrels: options.Qrels = None,
    reference: options.References = [],
    response: Annotated[
        str, typer.Option(help="Of a table: the column of the system that is to pass.", show_default=False)
    ] = "",
    test: Annotated[str, typer.Option(help="One-sided paired test: t, randomisation or bootstrap.")] = "t",
    seed: Annotated[int, typer.Option(help="Of randomisation and bootstrap.", min=0)] = 0,
    relevance: options.Relevance = "auto",
    by: options.By = "",
    combine: options.Combine = "",
    correct: options.Correct = "",
    sample: options.Sample = None,
    level: Annotated[
        float, typer.Option(help="Confidence: at most 1 - level of the systems that break a rule pass by chance.")
    ] = 0.95,
    unit: Annotated[str, typer.Option(help="What counts as one observation: session, question, or a tag.")] = "session",
    language: options.Language = "",
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.", show_default=False)] = None,
    summary: Annotated[
        Path | None, typer.Option(help="Append Markdown here, such as to $GITHUB_STEP_SUMMARY.", show_default=False)
    ] = None,
    plugin: options.Plugins = [],
    wide: options.Wide = False,
    json: options.Json = False,
) -> None:
    """Exit 1 where a rule is shown to be broken; say which rules are shown to hold, and which cannot be told yet."""
    from neraca.comparisons.gate import check_gate, gate
    from neraca.comparisons.gate_rule import Rule, read_rules, rules_of
    from neraca.reports.sentences.notes import notes
    from neraca.scores.sources.paths import PathOptions

    options.load_plugins(plugin)
    check_gate(test, seed, level)
    asked = rules_of([*map(Rule.of, rule), *(read_rules(rules) if rules else ())])
    known = PathOptions.of(ctx.params | {"response": [name for name in (response, str(against or "")) if name]})
    scores = _scored(_to_pass(runs, against, known), against, asked, known)
    for note in notes(scores):
        speak(note)
    result = gate(scores, rules=asked, test=test, seed=seed)
    _tell(result, strict, json, wide)
    _write(result, strict, junit, summary)
    _exit(result, strict)


def _to_pass(paths: list[Path], against: Path | None, known: PathOptions) -> Path:
    """The run that is held to the rules; among several paths the one run folder that is not the baseline."""
    if len(paths) == 1:
        return paths[0]
    named = paths if known.qrels else options.only_run_folders(paths)
    runs = [path for path in named if against is None or path.resolve() != against.resolve()]
    if len(runs) != 1:
        found = ", ".join(map(str, runs)) or "none but the baseline"
        raise SpecError(f"the gate holds one run to the rules; name it (found: {found}), and its baseline by --against")
    return runs[0]


def _scored(run: Path, against: Path | None, rules: Sequence[Rule], options: PathOptions) -> Scores:
    """Score the run and its baseline, which in a table are two columns, in the metrics of the rules."""
    from neraca.scores.sources.paths import is_table, score_paths

    metrics = " ".join(dict.fromkeys(str(rule.metric) for rule in rules))
    if options.qrels is None and is_table(run):
        if against and len(options.response) < 2:
            raise SpecError("of a table name the column of the system that is to pass, too: --response COLUMN")
        return score_paths([run], metrics, options)
    return score_paths([run, *([against] if against else [])], metrics, replace(options, response=()))


def _exit(result: Gate, strict: bool) -> None:
    if code := {"fail": 1, "incomplete": 3, "undecided": int(strict), "pass": 0}[result.outcome]:
        raise typer.Exit(code)


def _tell(result: Gate, strict: bool, json: bool, wide: bool) -> None:
    """What was decided: rows for machines, with the headline on stderr, or a table and sentences."""
    from neraca.reports.gate import headline, method, sentences, table, why

    if json:
        show.jsonl([row | {"why": why(result, one)} for row, one in zip(result.rows(), result.decisions, strict=True)])
        speak(headline(result, strict))
        return
    show.result(table(result), "", wide=wide)
    show.say(*sentences(result), method(result), headline(result, strict))


def _write(result: Gate, strict: bool, junit: Path | None, summary: Path | None) -> None:
    from neraca.files import write_atomic
    from neraca.reports.gate import to_junit, to_markdown

    if junit:
        write_atomic(junit, to_junit(result, strict).encode())
    if summary:  # others write there, too: what they wrote stays, and may end within a line
        summary.parent.mkdir(parents=True, exist_ok=True)
        with summary.open("a", encoding="utf-8", newline="\n") as file:
            file.write(f"\n{to_markdown(result, strict)}")
