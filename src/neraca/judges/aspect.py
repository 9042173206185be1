"""Aspect: whether each answer meets a criterion in the user's own words, yes or no."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from neraca.errors import SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.llm import MakeChat
from neraca.judges.majority_vote import RepeatSettings, read_repeats
from neraca.judges.outcome import Outcome
from neraca.judges.single_question import Beside, YesNo, material
from neraca.judges.yes_no import unless_empty
from neraca.models.chat import Chat
from neraca.records import Answer, Item

#: Words in which judges of answers say something else.
_TAKEN = ("claims", "contexts", "declines", "reference_claims", "similarity", "supported", "valid")
_NAME = re.compile(r"[^\W\d](?:[\w .+-]*\w)?")


class AspectSettings(RepeatSettings, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.aspect]`.

    Attributes
    ----------
    name
        Of the metric's parameter, as in `Aspect(polite)`.
    criterion
        What must be so; word it so that yes is good: "The answer is polite."
    beside
        What the judge is shown beside question and answer: `reference`, `contexts`.
    """

    name: str = ""
    criterion: str = ""
    beside: tuple[Beside, ...] = ()


def check_name(name: str, who: str) -> None:
    """Raise `SpecError` for what can be no name of a metric's parameter, or says something else already."""
    if not _NAME.fullmatch(name):
        raise SpecError(f"{who} needs a name of letters, digits, spaces, dots, + and -, such as 'polite', not {name!r}")
    if name in _TAKEN:
        raise SpecError(f"{who}: {name!r} is a word of other judges; take another name")


@JUDGES.register("aspect")
class Aspect(YesNo):
    """Judges whether each answer meets a criterion: verdicts `answer`, NAME, 1 or 0.

    0 without a call for an answer that is empty or failed; not applicable where there are hits and no text, or where
    what it is to be shown is missing.

    Parameters
    ----------
    settings
        See `AspectSettings`; raises `SpecError` where one is unknown, wrong or missing.
    chat
        Who makes the model of a session.
    """

    settings_type = AspectSettings

    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        given = read_repeats(AspectSettings, settings, "judge aspect")
        check_name(given.name, "judge aspect")
        if not given.criterion.strip():
            raise SpecError("judge aspect needs a criterion, such as criterion = 'The answer is polite.'")
        self._beside = given.beside
        super().__init__("aspect", given, chat, given.name, f"`criterion`: {given.criterion.strip()}")

    def shown(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Question and answer, and what is wanted beside them."""
        return unless_empty(answer, material(item, answer, self._beside))
