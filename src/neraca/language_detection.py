"""Detect the language of texts by their script and their most common words; do not guess if it is unclear."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NamedTuple

import msgspec

from neraca.errors import SpecError
from neraca.languages import language_of
from neraca.unicode_words import compared_form, unicode_words

#: Number of characters to examine, sampled evenly from all texts.
SAMPLE = 2_000_000
#: Least share of the words in one script, and of the distinguishing words in one language.
CLEAR = 0.8
#: Fewest stop words of a language, fewest different ones, and their least share of all words.
HITS, DIFFERENT, COVERAGE = 8, 5, 0.08
#: Fewest words that the language has and a rival lacks, and fewest different ones.
TELLING, TELLING_DIFFERENT = 4, 2

#: Script → ranges of its code points, both ends included.
_SCRIPTS = {
    "Latin": ((0x41, 0x24F), (0x1E00, 0x1EFF)),
    "Greek": ((0x370, 0x3FF), (0x1F00, 0x1FFF)),
    "Cyrillic": ((0x400, 0x52F),),
    "Armenian": ((0x530, 0x58F),),
    "Hebrew": ((0x590, 0x5FF),),
    "Arabic": ((0x600, 0x6FF), (0x750, 0x77F), (0x8A0, 0x8FF)),
    "Devanagari": ((0x900, 0x97F),),
    "Bengali": ((0x980, 0x9FF),),
    "Gurmukhi": ((0xA00, 0xA7F),),
    "Gujarati": ((0xA80, 0xAFF),),
    "Tamil": ((0xB80, 0xBFF),),
    "Telugu": ((0xC00, 0xC7F),),
    "Kannada": ((0xC80, 0xCFF),),
    "Malayalam": ((0xD00, 0xD7F),),
    "Sinhala": ((0xD80, 0xDFF),),
    "Thai": ((0xE00, 0xE7F),),
    "Lao": ((0xE80, 0xEFF),),
    "Burmese": ((0x1000, 0x109F),),
    "Georgian": ((0x10A0, 0x10FF),),
    "Hangul": ((0x1100, 0x11FF), (0xAC00, 0xD7AF)),
    "Khmer": ((0x1780, 0x17FF),),
    "kana": ((0x3040, 0x30FF), (0x31F0, 0x31FF)),
    "Chinese": ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF)),
}
#: Script → the one supported language that it identifies.
_LANGUAGE_OF_SCRIPT = {
    **{"Greek": "el", "Armenian": "hy", "Bengali": "bn", "Gurmukhi": "pa", "Gujarati": "gu", "Tamil": "ta"},
    **{"Telugu": "te", "Kannada": "kn", "Malayalam": "ml", "Sinhala": "si", "Thai": "th", "Lao": "lo"},
    **{"Burmese": "my", "Georgian": "ka", "Hangul": "ko", "Khmer": "km", "kana": "ja", "Chinese": "zh"},
}
#: Fewest words to identify it, if not three: a short Japanese text may consist of Chinese characters alone.
_FEWEST_WORDS = {"Chinese": 10}
#: Language → another one with the same stop words.
_TWINS = {"hr": "sr"}
#: Least ratio of kana to Chinese characters in a Japanese text.
_KANA = 0.05


@dataclass(frozen=True)
class Detected:
    """A language that was detected in texts.

    Attributes
    ----------
    code
        Its code of two letters.
    share
        Among the stop words that either it or its nearest rival has, but not both, the share of its own.  If the
        script identifies the language, the share of the words in that script.
    runner_up
        Code of the nearest rival, or "".
    words
        Number of words that the share is computed from.
    """

    code: str
    share: float
    runner_up: str
    words: int

    def __str__(self) -> str:
        rival = f", the rest of {language_of(self.runner_up).name}" if self.runner_up and self.share < 1 else ""
        kind = "common words that tell" if self.runner_up else "words in its script"
        return f"{language_of(self.code).name} ({self.code}): {self.share:.0%} of {self.words:,} {kind}{rival}"


@dataclass(frozen=True)
class Unclear:
    """The reason why the language of texts is unclear.

    Attributes
    ----------
    why
        The reason in words.
    candidates
        Codes of the possible languages, the likeliest first.
    scarce
        Whether more text of the same kind may help: the words are too few, but do not contradict each other.
    """

    why: str
    candidates: tuple[str, ...] = ()
    scarce: bool = False

    def __str__(self) -> str:
        names = " or ".join(f"{language_of(code).name} ({code})" for code in self.candidates)
        return f"it may be {names}, but {self.why}" if names else self.why

    @property
    def example(self) -> str:
        """A code to use in advice: the likeliest language, else Spanish."""
        return self.candidates[0] if self.candidates else "es"


def detect(texts: Iterable[str]) -> Detected:
    """Return the language of texts, as `find_language` does.

    Raise `SpecError` if there are too few words, or the texts could be in two languages; the message names these.

    >>> detect(["La casa es de mi abuela y está en el centro de la ciudad, pero no tiene jardín."]).code
    'es'
    """
    language = find_language(texts)
    if isinstance(language, Unclear):
        raise SpecError(
            f"language=auto cannot tell the language: {language}; say it with --language {language.example}, or row "
            "by row in a column language"
        )
    return language


def find_language(texts: Iterable[str]) -> Detected | Unclear:
    """Return the language of texts, or why it is unclear.

    If only one supported language uses the script, the script decides; else the most common words of the languages
    that use it.  Names, numbers and short answers say little.  An unsupported language can be mistaken for a similar
    one, such as Friulian for Italian: check the language that the result names.

    >>> find_language(["Medan"]).scarce
    True
    """
    by_script: dict[str, Counter[str]] = {}
    for word, count in _word_counts(texts).items():
        if script := script_of(word[0]):
            by_script.setdefault(script, Counter())[word] = count
    sums = {script: words.total() for script, words in by_script.items()}
    if sums.get("kana", 0) > _KANA * sums.get("Chinese", 0):
        sums["kana"] += sums.pop("Chinese", 0)
    if not sums:
        return Unclear("the texts have no words to tell the language by", scarce=True)
    script = max(sums, key=lambda name: sums[name])
    share = sums[script] / sum(sums.values())
    if share < CLEAR:
        parts = ", ".join(f"{part / sum(sums.values()):.0%} {name}" for name, part in _by_size(sums)[:3])
        return Unclear(f"the words are in several scripts ({parts}), so that each row must say its own")
    if script in _LANGUAGE_OF_SCRIPT:
        code = _LANGUAGE_OF_SCRIPT[script]
        if sums[script] < _FEWEST_WORDS.get(script, 3):
            return Unclear(f"too few words are in its script ({sums[script]})", (code,), scarce=True)
        return Detected(code, share, "", sums[script])
    return _by_words(by_script[script], sums[script])


def _by_words(counts: Mapping[str, int], words: int) -> Detected | Unclear:
    """Decide by the stop words of each language; `counts` is word → count, `words` the total."""
    hits = {code: sum(counts.get(word, 0) for word in listed) for code, listed in stop_words().items()}
    best, *rivals = (code for code, _ in _by_size(hits))
    different = sum(word in counts for word in stop_words()[best])
    if hits[best] < HITS or different < DIFFERENT or hits[best] < COVERAGE * words:
        why = f"only {hits[best]} of {words} words are common ones of a known language"
        return Unclear(why, tuple(code for code in (best, rivals[0]) if hits[code]), scarce=True)
    if best in _TWINS:
        return Unclear("these two have the same common words", (best, _TWINS[best]))
    comparisons = [_compare(counts, best, rival) for rival in rivals]
    if lost := next((comparison for comparison in comparisons if comparison.doubtful), None):
        why = f"{lost.for_it} common words are of one alone, {lost.against} of the other"
        contradicted = any(comparison.share < CLEAR and comparison.against >= TELLING for comparison in comparisons)
        return Unclear(why, (best, lost.rival), scarce=not contradicted)
    nearest = min(comparisons, key=lambda comparison: comparison.share)
    if nearest.share == 1:
        return Detected(best, 1.0, rivals[0], hits[best])
    return Detected(best, nearest.share, nearest.rival, nearest.for_it + nearest.against)


class _Comparison(NamedTuple):
    """The counts of the stop words that only one of two languages has.

    `for_it` counts words of the language, `against` words of the rival, `different` the language's distinct words.
    """

    rival: str
    for_it: int
    against: int
    different: int

    @property
    def share(self) -> float:
        return self.for_it / max(self.for_it + self.against, 1)

    @property
    def doubtful(self) -> bool:
        return self.for_it < TELLING or self.different < TELLING_DIFFERENT or self.share < CLEAR


def _compare(counts: Mapping[str, int], code: str, rival: str) -> _Comparison:
    only_code, only_rival = stop_words()[code] - stop_words()[rival], stop_words()[rival] - stop_words()[code]
    for_it, against = (sum(counts.get(word, 0) for word in words) for words in (only_code, only_rival))
    return _Comparison(rival, for_it, against, sum(word in counts for word in only_code))


@functools.cache
def stop_words() -> dict[str, frozenset[str]]:
    """Return code → stop words of each language that shares its script with others.

    >>> "the" in stop_words()["en"]
    True
    """
    data = files("neraca").joinpath("stopwords.json").read_bytes()
    lists = msgspec.json.decode(data, type=dict[str, str])
    return {code: frozenset(_words_of(text)) for code, text in lists.items()}


def _words_of(text: str) -> list[str]:
    return [word for spelling in text.split(" ") for word in unicode_words(compared_form(spelling))]


def _word_counts(texts: Iterable[str]) -> Counter[str]:
    """Count each word in the distinct texts; if they are long, in an even sample of them."""
    distinct = list(dict.fromkeys(texts))
    step = 1 + sum(map(len, distinct)) // SAMPLE
    spellings = Counter(spelling for text in distinct[::step] for spelling in text.split(" "))
    counts: Counter[str] = Counter()
    for spelling, count in spellings.items():
        for word in _words_of(spelling):
            counts[word] += count
    return counts


@functools.cache
def script_of(letter: str) -> str:
    """Return the name of the script of a letter; "" if it is none.

    >>> script_of("a"), script_of("ض"), script_of("1")
    ('Latin', 'Arabic', '')
    """
    if not letter.isalpha():
        return ""
    code = ord(letter)
    spans = ((name, span) for name, ranges in _SCRIPTS.items() for span in ranges)
    return next((name for name, (first, last) in spans if first <= code <= last), "another script")


def _by_size(sums: Mapping[str, int]) -> Sequence[tuple[str, int]]:
    return sorted(sums.items(), key=lambda part: (-part[1], part[0]))
