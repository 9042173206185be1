"""Cosines of embeddings: of an answer with its references, of the question with those that the answer would answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from neraca.errors import MissingExtra, ModelError, SpecError
from neraca.judges.concurrent import concurrently
from neraca.judges.judge import JUDGES
from neraca.judges.llm import whole
from neraca.judges.outcome import Outcome, unscored
from neraca.judges.prompt import language_of
from neraca.languages import languages
from neraca.models.embed import DEFAULT, Embedder, check_default, make_embedder
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict
from neraca.settings import read_settings

#: An embedder's name or all of its settings; None: the default one; `none`: no embedder.
Embed = str | dict[str, Any] | None
NONE = "none"
MakeEmbedder = Callable[[Embed, ModelSession], Embedder]


def embedder_of(embed: Embed, session: ModelSession) -> Embedder:
    """Make the embedder of this name or these settings, with the session's cache and limits."""
    return make_embedder(embed if isinstance(embed, dict) else {"model": embed or DEFAULT}, session)


def optional_embedder(embed: Embed, make: MakeEmbedder, session: ModelSession) -> Embedder | None:
    """Make the embedder; None where none is wanted, or where the default one is not installed, which is noted."""
    if embed == NONE:
        return None
    try:
        return make(embed, session)
    except MissingExtra as error:
        if embed is not None:
            raise
        session.note(DEFAULT, f"{error}; without it Similarity and AnswerRelevance get no verdicts")
        return None


def note_languages(embedder: Embedder, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> None:
    """Note once which languages of the items (tag `language`) the embedder was not trained on."""
    strange = {code for item, _ in pairs if (code := language_of(item))} - embedder.languages
    if strange and embedder.languages:
        theirs, ours = (
            ", ".join(languages()[code].name for code in sorted(codes)) for codes in (strange, embedder.languages)
        )
        session.note(embedder.name, f"not trained on {theirs}, so check its cosines there; trained on {ours}")


async def cosines(
    embedder: Embedder, item: Item, answer: Answer, questions: Sequence[str] = (), asker: str = ""
) -> list[Verdict]:
    """Return verdicts by embeddings on one answer.

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

    embed: Embed = None


@JUDGES.register("similarity")
class Similarity:
    """Judges how near each answer is to its references, by embeddings alone.

    Parameters
    ----------
    settings
        See `SimilaritySettings`; raises `SpecError` where one is wrong, `MissingExtra` where a package is missing.
    embedder
        From the setting and a session to the embedder.
    """

    settings_type = SimilaritySettings

    def __init__(self, settings: Mapping[str, Any] | None = None, *, embedder: MakeEmbedder = embedder_of) -> None:
        self._embed = read_settings(SimilaritySettings, settings or {}, "judge similarity").embed
        if self._embed in ("", NONE):
            raise SpecError(f"judge similarity needs an embedder, such as embed = {DEFAULT!r}")
        if self._embed is None:
            check_default()
        self._make = embedder
        name = self._embed.get("model", "") if isinstance(self._embed, dict) else self._embed
        self.by = f"embed:{name or DEFAULT}"

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield one verdict for each answer that has a reference."""
        embedder, judged = self._make(self._embed, session), whole(pairs)
        note_languages(embedder, judged, session)
        return concurrently(judged, lambda pair: cosines(embedder, *pair), session)
