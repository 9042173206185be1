import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neraca.metrics.text.union_lcs import union_lcs


def by_table(sentence, other):
    """Places of the common subsequence by the table of lengths, one cell at a time."""
    table = [[0] * (len(other) + 1) for _ in range(len(sentence) + 1)]
    for i, word in enumerate(sentence, start=1):
        for j, partner in enumerate(other, start=1):
            longest = max(table[i - 1][j], table[i][j - 1])
            table[i][j] = table[i - 1][j - 1] + 1 if word == partner else longest
    i, j, found = len(sentence), len(other), set()
    while i and j:
        if sentence[i - 1] == other[j - 1]:
            i, j = i - 1, j - 1
            found.add(i)
        elif table[i][j - 1] > table[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return found


def expected(sentence, others):
    union = set().union(*(by_table(sentence, other) for other in others))
    return {word: sum(sentence[place] == word for place in union) for word in sentence}


@pytest.mark.parametrize(
    "sentence, others, found",
    [
        # Lin (2004), section 3.2: four of the five words of the reference belong to the union
        ("12345", ["12678", "13895"], {"1": 1, "2": 1, "3": 1, "4": 0, "5": 1}),
        ("", ["ab"], {}),
        ("ab", [], {"a": 0, "b": 0}),
        ("ab", ["", "xy"], {"a": 0, "b": 0}),
        ("ab", ["ba"], {"a": 1, "b": 0}),  # from the end: b and a differ, leaving out b keeps the length
        ("aab", ["ab"], {"a": 1, "b": 1}),
        ("aab", ["ab", "aa"], {"a": 2, "b": 1}),
        ("ab", ["ba", "b"], {"a": 1, "b": 1}),
    ],
)
def test_by_hand(sentence, others, found):
    assert union_lcs(list(sentence), [list(other) for other in others]) == found


@given(st.text("abc", max_size=12), st.lists(st.text("abcd", max_size=12), max_size=4))
def test_it_is_what_the_table_gives(sentence, others):
    assert union_lcs(sentence, others) == expected(sentence, others)


def test_sentences_of_more_words_than_bits_of_a_machine_word():
    drawn = random.Random(1)
    sentence, *others = [[drawn.choice("abcdefgh") for _ in range(size)] for size in (200, 150, 230)]
    assert union_lcs(sentence, others) == expected(sentence, others)
