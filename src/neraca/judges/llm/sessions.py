"""The judges of whole conversations: `remembers`, `consistent`, `stays` and `resolves`, with one call a session.

Their verdicts stand on the last answer of the session: `session` is the whole conversation, `turn:N` its Nth turn.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

import msgspec

from neraca.errors import ModelError, SpecError
from neraca.files import fingerprint
from neraca.judges.concurrent import concurrently, together
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.model_judge import LlmJudgeSettings, MakeChat, judgeable, read_llm_settings
from neraca.judges.llm.optional_reason import PLAUSIBLE_REASON, OptionalReason, reason_text
from neraca.judges.llm.orders import with_cautions
from neraca.judges.llm.prompt import Template, language_of
from neraca.judges.llm.single_question import YesNoReply
from neraca.judges.outcome import Outcome, missing, not_applicable, unscored
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict
from neraca.runs.session_contents import SESSION, TURN

#: The turns of a conversation, in order: question and answer.
Turns = Sequence[tuple[Item, Answer]]
#: Most turns that one call decides on; a longer conversation takes several calls, which all see the whole of it.
MOST_TURNS = 30
#: The column of questions with what the user wants to reach in the session.
GOAL = "goal"


class TurnReply(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The decision on one turn: whether its answer keeps to the criterion.  The reason comes first."""

    reason: OptionalReason = msgspec.UNSET
    keeps: bool


class StaysSettings(LlmJudgeSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `stays`, from the table `[judges.stays]`.

    Attributes
    ----------
    role
        The role of the system and its topics: "a receptionist of a hotel, who speaks of the hotel only".
    """

    role: str = ""


def sessions_of(pairs: Sequence[tuple[Item, Answer]]) -> list[list[tuple[Item, Answer]]]:
    """Return the conversations of answers, each in the order of the pairs; without a session, an answer is one alone.

    >>> first, alone = Item(id="1", query="?", session="a"), Item(id="2", query="?")
    >>> pairs = [(first, Answer(item="1")), (alone, Answer(item="2")), (first, Answer(item="1", trial=1))]
    >>> [[(answer.item, answer.trial) for _, answer in turns] for turns in sessions_of(pairs)]
    [[('1', 0)], [('2', 0)], [('1', 1)]]
    """
    conversations: dict[tuple[str | None, str, int], list[tuple[Item, Answer]]] = {}
    for item, answer in pairs:
        alone = item.id if item.session is None else ""
        conversations.setdefault((item.session, alone, answer.trial), []).append((item, answer))
    return list(conversations.values())


class SessionJudge(ABC):
    """A judge of whole conversations.  A conversation with a turn that may not be whole is `missing`.

    Parameters
    ----------
    settings
        The settings of the model.
    chat
        Makes the model of a session.
    instruction
        What the model is told beside the conversation, such as a role; it affects the `by` of the verdicts.
    """

    name: ClassVar[str]
    #: Tells `neraca.judge` to hand over whole conversations, and to keep verdicts only while all of it is unchanged.
    whole_sessions: ClassVar[bool] = True
    settings_type: type[LlmJudgeSettings] = LlmJudgeSettings

    def __init__(self, settings: LlmJudgeSettings, chat: MakeChat, instruction: str = "") -> None:
        self._settings, self._make_chat, self._instruction = settings, chat, instruction
        self._prompts = settings.load(self.name)
        self.criterion = instruction
        self.by = f"llm:{settings.model}#{fingerprint((self._prompts.hash, self.name, instruction))[:6]}"

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield the verdicts on each conversation, in the order in which conversations are finished."""
        chat = self._make_chat(self._settings.chat, session)

        async def work(turns: Turns) -> list[Verdict]:
            last = turns[-1][1]
            doubts = [f"turn {n}: {a.left_out}" for n, (_, a) in enumerate(turns, start=1) if a.left_out]
            try:
                outcomes = {SESSION: missing(doubts[0])} if doubts else await self.decide(chat, judgeable(turns))
            except ModelError as error:
                outcomes = {SESSION: unscored(error)}
            verdicts = [outcome.on(last, about, self.name, self.by) for about, outcome in outcomes.items()]
            return with_cautions(verdicts, [text for item, answer in turns for text in (answer.text, item.query)])

        return concurrently(sessions_of(pairs), work, session)

    @abstractmethod
    async def decide(self, chat: Chat, turns: Turns) -> dict[str, Outcome]:
        """Return `session` and perhaps `turn:N` → the outcome; raise `ModelError` if the model gives none."""

    def template(self, turns: Turns) -> Template:
        """Return the prompt in the language of the first question that names one."""
        return self._prompts.of(self.name, next(filter(None, (language_of(item) for item, _ in turns)), ""))


def conversation_data(turns: Turns) -> list[dict[str, str]]:
    """Return the turns of a conversation for a prompt; the text of a failed answer is empty."""
    return [
        {"id": f"t{number}", "question": item.query, "answer": answer.text}
        for number, (item, answer) in enumerate(turns, start=1)
    ]


@functools.lru_cache(maxsize=256)
def _reply_kind(ids: tuple[str, ...]) -> Any:
    """Return the struct of a reply that decides on each of these turns."""
    return msgspec.defstruct("TurnsReply", [(key, TurnReply) for key in ids], frozen=True, forbid_unknown_fields=True)


class TurnsJudge(SessionJudge):
    """A judge that decides on each turn whether its answer keeps to something; the session does if all answers do.

    Answers without text are shown, and not decided on.
    """

    #: The first turn that can break it: 2 if an answer is held against earlier ones.
    first_turn: ClassVar[int] = 2

    async def decide(self, chat: Chat, turns: Turns) -> dict[str, Outcome]:
        """Ask about all turns in one call, or in several if there are many."""
        asked = [n for n, (_, a) in enumerate(turns, start=1) if n >= self.first_turn and a.text.strip()]
        if not asked:
            few = len(turns) < self.first_turn
            return {SESSION: not_applicable("the conversation has one turn" if few else "no answer to it has text")}
        groups = [asked[at : at + MOST_TURNS] for at in range(0, len(asked), MOST_TURNS)]
        replies = await together(*(self._ask(chat, turns, group) for group in groups))
        decisions = {number: reply for group in replies for number, reply in group.items()}
        judged = {n: Outcome(float(reply.keeps), reason_text(reply.reason)) for n, reply in decisions.items()}
        broken = [f"turn {n}: {outcome.why}" for n, outcome in judged.items() if not outcome.value]
        answers = f"{len(decisions)} answer{'s' if len(decisions) != 1 else ''}"
        whole = Outcome(float(not broken), "; ".join(broken) or f"all of {answers}")
        return {SESSION: whole, **{f"{TURN}{n}": outcome for n, outcome in judged.items()}}

    async def _ask(self, chat: Chat, turns: Turns, numbers: Sequence[int]) -> dict[int, TurnReply]:
        ids = tuple(f"t{number}" for number in numbers)
        kind = _reply_kind(ids)
        data: dict[str, Any] = {"role": self._instruction} if self._instruction else {}
        data |= {"conversation": conversation_data(turns), "judge": list(ids)}
        guess = kind(**dict.fromkeys(ids, TurnReply(reason="it keeps to what was said before", keeps=True)))
        reply = await chat.ask(self.template(turns).about(data, kind, guess))
        return {number: getattr(reply.value, key) for number, key in zip(numbers, ids, strict=True)}


@JUDGES.register("remembers")
class RemembersJudge(TurnsJudge):
    """Judges whether the answers of a conversation keep to what the user said before: `session`, `remembers`.

    An answer breaks it if it asks again for what the user has said, or ignores or contradicts it.  Each turn from the
    second on has a verdict `turn:N`.  Not applicable to a conversation of one turn.
    """

    name = "remembers"

    @settings_as_keywords(LlmJudgeSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        super().__init__(read_llm_settings(LlmJudgeSettings, settings, "judge remembers"), chat)


@JUDGES.register("consistent")
class ConsistentJudge(TurnsJudge):
    """Judges whether no answer of a conversation contradicts an earlier one: `session`, `consistent`.

    The later one of two answers is marked.  Each turn from the second on has a verdict `turn:N`.  Not applicable to a
    conversation of one turn.
    """

    name = "consistent"

    @settings_as_keywords(LlmJudgeSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        super().__init__(read_llm_settings(LlmJudgeSettings, settings, "judge consistent"), chat)


@JUDGES.register("stays")
class StaysJudge(TurnsJudge):
    """Judges whether all answers of a conversation stay in a role and its topics: `session`, `stays`.

    Each turn has a verdict `turn:N`.  Not applicable if no answer has text.
    """

    name = "stays"
    first_turn = 1
    settings_type = StaysSettings

    @settings_as_keywords(StaysSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        options = read_llm_settings(StaysSettings, settings, "judge stays")
        if not options.role.strip():
            raise SpecError("judge stays needs a role, such as role = 'a receptionist, who speaks of the hotel only'")
        super().__init__(options, chat, options.role.strip())


@JUDGES.register("resolves")
class ResolvesJudge(SessionJudge):
    """Judges whether the user has reached the goal by the end of a conversation: `session`, `resolves`.

    A column `goal` of the questions says what the user wants; without one, the model takes it from the questions.  If
    no turn has an answer, 0 without a call.  Not applicable if the system answers in hits without text.
    """

    name = "resolves"

    @settings_as_keywords(LlmJudgeSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, chat: MakeChat = Chat) -> None:
        super().__init__(read_llm_settings(LlmJudgeSettings, settings, "judge resolves"), chat)

    async def decide(self, chat: Chat, turns: Turns) -> dict[str, Outcome]:
        """Ask one yes-or-no question about the whole conversation."""
        if not any(answer.text.strip() for _, answer in turns):
            has_hits = any(answer.hits for _, answer in turns)
            nothing = not_applicable("no answer to it has text") if has_hits else Outcome(0.0, "no turn has an answer")
            return {SESSION: nothing}
        goals = dict.fromkeys(str(item.extra[GOAL]).strip() for item, _ in turns if item.extra.get(GOAL))
        data: dict[str, Any] = {"goal": " ".join(goals)} if any(goals) else {}
        data["conversation"] = conversation_data(turns)
        guess = YesNoReply(reason=PLAUSIBLE_REASON, yes=True)
        reply = await chat.ask(self.template(turns).about(data, YesNoReply, guess))
        return {SESSION: Outcome(float(reply.value.yes), reason_text(reply.value.reason))}
