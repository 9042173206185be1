from datetime import date

import numpy as np
import pytest

from neraca.comparisons.time_buckets import MOST, NO_DAY, Buckets, day_of, reference_of
from neraca.errors import InputError, SpecError

MONDAY = date(2026, 11, 2).toordinal()


def names(buckets):
    return [bucket.name for bucket in buckets.buckets]


@pytest.mark.parametrize(
    "every, expected",
    [
        ("day", ["2026-11-01", "2026-11-02", "2026-11-03"]),
        ("week", ["2026-10-26", "2026-11-02"]),
        ("month", ["2026-11"]),
    ],
)
def test_buckets_by_the_calendar(every, expected):
    buckets = Buckets.of(np.array([MONDAY + 1, MONDAY - 1, NO_DAY]), every)
    assert names(buckets) == expected
    assert buckets.places.tolist() == [len(expected) - 1, 0, -1]


def test_months_differ_in_length_and_years_follow_each_other():
    buckets = Buckets.of(np.array([date(2026, 12, 31).toordinal(), date(2027, 2, 1).toordinal()]), "month")
    assert names(buckets) == ["2026-12", "2027-01", "2027-02"]
    assert [bucket.last for bucket in buckets.buckets] == [date(2026, 12, 31), date(2027, 1, 31), date(2027, 2, 28)]


def test_empty_buckets_have_their_place():
    buckets = Buckets.of(np.array([MONDAY, MONDAY + 21]), "week")
    assert names(buckets) == ["2026-11-02", "2026-11-09", "2026-11-16", "2026-11-23"]
    assert buckets.places.tolist() == [0, 3]


def test_a_wrong_clock_of_few_turns_is_left_out():
    days = np.array([MONDAY + n for n in range(30)] + [date(1970, 1, 1).toordinal()])
    buckets = Buckets.of(days, "week")
    assert (names(buckets)[0], buckets.strays, buckets.places[-1]) == ("2026-11-02", 1, -1)
    later = Buckets.of(np.array([MONDAY + n for n in range(30)] + [date(2099, 1, 1).toordinal()]), "week")
    assert (names(later)[-1], later.strays) == ("2026-11-30", 1)


def test_of_few_turns_none_is_a_stray():
    days = np.array([MONDAY, MONDAY + 400, MONDAY + 401])
    assert Buckets.of(days, "month").strays == 0


def test_too_many_buckets_name_the_times():
    with pytest.raises(InputError, match=r"from 2026-11-02 to 2031-\d\d-\d\d: 1,600 days.*--every"):
        Buckets.of(np.array([MONDAY, MONDAY + MOST + 99]), "day")


def test_an_unknown_bucket():
    with pytest.raises(SpecError, match="did you mean week"):
        Buckets.of(np.array([MONDAY]), "weekly")


@pytest.mark.parametrize(
    "time, expected",
    [
        ("2026-11-02T00:00:00.000Z", MONDAY),
        ("2026-11-02T00:30:00+01:00", MONDAY - 1),
        ("2026-11-02 23:59:59", MONDAY),
        ("yesterday", NO_DAY),
        ("", NO_DAY),
    ],
)
def test_days_are_in_utc(time, expected):
    assert day_of(time) == expected


SIX_WEEKS = np.repeat(np.arange(6), 60)


def reference(asked, sessions=None, weeks=SIX_WEEKS):
    buckets = Buckets.of(MONDAY + 7 * weeks, "week")
    found = reference_of(buckets, asked, np.arange(len(weeks)) if sessions is None else sessions)
    return found.first, found.last


def test_by_default_the_first_buckets_with_a_hundred_sessions():
    assert reference("") == (0, 1)
    assert reference("", SIX_WEEKS * 30 + np.arange(360) % 30) == (0, 3)


def test_the_default_has_a_week_at_least():
    days = Buckets.of(MONDAY + np.repeat(np.arange(9), 60), "day")
    assert reference_of(days, "", np.arange(540)).last == 6


@pytest.mark.parametrize(
    "asked, expected",
    [
        ("1", (0, 0)),
        ("3", (0, 2)),
        ("2026-11-10..2026-11-20", (1, 2)),
        ("..2026-11-03", (0, 0)),
        ("2026-11-02 .. 2026-11-08", (0, 0)),
        ("2020-01-01..2026-11-08", (0, 0)),
    ],
)
def test_the_reference_asked_for(asked, expected):
    assert reference(asked) == expected


@pytest.mark.parametrize("asked", ["0", "-1", "november", "2026-11-31..2026-12-01", "..", "2026-11-02"])
def test_a_reference_that_cannot_be_read(asked):
    with pytest.raises(SpecError, match=r"cannot read --reference"):
        reference(asked)


@pytest.mark.parametrize(
    "asked, message",
    [
        ("6", "nothing comes after the reference"),
        ("2026-11-02..", "nothing comes after the reference"),
        ("2025-01-01..2025-02-01", "no turn is in the reference"),
        ("2026-11-20..2026-11-10", "no turn is in the reference"),
    ],
)
def test_a_reference_without_turns_or_without_later_ones(asked, message):
    with pytest.raises(InputError, match=message):
        reference(asked)


def test_too_few_sessions_for_the_default_say_what_to_do():
    with pytest.raises(InputError, match=r"have 60 sessions.*--reference 1"):
        reference("", weeks=np.repeat([0, 1], 30))
