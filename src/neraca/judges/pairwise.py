"""Preferred: which of two runs' answers to a question is the better one, asked in both orders.

Models favour the answer that they read first, or last (Zheng and others, 2023).  So each pair is shown both ways, and
where the model changes its mind with the order, the two are even.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Literal

import msgspec

from neraca.errors import InputError, SpecError
from neraca.judges.concurrent import concurrently, together
from neraca.judges.judge import JUDGES, JudgeResult, judge
from neraca.judges.llm import MakeChat, whole
from neraca.judges.majority_vote import RepeatSettings, read_repeats, repeated
from neraca.judges.outcome import Outcome, not_applicable
from neraca.judges.prompt import language_of
from neraca.judges.single_question import adding, named
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.models.prompt import Prompt
from neraca.records import Answer, Item, Verdict
from neraca.runs.run import Run

WORDS = {1.0: "better", 0.5: "even", 0.0: "worse"}
Pairs = Sequence[tuple[Item, Answer]]


class PairwiseSettings(RepeatSettings, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.pairwise]`.

    Attributes
    ----------
    over
        The folder of the run whose answers are compared with; `prefer` fills it in.
    criterion
        What makes an answer the better one; "": how well it answers the question.
    reference
        Whether the judge is shown the item's references too; an item that has none is not compared then.
    """

    over: str = ""
    criterion: str = ""
    reference: bool = False


class PreferenceReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of two answers; the reason comes first, so that it is thought of first."""

    reason: str
    better: Literal["first", "second", "even"]


@JUDGES.register("pairwise")
class Pairwise:
    """Judges whether each answer is better than that of another run: verdicts `answer`, `preferred:OTHER`.

    1 better, 0.5 even, 0 worse, with OTHER the name of the other run.  An answer without text is worse than one with
    text, and equal texts are even, without a call.  Not applicable where neither has a text, or the other run has no
    whole answer to the same question in the same trial.

    Parameters
    ----------
    settings
        See `PairwiseSettings`; raises `SpecError` where one is unknown or wrong.
    chat
        Who makes the model of a session.
    """

    settings_type = PairwiseSettings

    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        self._settings = read_repeats(PairwiseSettings, settings, "judge pairwise")
        self._prompts = self._settings.load("pairwise")
        criterion = self._settings.criterion.strip()
        self._told = f"`criterion`: {criterion}" if criterion else ""
        self._make = chat
        # whom it is compared with is a part of it, so that judging over one run withdraws nothing said over another
        other = Path(self._settings.over).resolve().name if self._settings.over else ""
        self._aspect = f"preferred:{other}"
        self.by = named(self._settings, self._prompts, self._aspect, self._told, str(self._settings.reference))

    def judge(self, pairs: Pairs, session: ModelSession) -> Iterator[Verdict]:
        """One verdict on each answer; raises `SpecError` without another run, `InputError` for one of other items."""
        if not self._settings.over:
            raise SpecError("judge pairwise needs two runs; name the other one: over = 'runs/baseline'")
        there = _answers(Run(self._settings.over), pairs)
        chat = self._make(self._settings.chat, session)

        async def work(pair: tuple[Item, Answer]) -> list[Verdict]:
            item, answer = pair
            outcome = await self._compare(chat, item, answer, there.get((item.id, answer.trial)))
            return [outcome.on(answer, "answer", self._aspect, self.by)]

        return concurrently(whole(pairs), work, session)

    async def _compare(self, chat: Chat, item: Item, mine: Answer, other: Answer | None) -> Outcome:
        references = [text for text in item.references if text.strip()]
        if other is None:
            return not_applicable("the other run has no whole answer to it")
        if self._settings.reference and not references:
            return not_applicable("the item has no reference")
        if known := _without_model(mine.text.strip(), other.text.strip()):
            return known
        beside = {"reference": references} if self._settings.reference else {}
        orders = ((mine, other, "first"), (other, mine, "second"))
        outcomes = await together(
            *(
                self._ask(chat, item, {"question": item.query, "first": a.text, "second": b.text, **beside}, place)
                for a, b, place in orders
            )
        )
        first, second = map(Outcome._make, outcomes)
        (value, why, _), (swapped, other_why, _) = first, second
        if value is None or swapped is None:
            return first if value is None else second
        if value != swapped:
            doubt = f"even: shown first it is {WORDS[value]} ({why}), shown second {WORDS[swapped]} ({other_why})"
            return Outcome(0.5, doubt)
        return Outcome(value, f"{WORDS[value]} in both orders; shown first: {why}")

    async def _ask(self, chat: Chat, item: Item, data: Mapping[str, Any], place: str) -> Outcome:
        """How the answer in this place does."""
        template = adding(self._prompts.of("pairwise", language_of(item)), self._told)
        guess = PreferenceReply("it says what the question asks for, in plain words", "even")
        prompt: Prompt[PreferenceReply] = template.about(data, PreferenceReply, guess)

        def read(reply: PreferenceReply) -> tuple[float, str]:
            return 0.5 if reply.better == "even" else float(reply.better == place), reply.reason

        return await repeated(chat, prompt, self._settings.repeats, read, word=WORDS.__getitem__)


def _answers(other: Run, pairs: Pairs) -> dict[tuple[str, int], Answer]:
    """(item, trial) → the whole answer of another run to the same question."""
    asked = {item.id: item.query for item, _ in pairs}
    items = {item.id: item for item in other.items if asked.get(item.id) == item.query}
    if pairs and not items:
        raise InputError(f"{other.path}: it has none of the questions of the run that it is compared with")
    found = [(items[answer.item], answer) for answer in other.answers().values() if answer.item in items]
    return {(item.id, answer.trial): answer for item, answer in whole(found)}


def _without_model(mine: str, other: str) -> Outcome | None:
    """What is plain without asking."""
    if not mine and not other:
        return not_applicable("neither answer has a text")
    if mine == other:
        return Outcome(0.5, "even: the answers are equal")
    if not mine or not other:
        why = "better: the other answer has no text" if mine else "worse: the answer has no text"
        return Outcome(float(bool(mine)), why)
    return None


def prefer(
    a: Run | str | Path,
    b: Run | str | Path,
    settings: Mapping[str, Any] | None = None,
    *,
    session: ModelSession | None = None,
    chat: MakeChat = Chat,
) -> tuple[JudgeResult, JudgeResult]:
    """Let a judge say of each question which of two runs answered it better, and keep that in both runs' folders.

    The second run's verdicts are those of the first turned around: the same calls, which are in the cache by then.

    Parameters
    ----------
    a, b
        Two runs or their folders, of different names.
    settings
        Of `pairwise`, but `over`.
    session
        Through which models are asked; None: one with the usual cache and no budget.

    Returns
    -------
    tuple
        What was done in either run; `spent` of the second counts both.

    Raises
    ------
    SpecError
        For runs of the same name, or wrong settings.
    BudgetReached, NeracaError
        As `judge`.
    """
    one, other = (run if isinstance(run, Run) else Run(run) for run in (a, b))
    if one.name == other.name:
        raise SpecError(f"{one.path} and {other.path} have the same name, so no verdict could tell them apart; rename")
    both = [
        (run, Pairwise({**(settings or {}), "over": str(over.path)}, chat=chat))
        for run, over in ((one, other), (other, one))
    ]
    with nullcontext(session) if session else ModelSession() as through:
        first, second = (judge(run, judge_of, session=through) for run, judge_of in both)
    return first, second
