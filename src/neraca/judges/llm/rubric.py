"""Rubric: grade each answer by the user's description of the grades."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from neraca.errors import SpecError
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.aspect import check_name
from neraca.judges.llm.majority_vote import RepeatSettings, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat
from neraca.judges.llm.optional_reason import PLAUSIBLE_REASON
from neraca.judges.llm.single_question import Beside, Graded, GradeReply, SingleQuestion, answer_data
from neraca.judges.llm.yes_no import lowest_if_empty
from neraca.judges.outcome import Outcome
from neraca.models.chat import Chat
from neraca.records import Answer, Item

_EXAMPLE = "criteria = {1 = 'of no use', 5 = 'all that is needed'}"
_WHOLE = re.compile(r"[+-]?\d{1,9}")


class RubricSettings(RepeatSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `rubric`, from the table `[judges.rubric]`.

    Attributes
    ----------
    name
        The metric's parameter, as in `Rubric(helpfulness)`.
    criteria
        Grade → its meaning.  Grades are at least two whole numbers, and a higher grade is better.  The judge may also
        give whole grades between them.
    beside
        Texts shown to the judge beside question and answer: `reference`, `contexts`.
    """

    name: str = ""
    criteria: Mapping[str | int, str] = {}
    beside: tuple[Beside, ...] = ()


@JUDGES.register("rubric")
class RubricJudge(Graded, SingleQuestion[GradeReply]):
    """Grades each answer: verdicts `answer`, NAME.

    An empty or failed answer gets the lowest grade without a call.  Not applicable if the run has hits but no texts, or
    if a text in `beside` is missing.  If the model is asked several times, the median counts.  The run keeps the scale
    and the words of its grades.
    """

    settings_type = RubricSettings

    @settings_as_keywords(RubricSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        options = read_repeat_settings(RubricSettings, settings, "judge rubric")
        check_name(options.name, "judge rubric")
        grades = _read_grades(options.criteria)
        self._low, self._high = min(grades), max(grades)
        self._beside = options.beside
        self.graded_aspect = options.name
        self.grade_words = {
            str(grade): " ".join(grades.get(grade, "").split()) for grade in range(self._low, self._high + 1)
        }
        lines = "\n".join(f"{grade}: {' '.join(text.split())}" for grade, text in sorted(grades.items()))
        super().__init__("rubric", options, chat, options.name, f"`grades`:\n{lines}")

    @property
    def scale(self) -> tuple[float, float]:
        """The lowest and the highest grade."""
        return float(self._low), float(self._high)

    def prompt_data(self, item: Item, answer: Answer) -> Mapping[str, Any] | Outcome:
        """Return question, answer and the texts in `beside`."""
        return lowest_if_empty(answer, answer_data(item, answer, self._beside), self.scale[0])

    def guess(self) -> GradeReply:
        """Return the highest grade."""
        return GradeReply(reason=PLAUSIBLE_REASON, grade=self._high)


def _read_grades(criteria: Mapping[str | int, str]) -> dict[int, str]:
    """Return grade → its meaning; raise `SpecError` if the grades are not whole numbers or too few."""
    wrong = [grade for grade in criteria if not _WHOLE.fullmatch(str(grade))]
    if wrong:
        raise SpecError(f"judge rubric: {wrong[0]!r} is no whole number; write {_EXAMPLE}")
    grades = {int(grade): text for grade, text in criteria.items() if text.strip()}
    if len(grades) < 2 or len(grades) < len(criteria):
        raise SpecError(f"judge rubric needs two grades at least, and what each of them means; write {_EXAMPLE}")
    return grades
