"""How far raters agree with themselves and with what is known."""

import math

import pytest

from neraca.people.rater_quality import rater_quality
from neraca.people.rating import Rating


def ratings_of(*things):
    """Ratings "task on value" in the order given."""
    ratings = []
    for number, thing in enumerate(things):
        task, on, value = thing.split()
        words = on in ("note", "empty")
        ratings.append(Rating(id=str(number), task=task, on=on, value=value if words else eval(value)))
    return ratings


def test_the_second_time_is_laid_beside_the_first():
    given = ratings_of(
        "a quality 4", "b quality 2", "a hit:k 1", "a~2 quality 4", "b~2 quality 3", "a~2 hit:k~2 1", "c empty none"
    )
    quality = rater_quality("ana", given)
    assert (quality.rated, quality.repeated.n) == (3, 3)
    assert quality.repeated.value == pytest.approx(2 / 3)
    assert quality.repeated.why == "2 observations; an interval takes at least 3"  # on two answers
    assert math.isnan(quality.gold.value)
    assert quality.gold.n == 0


def test_the_newest_of_each_time_counts_and_notes_do_not():
    given = ratings_of("a quality 4", "a~2 quality 1", "a~2 quality 4", "a note x", "a~2 note y")
    assert rater_quality("ana", given).repeated.value == 1
    assert rater_quality("ana", [*given, *ratings_of("a~2 quality None")]).repeated.n == 0, "it was taken back"


def test_what_is_known_is_compared_where_it_was_rated():
    gold = ratings_of("a quality 5", "b hit:k 1", "c empty none", "d quality 3")
    given = ratings_of("a quality 5", "b hit:k 0", "c empty none")
    quality = rater_quality("ana", given, gold)
    assert (quality.gold.n, quality.gold.value) == (3, pytest.approx(2 / 3))


def test_wilson_of_four_tasks():
    """Wilson's 95 % interval of 3 of 4, by hand: (3 + z²/2 ± z √(3/4 + z²/4)) / (4 + z²), z = 1.959964."""
    given = ratings_of(*(f"t{n} quality 1" for n in range(4)), *(f"t{n}~2 quality {int(n > 0)}" for n in range(4)))
    estimate = rater_quality("ana", given).repeated
    z = 1.959964
    half = z * math.sqrt(3 / 4 + z * z / 4)
    assert [estimate.low, estimate.high] == pytest.approx(
        [(3 + z * z / 2 - half) / (4 + z * z), (3 + z * z / 2 + half) / (4 + z * z)], abs=1e-6
    )
