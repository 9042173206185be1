"""From a log to the credit of each ranker, by hand."""

import pytest
from online.interleaving.logs import frame

from neraca.errors import InputError, SpecError
from neraca.online.interleaving.click_credit import click_credit


def test_clicks_go_to_the_team_and_a_rank_counts_once():
    found = click_credit([frame(("u", "abab", [1, 3, 3, 2]), ("v", "ba", []), ("v", "ba-", [3, 1]))])
    assert found.rankers == ("a", "b")
    assert found.credit.tolist() == [[2, 1], [0, 0], [0, 1]]
    assert found.drafted.tolist() == [[2, 2], [1, 1], [1, 1]]
    assert found.clicks.tolist() == [3, 0, 2]
    assert found.first.tolist() == [0, 1, 1]
    assert found.users.tolist() == [0, 1, 1]
    assert found.left_out["repeated_clicks"] == 1
    assert found.left_out["no_team_clicks"] == 1


def test_frames_are_put_together():
    """A session is one of its user: another user's session of the same name is another one."""
    one = frame({"user": "u", "teams": "ab", "clicked": [1], "query": "x"})
    two = frame(
        {"user": "v", "teams": "bc", "clicked": [1], "query": "y"},
        {"user": "v", "teams": "ca", "clicked": [2], "query": "x", "session": "2"},
    )
    found = click_credit([one, two])
    assert found.rankers == ("a", "b", "c")
    assert found.credit.tolist() == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert (found.users.tolist(), found.sessions.tolist()) == ([0, 1, 1], [0, 1, 2])
    assert [found.query_words[number] for number in found.queries] == ["x", "y", "x"]


def test_a_ranker_that_comes_late_has_nothing_before():
    found = click_credit([frame(("u", "ab", [1])), frame(("v", "cb", [1]))])
    assert (found.credit.tolist(), found.drafted.tolist()) == ([[1, 0, 0], [0, 0, 1]], [[1, 1, 0], [0, 1, 1]])


def test_the_rankers_named_are_those_that_are_compared():
    found = click_credit([frame(("u", "abc", [1, 2, 3]))], rankers=["c", "a"])
    assert (found.rankers, found.credit.tolist()) == (("c", "a"), [[1, 1]])
    with pytest.raises(InputError, match="'x'; known: a, b, c"):
        click_credit([frame(("u", "abc", [1]))], rankers=["a", "x"])


def test_searches_without_teams_are_left_out_and_counted():
    found = click_credit([frame(("u", "", []), ("u", "ab", [1]))])
    assert (len(found), found.left_out["not_interleaved"]) == (1, 1)
    with pytest.raises(InputError, match="--column teams=FIELD"):
        click_credit([frame(("u", "", [1]))])


@pytest.mark.parametrize("nobody", ["---", [None, None, None]])
def test_searches_whose_documents_are_all_of_no_team_are_left_out_and_counted(nobody):
    """A ranker that returned nothing leaves such a list, and so does a search that was not interleaved."""
    log = frame(("u", nobody, [1]), ("u", "a--", [2]), ("v", "ab", [1]), ("v", "", [1]))
    result = click_credit([log])
    assert result.credit.tolist() == [[0, 0], [1, 0]]
    assert (result.left_out["no_team"], result.left_out["not_interleaved"]) == (1, 1)
    with pytest.raises(InputError, match="all documents of 1 of 2 searches are of no team"):
        click_credit([frame(("u", nobody, [1]), ("v", "", [1]))])


def test_rankings_credit_a_search_without_a_team():
    """`optimised` names no team where both rankers return the same list, which is a tie."""
    same = {name: {"s0": ["d0", "d1"]} for name in "ab"}
    result = click_credit([frame(("u", "--", [1]))], "optimised", returned=same)
    assert (result.credit.tolist(), result.left_out["no_team"]) == ([[0, 0]], 0)


RETURNED = {"a": {"s0": ["d0", "d1", "d2"]}, "b": {"s0": ["d1", "d2", "d0"]}}


@pytest.mark.parametrize(
    "method, credit",
    [
        ("balanced", [0, 1]),  # d1 is first of b: k = 1
        ("optimised", [0, 1 - 1 / 2]),
        # after d0, d1 is drawn by a with 1/8 of 1/8 + 1/27, and by b with 1 of 1 + 1/8
        ("probabilistic", [(27 / 35) / (27 / 35 + 8 / 9), (8 / 9) / (27 / 35 + 8 / 9)]),
    ],
)
def test_credit_by_what_each_ranker_returned(method, credit):
    log = frame(("u", "aba", [2]), ("u", "aba", [1]))
    found = click_credit([log], method, returned=RETURNED)
    assert found.credit.tolist() == [pytest.approx(credit)]
    assert found.left_out["no_rankings"] == 1
    assert found.graded == (method != "balanced")
    turned = click_credit([log], method, rankers=["b", "a"], returned=RETURNED)
    assert turned.credit.tolist() == [pytest.approx(credit[::-1])]


def test_what_lacks_is_said():
    log = [frame(("u", "ab", [1]))]
    with pytest.raises(SpecError, match="--rankings"):
        click_credit(log, "balanced")
    with pytest.raises(InputError, match=r"ids of the log.s searches as their query ids"):
        click_credit(log, "balanced", returned={"a": {"x": []}, "b": {"x": []}})
    with pytest.raises(InputError, match="no rankings of 'b'"):
        click_credit(log, "probabilistic", returned={"a": {"s0": []}, "c": {"s0": []}})
    with pytest.raises(InputError, match="--rankers names 'x', of which there are no rankings"):
        click_credit(log, "probabilistic", rankers=["x", "a"], returned=RETURNED)
    with pytest.raises(SpecError, match="two rankers, not 3"):
        click_credit([frame(("u", "abc", [1]))], "balanced", returned={**RETURNED, "c": {"s0": []}})
