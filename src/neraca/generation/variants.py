"""Write variants of questions, misspelt or as keywords, that share the right answers of their question."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

import msgspec

from neraca.datasets.dataset import Dataset
from neraca.errors import SpecError
from neraca.language_detection import Detected, find_language
from neraca.nearest import nearest
from neraca.records import VARIANT, VARIANT_OF, Item
from neraca.result import Table, Tabular
from neraca.translation import say
from neraca.unicode_words import unicode_words

#: The value of the tag `variant` of questions from which variants were made, and what joins their ids.
ORIGINAL, JOINT = "original", "~"
#: Words with so many letters may be misspelt: one for each of so many words.
LETTERS, WORDS = 5, 6
_WORD = re.compile(r"[^\W\d_]+")
_ENDS = "?¿!¡.,;:؟،؛ "


@dataclass(frozen=True, repr=False)
class Variants(Tabular):
    """A data set with variants.

    Attributes
    ----------
    dataset
        The questions, then the variants.  All have the tags `variant` (`original` in the questions) and `variant_of`
        (the id of the question).
    made
        Variant → the number of questions that have it.
    unchanged
        Variant → the ids of the questions in which it changes nothing, so that they do not have it.
    """

    dataset: Dataset
    made: Mapping[str, int]
    unchanged: Mapping[str, tuple[str, ...]]

    def _tables(self) -> Iterator[Table]:
        yield Table(
            ["variant", "questions that have it", "questions in which it changes nothing"],
            [[variant, f"{n:,}", f"{len(self.unchanged[variant]):,}"] for variant, n in self.made.items()],
            names=1,
        )

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each question and each variant."""
        return self.dataset.rows()


def add_variants(dataset: Dataset, variants: str, *, language: str = "", seed: int = 0) -> Variants:
    """Add variants of each question, which share its right answers; no model is asked.

    - `typo`: one word in six, at least one, is misspelt: two letters change places, or one is left out or doubled.
      Numbers and short words stay, and no misspelling is a word of another question.
    - `keywords`: words such as "I am looking for a" and the signs at the end are left out.

    The turns of a conversation become a conversation of their own.

    Parameters
    ----------
    dataset
        The questions.
    variants
        Names of variants, separated by commas.
    language
        Language of questions whose tag `language` does not say it; "": found in the questions.
    seed
        Seed of the random numbers: equal seeds give equal variants.

    Raises
    ------
    SpecError
        If there is no such variant, the questions are variants already, or no keywords are written in the language.

    Examples
    --------
    >>> import neraca
    >>> questions = neraca.read_dataset([{"id": "q1", "question": "Do you have a house with garden in Leeds?"}])
    >>> [item.query for item in neraca.add_variants(questions, "keywords", language="en").dataset]
    ['Do you have a house with garden in Leeds?', 'house garden in Leeds']
    """
    names = variant_names(variants)
    if any(VARIANT in item.tags for item in dataset):
        raise SpecError(
            say(
                "{source}: there are variants already; name the questions without",
                source=dataset.source or "the questions",
            )
        )
    items = [_tagged(item, ORIGINAL) for item in dataset]
    context = _Context.of(dataset, language, seed)
    made: dict[str, int] = {}
    unchanged: dict[str, tuple[str, ...]] = {}
    for name in names:
        same: list[str] = []
        before = len(items)
        for session in dataset.sessions():
            queries = [_WRITERS[name](item, context) for item in session]
            if all(query == item.query for query, item in zip(queries, session, strict=True)):
                same += [item.id for item in session]
                continue
            items += [_tagged(item, name, query) for item, query in zip(session, queries, strict=True)]
        made[name], unchanged[name] = len(items) - before, tuple(same)
    return Variants(replace(dataset, items=tuple(items)), made, unchanged)


def variant_names(variants: str) -> tuple[str, ...]:
    """Return the names of variants in a text, each once; raise `SpecError` if there is no such variant."""
    names = tuple(dict.fromkeys(filter(None, map(str.strip, variants.split(",")))))
    if unknown := [name for name in names if name not in _WRITERS]:
        raise SpecError(
            say(
                "--variants {variants}: there is no variant {unknown!r}; {advice}",
                variants=variants,
                unknown=unknown[0],
                advice=nearest(unknown[0], _WRITERS),
            )
        )
    return names


def _tagged(item: Item, variant: str, query: str = "") -> Item:
    """Return a question with the tags of its variant; with a text, under the id of the variant."""
    tags = {**item.tags, VARIANT: variant, VARIANT_OF: item.id}
    if variant == ORIGINAL:
        return msgspec.structs.replace(item, tags=tags)
    session = item.session and f"{item.session}{JOINT}{variant}"
    return msgspec.structs.replace(item, id=f"{item.id}{JOINT}{variant}", query=query, session=session, tags=tags)


@dataclass(frozen=True)
class _Context:
    """Facts about all questions: their words, their language ("" if unknown), and the seed."""

    words: frozenset[str]
    language: str
    seed: int

    @classmethod
    def of(cls, dataset: Dataset, language: str, seed: int) -> _Context:
        queries = [item.query for item in dataset]
        if not language:
            detected = find_language(queries)
            language = detected.code if isinstance(detected, Detected) else ""
        return cls(frozenset(word.casefold() for query in queries for word in unicode_words(query)), language, seed)


def _typo(item: Item, context: _Context) -> str:
    """Return a question with some misspelt words."""
    random = Random(f"{context.seed} {item.id}")
    places = [match.span() for match in _WORD.finditer(item.query) if len(match[0]) >= LETTERS]
    number = max(1, len(unicode_words(item.query)) // WORDS)
    text = item.query
    for start, end in sorted(random.sample(places, min(number, len(places))), reverse=True):
        word = text[start:end]
        wrong = [typed for typed in _misspellings(word) if typed.casefold() not in context.words]
        if wrong:
            text = text[:start] + random.choice(wrong) + text[end:]
    return text


def _misspellings(word: str) -> Iterator[str]:
    """Yield a word with two of its letters in each other's place, without a letter, and with a letter twice.

    >>> list(_misspellings("abc"))
    ['acb', 'ac', 'abbc', 'ab', 'abcc']
    """
    for place in range(1, len(word)):
        if place + 1 < len(word) and word[place] != word[place + 1]:
            yield word[:place] + word[place + 1] + word[place] + word[place + 2 :]
        yield word[:place] + word[place + 1 :]
        yield word[:place] + word[place] + word[place:]


def _keywords(item: Item, context: _Context) -> str:
    """Return a question without the words that people leave out."""
    language = item.tags.get("language", context.language)
    fillers = _fillers().get(language)
    if fillers is None:
        raise SpecError(
            say(
                "--variants keywords: question {id} is in {language}, and there are lists of words to leave "
                "out for {names}; say it with --language",
                id=item.id,
                language=language or "a language that is not known",
                names=", ".join(_fillers()),
            )
        )
    text = fillers.sub(lambda match: match["kept"] or " ", item.query.strip(_ENDS))
    return " ".join(text.split()).strip(_ENDS) or item.query


@cache
def _fillers() -> dict[str, re.Pattern[str]]:
    """Return language → the pattern of words to leave out; its group `kept` matches phrases that stay."""
    lists = tomllib.loads((files("neraca.generation") / "fillers.toml").read_text(encoding="utf-8"))
    return {
        code: re.compile(
            rf"(?P<kept>{_any_of(words['kept'])})|{_any_of([*words['phrases'], *words['words']])}[,;?!]?", re.IGNORECASE
        )
        for code, words in lists.items()
    }


def _any_of(texts: Sequence[str]) -> str:
    """Return the pattern of any of these words or phrases, the longest first."""
    either = "|".join(r"\s+".join(map(re.escape, text.split())) for text in sorted(texts, key=len, reverse=True))
    return rf"(?<![\w'-])(?:{either})(?![\w'-])"


_WRITERS: dict[str, Callable[[Item, _Context], str]] = {"typo": _typo, "keywords": _keywords}
