"""The part of `neraca doctor` that tries a model: three calls, what the server lists, and the context length."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

import msgspec
import typer

from neraca.cli import show, speak
from neraca.errors import ModelError, NeracaError, NothingUsable
from neraca.models.chat import Chat, ChatSettings
from neraca.models.compatibility import MODES
from neraca.models.context_length import NEEDED, context_length, listed_models
from neraca.models.endpoint import base_url
from neraca.models.model_session import ModelSession, TooSlow
from neraca.models.prompt import Prompt, Reply
from neraca.models.reply_schema import Unfit
from neraca.models.schema_probe import PROBE
from neraca.number_format import localised
from neraca.reports.formats.visible_text import line
from neraca.translation import say

#: Tokens that a model writes to judge an answer of 60 words by claims (benchmarks/README.md).
_WRITTEN_PER_ANSWER = 655
#: Mode of the reply to a request that its schema contradicts → what that says; "": the schema was ignored.
_SCHEMAS = {
    "native": "schemas: enforced, so no reply can be incomplete",
    "": "schemas: ignored; Neraca demands the form of replies in words, and asks again for what is missing",
}
#: From so many minutes on, durations are given in hours.
_HOURS_FROM = 120
#: The most names of models that are shown.
_SHOWN_MODELS = 10
#: Seconds to propose for one call if there was no reply in time.
_PATIENT = 600.0


class Number(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The reply to a sum."""

    number: int


class Words(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A long reply."""

    words: str


_SUM = Prompt(system="You add numbers.", user="2 + 3", kind=Number, guess=Number(5))
_LONG = Prompt(system="You count.", user="Write the numbers from 1 to 60 in words.", kind=Words, guess=Words(""))


@dataclass
class _Trial:
    """The outcome of three calls.

    Attributes
    ----------
    sum, long
        The first and the third reply; an error if there was none.
    schemas
        The mode of the second reply, "" if the schema was ignored; an error if there was no reply.
    """

    sum: Reply[Number]
    schemas: str | NeracaError
    long: Reply[Words] | NeracaError


def try_model(model: str, url: str, timeout: float) -> None:
    """Ask a model three times without the cache; print time, tokens, cost, how it takes schemas, and its speed.

    Exit with 3 if there is no reply to the first call.
    """
    speak(say("{model} is called three times; each call may take {seconds} s", model=model, seconds=f"{timeout:g}"))
    with (
        tempfile.TemporaryDirectory() as folder,
        ModelSession(Path(folder) / "models.sqlite", tell=lambda text: None) as session,
    ):
        settings = ChatSettings(model=model, url=url, timeout=timeout, retries=0, max_tokens=2000)
        try:
            trial = asyncio.run(_three_calls(settings, session))
        except (ModelError, NothingUsable) as error:
            template = "no reply to the first of the three calls (2 + 3): {error}"
            show.print_sentences(say(template, error=error), *_more_time([error], timeout))
            _print_listed_models(model, url)
            raise typer.Exit(3) from None
        except NeracaError:
            _print_listed_models(model, url)
            raise
        for note in session.notes.get(model, ()):
            speak(f"{model}: {note}")
    _print_sum(model, trial.sum)
    _print_schemas(trial)
    _print_speed(trial.long)
    show.print_sentences(*_more_time([trial.schemas, trial.long], timeout))
    _print_listed_models(model, url)
    _print_context_length(model, url)


async def _three_calls(settings: ChatSettings, session: ModelSession) -> _Trial:
    """Make the calls; raise the error of the first, and keep those of the others."""
    chat, ignored = Chat(settings, session), False
    try:
        number = await chat.ask(_SUM)
    except Unfit:  # go on as judges do: the next attempts demand the form in another mode
        ignored = not session.spent.refused
        chat = Chat(msgspec.structs.replace(settings, retries=_SUM.retries), session)
        number = await chat.ask(_SUM)
    schemas: str | NeracaError = ""
    long: Reply[Words] | NeracaError
    try:
        schemas = "" if ignored else (await chat.ask(PROBE)).mode
    except Unfit:
        schemas = ""
    except NeracaError as error:
        schemas = error
    try:
        long = await chat.ask(_LONG)
    except NeracaError as error:
        long = error
    return _Trial(number, schemas, long)


def _more_time(outcomes: list[object], timeout: float) -> list[str]:
    """Return a sentence with a longer timeout if one of the outcomes is a call without a reply in its time."""
    if not any(isinstance(outcome, TooSlow) for outcome in outcomes):
        return []
    seconds = f"{max(_PATIENT, 2 * timeout):g}"
    return [say("a model on a busy machine may need minutes: try again with --timeout {seconds}", seconds=seconds)]


def _print_sum(model: str, reply: Reply[Number]) -> None:
    """Print the sum that a model found, with time, tokens and cost, and whether it is wrong."""
    priced = reply.cost is not None
    sentence = say(
        "{model} answers in {seconds:.2f} s: 2 + 3 = {sum}; {read} tokens in, {written} out, {cost}",
        model=model,
        seconds=reply.seconds,
        sum=reply.value.number,
        read=reply.input_tokens,
        written=reply.output_tokens,
        cost=localised(f"${reply.cost:.6f}") if priced else say("price not known: set price = [input, output]"),
    )
    show.print_sentences(sentence)
    if reply.value.number != _SUM.guess.number:
        show.print_sentences(say("that is wrong: a model that cannot add is no judge; take another model"))


def _print_schemas(trial: _Trial) -> None:
    """Print how the form of the first reply was demanded, and how the server takes schemas."""
    show.print_sentences(say("the shape of a reply is demanded by: {mode}", mode=say(MODES[trial.sum.mode])))
    if isinstance(trial.schemas, NeracaError):
        template = "schemas: not seen, because the second of the three calls had no reply: {error}"
        show.print_sentences(say(template, error=trial.schemas))
        return
    not_accepted = "schemas: not accepted; replies of small models may have to be asked for again"
    show.print_sentences(say(_SCHEMAS.get(trial.schemas, not_accepted)))


def _print_speed(reply: Reply[Words] | NeracaError) -> None:
    """Print the speed of a long reply, and how long a judge of 100 answers would take."""
    if isinstance(reply, NeracaError):
        template = (
            "speed: not seen, because the third of the three calls (the numbers from 1 to 60 in words) had no reply: "
            "{error}"
        )
        show.print_sentences(say(template, error=reply))
        return
    speed = reply.output_tokens / max(reply.seconds, 1e-6)
    minutes = max(1, round(100 * _WRITTEN_PER_ANSWER / speed / 60))
    many = minutes >= _HOURS_FROM
    sentence = say(
        "{speed:.1f} tokens/s; 100 answers judged by claims (210 calls, {written:,} tokens written) take about "
        "{duration}, one call at a time, and the time to read the prompts",
        speed=speed,
        written=100 * _WRITTEN_PER_ANSWER,
        duration=say("{n:,} hours", n=round(minutes / 60)) if many else say("{n:,} min", n=minutes),
    )
    show.print_sentences(sentence)


def _print_listed_models(model: str, url: str) -> None:
    """Print the names of models that the server lists, if it lists any."""
    address = base_url(model, url) if model.startswith("openai:") else ""
    names = [line(name, 100) for name in asyncio.run(listed_models(model, address))] if address else []
    if not names:
        return
    shown = ", ".join(names[:_SHOWN_MODELS])
    more = len(names) - _SHOWN_MODELS
    listed = say("{names} and {n:,} more", names=shown, n=more) if more > 0 else shown
    show.print_sentences(say("the server lists: {models}", models=listed))


def _print_context_length(model: str, url: str) -> None:
    """Print how many tokens a call and its reply may have together, where the server says so."""
    if not model.startswith("openai:") or not (address := base_url(model, url)):
        return
    context = asyncio.run(context_length(model, address))
    if context is None:
        template = (
            "context length: the server does not say; calls of {words:,} words of contexts need about {n:,} tokens"
        )
        show.print_sentences(say(template, words=3000, n=NEEDED))
        return
    allowed = say("allowed by the server") if context.served else say("by the model; the server may be set to less")
    show.print_sentences(say("context length: {n:,} tokens, {allowed}", n=context.tokens, allowed=allowed))
    if context.tokens < NEEDED:
        template = (
            "that is less than the {n:,} that long contexts need: raise it where the server is started, or set "
            "words = 500 for the judge claims"
        )
        show.print_sentences(say(template, n=NEEDED))
