"""The demonstration of online experiments says which design needs fewer users, and claims nothing false."""

import pytest

from neraca.reports.online.online_demo import needs


@pytest.mark.parametrize(
    "ab, interleaving, last",
    [
        (210, 21, "Interleaving needs 10.0 times fewer users: each user compares both methods in one list."),
        (21, 21, "Here both need the same number of users."),
        (20, 50, "Here the A/B test needs 2.5 times fewer users."),
    ],
)
def test_which_design_needs_fewer_users(ab: int, interleaving: int, last: str) -> None:
    sentences = needs({"ab": 80, "interleaving": 70}, {"ab": ab, "interleaving": interleaving})
    assert sentences[2].startswith(last)


def test_without_a_difference_no_design_is_compared() -> None:
    assert needs({"ab": 80, "interleaving": 70}, {"ab": None, "interleaving": 21}) == [
        "The A/B test had 80 users; it saw no difference.",
        "Interleaving had 70 users; to find the difference that it saw 8 times of 10, it needs about 21.",
    ]
