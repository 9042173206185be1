"""Turns of a run with their day, and the groups whose shares may change: the mix of questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from neraca.categorical import Categorical
from neraca.comparisons.time_buckets import NO_DAY, day_of
from neraca.errors import InputError
from neraca.language_detection import Detected, find_language
from neraca.records import Answer
from neraca.runs.run import Run
from neraca.unicode_words import unicode_words

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
#: Tags of questions whose mix is always looked at.
CATEGORY, LANGUAGE = "category", "language"
LENGTH, ANSWERED = "words of question", "answered"
#: The language of more turns is not detected, because that takes half a millisecond for each.
MOST_DETECTED = 20_000
UNCLEAR = "unclear"


@dataclass(frozen=True, eq=False)
class TurnsInTime:
    """The turns of a run in the order of its questions.

    Attributes
    ----------
    days
        Shape (n,): the number of each turn's day, as `date.toordinal`; `NO_DAY` without an answer or a time.
    words
        Shape (n,): the number of words of each question.
    answered
        Shape (n,): whether there is an answer with words.
    lacking, untimed
        The numbers of questions without an answer, and of answers without a time that can be read.
    run
        The run.
    """

    days: Ints
    words: Ints
    answered: Bools
    lacking: int
    untimed: int
    run: Run

    @classmethod
    def of(cls, run: Run) -> TurnsInTime:
        """Read the times of a run's answers; of several trials the first one counts.

        Raise `InputError` if no answer has a time.
        """
        places = {name: place for place, name in enumerate(run.item_ids)}
        days, answered, seen = np.full(len(places), NO_DAY), np.zeros(len(places), bool), np.zeros(len(places), bool)
        for (name, _), answer in sorted_by_trial(run):
            place = places[name]
            if not seen[place]:
                seen[place] = True
                days[place], answered[place] = day_of(answer.at), bool(answer.replied and answer.text.strip())
        if not (days != NO_DAY).any():
            raise InputError(
                f"{run.path}: no answer has a time, so nothing can be said about drift. `neraca traces` records the "
                "times of turns, and `neraca ask` those of answers; in a file of answers it is the field `at`"
            )
        words = np.array([len(unicode_words(item.query)) for item in run.items], dtype=np.int64)
        untimed = int((seen & (days == NO_DAY)).sum())
        return cls(days, words, answered, int((~seen).sum()), untimed, run)

    @cached_property
    def languages(self) -> Categorical | None:
        """The language of each turn's question and answer together; None if there are too many turns to detect it."""
        if len(self.days) > MOST_DETECTED:
            return None
        texts = {item.id: item.query for item in self.run.items}
        for (name, _), answer in sorted_by_trial(self.run):
            texts[name] = f"{texts[name]}\n{answer.text}"
        return Categorical.of(map(_language, texts.values()))


def sorted_by_trial(run: Run) -> Iterator[tuple[tuple[str, int], Answer]]:
    """Yield the answers of a run's questions, the first trials first."""
    item_ids, trials = set(run.item_ids), range(run.manifest.trials)
    for trial in trials:
        for key, answer in run.answers().items():
            if key[1] == trial and key[0] in item_ids:
                yield key, answer


def _language(text: str) -> str:
    language = find_language([text])
    return language.code if isinstance(language, Detected) else UNCLEAR


def lengths(words: Ints, reference: Bools) -> Categorical:
    """Return whether each question is short, of medium length or long, by the thirds of the reference, shape (n,).

    >>> words = np.array([2, 4, 6, 8, 3, 90])
    >>> column = lengths(words, np.array([True] * 4 + [False] * 2))
    >>> [column[place] for place in range(6)]
    ['≤ 4', '≤ 4', '5–6', '> 6', '≤ 4', '> 6']
    """
    low, high = np.quantile(words[reference], [1 / 3, 2 / 3], method="inverted_cdf").astype(int).tolist()
    middle = f"{low + 1}–{high}" if high > low + 1 else f"{high}"
    names = (f"≤ {low}", middle, f"> {high}")
    return Categorical.of(names[int(count > low) + int(count > high)] for count in words.tolist())
