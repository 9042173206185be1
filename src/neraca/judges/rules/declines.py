"""The judge `declines` finds answers that say that they cannot answer, by phrases and without a model.

It is only a screen: it knows the phrases of `declines.toml` in four languages, and no long answer declines.  A model
(the judge `claims`) or a person decides better, and overrules it.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

import msgspec

from neraca.judges.judge import JUDGES
from neraca.judges.keywords import settings_as_keywords
from neraca.judges.outcome import Outcome
from neraca.judges.rules.phrases import Phrases, fold
from neraca.judges.silent_answers import silent_answers
from neraca.models.model_session import ModelSession
from neraca.records import Answer, Item, Verdict
from neraca.settings import read_settings

_APOSTROPHES = str.maketrans("’‘ʼ`´", "'''''")


class DeclinesSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings from the table `[judges.declines]`: further phrases, and the most words of an answer that declines."""

    phrases: list[str] = []
    words: int = 60


@functools.cache
def shipped_phrases() -> tuple[str, ...]:
    """Return the phrases of all languages."""
    text = (files("neraca.judges.rules") / "declines.toml").read_text(encoding="utf-8")
    return tuple(phrase for phrases in tomllib.loads(text).values() for phrase in phrases)


@JUDGES.register("declines")
class DeclinesJudge:
    """Gives each answer that can be read the verdict `declines`: 1 if it says that it cannot answer, else 0.

    A complete answer that says nothing (`silent_answers`) declines.  An answer of more than `words` words does not,
    because it says more than that.  The verdicts are by `phrases`; verdicts by people and models take precedence.

    >>> from neraca.records import Answer, Item
    >>> pair = Item(id="1", query="?"), Answer(item="1", text="Maaf, saya tidak tahu.")
    >>> [(verdict.value, verdict.why) for verdict in DeclinesJudge({}).judge([pair])]
    [(1.0, 'it says "saya tidak tahu"')]
    """

    by = "phrases"
    settings_type = DeclinesSettings

    @settings_as_keywords(DeclinesSettings)
    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        options = read_settings(DeclinesSettings, settings or {}, "judge declines")
        self._words = options.words
        self._phrases = Phrases([phrase.translate(_APOSTROPHES) for phrase in (*shipped_phrases(), *options.phrases)])

    def judge(self, pairs: Sequence[tuple[Item, Answer]], session: ModelSession | None = None) -> Iterator[Verdict]:
        """Yield a verdict on each answer that can be read, in the order of the pairs."""
        answers = [answer for _, answer in pairs]
        for answer, silent in zip(answers, silent_answers(answers), strict=True):
            if answer.replied:
                yield self._outcome(answer, silent).on(answer, "answer", "declines", self.by)

    def _outcome(self, answer: Answer, silent: bool) -> Outcome:
        if not answer.text.strip():
            return Outcome(1.0, "the answer is empty") if silent else Outcome(0.0, "it returns hits")
        if (n := len(answer.text.split())) > self._words:
            return Outcome(0.0, f"it has {n} words, more than {self._words}")
        phrase = self._phrases.first(fold(answer.text.translate(_APOSTROPHES)))
        return Outcome(1.0, f'it says "{phrase}"') if phrase else Outcome(0.0, "it says nothing of the kind")
