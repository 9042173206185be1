"""Judge whether the knowledge base supports each claim of the reference: not retrieved, or not there.

It uses the claims that the judge `claims` finds (see reference_claims.py).  The passages nearest to each claim are
searched.  One call for each question then decides which passages support which claims (see context_matrix.py).  The
call does not depend on the answer, so further runs of the same questions pay nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neraca.datasets.corpus import TEXTS
from neraca.errors import ModelError, SpecError
from neraca.judges.concurrent import concurrently
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.claims import NO_REFERENCE, ClaimsSettings, ReferenceClaimsJudge
from neraca.judges.llm.context_matrix import Sides, check_matrix
from neraca.judges.llm.model_judge import MakeChat, judgeable, read_llm_settings
from neraca.judges.llm.orders import with_cautions
from neraca.judges.llm.prompt import Prompts, language_of
from neraca.judges.llm.reference_claims import ReferenceClaims, reference_of
from neraca.judges.outcome import Outcome, unscored
from neraca.judges.passage_search import CorpusSource, PassageIndex, PassageSearch
from neraca.judges.similarity import MakeEmbedder, embedder_of
from neraca.models.chat import Chat
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict

PROMPTS = ("context_matrix", "reference_claims")
WITHOUT_EMBEDDER = "passages are found by their words alone"
#: Most unread files that the note names.
_MOST_NAMED = 5


class CorpusSettings(ClaimsSettings, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `corpus`, from the table `[judges.corpus]`, besides the settings of `claims`.

    Attributes
    ----------
    corpus
        The knowledge base: a folder of texts, a table, or a BEIR folder; see `neraca.datasets.corpus.Corpus`.
    text_column, id_column, encoding
        Columns of a table and encoding of texts; "": detected.
    passages
        Number of passages nearest to a claim that the model is shown.
    size
        Most words of a passage.
    """

    corpus: str = ""
    text_column: str = ""
    id_column: str = ""
    encoding: str = ""
    passages: int = 10
    size: int = 100

    @property
    def source(self) -> CorpusSource:
        """The location of the corpus and the options for reading it."""
        return CorpusSource(self.corpus, self.text_column, self.id_column, self.encoding, self.size)


@JUDGES.register("corpus")
class CorpusJudge(ReferenceClaimsJudge[CorpusSettings]):
    """Judges for each claim of a reference whether some document of the knowledge base supports it.

    Verdicts: `answer`, `corpus_claims`: the number of claims of the reference; `reference:N`, `in_corpus`: 1 if a
    passage supports the claim, 0 if none of the nearest passages does.  The why names the documents and the claim.  The
    text of the answer does not matter.  Verdicts that need a failed call are `unscored`.
    """

    settings_type = CorpusSettings

    @settings_as_keywords(CorpusSettings)
    def __init__(
        self,
        settings: Mapping[str, Any] | None = None,
        *,
        chat: MakeChat = Chat,
        embedder: MakeEmbedder = embedder_of,
    ) -> None:
        options = read_llm_settings(CorpusSettings, settings, "judge corpus")
        if not options.corpus:
            raise SpecError("judge corpus needs the knowledge base: --corpus FOLDER, or in a study corpus = 'FOLDER'")
        for name in ("passages", "size"):
            if getattr(options, name) < 1:
                raise SpecError(f"judge corpus: {name} is at least 1, not {getattr(options, name)}")
        options.source.corpus()  # a missing corpus is an error before any call
        super().__init__(options, PROMPTS, chat, embedder)

    def note(self, pairs: Sequence[tuple[Item, Answer]]) -> str:
        """Return a note on the size of the corpus and its files that are not read."""
        source = self._settings.source
        index, skipped = source.index(), source.corpus().skipped
        size = f"{index.count:,} document{'' if index.count == 1 else 's'} in {len(index.texts):,} passages"
        return f"{self._settings.corpus}: {size} of at most {self._settings.size} words{_not_read(skipped)}"

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield verdicts answer by answer, in the order in which answers are finished."""
        judged, index = judgeable(pairs), self._settings.source.index()
        chat, claims, embedder = self._open_models(judged, session, WITHOUT_EMBEDDER)
        search = PassageSearch(index, embedder, session, self._settings.passages)
        work = _Work(self.by, self._settings, self._prompts, chat, claims, index, search)
        return concurrently(judged, work.judge, session)


@dataclass(frozen=True)
class _Work:
    """The work on each answer."""

    by: str
    settings: CorpusSettings
    prompts: Prompts
    chat: Chat
    references: ReferenceClaims
    index: PassageIndex
    search: PassageSearch

    async def judge(self, pair: tuple[Item, Answer]) -> list[Verdict]:
        """Return the verdicts on the reference of one answer's question."""
        item, answer = pair
        reference, claims = reference_of(item), list[str]()
        claim_count = NO_REFERENCE
        if reference is not None:
            try:
                claims = list(await self.references.of(reference))
                claim_count = Outcome(len(claims))
            except ModelError as error:
                claim_count = unscored(error)
        outcomes, passages = await self._look_up(item, claims) if claims else ([], [])
        verdicts = [
            claim_count.on(answer, "answer", "corpus_claims", self.by),
            *(outcome.on(answer, f"reference:{n}", "in_corpus", self.by) for n, outcome in enumerate(outcomes, 1)),
        ]
        return with_cautions(verdicts, [*item.references, *passages])

    async def _look_up(self, item: Item, claims: Sequence[str]) -> tuple[list[Outcome], list[str]]:
        """Return for each claim whether a passage supports it, and the passages that were read."""
        try:
            nearest = await self.search.nearest(claims)
        except ModelError as error:
            return [unscored(error)] * len(claims), []
        passages = {str(number): self.index.texts[number] for numbers in nearest for number in numbers}
        sides = Sides(question=item.query, claims=(), reference=claims, contexts=passages)
        template, settings = self.prompts.of("context_matrix", language_of(item)), self.settings
        matrix = await check_matrix(self.chat, template, sides, seed=settings.seed, words=settings.words, useful=False)
        outcomes = []
        for n, claim in enumerate(claims, 1):
            row = matrix.rows[f"r{n}"]
            documents = dict.fromkeys(self.index.documents[number] for number in sorted(map(int, row.hits)))
            if row.supported.value is None:
                outcomes.append(row.supported)
            elif documents:
                outcomes.append(Outcome(1.0, f"{', '.join(documents)}: {claim}"))
            else:
                outcomes.append(Outcome(0.0, f"in none of the {len(passages)} nearest passages: {claim}"))
        return outcomes, list(passages.values())


def _not_read(skipped: Sequence[Path]) -> str:
    """Return the part of the note on files that are not read; "" if all are."""
    if not skipped:
        return ""
    more = len(skipped) - _MOST_NAMED
    names = ", ".join(file.name for file in skipped[:_MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    return f"; not read: {names} (only {' '.join(TEXTS)} are)"
