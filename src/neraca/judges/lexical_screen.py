"""A screen without any model: the sentences of an answer, each with how much of its words some hit has.

It is there so that people can look at the least likely sentences first; it sees words and not meaning, and is no
measure of faithfulness.  The metrics OverlapSupport, OverlapStem, … say the like of a whole answer, and need no judge.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from neraca.judges.judge import JUDGES
from neraca.judges.llm import contexts_of, whole
from neraca.judges.phrases import SPACELESS, fold
from neraca.records import Answer, Item, Verdict
from neraca.sentences import sentences
from neraca.settings import read_settings

if TYPE_CHECKING:
    from neraca.models.model_session import ModelSession

_WORDS = re.compile(rf"[{SPACELESS}]|[^\W_{SPACELESS}]+")


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What stands under `[judges.offline]`: nothing."""


@JUDGES.register("offline")
class LexicalScreen:
    """Looks for the words of each sentence of an answer in its hits.

    `claim:N`, `sentence` is 1 and its `why` the sentence; `claim:N`, `overlap` is the share of its different words that
    the hit with most of them has, 0 to 1, and its `why` names that hit and the words that it lacks.  Words are compared
    without case and accents.  A sentence without words gets none; no metric of the LLM judges reads these verdicts.

    Examples
    --------
    >>> from neraca.records import Hit
    >>> answer = Answer(item="q", text="It has two floors.", hits=(Hit(id="L7", text="A house, two floors"),))
    >>> [(v.aspect, v.value, v.why) for v in LexicalScreen().judge([(Item(id="q", query="?"), answer)])]
    [('sentence', 1.0, 'It has two floors.'), ('overlap', 0.5, 'most words in L7, not there: it, has')]
    """

    by = "overlap"

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        read_settings(Settings, settings or {}, "judge offline")

    def judge(self, pairs: Sequence[tuple[Item, Answer]], account: ModelSession | None = None) -> Iterator[Verdict]:
        """Verdicts in the order of the pairs, then sentences."""
        for item, answer in whole(pairs):
            hits = {hit: set(_words(text)) for hit, text in contexts_of(answer).items()}
            said = [(text, words) for text in sentences(answer.text) if (words := list(dict.fromkeys(_words(text))))]
            for n, (text, words) in enumerate(said, 1):
                share, why = _overlap(words, hits)
                for aspect, value, reason in (("sentence", 1.0, text), ("overlap", share, why)):
                    yield Verdict(
                        item=item.id,
                        trial=answer.trial,
                        about=f"claim:{n}",
                        aspect=aspect,
                        value=value,
                        by=self.by,
                        why=reason,
                    )


def _words(text: str) -> list[str]:
    return _WORDS.findall(fold(text))


def _overlap(words: Sequence[str], hits: Mapping[str, set[str]]) -> tuple[float, str]:
    if not hits:
        return 0.0, "there is no hit with text"
    best = max(hits, key=lambda hit: len(hits[hit].intersection(words)))
    lacking = [word for word in words if word not in hits[best]]
    told = f", not there: {', '.join(lacking)}" if lacking else ""
    return 1 - len(lacking) / len(words), f"most words in {best}{told}"
