"""Results of the demonstration of online experiments, in words."""

from __future__ import annotations

from collections.abc import Mapping

from neraca.counts_and_lists import count
from neraca.number_format import about


def needs(users: Mapping[str, int], needed: Mapping[str, int | None]) -> list[str]:
    """Say how many users each design had, and how many it needs for the observed difference."""
    names = {"ab": "The A/B test", "interleaving": "Interleaving"}
    texts = [
        f"{names[design]} had {count(users[design], 'user')}; "
        + (
            f"to find the difference that it saw 8 times of 10, it needs about {about(number)}."
            if (number := needed[design]) is not None
            else "it saw no difference."
        )
        for design in names
    ]
    ab, interleaving = needed["ab"], needed["interleaving"]
    if ab and interleaving:
        times = ab / interleaving
        if times >= 1.05:
            compared = (
                f"Interleaving needs {times:,.1f} times fewer users: each user compares both methods in one list."
            )
        elif times > 1 / 1.05:
            compared = "Here both need the same number of users."
        else:
            compared = f"Here the A/B test needs {1 / times:,.1f} times fewer users."
        texts.append(
            f"{compared} Interleaving does not tell how much the site gains; that is what the A/B test is for."
        )
    return texts
