"""Valid and Supported: ask one yes-or-no question about each answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.majority_vote import RepeatSettings, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat
from neraca.judges.llm.single_question import YesNo, answer_data
from neraca.judges.outcome import Outcome, missing
from neraca.models.chat import Chat
from neraca.records import Answer, Item


def lowest_if_empty(
    answer: Answer, data: Mapping[str, Any] | Outcome, lowest: float = 0.0
) -> Mapping[str, Any] | Outcome:
    """Return the data, or the lowest value if the answer has neither text nor hits, like a failed one.

    >>> from neraca.judges.outcome import not_applicable
    >>> lowest_if_empty(Answer(item="q"), not_applicable("it has no hits"))
    Outcome(value=0.0, why='the answer is empty', status='decided')
    """
    return data if answer.text.strip() or answer.hits else Outcome(lowest, "the answer is empty")


@JUDGES.register("valid")
class ValidJudge(YesNo):
    """Judges whether each answer responds to its question, right or wrong: verdicts `answer`, `valid`.

    An empty or failed answer gets 0 without a call.  Not applicable if the run has hits but no texts.
    """

    @settings_as_keywords(RepeatSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        super().__init__("valid", read_repeat_settings(RepeatSettings, settings, "judge valid"), chat, "valid")

    def prompt_data(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return question and answer."""
        return lowest_if_empty(answer, answer_data(item, answer))


@JUDGES.register("supported")
class SupportedJudge(YesNo):
    """Judges whether all that each answer states follows from its contexts: verdicts `answer`, `supported`.

    An empty or failed answer gets 0 without a call.  Not applicable if the hits have no text.  If nothing was
    retrieved, the model is still asked, so that a refusal has the same value with and without contexts.  If it is not
    known what was retrieved, there is no verdict.
    """

    @settings_as_keywords(RepeatSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        options = read_repeat_settings(RepeatSettings, settings, "judge supported")
        super().__init__("supported", options, chat, "supported")

    def prompt_data(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return question, answer and contexts, in the order of their ranks."""
        if answer.text.strip() and answer.unknown_hits:
            return missing(answer.unknown_hits)
        if answer.text.strip() and not answer.hits:
            return {"question": item.query, "answer": answer.text, "contexts": []}
        return lowest_if_empty(answer, answer_data(item, answer, ["contexts"]))
