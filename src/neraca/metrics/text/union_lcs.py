"""Union of the longest common subsequences of a sentence with several others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def union_lcs(sentence: Sequence[str], others: Iterable[Sequence[str]]) -> dict[str, int]:
    """Return, for each word of a sentence, the number of its places in a longest common subsequence with any other.

    Several subsequences can be longest.  The one that counts is found from the last words to the first: equal words
    belong to it; otherwise the last word of the sentence is left out, unless only leaving out the other's keeps the
    length.  rouge_score chooses so with the reference as sentence, pltrdy's `rouge` with the response.

    The places of the sentence are bits of one number (Crochemore and others 2001, Hyyrö 2004), so that n words against
    m take m steps on numbers of n bits.

    References
    ----------
    Crochemore, M., Iliopoulos, C. S., Pinzon, Y. J. and Reid, J. F. (2001). A fast and practical bit-vector algorithm
    for the longest common subsequence problem. Information Processing Letters 80(6), 279-285.
    Hyyrö, H. (2004). Bit-parallel LCS-length computation revisited. AWOCA 2004, 16-27.

    Examples
    --------
    >>> union_lcs("a b c d e".split(), ["a b f g h".split(), "a c g h e".split()])  # a b, and a c e
    {'a': 1, 'b': 1, 'c': 1, 'd': 0, 'e': 1}
    """
    places: dict[str, int] = {}
    for place, word in enumerate(sentence):
        places[word] = places.get(word, 0) | 1 << place
    whole = (1 << len(sentence)) - 1
    union = 0
    for words in others:
        if not places.keys().isdisjoint(words):
            union |= _common(places, whole, words)
    return {word: (where & union).bit_count() for word, where in places.items()}


def _common(places: Mapping[str, int], whole: int, words: Sequence[str]) -> int:
    """Return the places that belong to the common subsequence, as bits."""
    columns: list[tuple[int, int]] = []
    level, risen = whole, 0  # bits: the place does not lengthen, or lengthens, the common subsequence so far
    in_foreign_run = True  # a run of words that the sentence lacks needs one column, and none at the start
    for word in words:
        if where := places.get(word, 0):
            in_both = level & where
            level = ((level + in_both) | (level - in_both)) & whole
            risen = whole ^ level
            columns.append((where, risen))
            in_foreign_run = False
        elif not in_foreign_run:
            columns.append((0, risen))
            in_foreign_run = True
    common, below = 0, whole
    for where, risen in reversed(columns):
        top = ((where | risen) & below).bit_length()
        if not top:
            break
        last = 1 << (top - 1)
        if where & last:
            common |= last
            below = last - 1
        else:
            below = last * 2 - 1
    return common
