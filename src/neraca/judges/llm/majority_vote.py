"""Ask a model the same question several times, and take the median of its replies.

With an odd number of replies the median is one of them, and of yes and no it is the majority.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, TypeVar

import msgspec

from neraca.errors import ModelError, SpecError
from neraca.judges.concurrent import together
from neraca.judges.llm.claim_texts import is_echo
from neraca.judges.llm.model_judge import LlmJudgeSettings, read_llm_settings
from neraca.judges.llm.optional_reason import WITHOUT_REASON
from neraca.judges.outcome import Outcome, unscored
from neraca.models.chat import Chat
from neraca.models.prompt import Prompt

R = TypeVar("R", bound=msgspec.Struct)
S = TypeVar("S", bound="RepeatSettings")


class RepeatSettings(LlmJudgeSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of a judge that may call a model several times, from the table `[judges.NAME]`.

    Attributes
    ----------
    repeats
        Number of times that the model is asked the same question; odd.  Repeats help only if the model's replies
        vary: set `temperature` above 0, or to None if the model sets its own.
    """

    repeats: int = 1


def read_repeat_settings(kind: type[S], table: Mapping[str, Any] | None, who: str) -> S:
    """Read the settings of a judge that may ask several times; raise `SpecError` if one is wrong."""
    settings = read_llm_settings(kind, table, who)
    if settings.repeats < 1 or settings.repeats % 2 == 0:
        raise SpecError(f"{who}: repeats is an odd number, so that there is a majority, not {settings.repeats}")
    return settings


def median_outcome(
    replies: Sequence[tuple[float, str]],
    failures: Sequence[str],
    scale: tuple[float, float],
    word: Callable[[float], str],
) -> Outcome:
    """Return the median of an odd number of replies; unscored if the failed ones could have changed it.

    Parameters
    ----------
    replies
        (value, reason) of each reply.
    failures
        The reason of each failed call.
    scale
        The lowest and the highest possible value.
    word
        Returns a word for a value.

    Examples
    --------
    >>> median_outcome([(4, "clear"), (5, "vivid"), (4, "plain")], [], (1, 5), "{:g}".format)
    Outcome(value=4.0, why='2 of 3 say 4 (4 4 5): clear', status='decided')
    >>> median_outcome([(1, "it does"), (1, "yes")], ["timeout"], (0, 1), "{:g}".format)
    Outcome(value=1.0, why='2 of 3 say 1 (1 1, 1 failed): it does', status='decided')
    >>> median_outcome([(1, "it does"), (0, "no")], ["timeout"], (0, 1), "{:g}".format)
    Outcome(value=None, why='timeout', status='unscored')
    """
    values = [value for value, _ in replies]
    low, high = (median([*values, *[end] * len(failures)]) for end in scale)
    if low != high:
        return unscored(failures[0])
    reason = next(why for value, why in replies if value == low)
    calls = len(replies) + len(failures)
    if calls == 1:
        return Outcome(float(low), reason)
    spread = " ".join(map(word, sorted(values))) + (f", {len(failures)} failed" if failures else "")
    return Outcome(float(low), f"{values.count(low)} of {calls} say {word(low)} ({spread}): {reason}")


async def ask_repeatedly(
    chat: Chat,
    prompt: Prompt[R],
    repeats: int,
    read: Callable[[R], tuple[float, str]],
    scale: tuple[float, float] = (0, 1),
    word: Callable[[float], str] = "{:g}".format,
) -> Outcome:
    """Ask `repeats` times at once, and return the median outcome.

    `read` returns the value and the reason in a reply; a reason that repeats the instructions is none.  `scale` and
    `word` are as in `median_outcome`.  Each reply is cached under its number.  So a later call with more repeats pays
    only for the new ones, and repeats the failed ones.
    """

    async def ask(repeat: int) -> tuple[float, str] | str:
        try:
            value, why = read((await chat.ask(prompt, repeat)).value)
        except ModelError as error:
            return str(error)
        return value, WITHOUT_REASON if is_echo(why, prompt.system) else why

    results = await together(*map(ask, range(repeats)))
    failures = [result for result in results if isinstance(result, str)]
    return median_outcome([result for result in results if not isinstance(result, str)], failures, scale, word)
