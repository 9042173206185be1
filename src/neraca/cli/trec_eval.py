"""`neraca trec --trec-eval`: what trec_eval prints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from neraca.errors import SpecError

TrecEval = Annotated[
    bool, typer.Option("--trec-eval", help="Print what trec_eval 10 prints; -q -c -l -m -M -Z -R as there.")
]
Depth = Annotated[int | None, typer.Option("-M", "--depth", help="With --trec-eval: so many documents a query.", min=1)]
Zscores = Annotated[
    Path | None, typer.Option("-Z", "--zscores", help="With --trec-eval: query, measure, mean, deviation.")
]
Form = Annotated[
    str, typer.Option("-R", "--judgments", help="With --trec-eval: qrels, prefs, qrels_prefs or qrels_jg.")
]
#: What works only with the switch, and what also works with it.
_ALONE = frozenset({"depth", "zscores", "form"})
_SHARED = frozenset({"trec_eval", "qrels", "runs", "metrics", "per_query", "complete", "level"})


def as_trec_eval(ctx: typer.Context) -> str:
    """What trec_eval prints; "" where this is not asked for.

    Without -c it averages over the queries that the run has.  Raises `SpecError` for options that do not go with it.
    """
    given = {name for name in ctx.params if _is_given(ctx, name)}
    wanted = bool(ctx.params["trec_eval"])
    if wrong := given - _SHARED - _ALONE if wanted else given & _ALONE:
        name = next(each for each in ctx.command.params if each.name in wrong).opts[-1]
        remedy = "without --trec-eval; leave one of the two out" if wanted else "with --trec-eval; add it"
        raise SpecError(f"{name} works only {remedy}")
    return _printed(ctx, given) if wanted else ""


def _printed(ctx: typer.Context, given: set[str]) -> str:
    from neraca.scores.trec_eval.trec_eval import TrecEvalOptions, trec_eval

    params = ctx.params
    level = params["level"] if "level" in given else 1.0
    if level != int(level):
        raise SpecError(f"-l {level:g}: with --trec-eval grades are whole numbers")
    if len(params["runs"]) > 1:
        raise SpecError(f"--trec-eval takes one run, not {len(params['runs'])}; call it for each")
    asked = TrecEvalOptions(
        per_query=params["per_query"],
        complete=params["complete"] and "complete" in given,
        level=int(level),
        depth=params["depth"],
        zscores=params["zscores"],
        form=params["form"],
    )
    return trec_eval(params["qrels"], params["runs"][0], params["metrics"] if "metrics" in given else (), asked)


def _is_given(ctx: typer.Context, name: str) -> bool:
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
