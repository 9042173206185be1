"""Find texts that are nearly the same, by the runs of words that they share."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from neraca.judges.rules.phrases import fold
from neraca.unicode_words import unicode_words

#: Words in a run, and the share of all runs of two texts that both must have.
RUN, ALIKE = 3, 0.8
#: Least hashes of each text: `BANDS` × `ROWS` of them.  Two texts are compared if all hashes of a band are equal, which
#: happens to texts that share 0.8 of their runs with the chance 1 - (1 - 0.8^4)^16 = 0.9998.
BANDS, ROWS = 16, 4
#: Texts that are hashed at once, and the most texts of a band with which each is compared.
_BLOCK, _MOST = 2_000, 8
#: Words whose hashes are kept.
_WORDS = 300_000

_Hashes = NDArray[np.uint64]
#: Odd factors and summands of the hash functions; any will do, if they are always the same.
_FACTORS, _SUMMANDS = np.random.default_rng(1997).integers(1, 2**63, (2, BANDS * ROWS), dtype=np.uint64) * 2 + 1
_OF_PLACE = _FACTORS[:RUN]


def near_duplicates(texts: Sequence[str], alike: float = ALIKE) -> list[int]:
    """Return for each text the number of the first text that is nearly the same: its own if no earlier text is.

    Two texts are nearly the same if at least the share `alike` of their runs of three words is in both (Jaccard).
    Case, accents and punctuation play no part.  Texts that may be alike are found by MinHash; the time grows with the
    length of all texts.

    References
    ----------
    Broder, A. (1997). On the resemblance and containment of documents. Compression and Complexity of Sequences, 21-29.

    Examples
    --------
    >>> near_duplicates(["You can pay by card or in cash at the desk.", "Dogs are welcome.", "dogs are welcome!"])
    [0, 1, 1]
    """
    first = list(range(len(texts)))
    hashes = _RunHashes()
    for number, others in sorted(_candidates(_bands(texts, hashes)).items()):
        runs = np.unique(hashes.runs(texts[number]))
        for other in sorted({first[other] for other in others}):
            if _shared(runs, np.unique(hashes.runs(texts[other]))) >= alike:
                first[number] = other
                break
    return first


def _shared(runs: _Hashes, others: _Hashes) -> float:
    """Return the share of all runs that both texts have."""
    common = np.intersect1d(runs, others, assume_unique=True).size
    return float(common / (len(runs) + len(others) - common))


class _RunHashes:
    """Hashes the runs of words of texts."""

    def __init__(self) -> None:
        self._words: dict[str, int] = {}

    def runs(self, text: str) -> _Hashes:
        """Return a hash for each run of words; at least one, that of the whole text."""
        if len(self._words) > _WORDS:
            self._words.clear()
        words = np.array([self._hash(word) for word in unicode_words(text)] or [crc32(text.encode())], dtype=np.uint64)
        length = min(RUN, len(words))
        number = len(words) - length + 1
        runs = np.zeros(number, dtype=np.uint64)
        for place in range(length):
            runs += words[place : place + number] * _OF_PLACE[place]
        return runs >> np.uint64(32)

    def _hash(self, word: str) -> int:
        value = self._words.get(word)
        if value is None:
            value = self._words[word] = crc32(fold(word).encode())
        return value


def _bands(texts: Sequence[str], hashes: _RunHashes) -> _Hashes:
    """Return the bands of least hashes; shape (number of texts, BANDS)."""
    bands = np.empty((len(texts), BANDS), dtype=np.uint64)
    for start in range(0, len(texts), _BLOCK):
        runs = [hashes.runs(text) for text in texts[start : start + _BLOCK]]
        starts = np.cumsum([0, *map(len, runs[:-1])])
        together = np.concatenate(runs)
        band = np.zeros(len(runs), dtype=np.uint64)
        for place, (factor, summand) in enumerate(zip(_FACTORS, _SUMMANDS, strict=True)):
            least = np.minimum.reduceat((together * factor + summand) >> np.uint64(32), starts)
            band = band * _FACTORS[0] + least
            if place % ROWS == ROWS - 1:
                bands[start : start + len(runs), place // ROWS] = band
                band = np.zeros(len(runs), dtype=np.uint64)
    return bands


def _candidates(bands: _Hashes) -> dict[int, set[int]]:
    """Return text → the earlier texts that have a band in common with it, of each band at most the first few."""
    candidates: dict[int, set[int]] = {}
    for group in (group for band in bands.T for group in _groups(band)):
        for place, number in enumerate(group[1:], 1):
            candidates.setdefault(number, set()).update(group[: min(place, _MOST)])
    return candidates


def _groups(band: _Hashes) -> Iterator[list[int]]:
    """Yield the numbers of texts with equal values, in order, where there are at least two."""
    order = np.argsort(band, kind="stable")
    ends = np.flatnonzero(np.diff(band[order], append=band[order[-1:]] + np.uint64(1)))
    start = 0
    for end in ends.tolist():
        if end > start:
            yield order[start : end + 1].tolist()
        start = end + 1
