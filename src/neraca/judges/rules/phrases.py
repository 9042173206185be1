"""Find phrases in texts, and group synonyms, regardless of case and accents."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

SPACELESS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"  # Thai … Han: no spaces


def fold(text: str) -> str:
    """Remove case, accents and surplus white space (NFKD without nonspacing marks, casefold).

    >>> fold("  Jalan  Perintis KÉMERDEKAAN ")
    'jalan perintis kemerdekaan'
    """
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in decomposed if unicodedata.category(letter) != "Mn")
    return " ".join(text.casefold().split())


def bare(phrase: str) -> str:
    """Return a folded phrase without the spaces, hyphens and underscores around it."""
    return fold(phrase).strip(" _-")


class Phrases:
    """Finds the first of several phrases in folded text, as whole words.

    A phrase is a whole word if no letter or digit touches it: `ac` is not in `acara`, `kim` not in `kimia`; its
    words may be joined by spaces, hyphens or underscores.  Scripts written without spaces (Chinese, Japanese, Thai,
    Lao, Khmer, Burmese) have no such edges and match anywhere.

    No phrase may be empty (see `bare`).

    >>> Phrases(["ac", "kolam renang"]).first(fold("Acara di Kolam-renang"))
    'kolam-renang'
    >>> Phrases(["ac"]).first("acara") is None
    True
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        folded = sorted({bare(phrase) for phrase in phrases}, key=lambda phrase: (-len(phrase), phrase))
        self._pattern = re.compile("|".join(_whole_word_pattern(phrase) for phrase in folded))
        # Almost no text has any of the phrases, and `in` finds that out ten times faster than the pattern.
        self._probes = [max(re.split(r"[\s_-]+", phrase), key=len) for phrase in folded]

    def first(self, folded: str) -> str | None:
        """Return the leftmost phrase as it is written in the text, or None."""
        for probe in self._probes:
            if probe in folded:
                match = self._pattern.search(folded)
                return match.group() if match else None
        return None


def _whole_word_pattern(phrase: str) -> str:
    inside = r"[\s_-]+".join(re.escape(word) for word in re.split(r"[\s_-]+", phrase))
    before = "" if re.match(f"[{SPACELESS}]", phrase) else r"(?<![^\W_])"
    after = "" if re.search(f"[{SPACELESS}]$", phrase) else r"(?![^\W_])"
    return f"{before}{inside}{after}"


class Synonyms:
    """Groups of words with the same meaning; a word may be in several groups, which do not merge.

    >>> same = Synonyms({"house": ["rumah", "home"]})
    >>> sorted(same.of("Rumah")), sorted(same.of("villa"))
    (['home', 'house', 'rumah'], ['villa'])
    """

    def __init__(self, groups: Mapping[str, Iterable[str]]) -> None:
        self._groups: dict[str, set[str]] = {}
        for canonical, words in groups.items():
            group = {fold(canonical), *map(fold, words)}
            for word in group:
                self._groups.setdefault(word, set()).update(group)

    def of(self, word: str) -> set[str]:
        """Return the folded word and all words that share a group with it."""
        folded = fold(word)
        return self._groups.get(folded, {folded})
