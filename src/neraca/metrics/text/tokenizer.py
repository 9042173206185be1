"""Tokenizers: a text read as words, such as `word+stem-articles` in a language."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from neraca.errors import SpecError, nearest
from neraca.languages import Language, code_of, language_of, stemmer_of
from neraca.metrics.text import word_splitters
from neraca.metrics.text.normalize import fold_vowelled, normal_form, plain, without_marks, without_signs
from neraca.unicode_words import ZWNJ, compared_form, number_words, unicode_words

#: How many spellings one reading remembers before it starts anew.
REMEMBERED = 500_000


#: Ways that are ours, and not those of another library.
OWN = ("word", "space")


class _Kind(NamedTuple):
    split: word_splitters.Split
    options: tuple[str, ...]
    said: str
    lowers: bool = False


_OPTIONS = ("number", "case", "marks", "plain", "fold", "stem", "maystem", "articles", "prefixes")
#: Options that take something away.
_TAKEN = ("articles", "prefixes")
#: Languages whose signs of vowels and tatweel play no part unless `+marks` says so.
WITHOUT_MARKS = ("ar", "fa")
#: Name → how it splits, what can be added or taken away, and what it is in words.
KINDS = {
    "word": _Kind(unicode_words, _OPTIONS, "Unicode words, NFKC"),
    "space": _Kind(str.split, tuple(o for o in _OPTIONS if o != "number"), "between white space, NFKC"),
    "char": _Kind(word_splitters.letters, ("nfkc", "lower"), "characters, NFC"),
    "google": _Kind(word_splitters.google, ("stem",), "a-z and 0-9, as rouge_score", lowers=True),
    "nltk": _Kind(word_splitters.lower, ("stem",), "between white space, lower case, as NLTK's METEOR", lowers=True),
    "sklearn": _Kind(word_splitters.sklearn, (), "as scikit-learn", lowers=True),
    "squad": _Kind(word_splitters.squad, (), "as SQuAD", lowers=True),
    "13a": _Kind(word_splitters.mt13a, ("lower",), "13a, as sacreBLEU"),
    "split": _Kind(str.split, ("lower",), "between white space, as str.split"),
    "chrf": _Kind(word_splitters.punctuation_apart, ("nfkc", "lower"), "punctuation apart, as chrF++, NFC"),
}
#: Readings of sacreBLEU: both texts are put into NFC first, which it leaves to its users.
COMPOSED = ("char", "chrf", "13a")
#: A word that is taken to stand in no text, between spellings that are split together.
MARK = "zq0qz"
_SPELLING = re.compile(r"([\w]+)((?:[+-][\w]+)*)")
_MARKS = "[\u064b-\u0652\u0670]*"
_MARK = re.compile("[\u064b-\u0652\u0670]")
_HALF = re.compile("[\ud800-\udfff]")


class Tokenizer:
    """A way to read texts as words; equal readings are one object, made by `Tokenizer.of`.

    A text is cut at spaces, and each of these spellings is read by itself, once however often it occurs: so a batch
    is read as fast as its vocabulary, by the same code as a single text.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    options
        The options, in canonical order.
    language
        Two-letter code or "".
    """

    def __init__(self, kind: str, options: tuple[str, ...], language: str) -> None:
        self.kind, self.options, self.language = kind, options, language
        self._steps = list(self._pipeline())
        self._words_by_spelling: dict[str, list[str]] = {}
        self._whole = self._steps[-1] is (number_words if "number" in options else KINDS[kind].split)

    @staticmethod
    def of(tokens: str, language: str = "") -> Tokenizer:
        """Read `word+stem-articles`; raises `SpecError` for what there is not.

        >>> Tokenizer.of("word-articles+stem", "english")
        Tokenizer('word+stem-articles', 'en')
        """
        return _reading(tokens, code_of(language))

    @property
    def own(self) -> bool:
        """Whether it is our own way, and not that of another library."""
        return self.kind in OWN

    @property
    def norm(self) -> str:
        """The normal form of Unicode: `nfkc`, `nfc` or `no`."""
        if self.own or "nfkc" in self.options:
            return "nfkc"
        return "nfc" if self.kind in COMPOSED else "no"

    @property
    def case(self) -> str:
        """The treatment of capitals: `lower` or `kept`."""
        lowers = "case" not in self.options if self.own else "lower" in self.options or KINDS[self.kind].lowers
        return "lower" if lowers else "kept"

    @property
    def stems(self) -> bool:
        """Whether words are stemmed: `+maystem` does it where the language has a stemmer."""
        may = "maystem" in self.options and bool(language_of(self.language).stemmer)
        return "stem" in self.options or may

    @property
    def drops_articles(self) -> bool:
        """Whether there are articles that are dropped."""
        return "articles" in self.options and bool(language_of(self.language).articles)

    @property
    def cuts_prefixes(self) -> bool:
        """Whether there are articles that are cut from the word with which they are written as one."""
        return "prefixes" in self.options and bool(language_of(self.language).prefixes)

    @property
    def folds_marks(self) -> bool:
        """Whether signs of vowels and tatweel play no part though nobody asked."""
        return self.own and self.language in WITHOUT_MARKS and "marks" not in self.options

    def __str__(self) -> str:
        return self.kind + "".join(f"{_sign(option)}{option}" for option in self.options)

    def __repr__(self) -> str:
        return f"Tokenizer({str(self)!r}, {self.language!r})"

    def words(self, text: str) -> list[str]:
        """Return the words of a text in their order.

        >>> Tokenizer.of("word+stem-articles", "es").words("Las Casas, una a una")
        ['cas', 'a']
        """
        if self._whole and text.isascii():  # splitting is the last step, and spaces split: quicker all at once
            whole: Any = text
            for step in self._steps:
                whole = step(whole)
            return whole  # type: ignore[no-any-return]
        memory, words = self._words_by_spelling, []
        for spelling in text.split(" "):
            words += memory[spelling] if spelling in memory else self.spelt(spelling)
        return words

    def spelt(self, spelling: str) -> list[str]:
        """Return the words in a text without spaces."""
        if spelling not in self._words_by_spelling:
            if len(self._words_by_spelling) >= REMEMBERED:
                self._words_by_spelling.clear()
            words: list[str] | str = spelling
            for step in self._steps:
                words = step(words)
            self._words_by_spelling[spelling] = words  # type: ignore[assignment]
        return self._words_by_spelling[spelling]

    def together(self, spellings: Sequence[str]) -> list[str] | None:
        """Return the words of many spellings in ASCII, all split at once: after `MARK` those of the first, and so on.

        None where they must be read one by one with `spelt`: one is not ASCII, or words change after the split.

        >>> Tokenizer.of("word").together(["Red-hot", "-", "car"])
        ['zq0qz', 'red', 'hot', 'zq0qz', 'zq0qz', 'car']
        """
        text = " ".join(spellings)
        if not self._whole or self.kind == "char" or not text.isascii() or MARK in text.lower():
            return None
        words: Any = "".join([f" {MARK} {spelling}" for spelling in spellings])
        for step in self._steps:
            words = step(words)
        return words  # type: ignore[no-any-return]

    @property
    def unstemmed(self) -> Tokenizer:
        """The same without stems; itself where it makes none, or reads otherwise for them."""
        if not self.stems or self._kept_signs:
            return self
        return _reading(str(self).replace("+stem", "").replace("+maystem", ""), self.language)

    def stemmed(self, words: list[str]) -> list[str]:
        """Return the stem of each word that `unstemmed` reads.

        >>> Tokenizer.of("word+stem", "es").stemmed(["casas", "una"])
        ['cas', 'una']
        """
        return self._steps[-1](words)  # type: ignore[return-value]

    def _pipeline(self) -> list[Callable[..., list[str] | str]]:
        """Steps from a spelling to its words, each from what the one before gives."""
        kind, options, language = KINDS[self.kind], self.options, language_of(self.language)
        steps: list[Callable[..., list[str] | str]] = []
        if self.own:
            steps += [without_signs] if "plain" in options else []  # before NFKC, which turns one of them into a space
            steps.append(
                functools.partial(compared_form, case="case" in options, keep=self._kept_signs, language=self.language)
            )
            steps += [without_marks] if self.folds_marks else []
            steps += [functools.partial(fold_vowelled, language=self.language)] if "fold" in options else []
            steps += [plain] if "plain" in options else []
        else:
            steps += [normal_form(self.norm)] if self.kind in COMPOSED else []
            steps += [str.lower] if "lower" in options else []
        steps.append(number_words if "number" in options else kind.split)
        if self.own and self._kept_signs:  # alone it is no word, and without a stemmer it would not be there
            steps.append(lambda words: [word for word in words if word.strip(self._kept_signs)])
        if self.drops_articles:
            steps.append(_without_articles(language, list(steps)))
        if self.cuts_prefixes:
            steps.append(_without_prefixes(language, list(steps)))
        if self.kind in ("google", "nltk"):
            steps += [_each(_porter(self.kind))] if "stem" in options else []
        elif "stem" in options or self.stems:
            steps.append(_each(stemmer_of(self.language)))
        return steps

    @property
    def _kept_signs(self) -> str:
        """Invisible signs that are kept because Snowball's stemmer of Persian needs them."""
        return ZWNJ if self.language == "fa" and self.stems else ""


def kind_of(tokens: str) -> str:
    """The kind of reading that `word+stem-articles` begins with; "" if it is none.

    >>> kind_of("word+stem-articles"), kind_of("pltrdy")
    ('word', '')
    """
    kind = re.split("[+-]", tokens.strip(), maxsplit=1)[0]
    return kind if kind in KINDS else ""


@functools.lru_cache(maxsize=64)
def _reading(tokens: str, language: str) -> Tokenizer:
    match = _SPELLING.fullmatch(tokens.strip())
    if not match or match[1] not in KINDS:
        near = nearest(tokens.partition("+")[0].partition("-")[0], sorted(KINDS))
        more = " ".join(f"{_sign(option)}{option}" for option in _OPTIONS)
        raise SpecError(f"tokens={tokens}: no such way to read words; {near}; after word and space also {more}")
    kind, signs = match[1], re.findall(r"[+-]\w+", match[2])
    allowed = [f"{_sign(option)}{option}" for option in KINDS[kind].options]
    for option in signs:
        if option not in allowed:
            takes = ", ".join(kind + each for each in allowed) or f"{kind} alone"
            raise SpecError(f"tokens={tokens}: {kind} does not go with {option}; there are {takes}")
    options = tuple(option for option, sign in zip(KINDS[kind].options, allowed, strict=True) if sign in signs)
    reading = Tokenizer(kind, options, language)
    return reading if str(reading) == tokens else _reading(str(reading), language)


def _sign(option: str) -> str:
    return "-" if option in _TAKEN else "+"


def _each(stem: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    def stems(words: list[str]) -> list[str]:
        try:
            return list(map(stem, words))
        except UnicodeEncodeError:  # half of a surrogate pair, which JSON can hold and Snowball cannot
            return [word if _HALF.search(word) else stem(word) for word in words]

    return stems


def _written(texts: Iterable[str], steps: list[Callable[..., Any]]) -> frozenset[str]:
    """Words as the steps that read a text write them."""
    return frozenset(word for text in texts for word in functools.reduce(lambda x, step: step(x), steps, text))


def _without_articles(language: Language, steps: list[Callable[..., Any]]) -> Callable[[list[str]], list[str]]:
    """A step that drops articles that stand alone."""
    articles = _written(language.articles, steps)
    return lambda words: [word for word in words if word.lower() not in articles]


def _without_prefixes(language: Language, steps: list[Callable[..., Any]]) -> Callable[[list[str]], list[str]]:
    """A step that cuts articles off the words that begin with them; and off some that only look so."""
    whole = _written(language.whole, steps)
    starts = "|".join("".join(re.escape(letter) + _MARKS for letter in prefix) for prefix in language.prefixes)
    prefix = re.compile(rf"(?:{starts})(?=(?:\w{_MARKS}){{2}})")
    return lambda words: [
        word if _MARK.sub("", word) in whole else prefix.sub("", word, count=1) if prefix.match(word) else word
        for word in words
    ]


def _porter(kind: str) -> Callable[[str], str]:
    from neraca.metrics.text.porter import porter

    return porter if kind == "nltk" else lambda word: porter(word) if len(word) > 3 else word
