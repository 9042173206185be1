"""`neraca metrics`: what exists and what it means."""

from __future__ import annotations

import inspect
from typing import Annotated

import typer

from neraca.cli import options, show


def command(
    name: Annotated[str | None, typer.Argument(help="One metric, such as nDCG@10.", show_default=False)] = None,
    plugin: options.Plugins = [],
    json: options.Json = False,
) -> None:
    """List the metrics, or show one: formula, parameters, range, source."""
    from neraca.metrics.metric import METRICS, Metric

    options.load_plugins(plugin)
    if name is not None:
        bare = METRICS.get(name) if name in METRICS.names() else None  # CWL alone is no metric, but can be explained
        definition = bare or Metric.of(name).definition
        print(f"{name if bare else Metric.of(name)}\n\n{inspect.getdoc(definition.function) or 'no documentation'}\n")
        print(f"parameters: {_parameters(definition.function) or 'none'}")
        print(f"range: {definition.low:g} to {definition.high:g}; {definition.better} is better")
        print(f"unscored: {definition.why_undefined}")
        return
    rows = []
    for known in METRICS.names():
        definition = METRICS.get(known)
        first = (inspect.getdoc(definition.function) or "").partition("\n")[0]
        rows.append({"metric": known, "parameters": _parameters(definition.function), "meaning": first})
    if json:
        show.jsonl(rows)
        return
    width = max(len(row["metric"]) for row in rows)
    for row in rows:
        print(f"{row['metric']:<{width}}  {row['meaning']}")


def _parameters(function: object) -> str:
    parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
    named = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    cutoff = ["@k"] if any(p.name == "at" for p in named) else []
    others = [p.name if p.default is p.empty else f"{p.name}={p.default}" for p in named if p.name != "at"]
    return ", ".join(others + cutoff)
