"""Tokenizers: ways to read a text as words, such as `word+stem-articles` in a language."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from neraca.errors import SpecError
from neraca.languages import Language, code_of, language_of, stemmer_of
from neraca.metrics.text import word_splitters
from neraca.metrics.text.normalize import fold_vowelled, normal_form, plain, without_marks, without_signs
from neraca.nearest import nearest
from neraca.unicode_words import ZWNJ, compared_form, number_words, unicode_words

#: The kinds that do not reproduce another library.
OWN = ("word", "space")


class _Kind(NamedTuple):
    split: word_splitters.Split
    options: tuple[str, ...]
    description: str
    lowers: bool = False


_OPTIONS = ("number", "case", "marks", "plain", "fold", "stem", "maystem", "articles", "prefixes")
#: Options that are written with a minus.
_MINUS = ("articles", "prefixes")
#: Languages whose signs of vowels and tatweel are ignored, except with `+marks`.
WITHOUT_MARKS = ("ar", "fa")
#: Name → how it splits, its options, and its description.
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
#: Kinds of sacreBLEU; texts are first converted to NFC, which sacreBLEU leaves to its users.
COMPOSED = ("char", "chrf", "13a")
#: A word that is assumed to occur in no text; it separates spellings that are split together.
MARK = "zq0qz"
_SPELLING = re.compile(r"([\w]+)((?:[+-][\w]+)*)")
_MARKS = "[\u064b-\u0652\u0670]*"
_MARK = re.compile("[\u064b-\u0652\u0670]")
_HALF = re.compile("[\ud800-\udfff]")


class Tokenizer:
    """A way to read texts as words; equal tokenizers are one object, made by `Tokenizer.of`.

    A text is cut at spaces, and each different spelling is read once.

    Attributes
    ----------
    kind
        A key of `KINDS`.
    options
        The options, in canonical order.
    language
        Two-letter code or "".
    """

    #: The cache of spellings is cleared at this size.
    most_spellings = 500_000

    def __init__(self, kind: str, options: tuple[str, ...], language: str) -> None:
        self.kind, self.options, self.language = kind, options, language
        self._steps = list(self._pipeline())
        self._words_by_spelling: dict[str, list[str]] = {}
        self._whole = self._steps[-1] is (number_words if "number" in options else KINDS[kind].split)

    @staticmethod
    def of(tokens: str, language: str = "") -> Tokenizer:
        """Return the tokenizer of a name such as `word+stem-articles`; raise `SpecError` for an unknown name.

        >>> Tokenizer.of("word-articles+stem", "english")
        Tokenizer('word+stem-articles', 'en')
        """
        return _reading(tokens, code_of(language))

    @property
    def own(self) -> bool:
        """Whether it is Neraca's own, and does not reproduce another library."""
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
        """Whether words are stemmed; `+maystem` does it if the language has a stemmer."""
        may = "maystem" in self.options and bool(language_of(self.language).stemmer)
        return "stem" in self.options or may

    @property
    def drops_articles(self) -> bool:
        """Whether articles are dropped."""
        return "articles" in self.options and bool(language_of(self.language).articles)

    @property
    def cuts_prefixes(self) -> bool:
        """Whether articles that are written as prefixes are cut off."""
        return "prefixes" in self.options and bool(language_of(self.language).prefixes)

    @property
    def folds_marks(self) -> bool:
        """Whether signs of vowels and tatweel are ignored by default."""
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
        if self._whole and text.isascii():  # splitting is the last step, so the text can be split at once
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
            if len(self._words_by_spelling) >= self.most_spellings:
                self._words_by_spelling.clear()
            words: list[str] | str = spelling
            for step in self._steps:
                words = step(words)
            self._words_by_spelling[spelling] = words  # type: ignore[assignment]
        return self._words_by_spelling[spelling]

    def together(self, spellings: Sequence[str]) -> list[str] | None:
        """Split many ASCII spellings at once, and return their words, with `MARK` before each spelling's words.

        None if `spelt` must read them one by one, because one is not ASCII or words change after the split.

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
        """The same tokenizer without stems; itself if it makes none, or keeps signs for them."""
        if not self.stems or self._kept_signs:
            return self
        return _reading(str(self).replace("+stem", "").replace("+maystem", ""), self.language)

    def stemmed(self, words: list[str]) -> list[str]:
        """Return the stem of each word from `unstemmed`.

        >>> Tokenizer.of("word+stem", "es").stemmed(["casas", "una"])
        ['cas', 'una']
        """
        return self._steps[-1](words)  # type: ignore[return-value]

    def _pipeline(self) -> list[Callable[..., list[str] | str]]:
        """Return the steps from a spelling to its words."""
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
        if self.own and self._kept_signs:  # a sign alone is no word
            steps.append(lambda words: [word for word in words if word.strip(self._kept_signs)])
        if self.drops_articles:
            steps.append(_without_articles(language, list(steps)))
        if self.cuts_prefixes:
            steps.append(_without_prefixes(language, list(steps)))
        if self.kind in ("google", "nltk"):
            steps += [_stem_all(_porter(self.kind))] if "stem" in options else []
        elif "stem" in options or self.stems:
            steps.append(_stem_all(stemmer_of(self.language)))
        return steps

    @property
    def _kept_signs(self) -> str:
        """Invisible signs that Snowball's stemmer of Persian needs."""
        return ZWNJ if self.language == "fa" and self.stems else ""


def kind_of(tokens: str) -> str:
    """Return the kind at the beginning of a name such as `word+stem-articles`, or "".

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
            takes = ", ".join(kind + option_name for option_name in allowed) or f"{kind} alone"
            raise SpecError(f"tokens={tokens}: {kind} does not go with {option}; there are {takes}")
    options = tuple(option for option, sign in zip(KINDS[kind].options, allowed, strict=True) if sign in signs)
    reading = Tokenizer(kind, options, language)
    return reading if str(reading) == tokens else _reading(str(reading), language)


def _sign(option: str) -> str:
    return "-" if option in _MINUS else "+"


def _stem_all(stem: Callable[[str], str]) -> Callable[[list[str]], list[str]]:
    """Return a step that stems each word."""

    def stems(words: list[str]) -> list[str]:
        try:
            return list(map(stem, words))
        except UnicodeEncodeError:  # half of a surrogate pair, which JSON can hold and Snowball cannot
            return [word if _HALF.search(word) else stem(word) for word in words]

    return stems


def _tokenized(texts: Iterable[str], steps: list[Callable[..., Any]]) -> frozenset[str]:
    """Return the words that these steps read in some texts."""
    return frozenset(word for text in texts for word in functools.reduce(lambda x, step: step(x), steps, text))


def _without_articles(language: Language, steps: list[Callable[..., Any]]) -> Callable[[list[str]], list[str]]:
    """Return a step that drops articles that are words."""
    articles = _tokenized(language.articles, steps)
    return lambda words: [word for word in words if word.lower() not in articles]


def _without_prefixes(language: Language, steps: list[Callable[..., Any]]) -> Callable[[list[str]], list[str]]:
    """Return a step that cuts articles off words that begin with them, also off some that only seem to."""
    whole = _tokenized(language.whole, steps)
    starts = "|".join("".join(re.escape(letter) + _MARKS for letter in prefix) for prefix in language.prefixes)
    prefix = re.compile(rf"(?:{starts})(?=(?:\w{_MARKS}){{2}})")
    return lambda words: [
        word if _MARK.sub("", word) in whole else prefix.sub("", word, count=1) if prefix.match(word) else word
        for word in words
    ]


def _porter(kind: str) -> Callable[[str], str]:
    from neraca.metrics.text.porter import porter

    return porter if kind == "nltk" else lambda word: porter(word) if len(word) > 3 else word
