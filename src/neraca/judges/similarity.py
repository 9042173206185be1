"""Cosines of embeddings: of an answer with its references, of the question with those that the answer would answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from neraca.errors import ModelError, SpecError
from neraca.judges.concurrent import concurrently
from neraca.judges.judge import JUDGES
from neraca.judges.llm import whole
from neraca.judges.outcome import Outcome, unscored
from neraca.models.embed import Embedder
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict
from neraca.settings import read_settings

#: An embedder's name, or all of its settings.
Embed = str | dict[str, Any]
MakeEmbedder = Callable[[Embed, ModelSession], Embedder]


def embedder_of(embed: Embed, session: ModelSession) -> Embedder:
    """The embedder of this name or these settings, with the session's cache and limits."""
    from neraca.models.embed import make_embedder

    return make_embedder({"model": embed} if isinstance(embed, str) else embed, session)


async def cosines(
    embedder: Embedder, item: Item, answer: Answer, questions: Sequence[str] = (), asker: str = ""
) -> list[Verdict]:
    """Verdicts by embeddings on one answer.

    Of each question n, `question:n` says how near it is to that of the item (`why` is its text); of the answer,
    `similarity` says how near it is to its nearest reference, and is 0 for an empty one.  -1 to 1.  Questions are by
    `embed:NAME#ASKER`: two judges ask different ones, and neither may take the place of the other's.

    Parameters
    ----------
    embedder
        Whose vectors are compared.
    item, answer
        What was asked and answered.
    questions
        Those that the answer would answer, as a model wrote them.
    asker
        The judge that wrote them, as in its verdicts' `by`.
    """
    by, failed = f"embed:{embedder.name}", None
    by_asked = f"{by}#{asker}" if asker else by
    references = [text for text in item.references if text.strip()]
    similar = references if answer.text.strip() else []
    asked = [(text, item.query) for text in questions] + [(answer.text, text) for text in similar]
    values: list[float] = []
    if asked:
        texts = list(dict.fromkeys(text for pair in asked for text in pair))
        try:
            vectors = dict(zip(texts, await embedder.embed(texts), strict=True))
            values = [min(1.0, max(-1.0, float(vectors[a] @ vectors[b]))) for a, b in asked]
        except ModelError as error:
            failed = unscored(error)
    found = [
        (failed or Outcome(values[n - 1], text)).on(answer, f"question:{n}", "question", by_asked)
        for n, text in enumerate(questions, 1)
    ]
    if references:
        best = max(values[len(questions) :], default=0.0)
        nearest = failed or Outcome(best, "" if similar else "the answer is empty")
        found.append(nearest.on(answer, "answer", "similarity", by))
    return found


class SimilaritySettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.similarity]`: `embed`, as in `[judges.claims]`."""

    embed: Embed = ""


@JUDGES.register("similarity")
class Similarity:
    """Judges how near each answer is to its references, by embeddings alone.

    Parameters
    ----------
    settings
        See `SimilaritySettings`; raises `SpecError` where no embedder is named.
    embedder
        From its name or settings and a session to the embedder.
    """

    settings_type = SimilaritySettings

    def __init__(self, settings: Mapping[str, Any] | None = None, *, embedder: MakeEmbedder = embedder_of) -> None:
        self._embed = read_settings(SimilaritySettings, settings or {}, "judge similarity").embed
        if not self._embed:
            raise SpecError("judge similarity needs an embedder, such as embed = 'minilm'")
        self._make = embedder
        self.by = f"embed:{self._embed if isinstance(self._embed, str) else self._embed.get('model', '')}"

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """One verdict for each answer that has a reference."""
        embedder = self._make(self._embed, session)
        return concurrently(whole(pairs), lambda pair: cosines(embedder, *pair), session)
