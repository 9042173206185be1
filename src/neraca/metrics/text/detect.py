"""In which language texts are: found by script and by their commonest words, and never guessed."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import NoReturn

import msgspec

from neraca.errors import SpecError
from neraca.languages import language_of
from neraca.metrics.text.tokenizer import Tokenizer

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


def detect(texts: Iterable[str]) -> Detected:
    """The one language that texts are in.

    The script decides where it is that of one language; else the commonest words of each language that is written
    in it.  Names, numbers and short answers say little: then it is better to be told.  A language that is not known
    here can be taken for one that is close to it, as Friulian for Italian: read the note that says what was found.

    Raises
    ------
    SpecError
        Where there are too few words to tell, or the texts could be of two languages: names them.

    Examples
    --------
    >>> found = detect(["La casa es de mi abuela y está en el centro de la ciudad, pero no tiene jardín."])
    >>> found.code
    'es'
    """
    reading = Tokenizer.of("word")
    counts = Counter(word for text in _sample(texts) for word in reading.words(text))
    by_script: dict[str, Counter[str]] = {}
    for word, count in counts.items():
        if script := _script_of(word[0]):
            by_script.setdefault(script, Counter())[word] = count
    sums = {script: words.total() for script, words in by_script.items()}
    if sums.get("kana", 0) > _KANA * sums.get("Chinese", 0):
        sums["kana"] += sums.pop("Chinese", 0)
    if not sums:
        raise SpecError("language=auto: the texts have no words to tell the language by; say it with --language")
    script = max(sums, key=lambda name: sums[name])
    share = sums[script] / sum(sums.values())
    if share < CLEAR:
        parts = ", ".join(f"{part / sum(sums.values()):.0%} {name}" for name, part in _by_size(sums)[:3])
        _unclear(f"the words are in several scripts ({parts}), so that each row must say its own", [])
    if script in _ONE:
        if sums[script] < _FEWEST.get(script, 3):
            _unclear(f"too few words are in its script ({sums[script]})", [_ONE[script]])
        return Detected(_ONE[script], share, "", sums[script])
    return _by_words(by_script[script], sums[script])


def _by_words(counts: Mapping[str, int], words: int) -> Detected:
    """By the words that each language uses most."""
    hits = {code: sum(counts.get(word, 0) for word in known) for code, known in stop_words().items()}
    best, *rivals = (code for code, _ in _by_size(hits))
    mine = stop_words()[best]
    different = sum(word in counts for word in mine)
    if hits[best] < HITS or different < DIFFERENT or hits[best] < COVERAGE * words:
        _unclear(
            f"only {hits[best]} of {words} words are common ones of a known language",
            [code for code in (best, rivals[0]) if hits[code]],
        )
    if best in _TWINS:
        _unclear("these two have the same common words", [best, _TWINS[best]])
    found = Detected(best, 1.0, rivals[0], hits[best])
    for rival in rivals:
        own, other = mine - stop_words()[rival], stop_words()[rival] - mine
        for_it, against = (sum(counts.get(word, 0) for word in part) for part in (own, other))
        share = for_it / max(for_it + against, 1)
        if for_it < TELLING or sum(word in counts for word in own) < TELLING_DIFFERENT or share < CLEAR:
            told = f"{for_it} common words are of one alone, {against} of the other"
            _unclear(told, [best, rival])
        if share < found.share:
            found = Detected(best, share, rival, for_it + against)
    return found


def _unclear(why: str, candidates: Sequence[str]) -> NoReturn:
    names = " or ".join(f"{language_of(code).name} ({code})" for code in candidates)
    told = f"it may be {names}, but {why}" if names else why
    example = candidates[0] if candidates else "es"
    raise SpecError(
        f"language=auto cannot tell the language: {told}; say it with --language {example}, or row by row in a "
        "column language"
    )


@functools.cache
def stop_words() -> dict[str, frozenset[str]]:
    """The commonest words of each language that shares its script with others, by its code.

    >>> "the" in stop_words()["en"]
    True
    """
    data = files("neraca.metrics.text").joinpath("stopwords.json").read_bytes()
    found = msgspec.json.decode(data, type=dict[str, str])
    return {code: frozenset(Tokenizer.of("word").words(words)) for code, words in found.items()}


@functools.cache
def _script_of(letter: str) -> str:
    if not letter.isalpha():
        return ""
    code = ord(letter)
    spans = ((name, span) for name, known in _SCRIPTS.items() for span in known)
    return next((name for name, (first, last) in spans if first <= code <= last), "another script")


def _sample(texts: Iterable[str]) -> list[str]:
    different = list(dict.fromkeys(texts))
    step = 1 + sum(map(len, different)) // SAMPLE
    return different[::step]


def _by_size(sums: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(sums.items(), key=lambda found: (-found[1], found[0]))
