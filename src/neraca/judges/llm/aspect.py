"""Aspect: whether each answer meets a criterion in the user's own words, yes or no."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from neraca.errors import SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.majority_vote import RepeatSettings, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat
from neraca.judges.llm.single_question import Beside, YesNo, shown_texts
from neraca.judges.llm.yes_no import lowest_if_empty
from neraca.judges.outcome import Outcome
from neraca.models.chat import Chat
from neraca.records import Answer, Item

#: Aspects of other judges.
_TAKEN = (
    *("claims", "contexts", "corpus_claims", "declines", "in_corpus", "reference_claims", "relevance"),
    *("similarity", "supported", "valid"),
)
_NAME = re.compile(r"[^\W\d](?:[\w .+-]*\w)?")


class AspectSettings(RepeatSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `aspect`, from the table `[judges.aspect]`.

    Attributes
    ----------
    name
        The metric's parameter, as in `Aspect(polite)`.
    criterion
        The criterion, worded so that yes is good: "The answer is polite."
    beside
        Texts shown to the judge beside question and answer: `reference`, `contexts`.
    """

    name: str = ""
    criterion: str = ""
    beside: tuple[Beside, ...] = ()


def check_name(name: str, who: str) -> None:
    """Raise `SpecError` for a name that cannot be a parameter of a metric, or is an aspect of another judge."""
    if not _NAME.fullmatch(name):
        raise SpecError(f"{who} needs a name of letters, digits, spaces, dots, + and -, such as 'polite', not {name!r}")
    if name in _TAKEN:
        raise SpecError(f"{who}: {name!r} is a word of other judges; take another name")


@JUDGES.register("aspect")
class AspectJudge(YesNo):
    """Judges whether each answer meets a criterion: verdicts `answer`, NAME, 1 or 0.

    0 without a call for an answer that is empty or failed; not applicable to hits of a run that has no texts, or where
    the judge lacks what it is to see.

    Parameters
    ----------
    settings
        See `AspectSettings`; raises `SpecError` where one is unknown, wrong or missing.
    chat
        Makes the model of a session.
    """

    settings_type = AspectSettings

    @settings_as_keywords(AspectSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        given = read_repeat_settings(AspectSettings, settings, "judge aspect")
        check_name(given.name, "judge aspect")
        if not given.criterion.strip():
            raise SpecError("judge aspect needs a criterion, such as criterion = 'The answer is polite.'")
        self._beside = given.beside
        super().__init__("aspect", given, chat, given.name, f"`criterion`: {given.criterion.strip()}")

    def shown(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return question and answer, and what the judge is to see beside them."""
        return lowest_if_empty(answer, shown_texts(item, answer, self._beside))
