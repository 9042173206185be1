"""The same question put to a model several times: what most of its replies say, and how far they are apart.

With an odd number of replies the middle one is never between two grades, and of yes and no it is the majority.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any, TypeVar

import msgspec

from neraca.errors import ModelError, SpecError
from neraca.judges.concurrent import together
from neraca.judges.llm import LlmJudgeSettings, read_judge
from neraca.judges.outcome import Outcome, unscored
from neraca.models.chat import Chat
from neraca.models.prompt import Prompt

R = TypeVar("R", bound=msgspec.Struct)
S = TypeVar("S", bound="RepeatSettings")


class RepeatSettings(LlmJudgeSettings, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.NAME]`, beside what every judge that asks a model has.

    Attributes
    ----------
    repeats
        How often the model is asked the same, an odd number.  More than one tells something only where the model
        leaves room for chance: set `temperature` above 0, or to None where the model has its own.
    """

    repeats: int = 1


def read_repeats(kind: type[S], given: Mapping[str, Any] | None, who: str) -> S:
    """Read the settings of a judge that may ask several times; raises `SpecError` where one is wrong."""
    settings = read_judge(kind, given, who)
    if settings.repeats < 1 or settings.repeats % 2 == 0:
        raise SpecError(f"{who}: repeats is an odd number, so that there is a majority, not {settings.repeats}")
    return settings


def settle(
    said: Sequence[tuple[float, str]], failed: Sequence[str], scale: tuple[float, float], word: Callable[[float], str]
) -> Outcome:
    """The median of an odd number of replies, and why; unscored where those that failed could have made it another.

    Parameters
    ----------
    said
        (value, reason) of each reply that came.
    failed
        Why each of the others did not.
    scale
        The lowest and the highest value that there is.
    word
        From a value to a word for it.

    Examples
    --------
    >>> settle([(4, "clear"), (5, "vivid"), (4, "plain")], [], (1, 5), "{:g}".format)
    Outcome(value=4.0, why='2 of 3 say 4 (4 4 5): clear', status='decided')
    >>> settle([(1, "it does"), (1, "yes")], ["timeout"], (0, 1), "{:g}".format)
    Outcome(value=1.0, why='2 of 3 say 1 (1 1, 1 failed): it does', status='decided')
    >>> settle([(1, "it does"), (0, "no")], ["timeout"], (0, 1), "{:g}".format)
    Outcome(value=None, why='timeout', status='unscored')
    """
    values = [value for value, _ in said]
    low, high = (median([*values, *[end] * len(failed)]) for end in scale)
    if low != high:
        return unscored(failed[0])
    reason = next(why for value, why in said if value == low)
    if len(said) + len(failed) == 1:
        return Outcome(float(low), reason)
    told = " ".join(map(word, sorted(values))) + (f", {len(failed)} failed" if failed else "")
    return Outcome(float(low), f"{values.count(low)} of {len(said) + len(failed)} say {word(low)} ({told}): {reason}")


async def repeated(
    chat: Chat,
    prompt: Prompt[R],
    repeats: int,
    read: Callable[[R], tuple[float, str]],
    scale: tuple[float, float] = (0, 1),
    word: Callable[[float], str] = "{:g}".format,
) -> Outcome:
    """Ask so many times at once, each kept under its own number, and settle on what most replies say.

    `read` makes a value and a reason of a reply; `scale` and `word` as in `settle`.  Asking more often later pays only
    for what is new, and what failed is asked again the next time.
    """

    async def ask(repeat: int) -> tuple[float, str] | str:
        try:
            return read((await chat.ask(prompt, repeat)).value)
        except ModelError as error:
            return str(error)

    replies = await together(*map(ask, range(repeats)))
    failed = [reply for reply in replies if isinstance(reply, str)]
    return settle([reply for reply in replies if not isinstance(reply, str)], failed, scale, word)
