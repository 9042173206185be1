"""For how many seconds answers are watched: what a page has shown so far decides."""

from __future__ import annotations

from neraca.targets.browser.steadiness import FIRST_CHECKS, ONE_IN, Steadiness


def test_the_first_answers_and_the_ends_of_conversations_are_watched_in_full() -> None:
    page = Steadiness(10.0)
    for _ in range(FIRST_CHECKS):
        assert page.seconds("any", first=False, last=False) == 10
        page.passed += 1
    assert page.seconds("any", first=True, last=False) == page.seconds("any", first=False, last=True) == 10


def test_later_answers_are_checked_at_random_and_the_same_ones_in_each_run() -> None:
    pages = [Steadiness(10.0, passed=FIRST_CHECKS) for _ in range(2)]
    watched = [[page.seconds(f"q{n}", first=False, last=False) for n in range(1000)] for page in pages]
    assert watched[0] == watched[1]
    assert set(watched[0]) == {0.0, 10.0}
    assert abs(sum(map(bool, watched[0])) - 1000 / ONE_IN) < 5 * (1000 / ONE_IN * (1 - 1 / ONE_IN)) ** 0.5


def test_on_a_page_that_corrects_itself_each_answer_is_watched_for_the_longest_delay_and_a_margin() -> None:
    page = Steadiness(10.0, passed=FIRST_CHECKS)
    page.changed(2.0)
    page.changed(1.0)
    assert {page.seconds(f"q{n}", first=False, last=False) for n in range(50)} == {2.0 + 5.0, 10.0}
    page.changed(8.0)
    assert {page.seconds(f"q{n}", first=False, last=True) for n in range(50)} == {8.0 + 5.0}


def test_nothing_is_watched_where_the_user_says_so() -> None:
    page = Steadiness(0.0)
    assert page.seconds("any", first=True, last=True) == 0
    page.changed(3.0)
    assert page.seconds("any", first=True, last=True) == 0
