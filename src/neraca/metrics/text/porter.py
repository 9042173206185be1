"""Porter's stemmer of English words with NLTK's extensions, to reproduce the numbers of other libraries.

Snowball's `english` (`tokens=word+stem`) is a later and better algorithm of the same author.
"""

from __future__ import annotations

#: Irregular words → stems; the rules would separate these forms, or unite them with other words.
_IRREGULAR = {
    **dict.fromkeys(("sky", "skies"), "sky"),
    **{"dying": "die", "lying": "lie", "tying": "tie"},
    **dict.fromkeys(("inning", "innings"), "inning"),
    **dict.fromkeys(("outing", "outings"), "outing"),
    **dict.fromkeys(("canning", "cannings"), "canning"),
    **{word: word for word in ("news", "howe", "proceed", "exceed", "succeed")},
}
_STEP_2 = (
    *(("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble")),
    *(("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate")),
    *(("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al")),
    *(("iviti", "ive"), ("biliti", "ble"), ("fulli", "ful")),
)
_STEP_3 = (
    *(("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")),
)
_STEP_4 = (
    *("al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate"),
    *("iti", "ous", "ive", "ize"),
)

_Rules = dict[str, list[tuple[str, str]]]


def _by_ending(*rules: tuple[str, str]) -> _Rules:
    """Return last two letters → suffixes with their replacements, the longest suffix first."""
    by_ending: _Rules = {}
    for suffix, replacement in sorted(rules, key=lambda rule: -len(rule[0])):
        by_ending.setdefault(suffix[-2:], []).append((suffix, replacement))
    return by_ending


_SECOND, _THIRD = _by_ending(*_STEP_2), _by_ending(*_STEP_3)
_FOURTH = _by_ending(*((suffix, "") for suffix in _STEP_4))


class _Kinds(dict[int, str]):
    """Code point → `v` for a vowel, `y`, or `c` for anything else."""

    def __missing__(self, code: int) -> str:
        self[code] = "c"
        return "c"


_kinds = _Kinds({ord(letter): "v" for letter in "aeiou"} | {ord("y"): "y"})


def porter(word: str) -> str:
    """Return the stem of an English word, equal to `nltk.stem.PorterStemmer().stem(word)`.

    The word is lower-cased.  Letters other than a-z count as consonants; words of one or two letters stay as they are.
    NLTK's extensions are a list of irregular words, `ie` kept in words of four letters (died, dies), y as i after any
    consonant (fly), and `fulli` and `logi` among the suffixes of step 2.

    References
    ----------
    Porter, M. F. (1980). An algorithm for suffix stripping. Program 14(3), 130-137.
    Loper, E. and Bird, S. (2002). NLTK: the Natural Language Toolkit. ACL Workshop on Teaching NLP.

    Examples
    --------
    >>> [porter(word) for word in ("relational", "hopping", "flies", "dies", "geology")]
    ['relat', 'hop', 'fli', 'die', 'geolog']
    """
    stem = word.lower()
    if stem in _IRREGULAR:
        return _IRREGULAR[stem]
    if len(word) <= 2:
        return stem
    stem = _without_s(stem)
    if stem.endswith(("ed", "ing")):
        stem = _without_ed_or_ing(stem)
    if len(stem) > 2 and stem[-1] == "y" and _shape(stem)[-2] == "c":
        stem = stem[:-1] + "i"
    stem = _step_2(stem)
    stem = _replaced(stem, _THIRD)
    return _step_5(_step_4(stem))


def _shape(word: str) -> str:
    """Return `c` (consonant) or `v` (vowel) for each letter; y is a vowel only after a consonant.

    >>> _shape("syzygy"), _shape("toy")
    ('cvcvcv', 'cvc')
    """
    kinds = word.translate(_kinds)
    if "y" not in kinds:
        return kinds
    letters, previous = [], "v"
    for kind in kinds:
        previous = ("v" if previous == "c" else "c") if kind == "y" else kind
        letters.append(previous)
    return "".join(letters)


def _measure(word: str) -> int:
    """Return Porter's m: the number of places where a consonant follows a vowel.

    >>> [_measure(word) for word in ("tree", "trouble", "private")]
    [0, 1, 2]
    """
    return _shape(word).count("vc")


def _is_short(word: str) -> bool:
    """Return Porter's *o: whether a word ends as `hop`, so that the e of `hope` must stay; NLTK adds `up`."""
    shape = _shape(word)
    return shape == "vc" or (shape.endswith("cvc") and word[-1] not in "wxy")


def _without_s(word: str) -> str:
    """Step 1a: plurals."""
    if not word.endswith("s") or word.endswith("ss"):
        return word
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    return word[:-2] if word.endswith("sses") else word[:-1]


def _without_ed_or_ing(word: str) -> str:
    """Step 1b: remove `ed` or `ing`, and restore an e that was dropped before it."""
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) else word
    stem = word[:-2] if word.endswith("ed") else word[:-3]
    shape = _shape(stem)
    if "v" not in shape:
        return word
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) > 1 and stem[-1] == stem[-2] and shape[-1] == "c":
        return stem if stem[-1] in "lsz" else stem[:-1]
    return stem + "e" if shape.count("vc") == 1 and _is_short(stem) else stem


def _replaced(word: str, rules: _Rules) -> str:
    """Replace the suffix if the stem before it has a measure of 1 or more."""
    for suffix, replacement in rules.get(word[-2:], ()):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            return stem + replacement if _measure(stem) else word
    return word


def _step_2(word: str) -> str:
    """Step 2: double suffixes; the result of `alli` is replaced again, and `logi` counts its l to the stem."""
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) else word
    stem = _replaced(word, _SECOND)
    return _replaced(stem, _SECOND) if word.endswith("alli") else stem


def _step_4(word: str) -> str:
    """Step 4: remove a suffix if the stem has a measure of 2 or more."""
    for suffix, _ in _FOURTH.get(word[-2:], ()):
        if word.endswith(suffix):
            stem = word[: -len(suffix)]
            falls = _measure(stem) > 1 and (suffix != "ion" or stem[-1] in "st")
            return stem if falls else word
    return word


def _step_5(word: str) -> str:
    """Step 5: the last e, and one l of two."""
    if word.endswith("e"):
        stem = word[:-1]
        measure = _measure(stem)
        if measure > 1 or (measure == 1 and not _is_short(stem)):
            word = stem
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
