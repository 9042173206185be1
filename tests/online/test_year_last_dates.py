"""Dates with the year last: numbers above 12 tell whether the day or the month comes first."""

from datetime import UTC, datetime

import polars as pl
import pytest
from online.log_files import SEARCH, read_log, write_log

from neraca.errors import InputError
from neraca.online.search_log import search_log
from neraca.online.times import YearLastDates, parse_times
from neraca.reports.online.log_contents import contents_sentences


def searches(times):
    return [SEARCH | {"user": f"u{n}", "search": f"q{n}", "time": time} for n, time in enumerate(times)]


def read(tmp_path, times):
    rows, left_out, log = read_log(write_log(tmp_path / "log.csv", searches(times)))
    read_as = [text for text in contents_sentences(log.contents, ()) if text.startswith("Dates")]
    rows.sort(key=lambda row: int(row["search"][1:]))
    times = [datetime.fromtimestamp(row["time"], UTC).strftime("%Y-%m-%d %H:%M:%S") for row in rows]
    return times, left_out, read_as


@pytest.mark.parametrize(
    ("times", "expected", "order"),
    [
        (["03/04/2026", "31/12/2026"], ["2026-04-03 00:00:00", "2026-12-31 00:00:00"], "day, month"),
        (["3/4/2026 9:05", "12/31/2026 21:05:07"], ["2026-03-04 09:05:00", "2026-12-31 21:05:07"], "month, day"),
        (["3/4/2026 9:05:00 PM", "1/31/2026, 12:05 AM"], ["2026-03-04 21:05:00", "2026-01-31 00:05:00"], "month, day"),
        (["03.04.2026 10:00", "04.03.2026T10:00"], ["2026-04-03 10:00:00", "2026-03-04 10:00:00"], "day, month"),
        (["03-04-2026", "13-04-2026"], ["2026-04-03 00:00:00", "2026-04-13 00:00:00"], "day, month"),
        (["03/04/2026", "2026-04-05", "31/12/2026"], ["2026-04-03 00:00:00", "2026-04-05 00:00:00"], "day, month"),
    ],
)
def test_a_number_above_12_tells(tmp_path, times, expected, order):
    result, left_out, read_as = read(tmp_path, times)
    assert (result[: len(expected)], len(result), left_out) == (expected, len(times), {})
    assert read_as == [f"Dates such as {times[0]} were read as {order}, year."]


def test_the_column_is_read_to_its_end_before_the_first_date():
    blocks = [pl.Series(["03/04/2026"] * 9), pl.Series(["30/04/2026", None, "x"])]
    dates = YearLastDates("log.csv", lambda: iter(blocks))
    third, last = (datetime(2026, 4, day, tzinfo=UTC).timestamp() for day in (3, 30))
    assert set(parse_times(blocks[0], dates)) == {third}
    assert parse_times(blocks[1], dates).to_list() == [last, None, None]


def test_a_day_that_does_not_exist_is_left_out_and_counted(tmp_path):
    result, left_out, _ = read(tmp_path, ["12/04/2026", "31/04/2026"])
    assert (result, left_out) == (["2026-04-12 00:00:00"], {"no_time": 1})


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (["03/04/2026", "05/06/2026"], "the day or the month may come first, and no number above 12 tells which"),
        (["13/04/2026", "04/14/2026", "04/15/2026"], "1 with the day first, 2 with the month first"),
    ],
)
def test_dates_that_may_be_two_days_are_refused(tmp_path, times, message):
    with pytest.raises(InputError, match=rf"column 'time': times such as '{times[0]}': {message}; write 2026-01-31"):
        list(search_log(write_log(tmp_path / "log.csv", searches(times))))


def test_a_few_dates_that_may_be_two_days_are_left_out_and_counted(tmp_path):
    result, left_out, read_as = read(tmp_path, ["2026-04-05"] * 3 + ["03/04/2026"])
    assert (len(result), left_out, read_as) == (3, {"no_time": 1}, [])


def test_one_date_of_the_other_form_does_not_turn_all_others(tmp_path):
    times = [f"{day}/04/2026" for day in range(13, 31) for _ in range(6)]
    result, left_out, _ = read(tmp_path, [*times, "04/13/2026"])
    assert (len(result), left_out) == (108, {"no_time": 1})
