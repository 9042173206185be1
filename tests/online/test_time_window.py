"""The start and the end of an experiment, when a few events have a wrong time."""

import random

import pytest
from online.log_files import counts
from online.test_ab import AT, DAY, click, search
from online.test_search_log import write_log

from neraca.online.ab import ab
from neraca.online.experiment import AbOptions
from neraca.online.log_options import LogOptions
from neraca.online.search_log import search_log

FIELDS = ("action", "user", "session", "search", "query", "variant", "time", "shown", "rank")


def clean():
    """Return the events of 300 users over two weeks, and two weeks before in which no arm is logged."""
    chance, rows = random.Random(3), []
    for u in range(300):
        for n in range(8):
            at = AT + chance.randrange(14 * DAY) * (1 if n < 4 else -1)
            rows.append(search(f"u{u}", "AB"[u % 2] if at >= AT else "", n, at))
            if chance.random() < 0.4 + 0.1 * (u % 2):
                rows.append(click(f"u{u}", n, at + 9))
    return rows


def analyse(folder, rows, **log):
    path = write_log(folder / "log.csv", rows, FIELDS)
    return ab(search_log(path, LogOptions(**log)), ["click_through", "searches"], AbOptions(checks=0))


def numbers(found):
    return [(e.adjusted, e.plain.a, e.plain.b, e.effect.difference, e.low, e.high) for e in found.effects]


STRAYS = {
    "an event of an arm with time 0": [search("u1", "B", 99, 0)],
    "a search without an arm with time 0": [search("u1", "", 99, 0)],
    "an event of an arm three days before the start": [search("u1", "B", 99, AT - 3 * DAY)],
    "an event of an arm a day before the start": [search("u1", "B", 99, AT - DAY)],
    "a clock that is years ahead": [search("u1", "B", 99, AT + 3000 * DAY)],
    "a click years ahead": [click("u1", 1, AT + 3000 * DAY)],
    "several clocks that are years behind": [search(f"u{n}", "AB"[n % 2], 99, AT - 3000 * DAY + n) for n in range(40)],
}


@pytest.mark.parametrize("kind", STRAYS)
def test_strays_change_no_number_and_are_counted(tmp_path, kind):
    found, dirty = analyse(tmp_path, clean()), analyse(tmp_path, clean() + STRAYS[kind])
    assert dirty.earlier == found.earlier == 1200
    assert numbers(dirty) == numbers(found)
    assert counts(found.exclusions) == {}
    assert counts(dirty.exclusions) == {"outside": len(STRAYS[kind])}
    assert dirty.contents.days == found.contents.days == 15


def test_since_overrules_what_was_found(tmp_path):
    stray = search("u1", "B", 99, AT - DAY / 4)
    found = analyse(tmp_path, [*clean(), stray], since=AT - DAY)
    assert counts(found.exclusions) == {}
    assert found.contents.first == AT - DAY / 4


@pytest.mark.parametrize("first_share", [0.05, 0.5])
def test_a_slow_start_is_no_stray(tmp_path, first_share):
    """On the first two days only a share of the users is in the experiment; nothing of it is left out."""
    chance, rows = random.Random(5), []
    for u in range(400):
        for n in range(6):
            at = AT + chance.randrange(14 * DAY)
            if at > AT + 2 * DAY or u < 400 * first_share:
                rows += [search(f"u{u}", "AB"[u % 2], n, at), *[click(f"u{u}", n, at + 9)] * (n % 2)]
    assert counts(analyse(tmp_path, rows).exclusions) == {}
    weekend = [row for row in rows if not AT + 4 * DAY < row["time"] < AT + 7 * DAY]
    assert counts(analyse(tmp_path, weekend).exclusions) == {}


@pytest.mark.parametrize("hours", [5, 9])
def test_a_stray_event_hours_before_a_small_test_does_not_move_its_start(tmp_path, hours):
    """Sixty users within half a day, with a search every twelve minutes; nothing is logged before the test."""
    rows = [search(f"u{n}", "AB"[n % 2], 0, AT + 720 * n) for n in range(60)]
    rows += [click(f"u{n}", 0, AT + 720 * n + 9) for n in range(0, 60, 3)]
    clean, dirty = analyse(tmp_path, rows), analyse(tmp_path, [*rows, search("u1", "B", 99, AT - hours * 3600)])
    assert counts(clean.exclusions) == {}
    assert counts(dirty.exclusions) == {"outside": 1}
    assert numbers(dirty) == numbers(clean)
    assert dirty.contents.first == AT
