"""The classic calls of the ragas library, one by one, for comparison with numbers that others published with it.

Statements of the answer, then which of them the contexts support (faithfulness); three questions for the answer
(answer relevancy); for each context whether it was useful (context precision); statements of the reference, then
which of them the contexts hold (context recall) and which statements of either side the other has (answer
correctness).  That is eight calls and one per context for each answer, where `claims` makes two.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.errors import ModelError
from neraca.judges import llm
from neraca.judges.complete_replies import ask_each, once
from neraca.judges.concurrent import concurrently, together
from neraca.judges.judge import JUDGES
from neraca.judges.llm import contexts_of, read_judge, whole
from neraca.judges.majority_vote import Outcome
from neraca.judges.prompt import Prompts, Template, language_of
from neraca.judges.reference_claims import pieces
from neraca.judges.similarity import MakeEmbedder, cosines, embedder_of
from neraca.models.chat import Chat
from neraca.models.embed import Embedder
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict

STATEMENTS, SUPPORT, QUESTION, USEFUL, RECALL, CORRECTNESS = PROMPTS = (
    "ragas_statements",
    "ragas_faithfulness",
    "ragas_answer_relevancy",
    "ragas_context_precision",
    "ragas_context_recall",
    "ragas_answer_correctness",
)
QUESTIONS = 3
NO_REFERENCE = "no reference"
NO_EMBEDDER = "not applicable: no embedder is named (embed = 'minilm'), so no question was asked for"
_REASON = "the text says the same thing in other words"


class Settings(llm.Settings, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.ragas]`, beside what every judge that asks a model has.

    Attributes
    ----------
    embed
        The embedder that compares questions and answers, such as `minilm`; "": none, and then no questions are
        asked for, and AnswerRelevance, Similarity and AnswerCorrectness with its usual weight cannot be told.
    """

    embed: str = ""


class StatementsReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The statements of a text."""

    statements: list[str]


class VerdictReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one statement beside the contexts."""

    id: str
    reason: str
    verdict: bool


class VerdictsReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of several."""

    verdicts: list[VerdictReply]


class QuestionReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A question that an answer would answer, and whether it avoids answering."""

    question: str
    noncommittal: bool


class UsefulReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one context."""

    reason: str
    useful: bool


class ClassedReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One statement in a class."""

    id: str
    reason: str


class CorrectnessReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """True positives and false positives of the answer, false negatives of the ground truth."""

    TP: list[ClassedReply]
    FP: list[ClassedReply]
    FN: list[ClassedReply]


@dataclass(frozen=True)
class _Side:
    """The statements of the answer or of the reference; `unknown`: why they are not known."""

    texts: Sequence[str] = ()
    unknown: str = ""


@JUDGES.register("ragas")
class Classic:
    """Judges each answer by the calls that ragas makes, and writes the verdicts that `claims` writes.

    So the same metrics have the values of ragas' formulas.  What differs from ragas: the prompts are Neraca's own
    words for the same tasks; context recall attributes the statements of the reference (as ragas' documentation
    defines it; its code leaves the cutting into sentences to that call); a document that came twice is one context.
    Which context supports a statement is not asked, so that NoiseSensitivity stays unscored.

    An answer that failed counts as empty; one that is suspect is not judged.  What could not be found out has value
    None and a why that begins with "unscored:".

    Parameters
    ----------
    settings
        See `Settings`; raises `SpecError` where one is unknown or wrong.
    chat, embedder
        Who makes the model and the embedder of an account.
    """

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        chat: llm.MakeChat = Chat,
        embedder: MakeEmbedder = embedder_of,
    ) -> None:
        self._settings = read_judge(Settings, settings, "judge ragas")
        self._prompts = self._settings.load(*PROMPTS)
        self._chat, self._embedder = chat, embedder
        self.by = self._settings.by(self._prompts)

    def judge(self, pairs: Sequence[tuple[Item, Answer]], account: ModelSession) -> Iterator[Verdict]:
        """Verdicts, those of one answer together, in the order in which answers are finished."""
        chat = self._chat(self._settings.chat, account)
        embedder = self._embedder(self._settings.embed, account) if self._settings.embed else None

        def work(pair: tuple[Item, Answer]) -> Any:
            return _Sample(self.by, self._prompts, chat, embedder, *pair).judge()

        return concurrently(whole(pairs), work, account)


@dataclass(frozen=True)
class _Sample:
    """What is done for one answer."""

    by: str
    prompts: Prompts
    chat: Chat
    embedder: Embedder | None
    item: Item
    answer: Answer

    async def judge(self) -> list[Verdict]:
        """All verdicts on it."""
        reference = next((text for text in self.item.references if text.strip()), "")
        contexts = contexts_of(self.answer)
        mine, wanted, (declines, questions), useful = await together(
            self._statements(self.answer.text), self._statements(reference), self._questions(), self._useful(reference)
        )
        texts = list(contexts.values())
        asked = {"question": self.item.query, "contexts": texts}
        supported, recalled, (correct, stated), near = await together(
            self._attributed(SUPPORT, {"contexts": texts}, mine),
            self._attributed(RECALL, asked, wanted),
            self._classed(mine, wanted),
            cosines(self.embedder, self.item, self.answer, questions, self.by) if self.embedder else _nothing(),
        )
        whole = {
            "claims": _count(mine),
            "reference_claims": _count(wanted) if reference else (None, NO_REFERENCE),
            "contexts": (float(len(contexts)), ""),
            "declines": declines,
        }
        said = [("answer", aspect, outcome) for aspect, outcome in whole.items()]
        other = correct if reference else None
        said += _rows("claim", mine, supported, "correct", other)
        said += _rows("reference", wanted, recalled, "stated", stated)
        said += [(f"hit:{hit}", "useful", outcome) for hit, outcome in useful.items()]
        return [*(self._verdict(*one) for one in said), *near]

    def _verdict(self, about: str, aspect: str, outcome: Outcome) -> Verdict:
        value, why = outcome
        trial = self.answer.trial
        return Verdict(item=self.item.id, trial=trial, about=about, aspect=aspect, value=value, by=self.by, why=why)

    def _told(self, name: str) -> Template:
        return self.prompts.of(name, language_of(self.item))

    async def _statements(self, text: str) -> _Side:
        if not text.strip():
            return _Side()
        data = {"question": self.item.query, "answer": text}
        prompt = self._told(STATEMENTS).about(data, StatementsReply, StatementsReply(pieces(text)))
        try:
            reply = (await self.chat.ask(prompt)).value
        except ModelError as error:
            return _Side(unknown=f"unscored: {error}")
        return _Side([text for text in reply.statements if text.strip()])

    async def _attributed(self, name: str, data: Mapping[str, Any], side: _Side) -> list[Outcome]:
        """Of each statement whether the contexts hold it."""
        ids = {f"s{n}": text for n, text in enumerate(side.texts, 1)}
        if not data["contexts"]:
            return [(0.0, "there is no context")] * len(ids)

        async def ask(missing: Sequence[str], turn: int) -> dict[str, VerdictReply]:
            guess = VerdictsReply([VerdictReply(key, _REASON, True) for key in missing])
            about = {**data, "statements": {key: ids[key] for key in missing}}
            reply = await self.chat.ask(self._told(name).about(about, VerdictsReply, guess), turn)
            return once(reply.value.verdicts, missing)

        found, why = await ask_each(list(ids), ask)
        unscored: Outcome = None, f"unscored: {why}"
        return [(float(found[key].verdict), found[key].reason) if key in found else unscored for key in ids]

    async def _questions(self) -> tuple[Outcome, list[str]]:
        """Whether the answer declines, in any of so many replies, and the questions for it."""
        if not self.answer.text.strip():
            return (1.0, "the answer is empty"), []
        if self.embedder is None:
            return (None, NO_EMBEDDER), []
        guess = QuestionReply(self.item.query, False)
        prompt = self._told(QUESTION).about({"answer": self.answer.text}, QuestionReply, guess, _no_question)
        try:
            asked = (self.chat.ask(prompt, repeat) for repeat in range(QUESTIONS))
            replies = [reply.value for reply in await together(*asked)]
        except ModelError as error:
            return (None, f"unscored: {error}"), []
        return (float(any(one.noncommittal for one in replies)), ""), [one.question for one in replies]

    async def _useful(self, reference: str) -> dict[str, Outcome]:
        """Of each hit whether it helps to arrive at the reference, or without one at the answer."""
        contexts, goal = contexts_of(self.answer), reference or self.answer.text

        async def ask(hit: str) -> Outcome:
            if hit not in contexts:
                return 0.0, "it has no text"
            if not goal.strip():
                return None, "not applicable: neither the answer nor a reference states anything"
            data = {"question": self.item.query, "answer": goal, "context": contexts[hit]}
            prompt = self._told(USEFUL).about(data, UsefulReply, UsefulReply(_REASON, True))
            try:
                reply = (await self.chat.ask(prompt)).value
            except ModelError as error:
                return None, f"unscored: {error}"
            return float(reply.useful), reply.reason

        hits = list(dict.fromkeys(hit.id for hit in self.answer.hits))
        return dict(zip(hits, await together(*map(ask, hits)), strict=True))

    async def _classed(self, mine: _Side, wanted: _Side) -> tuple[list[Outcome], list[Outcome]]:
        """Of each statement of the answer whether the reference has it, and the other way round."""
        sides = {"answer": _ids("a", mine), "ground_truth": _ids("g", wanted)}
        if failed := mine.unknown or wanted.unknown:
            return _all(sides, (None, failed))
        if not mine.texts or not wanted.texts:
            return _all(sides, (0.0, "the other side states nothing"))
        guess = CorrectnessReply([ClassedReply(key, _REASON) for key in sides["answer"]], [], [])
        data = {"question": self.item.query, **sides}
        prompt = self._told(CORRECTNESS).about(data, CorrectnessReply, guess, lambda reply: _misplaced(reply, sides))
        try:
            reply = (await self.chat.ask(prompt)).value
        except ModelError as error:
            return _all(sides, (None, f"unscored: {error}"))
        right, wrong, missed = (_reasons(part) for part in (reply.TP, reply.FP, reply.FN))
        correct: list[Outcome] = [(1.0, right[a]) if a in right else (0.0, wrong[a]) for a in sides["answer"]]
        stated: list[Outcome] = [(0.0, missed[g]) if g in missed else (1.0, "") for g in sides["ground_truth"]]
        return correct, stated


async def _nothing() -> list[Verdict]:
    return []


def _no_question(reply: QuestionReply) -> str:
    return "" if reply.question.strip() else "the question is empty"


def _ids(letter: str, side: _Side) -> dict[str, str]:
    return {f"{letter}{n}": text for n, text in enumerate(side.texts, 1)}


def _all(sides: Mapping[str, Mapping[str, str]], outcome: Outcome) -> tuple[list[Outcome], list[Outcome]]:
    return [outcome] * len(sides["answer"]), [outcome] * len(sides["ground_truth"])


def _reasons(part: Sequence[ClassedReply]) -> dict[str, str]:
    return {one.id.strip(): one.reason for one in part}


def _misplaced(reply: CorrectnessReply, sides: Mapping[str, Mapping[str, str]]) -> str:
    """What is wrong with the classes: every statement of the answer stands in one of two, and none is invented."""
    right, wrong, missed = (_reasons(part).keys() for part in (reply.TP, reply.FP, reply.FN))
    if right & wrong or right | wrong != sides["answer"].keys():
        return "each a stands in TP or in FP"
    return "" if missed <= sides["ground_truth"].keys() else "only a g stands in FN"


def _count(side: _Side) -> Outcome:
    return (None, side.unknown) if side.unknown else (float(len(side.texts)), "")


def _rows(
    kind: str, side: _Side, supported: Sequence[Outcome], aspect: str, agreed: Sequence[Outcome] | None
) -> list[tuple[str, str, Outcome]]:
    """The verdicts on each statement; `agreed` None where there is no other side."""
    found: list[tuple[str, str, Outcome]] = []
    for n, (text, outcome) in enumerate(zip(side.texts, supported, strict=True), 1):
        about = f"{kind}:{n}"
        found += [(about, "claim", (1.0, text)), (about, "supported", outcome)]
        if agreed is not None:
            found.append((about, aspect, agreed[n - 1]))
    return found
