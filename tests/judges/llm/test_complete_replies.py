"""Every id exactly once, asked for three times at most, and never in the same words."""

import asyncio

import pytest

from neraca.errors import BudgetReached, ModelError
from neraca.judges.llm.complete_replies import ATTEMPTS, NO_CLEAR_REPLY, Attempt, ask_until_complete
from neraca.judges.llm.prompt import LANGUAGES
from neraca.models.reply_schema import Unfit


def asking(ids, *replies, earlier=0):
    """What is found, why the rest is not, and what was asked for in each call; so many replies were kept earlier."""
    asked, left = [], list(replies)

    async def ask(attempt):
        asked.append(list(attempt.ids))
        reply = left.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply, len(asked) <= earlier

    found, why = asyncio.run(ask_until_complete(ids, ask))
    return found, why, asked


def test_whole_at_once():
    assert asking(["a", "b"], {"a": 1, "b": 2})[::2] == ({"a": 1, "b": 2}, [["a", "b"]])


def test_nothing_to_ask():
    assert asking([])[::2] == ({}, [])


def test_only_what_is_missing_again_the_third_time_one_by_one():
    assert ATTEMPTS == 3
    assert asking(["a", "b", "c"], {"b": 1}, {}, {}, {"c": 2}) == (
        {"b": 1, "c": 2},
        NO_CLEAR_REPLY,
        [["a", "b", "c"], ["a", "c"], ["a"], ["c"]],
    )


def test_what_earlier_starts_gave_up_is_asked_once():
    kept = [{"b": 1}, {}, {}]
    assert asking(["a", "b"], *kept, {"a": 2}, earlier=3)[0] == {"a": 2, "b": 1}
    found, why, asked = asking(["a", "b"], *kept, {}, earlier=3)
    assert (found, why, len(asked)) == ({"b": 1}, NO_CLEAR_REPLY, 4)


def test_a_start_that_was_stopped_goes_on_with_the_attempts_that_are_left():
    assert asking(["a", "b"], {"b": 1}, {}, {}, earlier=1)[2] == [["a", "b"], ["a"], ["a"]]


def test_a_failure_ends_it_and_says_why():
    assert asking(["a", "b"], {"a": 1}, ModelError("down")) == ({"a": 1}, "down", [["a", "b"], ["b"]])


def test_useless_replies_cost_three_calls_however_many_ids_there_are():
    found, why, asked = asking(["a", "b", "c"], *[Unfit("no JSON")] * 3)
    assert (found, why) == ({}, "no JSON")
    assert asked == [["a", "b", "c"], ["a", "b", "c"], ["a"]]


def test_one_useless_reply_among_good_ones_loses_one_id():
    found, why, asked = asking(["a", "b", "c"], {}, {}, {"a": 1}, Unfit("no JSON"), {"c": 1})
    assert (found, why) == ({"a": 1, "c": 1}, "no JSON")
    assert asked[2:] == [["a"], ["b"], ["c"]]


def test_an_empty_purse_is_no_verdict():
    with pytest.raises(BudgetReached):
        asking(["a"], BudgetReached("empty"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_later_attempt_names_what_is_missing_in_the_language_of_the_prompt_and_never_says_the_same(language):
    corrections = [Attempt(("c2", "x1"), number, "no JSON").correction(language) for number in range(5)]
    assert corrections[0] == ""
    assert len(set(corrections)) == 5
    assert all("c2, x1" in text and "(no JSON)" in text for text in corrections[1:])
    assert language == "en" or corrections[1] != Attempt(("c2", "x1"), 1, "no JSON").correction("en")
