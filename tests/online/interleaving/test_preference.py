"""Which ranker users prefer: each analysis by hand, and no winner where there is none."""

import math

import numpy as np
import pytest
from online.interleaving.logs import frame

from neraca.errors import SpecError
from neraca.online.interleaving.click_credit import ClickCredit, click_credit
from neraca.online.interleaving.preference import analyse_interleaving, interleaving_result
from neraca.online.interleaving.values_by_query import values_by_query


def analyses(*searches, **options):
    result = interleaving_result(click_credit([frame(*searches)]), **options)
    return {one.analysis: one for one in result.preferences}


#: u: a won two, b one; v: b won one; w: a tie, then a; x clicked nothing.
SEARCHES = [
    ("u", "ab", [1]),
    ("u", "abab", [1, 3, 2]),
    ("u", "ba", [1]),
    ("v", "ba", [1]),
    ("w", "ab", [1, 2]),
    ("w", "ab", [1]),
    ("x", "ab", []),
]


def test_each_analysis_by_hand():
    found = analyses(*SEARCHES)
    assert list(found) == ["user", "session", "search", "majority", "paired"]
    user = found["user"]
    assert user.value == pytest.approx((2 / 3 + 0 + 1) / 3)
    assert (user.n, user.wins, user.losses, user.ties) == (3, 2, 1, 0)
    search = found["search"]
    assert search.value == pytest.approx(3 / 5)
    assert (search.n, search.wins, search.losses, search.ties) == (5, 3, 2, 1)
    assert search.p == pytest.approx(1), "two or fewer heads of five: 16 of 32, twice"
    majority = found["majority"]
    assert (majority.value, majority.n, majority.ties) == (pytest.approx(2 / 3), 3, 0)
    assert majority.p == pytest.approx(1)
    # clicks on a: 1 + 2 + 0 + 0 + 1 + 1, on b: 0 + 1 + 1 + 1 + 1 + 0; pairs 1 + 2 + 1 + 1 + 1 + 1 + 1
    paired = found["paired"]
    assert paired.value == pytest.approx((5 - 4) / 8)
    assert (paired.n, paired.wins, paired.losses, paired.ties) == (8, 3, 2, 1)


def test_the_t_test_over_users_is_that_of_a_textbook():
    """Shares 1, 1, 1, 0.5 of four users: mean 0.875, sd 0.25, t = 0.375 / 0.125 = 3 with 3 degrees: p = 0.0577."""
    user = analyses(("u", "ab", [1]), ("v", "ba", [2]), ("w", "ab", [1]), ("x", "ab", [1]), ("x", "ab", [2]))["user"]
    assert user.value == 0.875
    assert user.p == pytest.approx(0.05767, abs=1e-5)
    # The t interval would end at 1.273.  Instead (0.875 - p)² = c p (1 - p) with c = 0.3978² / (0.875 · 0.125).
    assert (user.low, user.high) == (pytest.approx(0.875 - 3.182446 * 0.125), pytest.approx(0.99066, abs=1e-5))
    assert user.ties == 1
    assert 0 < user.p_bootstrap <= 1


def test_clicks_per_pair_by_the_jackknife_over_users():
    """u: 1 click more in 2 pairs, v: 2 more in 2; 3/4.  Without u 1, without v 1/2: pseudo-values 1/2 and 1, error 1/4.

    t = 3 with one degree of freedom: p = 1 - 2 atan(3) / pi.
    """
    paired = analyses(("u", "abab", [1]), ("v", "abab", [1, 3]))["paired"]
    assert paired.value == 0.75
    assert paired.p == pytest.approx(1 - 2 * math.atan(3) / math.pi)
    assert paired.high - paired.value == pytest.approx(12.7062 * 0.25, rel=1e-5)


def test_users_who_all_say_the_same_are_counted_by_the_sign_test():
    found = analyses(*((f"u{n}", "ab", [1]) for n in range(8)))
    assert found["user"].test == "sign"
    assert found["user"].p == pytest.approx(2 / 256)
    assert found["user"].winner(0.95) == "a"
    assert found["user"].winner(0.999) == ""


def test_searches_of_one_user_are_one_observation():
    """A hundred searches of a single user show nothing about users; by search they would."""
    found = analyses(*(("u", "ab", [1 if n % 10 else 2]) for n in range(100)))
    assert math.isnan(found["user"].p)
    assert math.isnan(found["paired"].p)
    assert found["user"].winner(0.95) == ""
    assert found["search"].p < 1e-15


def test_sessions_are_kept_apart():
    searches = [{"user": "u", "teams": "ab", "clicked": [n % 2 + 1], "session": str(n)} for n in range(6)]
    found = analyses(*searches)
    assert (found["session"].n, found["session"].wins, found["user"].n) == (6, 3, 1)


def test_three_rankers_are_corrected_together():
    searches = [(f"u{n}", "abc", [1]) for n in range(7)] + [("v", "abc", [2])]
    result = interleaving_result(click_credit([frame(*searches)]), unit="search")
    p = {(one.a, one.b): (one.p, one.p_adjusted) for one in result.deciding}
    # a against b: 7 to 1, p = 2 (1 + 8) / 256; a against c: 7 to 0, 2 / 128; b against c: 1 to 0, 1
    assert p["a", "b"] == pytest.approx((18 / 256, 2 * 18 / 256))
    assert p["a", "c"] == pytest.approx((2 / 128, 3 * 2 / 128))
    assert p["b", "c"] == pytest.approx((1, 1))
    assert [one.winner(0.95) for one in result.deciding] == ["", "a", ""]


def test_graded_credit_is_a_share():
    """Two clicks, credit 1.5 to 0.5 and 0.5 to 0.5 of one: (1 + 0.5) / 2 and 0.5; no winner is made of a sign."""
    whole = click_credit([frame(("u", "ab", [1, 2]), ("v", "ab", [1]), ("w", "ab", []))])
    graded = ClickCredit(**{**vars(whole), "graded": True, "credit": np.array([[1.5, 0.5], [0.5, 0.5], [0, 0]])})
    found = {one.analysis: one for one in interleaving_result(graded).preferences}
    assert "majority" not in found
    assert found["search"].value == pytest.approx((0.75 + 0.5) / 2)
    assert (found["search"].n, found["search"].wins, found["search"].ties) == (2, 1, 1)


def test_a_first_rank_that_is_not_left_to_chance_is_seen():
    biased = interleaving_result(click_credit([frame(*((f"u{n}", "ab" if n % 5 else "ba", [1]) for n in range(60)))]))
    (check,) = biased.first_ranks
    assert (check.of_a, check.of_b) == (48, 12)
    assert check.p < 1e-5
    even = interleaving_result(click_credit([frame(*((f"u{n}", "ab" if n % 2 else "ba", [1]) for n in range(60)))]))
    assert even.first_ranks[0].p == pytest.approx(1)


def test_a_log_without_a_winner_has_no_numbers():
    found = analyses(("u", "ab", []), ("v", "ab", [1, 2]))
    assert found["user"].n == 0
    assert all(math.isnan(found[name].p) for name in ("user", "session", "search", "majority"))
    assert found["search"].ties == 1


def test_of_a_hundred_experiments_without_a_difference_about_five_find_one():
    """Coins decide who is first, users click by rank alone; 5 % of 100, and chance: binomial 99.9 % is up to 13."""
    rng = np.random.default_rng(5)
    false = 0
    for _ in range(100):
        first = rng.random(300) < 0.5
        credit = np.zeros((300, 2))
        clicked = rng.integers(0, 3, 300)  # nothing, the first, the second
        rows = np.flatnonzero(clicked)
        credit[rows, np.where(first, clicked - 1, 2 - clicked)[rows]] = 1
        users = np.sort(rng.integers(0, 80, 300))
        users = np.unique(users, return_inverse=True)[1]
        none = np.zeros(300, dtype=np.int64)
        log = ClickCredit(
            "balanced",
            False,
            ("a", "b"),
            credit,
            np.ones((300, 2)),
            none,
            (clicked > 0) * 1,
            users,
            users,
            none,
            ("q",),
            {},
        )
        (found,) = interleaving_result(log).deciding
        false += found.p < 0.05
    assert false <= 13


def test_unknown_words_are_errors():
    with pytest.raises(SpecError, match="no unit is called 'users'"):
        analyses(*SEARCHES, unit="users")
    with pytest.raises(SpecError, match="no correction"):
        analyses(*SEARCHES, correction="holmes")


def test_credit_of_each_query():
    log = [
        {"user": "u", "teams": "ab", "clicked": [1], "query": "x"},
        {"user": "v", "teams": "abab", "clicked": [1, 3, 2], "query": "x"},
        {"user": "v", "teams": "ab", "clicked": [2], "query": "y"},
        {"user": "v", "teams": "ab", "clicked": [], "query": "z"},
    ]
    credit = click_credit([frame(*log)])
    assert values_by_query(credit) == [
        {"query": "x", "searches": 2, "a": 0.75, "b": 0.25},
        {"query": "y", "searches": 1, "a": 0.0, "b": 1.0},
    ]
    assert [row["query"] for row in values_by_query(credit, least=2)] == ["x"]


def test_the_result_prints_as_a_table_and_gives_a_data_frame():
    result = analyse_interleaving([frame(*SEARCHES)], rankers=["b", "a"], unit="search")
    assert "share won by a (paired: difference of clicks); search decides" in str(result)
    assert result.to_polars()["analysis"].to_list() == ["user", "session", "search", "majority", "paired"]
    assert result.to_polars()["value"][2] == pytest.approx(2 / 5)


def test_a_result_from_a_file_shows_what_was_left_out(tmp_path):
    search = '{"action": "search", "user": "u", "search": "s%d", "time": 1, "shown": ["x", "y"], "teams": %s}'
    lines = [
        search % (0, '["a", "b"]'),
        search % (1, '["a"]'),
        search % (2, "null"),
        '{"action": "click", "user": "u"}',
        '{"action": "click", "user": "u", "search": "s0", "time": 2, "rank": 1}',
    ]
    (tmp_path / "log.jsonl").write_text("\n".join(lines), encoding="utf-8")
    result = analyse_interleaving(tmp_path / "log.jsonl", rankers=["a", "b"])
    assert [(one.reason, one.n) for one in result.exclusions] == [("no_time", 1), ("teams", 1)]
    assert "search with more or fewer teams than documents shown  1" in str(result)
    assert "searches without teams, which were not interleaved    1" in str(result)
