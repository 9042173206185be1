"""`neraca gate`: for continuous integration, exit 1 on a real regression."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import options, show, speak

if TYPE_CHECKING:
    from collections.abc import Sequence

    from neraca.comparisons.gate import Gate
    from neraca.comparisons.gate_rule import Rule
    from neraca.scores.scores import Scores

_RULE = (
    'Such as "nDCG@10 >= -0.02" (with a sign or "baseline": the difference from the baseline) or "Success > 0.8" '
    "(without: the value).  May be given several times; all must hold."
)


def command(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="The run that is to pass.", show_default=False)],
    against: Annotated[
        Path | None, typer.Option(metavar="BASELINE", help="The run that it is compared with.", show_default=False)
    ] = None,
    rule: Annotated[list[str], typer.Option("--rule", "-r", help=_RULE)] = [],
    rules: Annotated[
        Path | None, typer.Option(help="A file of rules, one on each line; # begins a comment.", show_default=False)
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="What is undecided does not pass (exit 1).")] = False,
    qrels: Annotated[
        Path | None, typer.Option(help="The runs are TREC runs, judged by these qrels.", show_default=False)
    ] = None,
    test: Annotated[str, typer.Option(help="One-sided paired test: t, randomisation or bootstrap.")] = "t",
    seed: Annotated[int, typer.Option(help="Of randomisation and bootstrap.", min=0)] = 0,
    relevance: options.Relevance = "auto",
    by: options.By = "",
    level: Annotated[
        float, typer.Option(help="Confidence: at most 1 - level of the systems that break a rule pass by chance.")
    ] = 0.95,
    language: options.Language = "",
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.", show_default=False)] = None,
    summary: Annotated[
        Path | None, typer.Option(help="Append Markdown here, such as to $GITHUB_STEP_SUMMARY.", show_default=False)
    ] = None,
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """Exit 1 where a rule is shown to be broken; say which rules are shown to hold, and which cannot be told yet."""
    from neraca.comparisons.gate import check_gate, gate
    from neraca.comparisons.gate_rule import Rule, read_rules, rules_of
    from neraca.reports.notes import notes

    options.load_plugins(plugin)
    check_gate(test, seed, level)
    asked = rules_of([*map(Rule.of, rule), *(read_rules(rules) if rules else ())])
    if qrels is None:
        found = gate(
            run,
            against,
            asked,
            test=test,
            seed=seed,
            relevance=relevance,
            by=by,
            level=level,
            language=language,
        )
    else:
        scores = _trec(qrels, [run, *([against] if against else [])], asked, level)
        for note in notes(scores):
            speak(note)
        found = gate(scores, rules=asked, test=test, seed=seed)
    _tell(found, strict, json)
    _write(found, strict, junit, summary)
    if code := {"fail": 1, "incomplete": 3, "undecided": int(strict), "pass": 0}[found.outcome]:
        raise typer.Exit(code)


def _trec(qrels: Path, runs: list[Path], rules: Sequence[Rule], level: float) -> Scores:
    from neraca.scores.trec import trec

    metrics = list({str(rule.metric): rule.metric for rule in rules}.values())
    return replace(trec(qrels, runs, metrics), level=level)


def _tell(found: Gate, strict: bool, json: bool) -> None:
    """What was decided: rows for machines, with the headline on stderr, or a table and sentences."""
    from neraca.reports.escape import visible
    from neraca.reports.gate import headline, method, sentences, table, why

    if json:
        show.jsonl([decision.row() | {"why": why(found, decision)} for decision in found.decisions])
        speak(headline(found, strict))
        return
    show.table("", *table(found))
    for sentence in (*sentences(found), method(found), headline(found, strict)):
        print(visible(sentence))


def _write(found: Gate, strict: bool, junit: Path | None, summary: Path | None) -> None:
    from neraca.files import write_atomic
    from neraca.reports.gate import to_junit, to_markdown

    if junit:
        write_atomic(junit, to_junit(found, strict).encode())
    if summary:  # others write there, too: what they wrote stays, and may end within a line
        summary.parent.mkdir(parents=True, exist_ok=True)
        with summary.open("a", encoding="utf-8") as file:
            file.write(f"\n{to_markdown(found, strict)}")
