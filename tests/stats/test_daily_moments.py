"""Moments of each day are those of the users seen until then, with all that they did until then."""

import numpy as np
import pytest

from neraca.stats.daily_moments import daily_moments
from neraca.stats.moments import Moments


def table(users=60, arms=2, days=6, seed=1):
    """Rows in order of user and day; some users come often, some twice a day, one day nobody comes."""
    rng = np.random.default_rng(seed)
    user = np.sort(rng.integers(0, users, users * 4))
    day = rng.choice([day for day in range(days) if day != 3], len(user))
    order = np.lexsort([day, user])
    columns = rng.gamma(1.0, size=(len(user), 3)) + np.array([0, 5, 100])
    return rng.integers(0, arms, users)[user], user, day[order], columns


def directly(arm, user, day, columns, of_arm, last):
    """By a sum for each user."""
    seen = (arm == of_arm) & (day <= last)
    return Moments.of(np.array([columns[seen & (user == one)].sum(axis=0) for one in np.unique(user[seen])]))


def assert_same(found, expected):
    assert found.n == expected.n
    assert found.mean == pytest.approx(expected.mean, rel=1e-12)
    assert found.cross == pytest.approx(expected.cross, rel=1e-9, abs=1e-9)


def test_each_day_is_that_of_a_sum_for_each_user():
    rows = table()
    daily = daily_moments(*rows, arms=2, days=6)
    for arm in range(2):
        for day in range(6):
            assert_same(daily.at(arm, day), directly(*rows, arm, day))


def test_many_rows_and_a_user_with_most_of_them():
    arm, user, day, columns = table(users=3000)
    user = np.where((user > 1000) & (user <= 2500), 1000, user)
    order = np.lexsort([day, user])
    rows = (np.where(user == 1000, 1, arm)[order], user[order], day[order], columns[order])
    daily = daily_moments(*rows, arms=2, days=6)
    for arm_and_day in ((0, 5), (1, 2)):
        assert_same(daily.at(*arm_and_day), directly(*rows, *arm_and_day))
    assert_same(daily.part(1, [2, 0]).at(0, 4), directly(*rows[:3], rows[3][:, [2, 0]], 1, 4))


def test_parts_of_the_users_make_the_whole_though_one_ends_earlier():
    rows = table()
    whole = daily_moments(*rows, arms=2, days=6)
    early = rows[1] < 20
    arm, user, day, columns = (column[early] for column in rows)
    kept = day < 3
    part = daily_moments(arm[kept], user[kept], day[kept], columns[kept], arms=2, days=3)
    others = daily_moments(*(column[~early] for column in rows), arms=2, days=6)
    for together in (part + others, others + part):
        assert together.days == 6
        assert_same(together.at(1, 2), whole.at(1, 2))
        of_part = directly(arm[kept], user[kept], day[kept], columns[kept], 0, 2)
        assert_same(together.at(0, 5), of_part + others.at(0, 5))


def test_nobody_came():
    none = daily_moments(*(np.zeros(0, int),) * 3, np.zeros((0, 3)), arms=2, days=3)
    assert none.n.tolist() == [[0] * 3] * 2
    rows = table()
    assert_same((none + daily_moments(*rows, arms=2, days=6)).at(0, 5), directly(*rows, 0, 5))


@pytest.mark.parametrize(
    "arm, day, message",
    [
        ([0, 1], [0, 0], "two arms"),
        ([0, 0], [1, 0], "order"),
        ([0, 0], [0, 2], "from 0 to 1"),
        ([2, 2], [0, 0], "from 0"),
    ],
)
def test_a_broken_table_is_an_error(arm, day, message):
    with pytest.raises(ValueError, match=message):
        daily_moments(np.array(arm), np.array([5, 5]), np.array(day), np.ones((2, 1)), arms=2, days=2)
