"""`neraca metrics`: list the metrics and explain each."""

from __future__ import annotations

import inspect
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from neraca.cli import completion, options, show
from neraca.cli.command import single_spaced

if TYPE_CHECKING:
    from neraca.metrics.definition import Definition
    from neraca.metrics.metric import Metric

#: Width of the documentation, as in the code.
WIDTH = 116

#: Prefix of the module of a metric → kind of metric; "" is a metric of the user.
KINDS = {
    "neraca.metrics.ranking.": "ranking: hits and what is relevant",
    "neraca.metrics.text.": "text: responses beside references (`neraca text`), some beside contexts",
    "neraca.metrics.rag.": "RAG: what judges said of claims, contexts and answers",
    "neraca.metrics.constraints.": "constraints: whether hits are what the question asks for",
    "neraca.metrics.calls.": "calls: tools that were called, goals that were reached, results of SQL",
    "": "your own",
}
EMPTY_ANSWERS = """empty: what an answer without hits is worth
  expected  where none are expected it is left out, elsewhere it counts 0
  skip      all are left out: the mean over questions with results
  zero      each counts 0
  correct   where none are expected it counts 1 and hits count 0, elsewhere it counts 0"""
MODIFIERS = "to word and space one adds +stem, +fold, +plain or +case, and takes away -articles (docs/text.md)"


def command(
    name: Annotated[
        str | None,
        typer.Argument(
            help="A metric to explain, such as nDCG@10.", show_default=False, autocompletion=completion.metrics
        ),
    ] = None,
    names: Annotated[
        bool, typer.Option("--names", help="Print the names of the metrics in other libraries, as Markdown.")
    ] = False,
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """List the metrics, or explain one of them.

    The explanation has formula, parameters, range and source.
    """
    from neraca.metrics import aliases
    from neraca.metrics.metric import METRICS

    options.load_plugins(plugin)
    if names:
        print(aliases.table())
        return
    if name is not None:
        _explain(name)
        return
    rows = []
    for metric_name in sorted(METRICS.names(), key=str.casefold):
        definition = METRICS.get(metric_name)
        first = (inspect.getdoc(definition.function) or "").partition("\n")[0]
        parameters = shown_parameters(definition.function)
        kind = kind_of(definition.function.__module__).partition(":")[0]
        rows.append({"metric": metric_name, "kind": kind, "parameters": parameters, "meaning": first})
    if json:
        show.jsonl(rows)
        return
    width = max(len(row["metric"]) for row in rows)
    for kind in KINDS.values():
        of_kind = [row for row in rows if row["kind"] == kind.partition(":")[0]]
        lines = [f"  {row['metric']:<{width}}  {row['meaning']}" for row in of_kind]
        print("\n".join([kind, *lines, ""]) if lines else "", end="\n" if lines else "")
    print("`neraca metrics NAME` has formula, parameters, edge cases and source; NAME may be that of another library.")


def _explain(name: str) -> None:
    """Print formula, parameters, range and source of a metric."""
    from neraca.metrics.metric import METRICS, Metric
    from neraca.metrics.text.tokenizer import KINDS as KINDS_OF_WORDS

    # CWL without parameters is no metric, but can be explained.
    bare = METRICS.get(name) if name in METRICS.names() else None
    metric = None if bare else Metric.of(name)
    definition = bare or Metric.of(name).definition
    print(f"{metric or name}\n\n{_documentation(definition, metric)}\n")
    parameters = shown_parameters(definition.function)
    print(f"parameters: {parameters or 'none'}")
    if "tokens=" in parameters:
        print(f"tokens: how words are read: {', '.join(KINDS_OF_WORDS)}; {MODIFIERS}")
    if "language=" in parameters:
        print("language: such as es or Spanish; without it each text's own, where that is known")
    if "empty=" in parameters:
        print(EMPTY_ANSWERS)
    print(f"range: {definition.low:g} to {definition.high:g}; {definition.better} is better")
    if definition.kind == "diagnostic" or definition.better == "neither":
        print("kind: diagnostic; no run is called better by it")
    if definition.judge:
        print(f"needs verdicts: neraca judge RUN --judge {definition.judge}")
    print(f"unscored: {definition.why_undefined}")
    if definition.not_for:
        print(f"when not to use it: {definition.not_for}")


def _documentation(definition: Definition, metric: Metric | None) -> str:
    """Return the documentation of a metric; its first sentence is that for the parameters in the name."""
    text = single_spaced(inspect.getdoc(definition.function) or "no documentation")
    first, blank, after = text.partition("\n\n")
    if metric is None or metric.summary == " ".join(first.split()):
        return text
    return f"{fill(metric.summary, WIDTH, break_long_words=False)}{blank}{after}"


def kind_of(module: str) -> str:
    """Return the kind of a metric from its module: one of `KINDS`."""
    return next(kind for home, kind in KINDS.items() if module.startswith(home))


def shown_parameters(function: object) -> str:
    """Return the parameters of a metric with their defaults, as its name takes them: `gains=linear, @k`."""
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    cutoff = ["@k"] if any(p.name == "at" for p in named) else []
    others = [p.name if p.default is p.empty else f"{p.name}={p.default}" for p in named if p.name != "at"]
    return ", ".join(others + cutoff)
