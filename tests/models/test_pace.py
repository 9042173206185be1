"""How long a call may take, and what is done when its time is over, by hand."""

from neraca.models.pace import Pace


def test_a_call_may_take_three_times_as_long_as_the_slowest_that_was_answered():
    pace = Pace()
    assert pace.allowed(10) == 10
    pace.answered(1, 3.0, 3.0)
    assert pace.allowed(10) == 10
    pace.answered(2, 5.0, 5.0)
    assert pace.allowed(10) == 15
    pace.answered(3, 500.0, 505.0)
    assert pace.allowed(10) == 160, "sixteen times the settings at most"


def test_a_reply_to_another_call_is_a_sign_of_life_unless_later_calls_are_answered_first():
    pace = Pace()
    assert pace.last_sign(5, begun=1.0) == 1.0
    pace.answered(4, 2.0, 3.0)
    assert pace.last_sign(5, begun=1.0) == 3.0
    pace.answered(6, 2.0, 4.0)
    assert pace.last_sign(5, begun=1.0) == 1.0


def test_the_first_timeout_makes_fewer_calls_before_any_is_cancelled():
    pace = Pace()
    assert pace.overrun(1, in_flight=8, extended=False) == "wait"
    assert pace.slow
    assert pace.overrun(1, in_flight=8, extended=True) == "cancel"
    assert pace.allowed(10) == 10, "they waited for each other"
    assert pace.overrun(9, in_flight=1, extended=False) == "cancel"
    assert pace.allowed(10) == 20, "it was alone: the next one may take longer"
    for _ in range(9):
        pace.overrun(9, in_flight=1, extended=False)
    assert pace.allowed(10) == 160


def test_a_call_that_hangs_while_later_ones_are_answered_is_cancelled_and_says_nothing_about_the_endpoint():
    pace = Pace()
    pace.answered(2, 1.0, 1.0)
    assert pace.overrun(1, in_flight=8, extended=False) == "cancel"
    assert not pace.slow
