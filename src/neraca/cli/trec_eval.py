"""`neraca trec --trec-eval`: print what trec_eval prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from neraca.errors import SpecError


class AsTrecEval(NamedTuple):
    """Options that make the command print what trec_eval prints."""

    trec_eval: Annotated[
        bool,
        typer.Option("--trec-eval", help="Print what trec_eval 10 prints; -q -c -l -m -M -Z -R work as in trec_eval."),
    ] = False
    depth: Annotated[
        int | None,
        typer.Option("-M", "--depth", help="With --trec-eval: number of documents per query that are read.", min=1),
    ] = None
    zscores: Annotated[
        Path | None,
        typer.Option(
            "-Z", "--zscores", help="With --trec-eval: a file of query, measure, mean and standard deviation."
        ),
    ] = None
    form: Annotated[
        str,
        typer.Option(
            "-R", "--judgments", help="With --trec-eval: form of the judgements: qrels, prefs, qrels_prefs or qrels_jg."
        ),
    ] = "qrels"


#: Options that work only with --trec-eval, and options that also work with it.
_ALONE = frozenset({"depth", "zscores", "form"})
_SHARED = frozenset({"trec_eval", "qrels", "runs", "metrics", "per_query", "complete", "level", "encoding"})


def as_trec_eval(ctx: typer.Context, options: AsTrecEval) -> str:
    """Return what trec_eval prints, or "" without --trec-eval.

    Without -c it averages over the queries that the run has.  Raise `SpecError` for options that do not go with it.
    """
    sources = {name: ctx.get_parameter_source(name) for name in ctx.params}
    typed = {name for name, source in sources.items() if source is not None and source.name != "DEFAULT"}
    if wrong := typed - _SHARED - _ALONE if options.trec_eval else typed & _ALONE:
        name = next(parameter for parameter in ctx.command.params if parameter.name in wrong).opts[-1]
        remedy = "without --trec-eval; leave one of the two out" if options.trec_eval else "with --trec-eval; add it"
        raise SpecError(f"{name} works only {remedy}")
    return _evaluate(ctx, options, typed) if options.trec_eval else ""


def _evaluate(ctx: typer.Context, options: AsTrecEval, typed: set[str]) -> str:
    """Return what trec_eval prints; options that were not typed have the defaults of trec_eval."""
    from neraca.datasets.trec.file_encoding import files_in
    from neraca.scores.trec_eval.trec_eval import TrecEvalOptions, trec_eval

    params = ctx.params
    level = params["level"] if "level" in typed else 1.0
    if level != int(level):
        raise SpecError(f"-l {level:g}: with --trec-eval grades are whole numbers")
    if len(params["runs"]) > 1:
        raise SpecError(f"--trec-eval takes one run, not {len(params['runs'])}; call it for each")
    settings = TrecEvalOptions(
        per_query=params["per_query"],
        complete=params["complete"] and "complete" in typed,
        level=int(level),
        depth=options.depth,
        zscores=options.zscores,
        form=options.form,
    )
    metrics = params["metrics"] if "metrics" in typed else ()
    with files_in(params["encoding"]):
        return trec_eval(params["qrels"], params["runs"][0], metrics, settings)
