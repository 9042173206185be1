"""Preferred: judge which of two runs answered a question better, with the answers shown in both orders.

Models favour the answer that they read first, or last (Zheng and others, 2023).  So each pair is shown in both orders.
If the model's choice depends on the order, the two answers are even.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

import msgspec

from neraca.errors import InputError, SpecError
from neraca.judges.concurrent import concurrently, together
from neraca.judges.judge import JUDGES, JudgeResult, judge, judge_in_thread
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.majority_vote import RepeatSettings, ask_repeatedly, read_repeat_settings
from neraca.judges.llm.model_judge import MakeChat, judgeable
from neraca.judges.llm.optional_reason import PLAUSIBLE_REASON, OptionalReason, reason_text
from neraca.judges.llm.orders import with_cautions
from neraca.judges.llm.prompt import language_of
from neraca.judges.llm.single_question import judge_name, with_instruction
from neraca.judges.outcome import Outcome, not_applicable
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.models.prompt import Prompt
from neraca.records import Answer, Item, Verdict
from neraca.runs.preferred import preferred_first, preferred_over
from neraca.runs.run import Run

WORDS = {1.0: "better", 0.5: "even", 0.0: "worse"}
Pairs = Sequence[tuple[Item, Answer]]


class PairwiseSettings(RepeatSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `pairwise`, from the table `[judges.pairwise]`.

    Attributes
    ----------
    over
        The folder of the run to compare with; `judge_pairs` fills it in.
    criterion
        The criterion for the better answer; "": how well it answers the question.
    reference
        Whether the judge is also shown the item's references.  Items without references are then skipped.
    """

    over: str = ""
    criterion: str = ""
    reference: bool = False


class PreferenceReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The model's reply on two answers.  The reason comes first, so that the model reasons first."""

    reason: OptionalReason = msgspec.UNSET
    better: Literal["first", "second", "even"]


@JUDGES.register("pairwise")
class PairwiseJudge:
    """Judges whether each answer is better than another run's: verdicts `answer`, `preferred:OTHER`.

    1 better, 0.5 even, 0 worse; OTHER is the name of the other run.  An answer without text is worse than one with
    text, and equal texts are even, without a call.  Not applicable if neither has text, or if the other run has no
    whole answer to the same question in the same trial.  If a model was asked, the further verdict
    `preferred_first:OTHER` is its choice in the order with this answer first.
    """

    settings_type = PairwiseSettings

    @settings_as_keywords(PairwiseSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        self._settings = read_repeat_settings(PairwiseSettings, settings, "judge pairwise")
        self._prompts = self._settings.load("pairwise")
        criterion = self._settings.criterion.strip()
        self._instruction = f"`criterion`: {criterion}" if criterion else ""
        self._make_chat = chat
        # The aspect contains the name of the other run, so that no comparison withdraws verdicts of another one.
        other = Path(self._settings.over).resolve().name if self._settings.over else ""
        self._aspect, self._aspect_first = preferred_over(other), preferred_first(other)
        instructions = (self._aspect, self._instruction, str(self._settings.reference))
        self.by = judge_name(self._settings, self._prompts, *instructions)

    def over(self, other: Run) -> PairwiseJudge:
        """Return a judge with the same settings that compares with the answers of this run."""
        settings = {**msgspec.structs.asdict(self._settings), "over": str(other.path)}
        judge_with_chat: Any = PairwiseJudge  # its declared keywords are only the settings
        pairwise: PairwiseJudge = judge_with_chat(settings, chat=self._make_chat)
        return pairwise

    def judge(self, pairs: Pairs, session: ModelSession) -> Iterator[Verdict]:
        """Yield a verdict on each answer and, if a model was asked, its choice in the order with this answer first.

        Raise `SpecError` without another run, `InputError` if that has other items.
        """
        if not self._settings.over:
            raise SpecError("judge pairwise needs two runs; name the other one: over = 'runs/baseline'")
        other_answers = _answers_of(Run(self._settings.over), pairs)
        chat = self._make_chat(self._settings.chat, session)

        async def work(pair: tuple[Item, Answer]) -> list[Verdict]:
            item, answer = pair
            outcome, shown_first = await self._compare(chat, item, answer, other_answers.get((item.id, answer.trial)))
            verdicts = [outcome.on(answer, "answer", self._aspect, self.by)]
            if shown_first is not None and shown_first.value is not None:
                verdicts.append(shown_first.on(answer, "answer", self._aspect_first, self.by))
            other = other_answers.get((item.id, answer.trial))
            return with_cautions(verdicts, [answer.text, other.text if other else "", item.query])

        return concurrently(judgeable(pairs), work, session)

    async def _compare(
        self, chat: Chat, item: Item, answer: Answer, other: Answer | None
    ) -> tuple[Outcome, Outcome | None]:
        """Return the decision and, if a model was asked, its choice in the order with the answer first."""
        references = [text for text in item.references if text.strip()]
        if other is None:
            return not_applicable("the other run has no whole answer to it"), None
        if self._settings.reference and not references:
            return not_applicable("the item has no reference"), None
        if outcome := _without_model(answer.text.strip(), other.text.strip()):
            return outcome, None
        reference_data = {"reference": references} if self._settings.reference else {}
        orders = ((answer, other, "first"), (other, answer, "second"))
        outcomes: list[Outcome] = await together(
            *(
                self._ask(
                    chat, item, {"question": item.query, "first": a.text, "second": b.text, **reference_data}, place
                )
                for a, b, place in orders
            )
        )
        first, second = outcomes
        if first.value is None or second.value is None:
            return (first if first.value is None else second), first
        if first.value != second.value:
            doubt = f"even: shown first it is {WORDS[first.value]} ({first.why}), "
            return Outcome(0.5, f"{doubt}shown second {WORDS[second.value]} ({second.why})"), first
        return Outcome(first.value, f"{WORDS[first.value]} in both orders; shown first: {first.why}"), first

    async def _ask(self, chat: Chat, item: Item, data: Mapping[str, Any], place: str) -> Outcome:
        """Return how the answer in this place, `first` or `second`, compares with the other."""
        template = with_instruction(self._prompts.of("pairwise", language_of(item)), self._instruction)
        guess = PreferenceReply(reason=PLAUSIBLE_REASON, better="even")
        prompt: Prompt[PreferenceReply] = template.about(data, PreferenceReply, guess)

        def read(reply: PreferenceReply) -> tuple[float, str]:
            return 0.5 if reply.better == "even" else float(reply.better == place), reason_text(reply.reason)

        return await ask_repeatedly(chat, prompt, self._settings.repeats, read, word=WORDS.__getitem__)


def _answers_of(other: Run, pairs: Pairs) -> dict[tuple[str, int], Answer]:
    """Return (item, trial) → the whole answer of another run to the same question."""
    queries = {item.id: item.query for item, _ in pairs}
    items = {item.id: item for item in other.items if queries.get(item.id) == item.query}
    if pairs and not items:
        raise InputError(f"{other.path}: it has none of the questions of the run that it is compared with")
    answered = [(items[answer.item], answer) for answer in other.answers().values() if answer.item in items]
    return {(item.id, answer.trial): answer for item, answer in judgeable(answered)}


def _without_model(text: str, other: str) -> Outcome | None:
    """Return the outcome that needs no model, if there is one."""
    if not text and not other:
        return not_applicable("neither answer has a text")
    if text == other:
        return Outcome(0.5, "even: the answers are equal")
    if not text or not other:
        why = "better: the other answer has no text" if text else "worse: the answer has no text"
        return Outcome(float(bool(text)), why)
    return None


def judge_pairs(
    a: Run | str | Path,
    b: Run | str | Path,
    by: PairwiseJudge | Mapping[str, Any] | None = None,
    *,
    session: ModelSession | None = None,
) -> tuple[JudgeResult, JudgeResult]:
    """Judge for each question which of two runs answered it better, and keep the verdicts in both runs' folders.

    The second run's verdicts are the reverse of the first's: they come from the same calls, which are in the cache.  In
    a running event loop, as in a notebook, this works but blocks the loop; there `await judge_pairs_async(…)` does not.

    Parameters
    ----------
    a, b
        Two runs or their folders, of different names.
    by
        The judge, such as `PairwiseJudge(model="openai:gpt-4o-mini")`, or a table of its settings.  Its `over` is
        ignored.
    session
        The session that asks models; None: one with the default cache and no budget.

    Returns
    -------
    tuple
        The results of both runs; `spent` of the second counts both.

    Raises
    ------
    SpecError
        For runs of the same name, or wrong settings.
    BudgetReached, NeracaError
        As `judge`.
    """
    first, second = (run if isinstance(run, Run) else Run(run) for run in (a, b))
    if first.name == second.name:
        raise SpecError(f"{first.path} and {second.path} have the same name; rename one, so that verdicts tell which")
    pairwise = by if isinstance(by, PairwiseJudge) else PairwiseJudge(**(by or {}))
    with nullcontext(session) if session else ModelSession() as opened:
        results = [
            judge(run, pairwise.over(other), session=opened) for run, other in ((first, second), (second, first))
        ]
    return results[0], results[1]


async def judge_pairs_async(
    a: Run | str | Path,
    b: Run | str | Path,
    by: PairwiseJudge | Mapping[str, Any] | None = None,
    *,
    session: ModelSession | None = None,
) -> tuple[JudgeResult, JudgeResult]:
    """Judge as `judge_pairs` does, in a thread, so that the running event loop goes on: for notebooks and servers.

    When the task is cancelled, the judge stops, finished verdicts are kept, and the same call goes on.  A session
    serves one call at a time.  Parameters and errors are those of `judge_pairs`.
    """
    return await judge_in_thread(lambda opened: judge_pairs(a, b, by, session=opened), session)
