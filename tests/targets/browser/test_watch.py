"""When an answer is complete: tables of what a page shows and when, with no browser."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from neraca.targets.browser.steadiness import FIRST_CHECKS, Steadiness
from neraca.targets.browser.watch import SIGNS, Ended, Learned, Look, Watch, placeholder

EVERY = 0.2
"""Seconds between two looks."""

SOON, TRIED, STILL = Watch(0.0).soon, Watch(0.0).tried, Watch(0.0).still

State = tuple[float, str, str]
"""From this second on, this text stands there, with these signs: words of `SIGNS`, or of these.

`ended`: the last request has ended well; `over`: a socket has said so; `part`, `whole`: of what was sent; `failed`:
something has failed.
"""


@dataclass(frozen=True)
class Followed:
    """What came of it: after how many seconds the answer was over (None: never), how, and the watch itself."""

    at: float | None
    ended: Ended | None
    watch: Watch

    def after(self, last: float) -> float:
        """Seconds from the last change of the page until the answer was taken."""
        assert self.at is not None, "never ended"
        return self.at - last


def follow(
    *states: State,
    seconds: float = 120.0,
    trusted: Iterable[str] = SIGNS,
    told: float = 0.0,
    quiet: float = 0.0,
    learned: Learned | None = None,
) -> Followed:
    """Look at such a page until its answer has ended, or for so many seconds after the question."""
    watch = Watch(1000.0, told or STILL, told > 0, learned or Learned(trusted=set(trusted)), quiet=quiet)
    ended: float | None = None
    for number in range(int(seconds / EVERY)):
        at = number * EVERY
        since, text, words = ([(0.0, "", "")] + [state for state in states if state[0] <= at + 1e-9])[-1]
        signs = set(words.split())
        ended = 1000.0 + since if "ended" in signs and ended is None else ended
        look = Look(
            at=1000.0 + at,
            text=text,
            signs=frozenset(signs & {*SIGNS, "spoke"}),
            ended=ended,
            over=1000.0 + since if "over" in signs else None,
            shows="part" if "part" in signs else "whole" if "whole" in signs else "",
            failed="the request failed" if "failed" in signs else "",
        )
        if (over := watch.see(look)) is not None:
            return Followed(at, over, watch)
    return Followed(None, None, watch)


def streamed(start: float, end: float, signs: str, stall: tuple[float, float] = (0, 0)) -> list[State]:
    """A text that grows by a word each 0.2 s, but stands still for the seconds `stall[1]` from `stall[0]` on."""
    states: list[State] = []
    at = start
    while at <= end:
        states.append((at, " ".join(["word"] * (len(states) + 1)), signs))
        at += EVERY if not stall[0] <= at < stall[0] + EVERY else stall[1]
    return states


# the end


@pytest.mark.parametrize("sign", ["stop", "composed", "open", "asking"])
def test_an_answer_is_complete_soon_after_the_sign_of_work_that_came_with_it_has_gone(sign: str) -> None:
    ended = " ended" if sign == "open" else ""
    seen = follow((0, "", sign), (3, "Four", sign), (3.2, "Four", ended))
    assert seen.ended == Ended(SIGNS[sign][1])
    assert SOON <= seen.after(3) < SOON + 2 * EVERY


def test_a_sign_that_was_never_tried_must_hold_for_longer_and_is_trusted_then() -> None:
    seen = follow((0, "", "stop"), (3, "Four", "stop"), (3.2, "Four", ""), trusted=())
    assert seen.ended == Ended(SIGNS["stop"][1])
    assert TRIED <= seen.after(3) < TRIED + 2 * EVERY
    assert (seen.watch.learned.trusted, seen.watch.sign) == ({"stop"}, "stop")


def test_a_sign_after_which_the_text_goes_on_has_lied_and_counts_no_more() -> None:
    seen = follow((0, "", "stop"), (1, "Four rooms", ""), (4, "Four rooms and a bath", ""), trusted=())
    assert seen.watch.learned.lied == {"stop"}
    assert seen.ended == Ended(f"nothing changed for {STILL:.0f} s, and no sign ended the answer", suspect=True)


def test_a_text_that_is_replaced_after_its_end_is_corrected_and_must_hold_for_the_delay_and_a_margin() -> None:
    seen = follow((0, "", "stop"), (1, "Four rooms, I think.", ""), (4, "There are three rooms.", ""), trusted=())
    assert (seen.ended, seen.watch.text) == (Ended(SIGNS["stop"][1]), "There are three rooms.")
    assert (seen.watch.late, seen.watch.learned.lied) == (pytest.approx(3.0), set())
    corrects = seen.watch.learned.steadiness.corrects
    assert corrects == pytest.approx(3.0 + 5.0)
    assert corrects <= seen.after(4) < corrects + 2 * EVERY


def test_a_text_that_another_request_replaces_shows_that_the_sign_lied() -> None:
    watch = Watch(1000.0)
    told = [(0.2, "", "open", None), (1.0, "In the queue", "", 1001.0), (4.0, "Reading the prices", "", 1003.9)]
    for at, text, sign, ended in told:
        assert watch.see(Look(at=1000.0 + at, text=text, signs=frozenset(sign.split()), ended=ended)) is None
    assert (watch.learned.lied, watch.late) == ({"open"}, 0.0)


def test_an_answer_that_is_watched_is_taken_when_it_has_not_changed_for_so_long() -> None:
    states = [(0.0, "", "stop"), (1.0, "Four rooms.", ""), (8.0, "Three rooms.", "")]
    seen = follow(*states, trusted=SIGNS, quiet=9.0)
    assert (seen.ended, seen.watch.text) == (Ended(SIGNS["stop"][1]), "Three rooms.")
    assert (seen.watch.late, seen.watch.total) == (pytest.approx(7.0), pytest.approx(8.0))
    assert seen.after(8) >= 7 + 5
    assert follow(*states[:2], trusted=SIGNS, quiet=9.0).after(1) == pytest.approx(9.0)


def test_a_text_that_vanishes_for_a_moment_while_a_page_draws_it_again_has_not_changed() -> None:
    flicker = [(1.0, "Four rooms.", ""), (5.0, "", ""), (5.4, "Four rooms.", "")]
    seen = follow((0, "", "stop"), *flicker, quiet=9.0)
    assert (seen.watch.late, seen.after(1)) == (0.0, pytest.approx(9.0))


def test_no_answer_is_taken_earlier_than_the_user_says() -> None:
    assert follow((0, "", "stop"), (1, "Four", ""), told=8.0).after(1) >= 8


def test_a_sign_that_went_before_the_last_change_tells_nothing() -> None:
    for sign in ("stop", "composed", "open"):
        seen = follow((0, "", sign), (1, "Half", sign), (1.2, "Half", "ended"), (3, "Half of it", ""), trusted=())
        assert seen.ended is not None, sign
        assert seen.ended.suspect, sign


def test_a_sign_that_the_look_before_the_last_change_saw_belongs_to_it_however_long_ago_that_was() -> None:
    watch = Watch(1000.0, learned=Learned(trusted={"composed"}))
    assert watch.see(Look(at=1001.0, text="Half", signs=frozenset({"composed"}))) is None
    assert watch.see(Look(at=1003.0, text="Half of it")) is None
    assert watch.see(Look(at=1004.0, text="Half of it")) == Ended(SIGNS["composed"][1])


def test_dots_that_move_until_an_answer_begins_tell_no_end() -> None:
    assert follow((0, "", "moving"), (3, "Half", "")).after(3) > STILL
    seen = follow((0, "", "moving"), (3, "Half", "moving"), (4, "Half of it", "moving"), (4.2, "Half of it", ""))
    assert seen.ended == Ended(SIGNS["moving"][1])


@pytest.mark.parametrize("told", [0.0, 5.0])
def test_where_nothing_tells_the_end_only_time_passes(told: float) -> None:
    seen = follow((1, "Four", ""), trusted=(), told=told)
    assert seen.ended is not None
    assert seen.ended.suspect is (told == 0)
    wait = told or STILL
    assert wait <= seen.after(1) < wait + 2 * EVERY


def test_an_answer_that_has_not_begun_never_ends() -> None:
    assert follow((0, "", "")).at is None
    assert follow((0, "", "ended")).at is None


@pytest.mark.parametrize("text", ["", "Half of it"])
def test_what_failed_is_never_complete(text: str) -> None:
    seen = follow((0, "", "open"), (1, text, "open"), (2, text, "failed"))
    assert seen.ended == Ended("the request failed", suspect=True)
    assert follow((0, "", "open"), (1, text, "composed failed")).ended == seen.ended


def test_a_text_that_shows_a_part_of_what_was_sent_is_not_over() -> None:
    states = [(1.0, "Half", "open"), (1.2, "Half", "part ended"), (8.0, "Half of it", "whole ended")]
    seen = follow(*states)
    assert (seen.ended, seen.watch.text) == (Ended(SIGNS["sent"][1]), "Half of it")
    never = follow(*states[:2])
    assert never.ended is not None
    assert never.ended.suspect
    assert never.ended.why.endswith("the page received more than it shows")


def test_each_of_many_requests_ends_and_tells_nothing() -> None:
    states = [
        (0.0, "", "open"),
        (0.4, "In the queue", "asking ended"),
        (6, "Four", "asking ended"),
        (9, "Four", "ended"),
    ]
    seen = follow(*states)
    assert (seen.ended, seen.watch.text) == (Ended(SIGNS["asking"][1]), "Four")


@pytest.mark.parametrize("stall", [1.0, 3.0, 10.0])
@pytest.mark.parametrize("signs", ["stop", "open composed", "open", "composed", "stop open moving composed"])
def test_a_pause_of_a_page_that_is_at_work_is_no_end(signs: str, stall: float) -> None:
    states = streamed(1, 3 + stall, signs, (2, stall))
    last, text, _ = states[-1]
    seen = follow((0, "", signs), *states, (last + EVERY, text, "ended"))
    assert seen.ended is not None
    assert (seen.ended.suspect, seen.watch.text) == (False, text)
    assert seen.after(last) >= SOON


def test_while_there_is_a_stop_button_nothing_ends() -> None:
    assert follow((0, "", "stop"), (1, "Half of it", "stop"), seconds=600).at is None
    assert follow(*streamed(1, 3, "stop"), seconds=600).at is None


@pytest.mark.parametrize("signs", ["open composed", "open moving", "moving composed", "open moving composed"])
def test_two_signs_of_work_never_end(signs: str) -> None:
    assert follow(*streamed(1, 3, signs), seconds=600).at is None


@pytest.mark.parametrize("sign", ["moving", "open", "composed"])
def test_a_lone_sign_that_stays_makes_an_answer_suspect(sign: str) -> None:
    seen = follow(*streamed(1, 3, sign))
    assert seen.ended is not None
    assert seen.ended.suspect
    assert seen.ended.why.endswith(f"the page still shows {SIGNS[sign][0]}")
    assert seen.after(3) > 2 * STILL - EVERY


def test_a_text_that_did_not_grow_is_not_taken_while_something_moves() -> None:
    assert follow((1, "Loaded all at once", "moving"), seconds=600).at is None


# placeholders


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "…", "...", "▌", "● ● ●", "_", "|"),
        *("Thinking…", "Thinking", "thinking...", "💭 Thinking", "Searching the documents…", "Reading 3 documents…"),
        *("Loading", "Generating answer", "Let me check that…", "One moment", "Please wait", "Analysing the contract"),
        *("Typing", "Processing your request…", "Hold on…", "Working on it..."),
        *("Pensando…", "Buscando en los documentos…", "Un momento…", "Consultando la base", "Escribiendo"),
        *("Sedang mencari…", "Mencari rumah", "Sebentar", "Tunggu sebentar…", "Memuat data", "Mengetik"),
        *("جاري البحث", "جارٍ التحميل", "لحظة", "يكتب", "انتظر قليلا"),
    ],
)
def test_a_text_that_only_says_to_wait_is_a_placeholder(text: str) -> None:
    assert placeholder(text)


@pytest.mark.parametrize(
    "text",
    [
        *("Four", "Yes.", "0", "-", "Yes, at the back.", "There is no pool"),
        *("Thinking is what philosophers do.", "Searching takes two days.", "Loading is free!", "Working where?"),
        *("Rethinking", "Typingly said", "We are thinking of selling the villa next year to a family of four"),
        "Searching for houses in Medan gave 17 results, of which four have a garden and a pool, and one a lake…",
        "I have looked through all the houses that there are near the lake…",
        *("Pensándolo bien, sí.", "Mencari rumah itu mudah.", "نعم، يوجد موقف لسيارتين أمام المنزل."),
    ],
)
def test_a_text_that_says_something_is_no_placeholder(text: str) -> None:
    assert not placeholder(text)


@pytest.mark.parametrize("text", ["Thinking…", "Un momento…", "Sedang mencari…", "جاري البحث", "…", "▌"])
def test_a_placeholder_is_never_a_complete_answer(text: str) -> None:
    assert follow((0, text, "stop"), seconds=600).at is None
    assert follow((0, text, "open composed"), seconds=600).at is None
    seen = follow((0, text, ""), (1, text, "ended"))
    assert seen.ended is not None
    assert seen.ended.suspect
    assert seen.ended.why.endswith("it looks like a placeholder")
    assert seen.watch.partial == ""


def test_placeholders_that_follow_one_another_do_not_end_or_count_as_the_answer() -> None:
    waiting = [(0.0, "Thinking…", "stop"), (4.0, "Reading 3 documents…", "stop")]
    seen = follow(*waiting, (9, "Four", "stop"), (10, "Four", ""))
    assert (seen.watch.text, seen.ended) == ("Four", Ended(SIGNS["stop"][1]))


# times and texts


def test_the_first_text_is_not_the_placeholder() -> None:
    states = [(0.4, "Thinking…", "open"), (2.0, "The", "open"), (2.4, "The villa", "open"), (3.0, "The villa", "")]
    watch = follow(*states).watch
    assert watch.first == pytest.approx(2.0)
    assert watch.total == pytest.approx(2.4)


@pytest.mark.parametrize("cursor", ["▌", " ▍", "█", "●", "|", "_", "…", "..."])
def test_a_cursor_at_the_end_hides_no_first_text(cursor: str) -> None:
    long = "The villa has four bedrooms on two floors, and a garden that looks over"
    whole = f"{long} the lake."
    states = [(1.0, f"The villa has{cursor}", "open"), (2.0, long + cursor, "open"), (3.0, whole, "open")]
    watch = follow((0.2, "…", "open"), *states, (4.0, whole, "")).watch
    hidden = cursor in ("…", "...")  # a short text that ends in dots may be a placeholder
    assert watch.first == pytest.approx(2.0 if hidden else 1.0)
    assert watch.text == whole


def test_a_text_that_was_taken_back_is_not_the_first_of_the_answer() -> None:
    watch = follow((1.0, "Hello there", "open"), (2.0, "Four", "open"), (3.0, "Four", "")).watch
    assert watch.first == pytest.approx(2.0)


def test_a_text_that_only_lost_its_cursor_has_not_been_streamed() -> None:
    assert not follow((1.0, "Four▌", "open"), (1.4, "Four", "open"), (2.0, "Four", "")).watch.streamed
    assert follow(*streamed(1.0, 2.0, "open"), seconds=3).watch.streamed


def test_before_anything_is_said_there_is_no_first_text_and_no_total() -> None:
    watch = follow((0, "", "open"), seconds=5).watch
    assert (watch.first, watch.total, watch.partial, watch.text) == (None, 0.0, "", "")


def test_what_was_last_seen_is_kept_although_a_placeholder_takes_its_place() -> None:
    watch = follow((1, "The first half of", "open stop"), (2, "Reconnecting…", "open stop"), seconds=20).watch
    assert watch.partial == "The first half of"
    assert follow((1, "Half", "stop"), (2, "", "stop"), seconds=20).watch.text == ""


def after_checks(*states: State, passed: int = FIRST_CHECKS, gap: float = 0.0) -> float:
    """Seconds from the last change until an answer of a page that has passed its checks was taken."""
    learned = Learned(trusted=set(SIGNS), steadiness=Steadiness(passed=passed), longest_gap=gap)
    return follow(*states, learned=learned).after(states[-1][0])


WORKED_ON = [(0.0, "", "open"), (1.0, "Four", "open"), (1.2, "Four.", "open"), (1.4, "Four.", "ended")]


def test_a_page_that_has_passed_its_checks_and_worked_until_its_last_change_is_believed_at_once() -> None:
    assert after_checks(*WORKED_ON) < 0.5 < SOON < after_checks(*WORKED_ON, passed=FIRST_CHECKS - 1)
    assert after_checks((0.0, "", "open"), (1.0, "Four.", "ended whole")) < 0.5


def test_a_page_that_wrote_on_soon_after_a_sign_or_without_one_is_not_believed_at_once() -> None:
    assert after_checks(*WORKED_ON, gap=0.4) > SOON
    assert after_checks((0.0, "", "open"), (1.0, "Four.", "ended"), (1.4, "Four. It is.", "ended")) > SOON


def test_a_gap_before_the_text_or_the_work_goes_on_is_learned() -> None:
    learned = Learned(trusted=set(SIGNS))
    follow((0.0, "", "open"), (1.0, "Four.", "ended"), (1.4, "Four. It is.", "ended"), learned=learned)
    assert learned.longest_gap == pytest.approx(0.4)
    learned = Learned(trusted=set(SIGNS))
    follow((0.0, "One", "stop"), (1.0, "One", ""), (1.4, "One", "stop"), (2.0, "One two.", ""), learned=learned)
    assert learned.longest_gap == pytest.approx(0.6)


def test_a_socket_that_says_that_it_is_over_ends_an_answer_and_its_silence_does_not() -> None:
    pauses = [(0.0, "", "spoke"), (1.0, "Four rooms", "spoke"), (2.0, "Four rooms", "")]
    talk = follow(*pauses, (9.0, "Four rooms.", "spoke"), (9.4, "Four rooms.", "over"), trusted=["told"])
    assert (talk.ended, talk.after(9.4) < 1.0) == (Ended("its socket said that the answer is over"), True)
    silent = follow(*pauses, trusted=["told"])
    assert silent.ended is not None
    assert (silent.ended.suspect, silent.after(1.0) > STILL) == (True, True)
