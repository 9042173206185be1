"""Detection of the language of texts: by script and by their commonest words; unclear texts are not guessed."""

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

#: So many characters are looked at, taken evenly from all texts.
SAMPLE = 2_000_000
#: Share of the words that must be in one script, and share of the telling words that must be of one language.
CLEAR = 0.8
#: How many words of its list a language needs, how many different ones, and which share of all words.
HITS, DIFFERENT, COVERAGE = 8, 5, 0.08
#: How many words it needs that a rival does not have, and how many different ones.
TELLING, TELLING_DIFFERENT = 4, 2

#: Script → where it begins and ends.
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
#: Scripts in which one of our languages is written, and hardly any other.
_ONE = {
    **{"Greek": "el", "Armenian": "hy", "Bengali": "bn", "Gurmukhi": "pa", "Gujarati": "gu", "Tamil": "ta"},
    **{"Telugu": "te", "Kannada": "kn", "Malayalam": "ml", "Sinhala": "si", "Thai": "th", "Lao": "lo"},
    **{"Burmese": "my", "Georgian": "ka", "Hangul": "ko", "Khmer": "km", "kana": "ja", "Chinese": "zh"},
}
#: How many words that takes, if more than three: of Chinese characters alone a short Japanese text may be made, too.
_FEWEST = {"Chinese": 10}
#: Languages that cannot be told apart by their words.
_TWINS = {"hr": "sr"}
#: Share of kana from which Chinese characters are Japanese.
_KANA = 0.05


@dataclass(frozen=True)
class Detected:
    """A language that was found in texts.

    Attributes
    ----------
    code
        Two letters.
    share
        Of the common words that only it or only its nearest rival has, those that are its own; in a script that one
        language has for itself, the share of the words in that script.
    runner_up
        Code of the nearest rival, or "".
    words
        How many words that share rests on.
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
    """Why texts do not tell their language.

    Attributes
    ----------
    why
        In words, with the languages that it may be.
    candidates
        Codes of these languages, the likeliest first.
    scarce
        Whether more text of the same kind may settle it: the words are too few, and do not contradict each other.
    """

    why: str
    candidates: tuple[str, ...] = ()
    scarce: bool = False

    def __str__(self) -> str:
        names = " or ".join(f"{language_of(code).name} ({code})" for code in self.candidates)
        return f"it may be {names}, but {self.why}" if names else self.why

    @property
    def example(self) -> str:
        """A code to show in advice: the likeliest language, else Spanish."""
        return self.candidates[0] if self.candidates else "es"


def detect(texts: Iterable[str]) -> Detected:
    """Return the one language of texts, as `find_language` does.

    Raises
    ------
    SpecError
        Where there are too few words to tell, or the texts could be of two languages: names them.

    Examples
    --------
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
    """Return the one language of texts, or why it is unclear.

    The script decides where only one language uses it; else the commonest words of each language that uses it.
    Names, numbers and short answers say little.  An unknown language can be taken for a close one, as Friulian for
    Italian: read the note that names it.

    >>> find_language(["Medan"]).scarce
    True
    """
    by_script: dict[str, Counter[str]] = {}
    for word, count in _word_counts(texts).items():
        if script := _script_of(word[0]):
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
    if script in _ONE:
        if sums[script] < _FEWEST.get(script, 3):
            return Unclear(f"too few words are in its script ({sums[script]})", (_ONE[script],), scarce=True)
        return Detected(_ONE[script], share, "", sums[script])
    return _by_words(by_script[script], sums[script])


def _by_words(counts: Mapping[str, int], words: int) -> Detected | Unclear:
    """By the words that each language uses most."""
    hits = {code: sum(counts.get(word, 0) for word in known) for code, known in stop_words().items()}
    best, *rivals = (code for code, _ in _by_size(hits))
    different = sum(word in counts for word in stop_words()[best])
    if hits[best] < HITS or different < DIFFERENT or hits[best] < COVERAGE * words:
        why = f"only {hits[best]} of {words} words are common ones of a known language"
        return Unclear(why, tuple(code for code in (best, rivals[0]) if hits[code]), scarce=True)
    if best in _TWINS:
        return Unclear("these two have the same common words", (best, _TWINS[best]))
    duels = [_duel(counts, best, rival) for rival in rivals]
    if lost := next((duel for duel in duels if duel.doubtful), None):
        why = f"{lost.for_it} common words are of one alone, {lost.against} of the other"
        contradicted = any(duel.share < CLEAR and duel.against >= TELLING for duel in duels)
        return Unclear(why, (best, lost.rival), scarce=not contradicted)
    nearest = min(duels, key=lambda duel: duel.share)
    if nearest.share == 1:
        return Detected(best, 1.0, rivals[0], hits[best])
    return Detected(best, nearest.share, nearest.rival, nearest.for_it + nearest.against)


class _Duel(NamedTuple):
    """How often words occur that only one of two languages uses much."""

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


def _duel(counts: Mapping[str, int], code: str, rival: str) -> _Duel:
    own, other = stop_words()[code] - stop_words()[rival], stop_words()[rival] - stop_words()[code]
    for_it, against = (sum(counts.get(word, 0) for word in words) for words in (own, other))
    return _Duel(rival, for_it, against, sum(word in counts for word in own))


@functools.cache
def stop_words() -> dict[str, frozenset[str]]:
    """Return the commonest words of each language that shares its script with others, by its code.

    >>> "the" in stop_words()["en"]
    True
    """
    data = files("neraca").joinpath("stopwords.json").read_bytes()
    lists = msgspec.json.decode(data, type=dict[str, str])
    return {code: frozenset(_words(text)) for code, text in lists.items()}


def _words(text: str) -> list[str]:
    return [word for spelling in text.split(" ") for word in unicode_words(compared_form(spelling))]


def _word_counts(texts: Iterable[str]) -> Counter[str]:
    """How often each word stands in different texts, or in a part of them where they are long."""
    different = list(dict.fromkeys(texts))
    step = 1 + sum(map(len, different)) // SAMPLE
    spellings = Counter(spelling for text in different[::step] for spelling in text.split(" "))
    counts: Counter[str] = Counter()
    for spelling, count in spellings.items():
        for word in _words(spelling):
            counts[word] += count
    return counts


@functools.cache
def _script_of(letter: str) -> str:
    if not letter.isalpha():
        return ""
    code = ord(letter)
    spans = ((name, span) for name, known in _SCRIPTS.items() for span in known)
    return next((name for name, (first, last) in spans if first <= code <= last), "another script")


def _by_size(sums: Mapping[str, int]) -> Sequence[tuple[str, int]]:
    return sorted(sums.items(), key=lambda part: (-part[1], part[0]))
