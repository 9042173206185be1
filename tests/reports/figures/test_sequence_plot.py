"""The drawing of a difference over days: bars, and arrows where a bar goes on beyond the figure."""

import math
from dataclasses import replace

from neraca.online.experiment import DayEffect
from neraca.reports.figures.sequence_plot import goes_beyond, sequence_plot


def test_a_bar_that_is_far_wider_than_the_last_one_ends_in_arrows():
    narrow = [DayEffect(day, 100, 0.1, 0.0, 0.2) for day in (1, 2)]
    wide = DayEffect(0, 10, 0.1, -5.0, 5.2)
    assert not goes_beyond(narrow)
    assert goes_beyond([wide, *narrow])
    assert not goes_beyond([replace(wide, low=math.nan, high=math.nan)])
    assert sequence_plot("days", "days", "Difference in clicks", narrow).count("<path") == 0
    assert sequence_plot("days", "days", "Difference in clicks", [wide, *narrow]).count("<path") == 2
