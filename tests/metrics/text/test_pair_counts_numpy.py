"""Counts of many pairs in numpy: the same as of single pairs in plain Python, whatever the texts are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics.text import ngram_counts
from neraca.metrics.text.encoded_texts import EncodedTexts
from neraca.metrics.text.pair_counts_numpy import NumpyPairCounts
from neraca.metrics.text.pair_counts_python import PythonPairCounts


@dataclass
class Both:
    """The same pairs in both engines, and with each word cut to its first letter as its stem."""

    single: list[PythonPairCounts]
    many: NumpyPairCounts
    single_stems: list[PythonPairCounts]
    many_stems: NumpyPairCounts

    @classmethod
    def of(cls, texts: Sequence[Sequence[str]], pairs: Sequence[tuple[int, int, int]], n: int) -> Both:
        """From texts as words, and pairs of response, reference and row of the answer."""
        columns = [[pair[place] for pair in pairs] for place in range(3)]
        stems = [[word[:1] for word in text] for text in texts]
        engines = []
        for words in (texts, stems):
            engines += [
                [PythonPairCounts(words[response], words[reference]) for response, reference, _ in pairs],
                NumpyPairCounts.of(numbered(words), *columns, n, True),
            ]
        return cls(*engines)

    def clipped(self, n: int) -> list[float]:
        """Matches of each answer with all its references, run by run."""
        runs = [[tuple(words[at : at + n]) for at in range(len(words) - n + 1)] for words in map(list, self.words())]
        clipped = [0.0] * self.many.n
        for row in set(self.many.owner.tolist()):
            places = np.flatnonzero(self.many.owner == row).tolist()
            response, most = Counter(runs[2 * places[0]]), Counter[tuple[str, ...]]()
            for place in places:
                most |= Counter(runs[2 * place + 1])
            clipped[row] = float((response & most).total())
        return clipped

    def words(self) -> Iterator[Sequence[str]]:
        for pair in self.single:
            yield from (pair.ours, pair.theirs)


def numbered(texts: Sequence[Sequence[str]]) -> EncodedTexts:
    number: dict[str, int] = {}
    ids = [number.setdefault(word, len(number)) for text in texts for word in text]
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    return EncodedTexts(np.array(ids, np.int32), starts, list(number))


def check(both: Both, orders: Sequence[int] = (2, 1, 4, 3, 7, 5)) -> None:
    single, big = both.single, both.many
    for n in orders:
        equal([pair.matches(n) for pair in single], big.matches(n))
        equal(both.clipped(n), big.clipped(n))
    for name in ("response", "reference", "same", "lcs", "edits"):
        equal([getattr(pair, name) for pair in single], getattr(big, name))
    idf = {word: 1 + len(word) / (1 + place) for place, word in enumerate(big.tokens.vocabulary)}
    for weights in (None, idf):
        equal([pair.cosine(weights) for pair in single], big.cosine(weights))
    letters = sorted({word[:1] for word in idf})
    meanings = {word: {other for other in idf if other[-1:] == word[-1:]} for word in sorted(idf)[::2]}
    for synonyms in (None, {}, meanings):
        aligned = [pair.aligned(None, synonyms) for pair in single]
        equal(np.array(aligned).reshape(-1, 2).T, big.aligned(None, synonyms))
    for synonyms in (None, {letter: set(letters[:3]) for letter in letters[::2]}):
        aligned = [pair.aligned(stems, synonyms) for pair, stems in zip(single, both.single_stems, strict=True)]
        equal(np.array(aligned).reshape(-1, 2).T, big.aligned(both.many_stems, synonyms))


def equal(single: object, big: object) -> None:
    one, other = np.array(single, float), np.array(big, float)
    assert one.shape == other.shape
    assert np.abs(one - other).max(initial=0) < 1e-12


@st.composite
def corpora(draw: st.DrawFn) -> Both:
    known = draw(st.sampled_from([["a"], ["a", "b", "c"], ["aa", "ab", "ba", "bb", "ca", "d"]]))
    texts = draw(st.lists(st.lists(st.sampled_from(known), max_size=9), min_size=1, max_size=6))
    places = st.integers(0, len(texts) - 1)
    answers = draw(st.lists(st.tuples(places, st.lists(places, max_size=3)), max_size=6))
    pairs = [(one, other, row) for row, (one, others) in enumerate(answers) for other in others]
    return Both.of(texts, pairs, len(answers))


@pytest.mark.parametrize("bits", [63, 8])
@given(both=corpora(), words=st.sampled_from([1, 12, 1 << 15]))
def test_same_as_single_pairs(both: Both, words: int, bits: int):
    both.many.block_words = both.many_stems.block_words = words  # from one pair at a time to all at once
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ngram_counts, "BITS", bits)  # keys that do not fit
        check(both)


@pytest.mark.parametrize("size", [20, 300, 3_000, 70_000])
def test_vocabularies_of_all_sizes(size: int):
    """Words of a pair are one byte each in sequences up to 256 different ones, and more above."""
    rng = random.Random(size)
    texts = [[f"{rng.choice('xyz')}{rng.randrange(size)}" for _ in range(rng.randrange(300))] for _ in range(24)]
    texts += [texts[3][50:] + texts[3][:50], [*texts[5], "end"]]
    pairs = [(place, (place * 7 + 1) % 26, place) for place in range(24)] + [(3, 24, 24), (5, 25, 25), (5, 5, 26)]
    check(Both.of(texts, pairs, 27), (1, 2, 4))


def test_no_run_goes_over_the_end_of_a_text():
    """Pairs of equal texts stand side by side, in either way of counting; the last run of each is the text itself."""
    for word in ("a", "b" * 40):
        texts = [[word, f"{word}x"], [f"other {place}" for place in range(5_000 * (word != "a"))]]
        found = NumpyPairCounts.of(numbered(texts), [0] * 4, [0] * 4, range(4), 4, True)
        assert [found.matches(n).tolist() for n in (1, 2, 3, 4, 5, 6)] == [[2] * 4, [1] * 4, *[[0] * 4] * 4]
        assert [each.tolist() for each in found.aligned()] == [[2] * 4, [1] * 4]


@pytest.mark.parametrize("size", [255, 256, 257])
def test_the_last_word_is_not_the_first(size: int):
    words = [f"w{place}" for place in range(size)]
    found = NumpyPairCounts.of(numbered([words[:-1], words[-1:]]), [0], [1], [0], 1, True)
    assert (found.lcs.tolist(), found.edits.tolist()) == ([0], [size - 1])


def test_one_pair_of_5000_words():
    rng = random.Random(5)
    one = [f"w{rng.randrange(900)}" for _ in range(5_000)]
    other = [word for word in one if rng.random() < 0.8] + one[:300]
    check(Both.of([one, other, []], [(0, 1, 0), (1, 0, 1), (2, 0, 2), (0, 2, 3)], 4), (1, 2, 4))


def test_two_million_words_are_counted_in_blocks():
    """Each of 10,000 answers of 100 words shares the half of its words that is a run; all is known beforehand."""
    n = 10_000
    ids = np.arange(2 * n * 100, dtype=np.int32)
    texts = ids.reshape(2, n, 100)
    texts[1, :, 25:75] = texts[0, :, :50]
    tokens = EncodedTexts(texts.ravel(), np.arange(0, len(ids) + 1, 100, dtype=np.int64), range(len(ids)))  # type: ignore[arg-type]
    found = NumpyPairCounts.of(tokens, range(n), range(n, 2 * n), range(n), n, True)
    assert len(found.blocks) > 50
    assert max(block.size for block in found.blocks) <= found.block_words
    for order in (1, 2, 4):
        assert set(found.matches(order)) == {51 - order}
    assert set(found.lcs) == {50}
    assert [set(each) for each in found.aligned()] == [{50}, {1}]


def test_no_pair_at_all():
    found = NumpyPairCounts.of(numbered([]), [], [], [], 2, True)
    assert found.clipped(1).tolist() == [0, 0]
    for values in (found.matches(1), found.lcs, found.edits, found.same, found.cosine(), *found.aligned()):
        assert values.shape == (0,)


def test_a_word_without_idf_is_an_error_only_where_it_is_used():
    tokens = numbered([["a"], ["a", "b"], ["c"]])
    found = NumpyPairCounts.of(tokens, [0], [1], [0], 1, True)
    assert found.cosine({"a": 1.0, "b": 0.0}).tolist() == [1.0]
    with pytest.raises(KeyError, match="b"):
        found.cosine({"a": 1.0})
