"""Every id exactly once, asked for three times at most."""

import asyncio

import msgspec
import pytest

from neraca.errors import BudgetReached, ModelError
from neraca.judges.llm.complete_replies import ATTEMPTS, NO_CLEAR_REPLY, ask_until_complete, unambiguous

Entry = msgspec.defstruct("Entry", ["id", ("said", int)], frozen=True)


def asking(ids, *replies, earlier=0):
    """What is found, why the rest is not, and what was asked for in each turn; so many replies were kept earlier."""
    asked, left = [], list(replies)

    async def ask(missing, turn):
        assert turn == len(asked)
        asked.append(list(missing))
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply, turn < earlier

    found, why = asyncio.run(ask_until_complete(ids, ask))
    return found, why, asked


def test_whole_at_once():
    assert asking(["a", "b"], {"a": 1, "b": 2})[::2] == ({"a": 1, "b": 2}, [["a", "b"]])


def test_nothing_to_ask():
    assert asking([])[::2] == ({}, [])


def test_only_what_is_missing_again_and_three_times_at_most():
    assert ATTEMPTS == 3
    assert asking(["a", "b", "c"], {"b": 1}, {}, {"a": 2}) == (
        {"b": 1, "a": 2},
        NO_CLEAR_REPLY,
        [["a", "b", "c"], ["a", "c"], ["a", "c"]],
    )


def test_replies_of_an_earlier_start_are_no_attempts_of_this_one():
    kept = [{"b": 1}, {}, {}]
    assert asking(["a", "b"], *kept, {"a": 2}, earlier=3)[0] == {"a": 2, "b": 1}
    found, why, asked = asking(["a", "b"], *kept, {}, {}, {}, earlier=3)
    assert (found, why, len(asked)) == ({"b": 1}, NO_CLEAR_REPLY, 6)


def test_a_failure_ends_it_and_says_why():
    assert asking(["a", "b"], {"a": 1}, ModelError("down")) == ({"a": 1}, "down", [["a", "b"], ["b"]])


def test_an_empty_purse_is_no_verdict():
    with pytest.raises(BudgetReached):
        asking(["a"], BudgetReached("empty"))


def test_what_is_said_in_two_ways_is_not_said():
    said = [Entry("a", 1), Entry("b", 1), Entry("b", 2), Entry("c", 1), Entry(" c ", 1), Entry("d", 1), Entry("d", 1)]
    assert set(unambiguous(said, ["a", "b", "c", "d", "e"])) == {"a", "d"}
