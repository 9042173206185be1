"""A screen without a model: the share of the words of each sentence of an answer that a hit also has.

People can look at the least likely sentences first.  The screen sees words and not meaning, so it does not measure
faithfulness.  The metrics OverlapSupport, OverlapStem, … measure overlap of a whole answer, and need no judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.llm.model_judge import contexts_of, judgeable
from neraca.judges.outcome import Outcome
from neraca.judges.rules.phrases import SPACELESS, fold
from neraca.records import Answer, Item, Verdict
from neraca.sentences import sentences
from neraca.settings import read_settings

if TYPE_CHECKING:
    from neraca.models.model_session import ModelSession

_WORDS = re.compile(rf"[{SPACELESS}]|[^\W_{SPACELESS}]+")


class LexicalScreenSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the judge `offline`, from the table `[judges.offline]`: none."""


@JUDGES.register("offline")
class LexicalScreenJudge:
    """Looks for the words of each sentence of an answer in its hits.

    The verdict `sentence` on `claim:N` is 1, with the sentence as its `why`.  The verdict `overlap` is the share of its
    distinct words, from 0 to 1, that the hit with most of them has; its `why` names that hit and the lacking words.
    Words are compared without case and accents.  A sentence without words gets no verdict.  No metric of the LLM judges
    reads these verdicts.

    Examples
    --------
    >>> from neraca.records import Hit
    >>> answer = Answer(item="q", text="It has two floors.", hits=(Hit(id="L7", text="A house, two floors"),))
    >>> [(v.aspect, v.value, v.why) for v in LexicalScreenJudge().judge([(Item(id="q", query="?"), answer)])]
    [('sentence', 1.0, 'It has two floors.'), ('overlap', 0.5, 'most words in L7, not there: it, has')]
    """

    by = "overlap"
    settings_type = LexicalScreenSettings

    @settings_as_keywords(LexicalScreenSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        read_settings(LexicalScreenSettings, settings or {}, "judge offline")

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession | None = None) -> Iterator[Verdict]:
        """Yield verdicts in the order of the pairs, then sentences."""
        for _, answer in judgeable(pairs):
            hits = {hit: set(_words(text)) for hit, text in contexts_of(answer).items()}
            texts = [(text, words) for text in sentences(answer.text) if (words := list(dict.fromkeys(_words(text))))]
            for n, (text, words) in enumerate(texts, 1):
                yield Outcome(1.0, text).on(answer, f"claim:{n}", "sentence", self.by)
                yield _overlap(words, hits).on(answer, f"claim:{n}", "overlap", self.by)


def _words(text: str) -> list[str]:
    return _WORDS.findall(fold(text))


def _overlap(words: Sequence[str], hits: Mapping[str, set[str]]) -> Outcome:
    if not hits:
        return Outcome(0.0, "there is no hit with text")
    best = max(hits, key=lambda hit: len(hits[hit].intersection(words)))
    lacking = [word for word in words if word not in hits[best]]
    more = f", not there: {', '.join(lacking)}" if lacking else ""
    return Outcome(1 - len(lacking) / len(words), f"most words in {best}{more}")
