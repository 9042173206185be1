"""Aspect: judge whether each answer meets a criterion in the user's own words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from neraca.errors import SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.majority_vote import RepeatSettings, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat
from neraca.judges.llm.single_question import Beside, YesNo, answer_data
from neraca.judges.llm.yes_no import lowest_if_empty
from neraca.judges.outcome import Outcome
from neraca.models.chat import Chat
from neraca.records import Answer, Item

#: Aspects of other judges.
_TAKEN = (
    *("claims", "consistent", "contexts", "corpus_claims", "declines", "in_corpus", "reference_claims", "relevance"),
    *("remembers", "resolves", "similarity", "stays", "supported", "valid"),
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

    An empty or failed answer gets 0 without a call.  Not applicable if the run has hits but no texts, or if a text in
    `beside` is missing.
    """

    settings_type = AspectSettings

    @settings_as_keywords(AspectSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        options = read_repeat_settings(AspectSettings, settings, "judge aspect")
        check_name(options.name, "judge aspect")
        if not options.criterion.strip():
            raise SpecError("judge aspect needs a criterion, such as criterion = 'The answer is polite.'")
        self._beside = options.beside
        super().__init__("aspect", options, chat, options.name, f"`criterion`: {options.criterion.strip()}")

    def prompt_data(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return question, answer and the texts in `beside`."""
        return lowest_if_empty(answer, answer_data(item, answer, self._beside))
