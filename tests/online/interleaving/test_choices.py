"""Choices that follow from a key, and all outcomes of a method with their probabilities."""

from hashlib import blake2b

import pytest

from neraca.errors import InputError
from neraca.online.interleaving.choices import HashedChoices, outcomes
from neraca.online.interleaving.team_draft import TeamDraft


def test_the_choice_is_the_documented_hash():
    """So that a server in another language can make the same lists."""
    first = [blake2b(b"key", salt=(block).to_bytes(16, "big")).digest() for block in (0, 1)]
    numbers = [int.from_bytes(digest[8 * n : 8 * n + 8], "big") for digest in first for n in reversed(range(8))]
    choose = HashedChoices(b"key")
    assert [choose((1.0, 1.0)) for _ in range(16)] == [int(number >= 2**63) for number in numbers]


def test_options_are_taken_as_often_as_their_weights_say():
    choose = HashedChoices(b"weights")
    taken = [choose((1.0, 0.0, 3.0)) for _ in range(8000)]
    assert taken.count(1) == 0
    assert taken.count(2) / 8000 == pytest.approx(0.75, abs=4 * (0.75 * 0.25 / 8000) ** 0.5)


@pytest.mark.parametrize("lists", [["abcd", "efgh"], ["abcd", "dcba"], ["ab", "bcde", "xa"]])
def test_probabilities_of_all_outcomes_add_up_to_one(lists):
    assert sum(outcomes(TeamDraft(), lists, 5).values()) == pytest.approx(1)


def test_too_many_ways_are_refused():
    with pytest.raises(InputError, match="more than 10 ways"):
        outcomes(TeamDraft(), ["abcdefgh", "ijklmnop"], 16, most=10)
