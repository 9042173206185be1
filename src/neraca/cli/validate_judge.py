"""The part of `neraca agree` that validates a judge on labelled examples."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from neraca.cli import options, show, speak
from neraca.cli.judge import members_of
from neraca.cli.model_options import ModelCalls
from neraca.errors import SpecError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from neraca.judges.judge_set import Member
    from neraca.metaeval.judge_validation import JudgeValidation


class Validating(NamedTuple):
    """A judge to validate, and the labelled examples."""

    validate: Annotated[
        str,
        typer.Option(
            metavar="LABELLED",
            help="Only let a judge decide on labelled examples, and compare: a table with columns question, response, "
            "contexts, reference and label, or `examples`: 240 in four languages that come with Neraca.",
            show_default=False,
        ),
    ] = ""
    judge: Annotated[
        list[str],
        typer.Option(
            help="With --validate: the judge, such as supported; default: for each kind of examples its own.",
            show_default=False,
        ),
    ] = []
    model: Annotated[str, typer.Option(help="With --validate: the model of the judge.", show_default=False)] = ""
    url: options.Endpoint = ""
    prompts: Annotated[Path | None, typer.Option(help="With --validate: a folder with your own prompts.")] = None
    settings: Annotated[Path | None, typer.Option(help="With --validate: a TOML file with settings of judges.")] = None
    to: options.OptionalReportFile = None

    def overrides(self, calls: ModelCalls) -> dict[str, Any]:
        """Return the settings of the judge that were given as options."""
        named = {"url": self.url, "prompts": str(self.prompts or "")}
        return {name: value for name, value in named.items() if value} | calls.settings()


def validate(
    options_given: Validating, calls: ModelCalls, level: float, report_language: str, output: options.Output
) -> None:
    """Validate a judge: say what it costs, let it decide, print the card and write it."""
    from neraca.models.model_session import ModelSession
    from neraca.reports.judge_validation import validation_document

    overrides = options_given.overrides(calls)
    members = _members(options_given, overrides)
    with ModelSession(calls.cache, dry_run=True) as session:
        estimate = _validated(options_given, members, overrides, session, level).spent.estimate()
    if calls.dry_run:
        print(f"{options_given.validate}: would pay for {estimate}")
        return
    speak(f"{options_given.validate}: to pay for {estimate}")
    with (
        ModelSession(calls.cache, budget=calls.budget, tell=speak) as session,
        ExitStack() as bars,
    ):
        session.progress = _bar(bars, options_given)
        validation = _validated(options_given, members, overrides, session, level)
    if output.json:
        show.jsonl(validation.rows())
    else:
        show.document(validation_document(validation, report_language), wide=output.wide)
    speak(f"{options_given.validate}: {validation.spent.with_tokens()}")
    if options_given.to is not None:
        for sentence in validation.save(options_given.to, language=report_language):
            speak(sentence)
        speak(f"{options_given.to}: the report")
    if validation.all.confusion is None:
        raise typer.Exit(3)


def _bar(bars: ExitStack, options_given: Validating) -> Any:
    from neraca.cli.run import bars_on

    return bars_on(bars)(f"{options_given.validate} ({options_given.model or 'labelled examples'})")


def _members(options_given: Validating, overrides: Mapping[str, Any]) -> list[Member]:
    """Return the judges that are named; [] if each kind of examples gets its own."""
    if not options_given.judge:
        if options_given.settings is not None:
            raise SpecError("--settings needs the name of the judge: --judge NAME")
        return []
    models = [options_given.model] if options_given.model else []
    return members_of(options_given.judge, models, overrides, options_given.settings)


def _validated(
    options_given: Validating, members: Sequence[Member], overrides: Mapping[str, Any], session: Any, level: float
) -> JudgeValidation:
    from neraca.metaeval.judge_validation import validate_judge

    settings, model = ({}, "") if members else (overrides, options_given.model)
    return validate_judge(options_given.validate, list(members), settings, model=model, session=session, level=level)
